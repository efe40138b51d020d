#include "mercer/kernels/algebra/conformal.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

enum class Factor { gaussian, norm, inverse_norm };

struct Weights {
  std::vector<double> squared_norms;
  std::vector<double> values;  // f
};

class ConformalNode final : public TemplatedTile<ConformalNode> {
 public:
  ConformalNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)), c_(number_or(this->parameters(), "c", 1)) {
    const std::string& word = this->parameters().word("function");
    factor_ = word == "norm" ? Factor::norm : word == "inverse_norm" ? Factor::inverse_norm : Factor::gaussian;
  }

  Definiteness definiteness() const override {
    const Definiteness inner = child(0).definiteness();
    if (!inner.is_positive()) {
      return Definiteness::indefinite();
    }
    Definiteness result;
    result.domain = inner.domain;
    return result;
  }

  void complete(KernelPreparation& preparation) const override {
    child(0).complete(preparation);
    const Samples& samples = preparation.target().samples();
    auto weights = std::make_shared<Weights>();
    std::vector<double> x(samples.columns());
    for (Index i = 0; i < samples.size(); ++i) {
      numeric_row(samples, i, x);
      double squared = 0;
      for (const double value : x) {
        squared += value * value;
      }
      weights->squared_norms.push_back(squared);
      weights->values.push_back(weight(squared));
    }
    preparation.keep(*this, weights);
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    child(0).diagonal(x, range, k);
    const double* const f = x.slot<Weights>(*this).values.data() + range.begin;
    for (std::size_t i = 0; i < k.size(); ++i) {
      k[i] = f[i] == 0 ? 0.0 : f[i] * k[i] * f[i];
    }
  }

  // ∂f/∂c = −‖x‖² f for the Gaussian, the only factor with a parameter.
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    const Weights& of_x = context.x().slot<Weights>(*this);
    const Weights& of_y = context.y().slot<Weights>(*this);
    ScratchMatrix<double> block = context.scratch();
    const MatrixView<double> w = block.view();
    if (parameters().scale_count() > 0) {
      child(0).tile(context, w);
      for_pairs(context, [&](Index i, Index j, std::size_t a, std::size_t b) {
        const double f = of_x.values[a] * of_y.values[b];
        gradient[0] -= f == 0 ? 0.0 : q(i, j) * w(i, j) * f * (of_x.squared_norms[a] + of_y.squared_norms[b]);
      });
    }
    for_pairs(context, [&](Index i, Index j, std::size_t a, std::size_t b) {
      w(i, j) = q(i, j) * of_x.values[a] * of_y.values[b];
    });
    child(0).contract(context, w, child_gradient(*this, 0, gradient));
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    const Weights& weights = x.slot<Weights>(*this);
    std::vector<double> k(q.size());
    child(0).diagonal(x, range, k);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(range.begin) + i;
      const double f = weights.values[at] * weights.values[at];
      if (parameters().scale_count() > 0 && f != 0) {
        gradient[0] -= 2 * q[i] * k[i] * f * weights.squared_norms[at];
      }
      k[i] = q[i] * f;
    }
    child(0).contract_diagonal(x, range, k, child_gradient(*this, 0, gradient));
  }

  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    const Weights& of_x = context.x().slot<Weights>(*this);
    const Weights& of_y = context.y().slot<Weights>(*this);
    ScratchMatrix<double> block = context.scratch();
    const MatrixView<double> w = block.view();
    child(0).tile(context, w);
    std::vector<double> pull(q.rows(), 0.0);
    for_pairs(context, [&](Index i, Index j, std::size_t a, std::size_t b) {
      pull[i] += of_y.values[b] == 0 ? 0.0 : q(i, j) * w(i, j) * of_y.values[b];
      w(i, j) = q(i, j) * of_x.values[a] * of_y.values[b];
    });
    child(0).contract_inputs(context, w, dx);
    for (Index i = 0; i < q.rows(); ++i) {
      const PointFunction f = point_function(context.x(), context.rows().begin + i);
      for (std::size_t c = 0; c < f.slope.size(); ++c) {
        dx(i, static_cast<Index>(c)) += pull[i] * f.slope[c];
      }
    }
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    PairDerivatives inner(out.dimension);
    child(0).pair_derivatives(context, inner);
    scale_pair_derivatives(inner, point_function(context.x(), context.rows().begin),
                           point_function(context.y(), context.columns().begin), out);
  }

 private:
  friend TemplatedTile;

  double weight(double squared) const {
    switch (factor_) {
      case Factor::gaussian:
        return std::exp(-c_ * squared);
      case Factor::norm:
        return std::sqrt(squared);
      case Factor::inverse_norm:
        break;
    }
    return squared > 0 ? 1 / std::sqrt(squared) : 0.0;
  }
  // f and ∇f = (df/d‖x‖²) 2x
  PointFunction point_function(const Prepared& x, Index i) const {
    const Weights& weights = x.slot<Weights>(*this);
    const double squared = weights.squared_norms[i];
    PointFunction f{weights.values[i], std::vector<double>(x.samples().columns())};
    numeric_row(x.samples(), i, f.slope);
    double factor = 0;
    if (factor_ == Factor::gaussian) {
      factor = -2 * c_ * f.value;
    } else if (squared > 0) {
      factor = factor_ == Factor::norm ? 1 / f.value : -f.value / squared;
    }
    for (double& component : f.slope) {
      component *= factor;
    }
    return f;
  }

  template <class T, class Use>
  static void for_pairs(const TileContext<T>& context, Use use) {
    for (Index i = 0; i < context.row_count(); ++i) {
      for (Index j = 0; j < context.column_count(); ++j) {
        use(i, j, static_cast<std::size_t>(context.rows().begin + i),
            static_cast<std::size_t>(context.columns().begin + j));
      }
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    child(0).tile(context, k);
    const Weights& of_x = context.x().template slot<Weights>(*this);
    const Weights& of_y = context.y().template slot<Weights>(*this);
    for_pairs(context, [&](Index i, Index j, std::size_t a, std::size_t b) {
      const double f = of_x.values[a] * of_y.values[b];
      k(i, j) = f == 0 ? T(0) : static_cast<T>(static_cast<double>(k(i, j)) * f);
    });
  }

  Factor factor_ = Factor::gaussian;
  double c_;
};

// Only the Gaussian factor has the parameter c; 1 unless given.
std::shared_ptr<const KernelNode> make_conformal(const KernelEntry& entry, ParameterList parameters,
                                                 std::vector<Kernel> children) {
  const bool is_gaussian = parameters.word("function") == "gaussian";
  if (is_gaussian && !parameters.has("c")) {
    parameters = parameters.with("c", ParameterValue::number(1));
  }
  if (!is_gaussian && parameters.has("c")) {
    throw InvalidArgument("conformal: c belongs to function=gaussian");
  }
  return std::make_shared<const ConformalNode>(entry, std::move(parameters), std::move(children));
}

}  // namespace

const KernelEntry& conformal_entry() {
  static const KernelEntry entry{
      .name = "conformal",
      .formula = "f(x) k(x,y) f(y), f = exp(-c |x|^2), |x| or 1/|x|",
      .summary = "a kernel times a weight of each point",
      .definiteness = "positive if k is",
      .parameters = {{.name = "function",
                      .role = ParameterRole::word,
                      .default_text = "gaussian",
                      .meaning = "the weight f",
                      .words = {"gaussian", "norm", "inverse_norm"}},
                     {.name = "c",
                      .constraint = Constraint::nonnegative,
                      .meaning = "rate of the Gaussian weight (default 1)"}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_conformal,
      .examples = {"conformal(rbf(gamma=0.5), c=0.2)", "conformal(poly(degree=2, gamma=0.5), function=inverse_norm)",
                   "conformal(0.8*rbf(gamma=0.5), function=norm)"}};
  return entry;
}

}  // namespace mercer
