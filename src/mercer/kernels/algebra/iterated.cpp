#include "mercer/kernels/algebra/iterated.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/nodes/dense_features_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr double most_kept_values = 2.5e8;  // two gigabytes

// rows = k(x, z)/√n
template <class T>
void write_maps(const KernelNode& kernel, const Prepared& x, const Prepared& z, const Run& run,
                MatrixView<double> rows) {
  const double scale = 1 / std::sqrt(static_cast<double>(std::max<Index>(z.size(), 1)));
  parallel_for(run, block_count(x.size(), tile_size), [&](Index b) {
    const IndexRange range = block_range(x.size(), tile_size, b);
    Workspace workspace;
    for (Index c = 0; c < block_count(z.size(), tile_size); ++c) {
      run.check_stop();
      const IndexRange columns = block_range(z.size(), tile_size, c);
      TileContext<T> context(x, range, z, columns, workspace);
      ScratchMatrix<T> block = context.scratch();
      const MatrixView<T> k = block.view();
      kernel.tile(context, k);
      for (Index i = 0; i < k.rows(); ++i) {
        for (Index j = 0; j < k.columns(); ++j) {
          rows(range.begin + i, columns.begin + j) = scale * static_cast<double>(k(i, j));
        }
      }
    }
  });
}

class IteratedNode final : public DenseFeaturesNode {
 public:
  using DenseFeaturesNode::DenseFeaturesNode;

  bool depends_on_reference() const override { return true; }
  bool has_costly_pairs() const override { return false; }  // k is evaluated while samples are prepared
  void request(KernelPreparation& preparation) const override { child(0).request(preparation); }
  void complete(KernelPreparation& preparation) const override {
    child(0).complete(preparation);
    DenseFeaturesNode::complete(preparation);
  }

  // With Φ = k(·, z)/√n:  Σ q_ij ∂K_ij = Σ (qΦ_y)_il ∂k(x_i, z_l)/√n + Σ (qᵀΦ_x)_jl ∂k(y_j, z_l)/√n
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    if (scale_count() == 0) {
      return;
    }
    const auto contract_child = [&](TileContext<double>& part, ConstMatrixView<double> weights) {
      child(0).contract(part, weights, gradient);
    };
    for_blocks(context.x(), context.rows(), weights_of_rows(context, q).view(), context.workspace(), contract_child);
    const Matrix<double> weights = product(q, Transpose::yes, kept_rows(context.x(), context.rows()));
    for_blocks(context.y(), context.columns(), weights.view(), context.workspace(), contract_child);
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    if (scale_count() == 0) {
      return;
    }
    Matrix<double> weights = Matrix<double>::copy_of(kept_rows(x, range));
    for (Index i = 0; i < weights.rows(); ++i) {
      for (double& weight : weights.view().row(i)) {
        weight *= 2 * q[i];
      }
    }
    Workspace workspace;
    for_blocks(x, range, weights.view(), workspace, [&](TileContext<double>& part, ConstMatrixView<double> block) {
      child(0).contract(part, block, gradient);
    });
  }

  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    for_blocks(context.x(), context.rows(), weights_of_rows(context, q).view(), context.workspace(),
               [&](TileContext<double>& part, ConstMatrixView<double> weights) {
                 child(0).contract_inputs(part, weights, dx);
               });
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    const Prepared& z = reference_of(context.x());
    const Matrix<double> by_x = slopes(context.x(), context.rows().begin, context.workspace(), out.dimension);
    const Matrix<double> by_y = slopes(context.y(), context.columns().begin, context.workspace(), out.dimension);
    const std::span<const double> x = kept_features(context.x()).row(context.rows().begin);
    const std::span<const double> y = kept_features(context.y()).row(context.columns().begin);
    const auto d = static_cast<std::size_t>(out.dimension);
    out.value = dot(x, y);
    std::fill(out.dx.begin(), out.dx.end(), 0.0);
    std::fill(out.dy.begin(), out.dy.end(), 0.0);
    std::fill(out.mixed.begin(), out.mixed.end(), 0.0);
    for (Index l = 0; l < z.size(); ++l) {
      const std::span<const double> u = by_x.view().row(l);
      const std::span<const double> v = by_y.view().row(l);
      for (std::size_t a = 0; a < d; ++a) {
        out.dx[a] += u[a] * y[l];
        out.dy[a] += v[a] * x[l];
        for (std::size_t b = 0; b < d; ++b) {
          out.mixed[a * d + b] += u[a] * v[b];
        }
      }
    }
  }

 protected:
  Matrix<double> features(const KernelPreparation& preparation) const override {
    const Prepared& x = preparation.target();
    const Prepared& z = preparation.reference() ? *preparation.reference() : x;
    if (static_cast<double>(x.size()) * static_cast<double>(z.size()) > most_kept_values) {
      throw InvalidArgument("iterated: the kernel of " + std::to_string(x.size()) + " samples with " +
                            std::to_string(z.size()) +
                            " training samples has more than 250 million values, which it would keep; take fewer "
                            "training samples");
    }
    Matrix<double> rows(x.size(), z.size());
    if (x.precision() == Precision::single_precision) {
      write_maps<float>(child(0), x, z, preparation.run(), rows.view());
    } else {
      write_maps<double>(child(0), x, z, preparation.run(), rows.view());
    }
    return rows;
  }

 private:
  ConstMatrixView<double> kept_rows(const Prepared& x, IndexRange range) const {
    return kept_features(x).row_block(range);
  }
  static Matrix<double> product(ConstMatrixView<double> q, Transpose transpose, ConstMatrixView<double> rows) {
    Matrix<double> result(transpose == Transpose::yes ? q.columns() : q.rows(), rows.columns());
    gemm(1.0, q, transpose, rows, Transpose::no, 0.0, result.view());
    return result;
  }
  Matrix<double> weights_of_rows(const TileContext<double>& context, ConstMatrixView<double> q) const {
    return product(q, Transpose::no, kept_rows(context.y(), context.columns()));
  }

  // Calls use(context, weights/√n) for the rows of x against the blocks of z.
  template <class Use>
  void for_blocks(const Prepared& x, IndexRange rows, ConstMatrixView<double> weights, Workspace& workspace,
                  Use use) const {
    const Prepared& z = reference_of(x);
    const double scale = 1 / std::sqrt(static_cast<double>(std::max<Index>(z.size(), 1)));
    for (Index c = 0; c < block_count(z.size(), tile_size); ++c) {
      const IndexRange columns = block_range(z.size(), tile_size, c);
      Matrix<double> block(rows.size(), columns.size());
      for (Index i = 0; i < rows.size(); ++i) {
        for (Index j = 0; j < columns.size(); ++j) {
          block(i, j) = scale * weights(i, columns.begin + j);
        }
      }
      TileContext<double> context(x, rows, z, columns, workspace);
      use(context, ConstMatrixView<double>(block.view()));
    }
  }

  // Row l: ∂Φ_l/∂x = ∂k(x_i, z_l)/∂x/√n
  Matrix<double> slopes(const Prepared& x, Index i, Workspace& workspace, Index dimension) const {
    const Prepared& z = reference_of(x);
    const double scale = 1 / std::sqrt(static_cast<double>(std::max<Index>(z.size(), 1)));
    Matrix<double> result = Matrix<double>::filled(z.size(), dimension, 0.0);
    for (Index l = 0; l < z.size(); ++l) {
      TileContext<double> context(x, {i, i + 1}, z, {l, l + 1}, workspace);
      child(0).contract_inputs(context, ConstMatrixView<double>(&scale, 1, 1), result.view().block(l, 0, 1, dimension));
    }
    return result;
  }
};

}  // namespace

const KernelEntry& iterated_entry() {
  static const KernelEntry entry{.name = "iterated",
                                 .aliases = {"empirical_map"},
                                 .formula = "(1/n) sum_z k(x,z) k(y,z) over the n training samples z",
                                 .summary =
                                     "makes any similarity positive definite: samples by their values with the "
                                     "training samples",
                                 .definiteness = "positive definite for every symmetric k",
                                 .input = KernelInput::any,
                                 .fewest_children = 1,
                                 .most_children = 1,
                                 .make = make_node<IteratedNode>,
                                 .examples = {"iterated(rbf(gamma=0.5))", "iterated(sigmoid(gamma=0.3, coef0=-1))",
                                              "normalize(iterated(0.7*linear() + rbf(lengthscale=[1, 2, 3])))"}};
  return entry;
}

}  // namespace mercer
