#include "mercer/kernels/algebra/rbf_of.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

struct Diagonal {
  std::vector<double> of;
};

class RbfOfNode final : public TemplatedTile<RbfOfNode> {
 public:
  RbfOfNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)),
        gamma_(number_or(this->parameters(), "gamma", 1)) {}

  Definiteness definiteness() const override {
    const Definiteness inner = child(0).definiteness();
    return definiteness_of_exponential(inner);
  }

  void complete(KernelPreparation& preparation) const override {
    child(0).complete(preparation);
    preparation.keep(*this, std::make_shared<const Diagonal>(Diagonal{whole_diagonal(child(0), preparation.target())}));
  }

  void diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<double> k) const override {
    std::fill(k.begin(), k.end(), 1.0);
  }

  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    ScratchMatrix<double> block = context.scratch();
    const MatrixView<double> w = block.view();
    gradient[0] += weigh(context, q, w);
    if (child(0).scale_count() == 0) {
      return;
    }
    const std::span<double> inner = child_gradient(*this, 0, gradient);
    child(0).contract_diagonal(context.x(), context.rows(), row_sums(w), inner);
    child(0).contract_diagonal(context.y(), context.columns(), column_sums(w), inner);
    scale_by_minus_two(w);
    child(0).contract(context, w, inner);
  }
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                         std::span<double> /*gradient*/) const override {}

  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    ScratchMatrix<double> block = context.scratch();
    const MatrixView<double> w = block.view();
    weigh(context, q, w);
    const std::vector<double> rows = row_sums(w);
    std::vector<double> slope(dx.columns());
    for (Index i = 0; i < q.rows(); ++i) {
      diagonal_slope(child(0), context.x(), context.rows().begin + i, context.workspace(), slope);
      for (std::size_t c = 0; c < slope.size(); ++c) {
        dx(i, static_cast<Index>(c)) += rows[i] * slope[c];
      }
    }
    scale_by_minus_two(w);
    child(0).contract_inputs(context, w, dx);
  }
  // k_xy = k (γ² D_x D_yᵀ + 2γ c_xy), D = d²
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    PairDerivatives inner(out.dimension);
    child(0).pair_derivatives(context, inner);
    double value[1];
    tile(context, MatrixView<double>(value, 1, 1));
    out.value = value[0];
    const std::size_t d = out.dx.size();
    std::vector<double> by_x(d);
    std::vector<double> by_y(d);
    diagonal_slope(child(0), context.x(), context.rows().begin, context.workspace(), by_x);
    diagonal_slope(child(0), context.y(), context.columns().begin, context.workspace(), by_y);
    for (std::size_t a = 0; a < d; ++a) {
      by_x[a] -= 2 * inner.dx[a];
      by_y[a] -= 2 * inner.dy[a];
    }
    for (std::size_t a = 0; a < d; ++a) {
      out.dx[a] = -gamma_ * out.value * by_x[a];
      out.dy[a] = -gamma_ * out.value * by_y[a];
      for (std::size_t b = 0; b < d; ++b) {
        out.mixed[a * d + b] = gamma_ * out.value * (gamma_ * by_x[a] * by_y[b] + 2 * inner.mixed[a * d + b]);
      }
    }
  }

 private:
  friend TemplatedTile;

  static void scale_by_minus_two(MatrixView<double> w) {
    for (Index i = 0; i < w.rows(); ++i) {
      for (Index j = 0; j < w.columns(); ++j) {
        w(i, j) *= -2;
      }
    }
  }

  // out = d²
  template <class T>
  void distances(TileContext<T>& context, MatrixView<T> out) const {
    child(0).tile(context, out);
    const double* const a = context.x().template slot<Diagonal>(*this).of.data() + context.rows().begin;
    const double* const b = context.y().template slot<Diagonal>(*this).of.data() + context.columns().begin;
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.columns(); ++j) {
        const double squared = a[i] + b[j] - 2 * static_cast<double>(out(i, j));
        out(i, j) = squared > 0 ? static_cast<T>(squared) : T(0);
      }
    }
    context.for_same_samples([&](Index i, Index j) { out(i, j) = T(0); });
  }

  // w = q ∂k/∂(d²); returns Σ q ∂k/∂γ.
  double weigh(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> w) const {
    distances(context, w);
    double by_gamma = 0;
    for (Index i = 0; i < q.rows(); ++i) {
      for (Index j = 0; j < q.columns(); ++j) {
        const double k = std::exp(-gamma_ * w(i, j));
        by_gamma -= k == 0 ? 0.0 : q(i, j) * w(i, j) * k;
        w(i, j) = -gamma_ * q(i, j) * k;
      }
    }
    return by_gamma;
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    distances(context, k);
    for (Index i = 0; i < k.rows(); ++i) {
      vector_exp_scaled(k.row(i), static_cast<T>(-gamma_), k.row(i));
    }
  }

  double gamma_;
};

}  // namespace

const KernelEntry& rbf_of_entry() {
  static const KernelEntry entry{
      .name = "rbf_of",
      .formula = "exp(-gamma (k(x,x) + k(y,y) - 2 k(x,y)))",
      .summary = "Gaussian of the distance in another kernel's feature space",
      .definiteness = "positive if k is positive or conditional of order 1",
      .input = KernelInput::any,
      .parameters = {{.name = "gamma", .default_text = "1", .meaning = "inverse squared width in the feature space"}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<RbfOfNode>,
      .examples = {"rbf_of(poly(degree=2, gamma=0.4, coef0=1), gamma=0.1)", "rbf_of(rbf(gamma=0.6), gamma=1.5)",
                   "rbf_of(negative_distance(beta=1.5), gamma=0.3)"}};
  return entry;
}

}  // namespace mercer
