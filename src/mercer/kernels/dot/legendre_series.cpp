#include "mercer/kernels/dot/legendre_series.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/data_dimension.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class LegendreSeriesNode final : public AngularNode {
 public:
  LegendreSeriesNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : AngularNode(entry, std::move(parameters), std::move(children), 0), dimension_(given_dimension(*this)) {
    const ParameterValue& value = this->parameters().find("coefficients")->value;
    coefficients_ = value.is_resolved() ? value.numbers : std::vector<double>{1};
    if (dimension_ == 1) {
      reject_argument(entry.name + ": dimension", 1, "a whole number from 2, or auto");
    }
  }
  Definiteness definiteness() const override {
    Definiteness result;
    result.domain.largest_dimension = dimension_;
    const bool positive = std::all_of(coefficients_.begin(), coefficients_.end(), [](double b) { return b >= 0; });
    return positive ? result : Definiteness::indefinite();
  }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    return needs_data_dimension(*this) ? with_data_dimension(*this, all.samples, 2)->resolved(all, run)
                                       : KernelNode::resolved(all, run);
  }
  void complete(KernelPreparation& preparation) const override {
    AngularNode::complete(preparation);
    const Index largest = definiteness().domain.largest_dimension;
    const Index columns = preparation.target().samples().columns();
    if (largest > 0 && columns > largest) {
      preparation.leave_domain(
          "they have " + std::to_string(columns) + " columns, and legendre_series is positive definite in up to " +
          std::to_string(largest) + " dimensions; give dimension=" + std::to_string(columns) + " or leave it at auto");
    }
  }

 protected:
  void angular(std::span<double> c) const override {
    map_each(c, [this](double v) { return angular_derivatives(v).value; });
  }
  AngularValue angular_derivatives(double c) const override {
    AngularValue below{1, 0, 0};
    AngularValue current{c, 1, 0};
    AngularValue sum = times(coefficients_[0], below);
    for (std::size_t n = 1; n < coefficients_.size(); ++n) {
      if (n > 1) {
        const double degree = static_cast<double>(n);
        const double space = static_cast<double>(dimension_);
        const double forward = (2 * degree + space - 4) / (degree + space - 3);
        const double back = (degree - 1) / (degree + space - 3);
        const AngularValue next{forward * c * current.value - back * below.value,
                                forward * (current.value + c * current.first) - back * below.first,
                                forward * (2 * current.first + c * current.second) - back * below.second};
        below = current;
        current = next;
      }
      const AngularValue term = times(coefficients_[n], current);
      sum = {sum.value + term.value, sum.first + term.first, sum.second + term.second};
    }
    return sum;
  }

 private:
  static AngularValue times(double factor, const AngularValue& f) {
    return {factor * f.value, factor * f.first, factor * f.second};
  }

  Index dimension_;
  std::vector<double> coefficients_;
};

// All degrees up to 2 alike unless coefficients are given.
std::shared_ptr<const KernelNode> make_legendre_series(const KernelEntry& entry, ParameterList parameters,
                                                       std::vector<Kernel> children) {
  if (!parameters.has("coefficients")) {
    parameters = parameters.with("coefficients", ParameterValue::list({1, 1, 1}));
  }
  return std::make_shared<const LegendreSeriesNode>(entry, std::move(parameters), std::move(children));
}

}  // namespace

const KernelEntry& legendre_series_entry() {
  static const KernelEntry entry{
      .name = "legendre_series",
      .aliases = {"gegenbauer_series"},
      .formula = "sum of b_n P_n(x.y / (|x| |y|)), b = coefficients, P_n of `dimension` dimensions with P_n(1) = 1",
      .summary = "a series of Legendre polynomials on the unit sphere; 0 for a zero vector",
      .definiteness = "positive definite in up to `dimension` dimensions if and only if every coefficient is >= 0",
      .parameters = {{.name = "coefficients",
                      .aliases = {"b"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .meaning = "b_0, b_1, ... (default [1, 1, 1])",
                      .may_be_list = true},
                     dimension_spec("from 2 (default auto: the number of columns)")},
      .make = make_legendre_series,
      .examples = {"legendre_series(coefficients=[0.3, 1, 0.5, 0.2], dimension=3)",
                   "legendre_series(coefficients=[0, 1, -0.4], dimension=3)",
                   "legendre_series(coefficients=[1, 0.5, 0.5], dimension=2)[0:2]"}};
  return entry;
}

}  // namespace mercer
