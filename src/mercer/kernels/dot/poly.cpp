#include "mercer/kernels/dot/poly.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/nodes/mapped_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// v → (γ v + c)^d and its derivatives, shared by the kernel on vectors and by the polynomial of a kernel.
struct Polynomial {
  double gamma = 1;
  double coef0 = 1;
  int degree = 3;

  explicit Polynomial(const ParameterList& parameters)
      : gamma(parameters.number_or("gamma", 1)),
        coef0(parameters.number_or("coef0", 1)),
        degree(static_cast<int>(parameters.number_or("degree", 3))) {}

  template <class T>
  void map(std::span<T> v) const {
    const auto factor = static_cast<T>(gamma);
    const auto offset = static_cast<T>(coef0);
    for (T& value : v) {
      value = factor * value + offset;
    }
    vector_pow(v, static_cast<T>(degree), v);
  }
  double base(double v) const { return gamma * v + coef0; }
  /// d (γv + c)^(d−1): the derivative by the base.
  double outer_slope(double v) const { return degree * std::pow(base(v), degree - 1); }
  double slope(double v) const { return gamma * outer_slope(v); }
  double curvature(double v) const {
    return degree < 2 ? 0.0 : gamma * gamma * degree * (degree - 1) * std::pow(base(v), degree - 2);
  }
  /// By γ, then by c (the order of the table).
  void parameter_slopes(double v, std::span<double> out) const {
    out[0] = v * outer_slope(v);
    out[1] = outer_slope(v);
  }
  bool is_positive() const { return coef0 >= 0; }
};

class PolyNode final : public DotNode {
 public:
  PolyNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DotNode(entry, std::move(parameters), std::move(children)), polynomial_(this->parameters()) {}
  Definiteness definiteness() const override {
    return polynomial_.is_positive() ? Definiteness::positive() : Definiteness::indefinite();
  }

 protected:
  void profile(std::span<float> t, float /*a*/, std::span<const float> /*b*/) const override { polynomial_.map(t); }
  void profile(std::span<double> t, double /*a*/, std::span<const double> /*b*/) const override { polynomial_.map(t); }
  DotDerivatives derivatives(double t, double /*a*/, double /*b*/) const override {
    return {.t = polynomial_.slope(t), .tt = polynomial_.curvature(t)};
  }
  void parameter_derivatives(double t, double /*a*/, double /*b*/, std::span<double> out) const override {
    polynomial_.parameter_slopes(t, out);
  }

 private:
  Polynomial polynomial_;
};

class PolyOfKernelNode final : public MappedNode {
 public:
  PolyOfKernelNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : MappedNode(entry, std::move(parameters), std::move(children)), polynomial_(this->parameters()) {}
  Definiteness definiteness() const override {
    return definiteness_of_polynomial(child(0).definiteness(), polynomial_.coef0);
  }

 protected:
  void map(std::span<float> v) const override { polynomial_.map(v); }
  void map(std::span<double> v) const override { polynomial_.map(v); }
  double slope(double v) const override { return polynomial_.slope(v); }
  double curvature(double v) const override { return polynomial_.curvature(v); }
  void parameter_slopes(double v, std::span<double> out) const override { polynomial_.parameter_slopes(v, out); }

 private:
  Polynomial polynomial_;
};

// γ = 1/d for vectors; a polynomial of a kernel has no d, so γ = 1 there.
std::shared_ptr<const KernelNode> make_poly(const KernelEntry& entry, ParameterList parameters,
                                            std::vector<Kernel> children) {
  if (!parameters.has("gamma")) {
    std::vector<std::pair<std::string, ParameterValue>> given;
    for (const Parameter& parameter : parameters.all()) {
      given.emplace_back(parameter.spec->name, parameter.value);
    }
    given.emplace_back("gamma",
                       children.empty() ? ParameterValue::of_width(WidthRule::automatic) : ParameterValue::number(1));
    parameters = ParameterList(entry.name, entry.parameters, std::move(given));
  }
  if (children.empty()) {
    return std::make_shared<const PolyNode>(entry, std::move(parameters), std::move(children));
  }
  return std::make_shared<const PolyOfKernelNode>(entry, std::move(parameters), std::move(children));
}

}  // namespace

const KernelEntry& poly_entry() {
  static const KernelEntry entry{
      .name = "poly",
      .aliases = {"polynomial"},
      .formula = "(gamma x.y + coef0)^degree; poly(k, ...) = (gamma k + coef0)^degree",
      .summary = "all monomials up to a degree; also the polynomial of a kernel",
      .definiteness = "positive definite for coef0 >= 0",
      .parameters = {{.name = "degree",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "3",
                      .meaning = "the largest degree"},
                     {.name = "gamma", .meaning = "factor of the inner product (default auto = 1/d; 1 for poly(k))"},
                     {.name = "coef0",
                      .aliases = {"c"},
                      .constraint = Constraint::any,
                      .default_text = "1",
                      .meaning = "weight of the lower degrees; 0: homogeneous"}},
      .fewest_children = 0,
      .most_children = 1,
      .make = make_poly,
      .examples = {"poly(degree=2, gamma=0.5, coef0=1)", "poly(degree=3, gamma=0.4, coef0=0)",
                   "poly(rbf(gamma=0.5), degree=2, coef0=0.5)"}};
  return entry;
}

}  // namespace mercer
