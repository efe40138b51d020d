#include "mercer/kernels/dot/arccos.h"

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

int checked_order(const KernelEntry& entry, const ParameterList& parameters) {
  const double order = parameters.number_or("order", 1);
  if (order > 2) {
    reject_argument(entry.name + ": order", order, "0, 1 or 2");
  }
  return static_cast<int>(order);
}

class ArccosNode final : public AngularNode {
 public:
  ArccosNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ArccosNode(entry, std::move(parameters), std::move(children), CheckedOrder{}) {}
  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  void angular(std::span<double> c) const override {
    map_each(c, [this](double v) { return value(v, order_); });
  }
  AngularValue angular_derivatives(double c) const override {
    const double squared_sine = (1 - c) * (1 + c);
    const double sine = std::sqrt(squared_sine);
    switch (order_) {
      case 0:
        return {value(c, 0), sine > 0 ? 1 / (std::numbers::pi * sine) : 0.0,
                sine > 0 ? c / (std::numbers::pi * sine * squared_sine) : 0.0};
      case 1:
        return {value(c, 1), value(c, 0), sine > 0 ? 1 / (std::numbers::pi * sine) : 0.0};
      default:
        return {value(c, 2), 4 * value(c, 1), 4 * value(c, 0)};
    }
  }

 private:
  struct CheckedOrder {};
  ArccosNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children, CheckedOrder)
      : AngularNode(entry, parameters, std::move(children), checked_order(entry, parameters)),
        order_(checked_order(entry, parameters)) {}

  static double value(double c, int order) {
    const double sine = std::sqrt((1 - c) * (1 + c));
    const double rest = std::acos(-c);  // π − θ
    const double j = order == 0 ? rest : order == 1 ? sine + rest * c : 3 * sine * c + rest * (1 + 2 * c * c);
    return j / std::numbers::pi;
  }

  int order_;
};

}  // namespace

const KernelEntry& arccos_entry() {
  static const KernelEntry entry{
      .name = "arccos",
      .aliases = {"arc_cosine"},
      .formula = "(1/pi) |x|^n |y|^n J_n(angle), n = order",
      .summary = "infinitely wide network of step (0), ramp (1) or squared ramp (2) units; 0 for a zero vector",
      .definiteness = "positive definite",
      .parameters = {{.name = "order",
                      .aliases = {"n"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "1",
                      .meaning = "0, 1 or 2"}},
      .make = make_node<ArccosNode>,
      .examples = {"arccos(order=0)", "arccos(order=1)", "arccos(order=2)"}};
  return entry;
}

}  // namespace mercer
