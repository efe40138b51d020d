#include "mercer/kernels/algebra/center.h"

#include "mercer/base/once.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

struct Means {
  std::shared_ptr<const Prepared> reference;  // null for the training samples themselves: they own this
  std::vector<double> of_samples;             // (1/n) Σ_i k(x, z_i)
  double grand = 0;                           // (1/n²) Σ_ij k(z_i, z_j)
  mutable Once once;
  mutable Matrix<double> slopes;  // derivatives of of_samples, one row per sample; made when first asked for
};

template <class T>
void compute_means(const KernelNode& kernel, const Prepared& x, const Prepared& z, const Run& run,
                   std::span<double> means) {
  parallel_for(run, block_count(x.size(), tile_size), [&](Index b) {
    const IndexRange rows = block_range(x.size(), tile_size, b);
    Workspace workspace;
    for (Index c = 0; c < block_count(z.size(), tile_size); ++c) {
      TileContext<T> context(x, rows, z, block_range(z.size(), tile_size, c), workspace);
      ScratchMatrix<T> block = context.scratch();
      const MatrixView<T> k = block.view();
      kernel.tile(context, k);
      for (Index i = 0; i < k.rows(); ++i) {
        double sum = 0;
        for (Index j = 0; j < k.columns(); ++j) {
          sum += static_cast<double>(k(i, j));
        }
        means[rows.begin + i] += sum;
      }
    }
    for (Index i = rows.begin; i < rows.end; ++i) {
      means[i] /= static_cast<double>(std::max<Index>(z.size(), 1));
    }
  });
}

// Calls use(context, q) for the blocks of z, q holding `weight` everywhere: row i of x against all of z.
template <class Use>
void for_row_blocks(const Prepared& x, Index i, const Prepared& z, double weight, Workspace& workspace, Use use) {
  const std::vector<double> q(std::min(tile_size, z.size()), weight);
  for (Index c = 0; c < block_count(z.size(), tile_size); ++c) {
    const IndexRange columns = block_range(z.size(), tile_size, c);
    TileContext<double> context(x, {i, i + 1}, z, columns, workspace);
    use(context, ConstMatrixView<double>(q.data(), 1, columns.size()));
  }
}

class CenterNode final : public TemplatedTile<CenterNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override { return definiteness_of_shifted_origin(child(0).definiteness()); }

  bool depends_on_reference() const override { return true; }

  void complete(KernelPreparation& preparation) const override {
    child(0).complete(preparation);
    const Prepared& x = preparation.target();
    auto means = std::make_shared<Means>();
    means->reference = preparation.reference();
    const Prepared& z = means->reference ? *means->reference : x;
    means->of_samples.assign(x.size(), 0.0);
    if (x.precision() == Precision::single_precision) {
      compute_means<float>(child(0), x, z, preparation.run(), means->of_samples);
    } else {
      compute_means<double>(child(0), x, z, preparation.run(), means->of_samples);
    }
    if (means->reference) {
      means->grand = z.slot<Means>(*this).grand;
    } else {
      for (const double mean : means->of_samples) {
        means->grand += mean / static_cast<double>(x.size());
      }
    }
    preparation.keep(*this, means);
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    child(0).diagonal(x, range, k);
    const Means& means = x.slot<Means>(*this);
    for (std::size_t i = 0; i < k.size(); ++i) {
      k[i] += means.grand - 2 * means.of_samples[static_cast<std::size_t>(range.begin) + i];
    }
  }

  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    if (scale_count() == 0) {
      return;
    }
    child(0).contract(context, q, gradient);
    const std::vector<double> rows = row_sums(q);
    const std::vector<double> columns = column_sums(q);
    double total = 0;
    for (const double sum : rows) {
      total += sum;
    }
    subtract_slopes(context.x(), context.rows().begin, rows, gradient);
    subtract_slopes(context.y(), context.columns().begin, columns, gradient);
    add_grand_slope(context.y(), total, gradient);
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    if (scale_count() == 0) {
      return;
    }
    child(0).contract_diagonal(x, range, q, gradient);
    std::vector<double> twice(q.begin(), q.end());
    double total = 0;
    for (double& weight : twice) {
      total += weight;
      weight *= 2;
    }
    subtract_slopes(x, range.begin, twice, gradient);
    add_grand_slope(x, total, gradient);
  }

  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    child(0).contract_inputs(context, q, dx);
    const std::vector<double> rows = row_sums(q);
    for (Index i = 0; i < q.rows(); ++i) {
      add_mean_slope(context.x(), context.rows().begin + i, -rows[i], context.workspace(),
                     dx.block(i, 0, 1, dx.columns()));
    }
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    child(0).pair_derivatives(context, out);
    const Index i = context.rows().begin;
    const Index j = context.columns().begin;
    const Means& of_x = context.x().slot<Means>(*this);
    const Means& of_y = context.y().slot<Means>(*this);
    out.value += of_x.grand - of_x.of_samples[i] - of_y.of_samples[j];
    add_mean_slope(context.x(), i, -1, context.workspace(), MatrixView<double>(out.dx.data(), 1, out.dimension));
    add_mean_slope(context.y(), j, -1, context.workspace(), MatrixView<double>(out.dy.data(), 1, out.dimension));
  }

 private:
  friend TemplatedTile;

  const Prepared& reference_of(const Prepared& x) const {
    const Means& means = x.slot<Means>(*this);
    return means.reference ? *means.reference : x;
  }

  // dx += weight · (1/n) Σ_j ∂k(x, z_j)/∂x
  void add_mean_slope(const Prepared& x, Index i, double weight, Workspace& workspace, MatrixView<double> dx) const {
    const Prepared& z = reference_of(x);
    for_row_blocks(
        x, i, z, weight / static_cast<double>(z.size()), workspace,
        [&](TileContext<double>& context, ConstMatrixView<double> q) { child(0).contract_inputs(context, q, dx); });
  }

  const Matrix<double>& mean_slopes(const Prepared& x) const {
    const Means& means = x.slot<Means>(*this);
    means.once([&] {
      const Prepared& z = reference_of(x);
      means.slopes = Matrix<double>::filled(x.size(), scale_count(), 0.0);
      Workspace workspace;
      for (Index i = 0; i < x.size(); ++i) {
        for_row_blocks(x, i, z, 1 / static_cast<double>(z.size()), workspace,
                       [&](TileContext<double>& context, ConstMatrixView<double> q) {
                         child(0).contract(context, q, means.slopes.view().row(i));
                       });
      }
    });
    return means.slopes;
  }

  void subtract_slopes(const Prepared& x, Index begin, std::span<const double> weights,
                       std::span<double> gradient) const {
    const Matrix<double>& slopes = mean_slopes(x);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t p = 0; p < gradient.size(); ++p) {
        gradient[p] -= weights[i] * slopes(begin + static_cast<Index>(i), static_cast<Index>(p));
      }
    }
  }
  void add_grand_slope(const Prepared& x, double weight, std::span<double> gradient) const {
    const Matrix<double>& slopes = mean_slopes(reference_of(x));
    for (Index i = 0; i < slopes.rows(); ++i) {
      for (std::size_t p = 0; p < gradient.size(); ++p) {
        gradient[p] += weight * slopes(i, static_cast<Index>(p)) / static_cast<double>(slopes.rows());
      }
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    child(0).tile(context, k);
    const Means& of_x = context.x().template slot<Means>(*this);
    const double* const of_y = context.y().template slot<Means>(*this).of_samples.data() + context.columns().begin;
    for (Index i = 0; i < k.rows(); ++i) {
      const double shift = of_x.grand - of_x.of_samples[context.rows().begin + i];
      for (Index j = 0; j < k.columns(); ++j) {
        k(i, j) = static_cast<T>(static_cast<double>(k(i, j)) + shift - of_y[j]);
      }
    }
  }
};

}  // namespace

const KernelEntry& center_entry() {
  static const KernelEntry entry{.name = "center",
                                 .aliases = {"centre"},
                                 .formula = "k(x,y) - mean_z k(x,z) - mean_z k(z,y) + mean_zz' k(z,z')",
                                 .summary = "moves the origin of the feature space to the mean of the training samples",
                                 .definiteness = "positive if k is conditionally positive of order 1",
                                 .input = KernelInput::any,
                                 .fewest_children = 1,
                                 .most_children = 1,
                                 .make = make_node<CenterNode>,
                                 .examples = {"center(rbf(gamma=0.5))", "center(negative_distance(beta=1))",
                                              "center(0.7*linear() + rbf(lengthscale=[1, 2, 3]))"}};
  return entry;
}

}  // namespace mercer
