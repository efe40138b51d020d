#include "mercer/kernels/dot/sigmoid.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class SigmoidNode final : public DotNode {
 public:
  SigmoidNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DotNode(entry, std::move(parameters), std::move(children)),
        gamma_(this->parameters().number_or("gamma", 1)),
        coef0_(this->parameters().number_or("coef0", 0)) {}
  Definiteness definiteness() const override { return Definiteness::indefinite(); }

 protected:
  void profile(std::span<float> t, float /*a*/, std::span<const float> /*b*/) const override { map(t); }
  void profile(std::span<double> t, double /*a*/, std::span<const double> /*b*/) const override { map(t); }
  DotDerivatives derivatives(double t, double /*a*/, double /*b*/) const override {
    const double value = std::tanh(gamma_ * t + coef0_);
    const double first = slope(t);
    return {.t = gamma_ * first, .tt = -2 * gamma_ * gamma_ * value * first};
  }
  void parameter_derivatives(double t, double /*a*/, double /*b*/, std::span<double> out) const override {
    const double first = slope(t);
    out[0] = first == 0 ? 0.0 : t * first;
    out[1] = first;
  }

 private:
  template <class T>
  void map(std::span<T> t) const {
    map_each(t, [g = static_cast<T>(gamma_), c = static_cast<T>(coef0_)](T v) { return g * v + c; });
    vector_tanh(t, t);
  }
  // 1 − tanh² without cancellation
  double slope(double t) const {
    const double sech = 1 / std::cosh(gamma_ * t + coef0_);
    return sech * sech;
  }

  double gamma_;
  double coef0_;
};

}  // namespace

const KernelEntry& sigmoid_entry() {
  static const KernelEntry entry{
      .name = "sigmoid",
      .aliases = {"tanh", "tanhdot"},
      .formula = "tanh(gamma x.y + coef0)",
      .summary = "the units of a neural network; for solvers that take indefinite kernels",
      .definiteness = "indefinite",
      .parameters = {{.name = "gamma", .default_text = "auto", .meaning = "factor of the inner product"},
                     {.name = "coef0",
                      .aliases = {"c"},
                      .constraint = Constraint::any,
                      .default_text = "0",
                      .meaning = "offset"}},
      .make = make_node<SigmoidNode>,
      .examples = {"sigmoid(gamma=0.5, coef0=-0.3)", "sigmoid(gamma=0.2)"}};
  return entry;
}

}  // namespace mercer
