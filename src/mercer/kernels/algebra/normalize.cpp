#include "mercer/kernels/algebra/normalize.h"

#include <cmath>

#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// 1/√k(x_i, x_i) of every sample, 0 where there is none.
struct InverseNorms {
  std::vector<double> of;
};

class NormalizeNode final : public TemplatedTile<NormalizeNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override {
    const Definiteness inner = child(0).definiteness();
    return inner.is_positive() ? inner : Definiteness::indefinite();
  }

  void complete(KernelPreparation& preparation) const override {
    child(0).complete(preparation);
    auto norms = std::make_shared<InverseNorms>();
    norms->of = whole_diagonal(child(0), preparation.target());
    for (double& value : norms->of) {
      value = value > 0 && std::isfinite(value) ? 1 / std::sqrt(value) : 0.0;
    }
    preparation.keep(*this, norms);
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    for (std::size_t i = 0; i < k.size(); ++i) {
      k[i] = inverse_norm(x, range.begin + static_cast<Index>(i)) > 0 ? 1.0 : 0.0;
    }
  }

  // k = c s t with s = a^(−½), t = b^(−½): ∂k = s t ∂c − (k/2)(∂a/a + ∂b/b).
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    if (child(0).scale_count() == 0) {
      return;
    }
    ScratchMatrix<double> block = context.scratch();
    const MatrixView<double> w = block.view();
    std::vector<double> of_rows(q.rows());
    std::vector<double> of_columns(q.columns());
    weigh(context, q, w, of_rows, of_columns);
    child(0).contract(context, w, gradient);
    child(0).contract_diagonal(context.x(), context.rows(), of_rows, gradient);
    child(0).contract_diagonal(context.y(), context.columns(), of_columns, gradient);
  }
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                         std::span<double> /*gradient*/) const override {}

  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    ScratchMatrix<double> block = context.scratch();
    const MatrixView<double> w = block.view();
    std::vector<double> of_rows(q.rows());
    std::vector<double> of_columns(q.columns());
    weigh(context, q, w, of_rows, of_columns);
    child(0).contract_inputs(context, w, dx);
    std::vector<double> slope(dx.columns());
    for (Index i = 0; i < q.rows(); ++i) {
      diagonal_slope(child(0), context.x(), context.rows().begin + i, context.workspace(), slope);
      for (std::size_t c = 0; c < slope.size(); ++c) {
        dx(i, static_cast<Index>(c)) += of_rows[i] * slope[c];
      }
    }
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    PairDerivatives inner(out.dimension);
    child(0).pair_derivatives(context, inner);
    scale_pair_derivatives(inner, factor(context.x(), context.rows().begin, context.workspace(), out.dx.size()),
                           factor(context.y(), context.columns().begin, context.workspace(), out.dx.size()), out);
  }

 private:
  friend TemplatedTile;

  double inverse_norm(const Prepared& x, Index i) const { return x.slot<InverseNorms>(*this).of[i]; }

  // a(x)^(−½) and its gradient −½ a^(−3/2) a'.
  PointFunction factor(const Prepared& x, Index i, Workspace& workspace, std::size_t d) const {
    PointFunction s{inverse_norm(x, i), std::vector<double>(d)};
    diagonal_slope(child(0), x, i, workspace, s.slope);
    for (double& component : s.slope) {
      component *= -0.5 * s.value * s.value * s.value;
    }
    return s;
  }

  // w = q s t, and the weights −½ Σ q k/a that the diagonals get.
  void weigh(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> w, std::span<double> of_rows,
             std::span<double> of_columns) const {
    child(0).tile(context, w);
    std::fill(of_rows.begin(), of_rows.end(), 0.0);
    std::fill(of_columns.begin(), of_columns.end(), 0.0);
    for (Index i = 0; i < q.rows(); ++i) {
      const double s = inverse_norm(context.x(), context.rows().begin + i);
      for (Index j = 0; j < q.columns(); ++j) {
        const double t = inverse_norm(context.y(), context.columns().begin + j);
        const bool is_zero = s == 0 || t == 0;
        const double k = is_zero ? 0.0 : w(i, j) * s * t;
        of_rows[i] -= 0.5 * q(i, j) * k * s * s;
        of_columns[j] -= 0.5 * q(i, j) * k * t * t;
        w(i, j) = is_zero ? 0.0 : q(i, j) * s * t;
      }
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    if (std::is_same_v<T, float> && child(0).computes_in_double()) {
      // Values may be far beyond single precision where their cosines are not.
      TileContext<double> wide(context.x(), context.rows(), context.y(), context.columns(), context.workspace());
      ScratchMatrix<double> block = wide.scratch();
      child(0).tile(wide, block.view());
      divide<double, T>(context, block.view(), k);
      return;
    }
    child(0).tile(context, k);
    divide<T, T>(context, k, k);
  }

  template <class From, class To>
  void divide(const TileContext<To>& context, ConstMatrixView<From> values, MatrixView<To> k) const {
    const double* const t = context.y().template slot<InverseNorms>(*this).of.data() + context.columns().begin;
    for (Index i = 0; i < k.rows(); ++i) {
      const double s = inverse_norm(context.x(), context.rows().begin + i);
      for (Index j = 0; j < k.columns(); ++j) {
        k(i, j) = s == 0 || t[j] == 0 ? To(0) : static_cast<To>(static_cast<double>(values(i, j)) * s * t[j]);
      }
    }
  }
};

}  // namespace

const KernelEntry& normalize_entry() {
  static const KernelEntry entry{.name = "normalize",
                                 .aliases = {"normalise"},
                                 .formula = "k(x,y) / sqrt(k(x,x) k(y,y)); 0 where k(x,x) = 0",
                                 .summary = "cosine in the feature space: every sample has length 1",
                                 .definiteness = "positive if k is",
                                 .input = KernelInput::any,
                                 .fewest_children = 1,
                                 .most_children = 1,
                                 .make = make_node<NormalizeNode>,
                                 .examples = {"normalize(poly(degree=2, gamma=0.5, coef0=1))",
                                              "normalize(linear() + 0.5*rbf(gamma=0.4))", "normalize(linear())"}};
  return entry;
}

}  // namespace mercer
