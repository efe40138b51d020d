#include "mercer/kernels/dot/neural.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class NeuralNode final : public DotNode {
 public:
  NeuralNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DotNode(entry, std::move(parameters), std::move(children)),
        bias_(this->parameters().number_or("bias_variance", 1)),
        weight_(this->parameters().number_or("weight_variance", 1)) {}
  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  void profile(std::span<float> t, float a, std::span<const float> b) const override { map(t, a, b); }
  void profile(std::span<double> t, double a, std::span<const double> b) const override { map(t, a, b); }
  DotDerivatives derivatives(double t, double a, double b) const override {
    const Slopes slope(*this, t, a, b);
    const double w = 2 * weight_;
    return {.t = w * slope.t,
            .a = w * slope.a,
            .b = w * slope.b,
            .tt = w * w * slope.tt,
            .ta = w * w * slope.ta,
            .tb = w * w * slope.tb,
            .ab = w * w * slope.ab};
  }
  void parameter_derivatives(double t, double a, double b, std::span<double> out) const override {
    const Slopes slope(*this, t, a, b);
    out[0] = 2 * (slope.t + slope.a + slope.b);
    out[1] = 2 * (t * slope.t + a * slope.a + b * slope.b);
  }

 private:
  // Derivatives by T, A and B.
  struct Slopes {
    double t, a, b, tt, ta, tb, ab;
    Slopes(const NeuralNode& node, double dot, double x, double y) {
      const double big_t = node.product(dot);
      const double big_a = 1 + node.product(x);
      const double big_b = 1 + node.product(y);
      // AB − T² ≥ A + B − 1 by the inequality of Cauchy and Schwarz; rounding must not break it.
      const double squared = std::max(big_a * big_b - big_t * big_t, big_a + big_b - 1);
      const double factor = 2 / std::numbers::pi / std::sqrt(squared);
      t = factor;
      a = -factor * big_t / (2 * big_a);
      b = -factor * big_t / (2 * big_b);
      tt = factor * (big_t / squared);
      ta = -factor * (big_b / squared) / 2;
      tb = -factor * (big_a / squared) / 2;
      ab = factor * (big_t / squared) / 4;
    }
  };

  double product(double value) const { return 2 * (bias_ + weight_ * value); }

  template <class T>
  void map(std::span<T> t, T a, std::span<const T> b) const {
    const double root_a = std::sqrt(1 + product(static_cast<double>(a)));
    for (std::size_t j = 0; j < t.size(); ++j) {
      const double root_b = std::sqrt(1 + product(static_cast<double>(b[j])));
      const double sine = product(static_cast<double>(t[j])) / root_a / root_b;
      t[j] = static_cast<T>(2 / std::numbers::pi * std::asin(std::clamp(sine, -1.0, 1.0)));
    }
  }

  double bias_;
  double weight_;
};

}  // namespace

const KernelEntry& neural_entry() {
  static const KernelEntry entry{
      .name = "neural",
      .aliases = {"arcsine", "neural_network"},
      .formula =
          "(2/pi) asin(2 s(x,y) / sqrt((1 + 2 s(x,x)) (1 + 2 s(y,y)))), s(x,y) = bias_variance + weight_variance x.y",
      .summary = "infinitely wide network of error-function units",
      .definiteness = "positive definite",
      .parameters = {{.name = "bias_variance",
                      .constraint = Constraint::nonnegative,
                      .default_text = "1",
                      .meaning = "variance of the units' biases"},
                     {.name = "weight_variance",
                      .default_text = "auto",
                      .meaning = "variance of the units' weights (auto: 1/number of columns)"}},
      .make = make_node<NeuralNode>,
      .examples = {"neural(bias_variance=0.5, weight_variance=0.8)", "neural(bias_variance=2, weight_variance=3)"}};
  return entry;
}

}  // namespace mercer
