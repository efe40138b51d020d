#include "mercer/kernels/dot/dot_series.h"

#include <algorithm>

#include "mercer/kernels/dot/power_series.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

std::vector<double> given_coefficients(const ParameterList& parameters) {
  const ParameterValue& value = parameters.find("coefficients")->value;
  return value.is_resolved() ? value.numbers : std::vector<double>{1};
}

class DotSeriesNode final : public DotNode {
 public:
  DotSeriesNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DotNode(entry, std::move(parameters), std::move(children)), series_(given_coefficients(this->parameters())) {}
  Definiteness definiteness() const override {
    const std::span<const double> a = series_.coefficients();
    return std::all_of(a.begin(), a.end(), [](double c) { return c >= 0; }) ? Definiteness::positive()
                                                                            : Definiteness::indefinite();
  }

 protected:
  void profile(std::span<float> t, float /*a*/, std::span<const float> /*b*/) const override { series_.map(t); }
  void profile(std::span<double> t, double /*a*/, std::span<const double> /*b*/) const override { series_.map(t); }
  DotDerivatives derivatives(double t, double /*a*/, double /*b*/) const override {
    return {.t = series_.slope(t), .tt = series_.curvature(t)};
  }

 private:
  PowerSeries series_;
};

// The beginning of the exponential series unless coefficients are given.
std::shared_ptr<const KernelNode> make_dot_series(const KernelEntry& entry, ParameterList parameters,
                                                  std::vector<Kernel> children) {
  if (!parameters.has("coefficients")) {
    parameters = parameters.with("coefficients", ParameterValue::list({1, 1, 0.5}));
  }
  return std::make_shared<const DotSeriesNode>(entry, std::move(parameters), std::move(children));
}

}  // namespace

const KernelEntry& dot_series_entry() {
  static const KernelEntry entry{
      .name = "dot_series",
      .formula = "sum of a_n (x.y)^n, a = coefficients",
      .summary = "a power series of the inner product, its coefficients from the constant up",
      .definiteness = "positive definite if and only if every coefficient is >= 0",
      .parameters = {{.name = "coefficients",
                      .aliases = {"a"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .meaning = "a_0, a_1, ... (default [1, 1, 0.5])",
                      .may_be_list = true}},
      .make = make_dot_series,
      .examples = {"dot_series(coefficients=[1, 0.5, 0, 0.2])", "dot_series(coefficients=[0, 1, -0.5])"}};
  return entry;
}

}  // namespace mercer
