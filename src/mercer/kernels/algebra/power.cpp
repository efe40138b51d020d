#include "mercer/kernels/algebra/power.h"

#include <cmath>

#include "mercer/base/text.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/registry.h"

namespace mercer {

const KernelEntry& power_entry() {
  static const KernelEntry entry{.name = "power",
                                 .formula = "k(x,y)^p",
                                 .summary = "a kernel to a power, written k^p",
                                 .definiteness = "positive for whole p >= 0, or if k is infinitely divisible",
                                 .input = KernelInput::any,
                                 .parameters = {{.name = "exponent",
                                                 .role = ParameterRole::number,
                                                 .constraint = Constraint::any,
                                                 .default_text = "2",
                                                 .meaning = "the power p"}},
                                 .fewest_children = 1,
                                 .most_children = 1,
                                 .make = make_node<PowerNode>,
                                 .examples = {"linear()^2", "(linear() + 0.5*rbf(gamma=0.2))^3", "rbf(gamma=1)^0.5"}};
  return entry;
}

PowerNode::PowerNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
    : MappedNode(entry, std::move(parameters), std::move(children)),
      exponent_(this->parameters().number_or("exponent", 2)) {}

std::string PowerNode::spec() const {
  return print_child(child(0), Binding::primary) + "^" + to_string(parameters().find("exponent")->value);
}

Definiteness PowerNode::definiteness() const { return definiteness_of_power(child(0).definiteness(), exponent_); }

void PowerNode::map(std::span<float> v) const { vector_pow(v, static_cast<float>(exponent_), v); }
void PowerNode::map(std::span<double> v) const { vector_pow(v, exponent_, v); }

// A value of 0 is one that is too small for its type, as far out of a Gaussian: its power is as flat there.
double PowerNode::slope(double v) const {
  return exponent_ == 0 || (v == 0 && exponent_ < 1) ? 0 : exponent_ * std::pow(v, exponent_ - 1);
}

double PowerNode::curvature(double v) const {
  const double factor = exponent_ * (exponent_ - 1);
  return factor == 0 || (v == 0 && exponent_ < 2) ? 0 : factor * std::pow(v, exponent_ - 2);
}

}  // namespace mercer
