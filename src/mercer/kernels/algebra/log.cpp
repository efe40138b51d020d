#include "mercer/kernels/algebra/log.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/algebra/nonpositive.h"
#include "mercer/kernels/nodes/mapped_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class LogNode final : public MappedNode {
 public:
  LogNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : MappedNode(entry, std::move(parameters), std::move(children)) {
    require_nonpositive(*this);
  }
  Definiteness definiteness() const override { return definiteness_of_nonpositive_map(child(0).definiteness()); }

 protected:
  void map(std::span<float> v) const override { map_any(v); }
  void map(std::span<double> v) const override { map_any(v); }
  double slope(double v) const override { return 1 / (1 - std::min(v, 0.0)); }
  double curvature(double v) const override { return slope(v) * slope(v); }

 private:
  template <class T>
  static void map_any(std::span<T> v) {
    for (T& value : v) {
      value = std::max(-value, T(0));
    }
    vector_log1p(v, v);
    for (T& value : v) {
      value = -value;
    }
  }
};

}  // namespace

const KernelEntry& log_entry() {
  static const KernelEntry entry{.name = "log",
                                 .formula = "-ln(1 - k(x,y)), k <= 0",
                                 .summary = "logarithm of a kernel without positive values",
                                 .definiteness = "conditionally positive of order 1 if k is",
                                 .input = KernelInput::any,
                                 .fewest_children = 1,
                                 .most_children = 1,
                                 .make = make_node<LogNode>,
                                 .examples = {"log(negative_distance(beta=2))", "log(multiquadric(c=0.8))"}};
  return entry;
}

}  // namespace mercer
