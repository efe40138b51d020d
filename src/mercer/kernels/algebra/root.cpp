#include "mercer/kernels/algebra/root.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/algebra/nonpositive.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/mapped_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class RootNode final : public MappedNode {
 public:
  RootNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : MappedNode(entry, std::move(parameters), std::move(children)),
        exponent_(number_or(this->parameters(), "exponent", 0.5)) {
    require_nonpositive(*this);
    if (exponent_ > 1) {
      reject_argument("root: exponent", exponent_, "a number above 0 and at most 1");
    }
  }
  Definiteness definiteness() const override { return definiteness_of_nonpositive_map(child(0).definiteness()); }

 protected:
  void map(std::span<float> v) const override { map_any(v); }
  void map(std::span<double> v) const override { map_any(v); }
  // Both diverge at 0; there the pair does not pull.
  double slope(double v) const override { return v < 0 ? exponent_ * std::pow(-v, exponent_ - 1) : 0.0; }
  double curvature(double v) const override {
    return v < 0 ? exponent_ * (1 - exponent_) * std::pow(-v, exponent_ - 2) : 0.0;
  }

 private:
  template <class T>
  void map_any(std::span<T> v) const {
    for (T& value : v) {
      value = std::max(-value, T(0));
    }
    vector_pow(v, static_cast<T>(exponent_), v);
    for (T& value : v) {
      value = -value;
    }
  }

  double exponent_;
};

}  // namespace

const KernelEntry& root_entry() {
  static const KernelEntry entry{
      .name = "root",
      .formula = "-(-k(x,y))^exponent, k <= 0",
      .summary = "fractional power of a kernel without positive values",
      .definiteness = "conditionally positive of order 1 if k is",
      .input = KernelInput::any,
      .parameters = {{.name = "exponent",
                      .role = ParameterRole::number,
                      .default_text = "0.5",
                      .meaning = "the power, above 0 and at most 1"}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<RootNode>,
      .examples = {"root(negative_distance(beta=2), exponent=0.4)", "root(multiquadric(c=0.8))"}};
  return entry;
}

}  // namespace mercer
