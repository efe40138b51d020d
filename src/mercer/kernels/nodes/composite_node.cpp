#include "mercer/kernels/nodes/composite_node.h"

#include "mercer/kernels/registry.h"

namespace mercer {

std::string print_child(const KernelNode& child, Binding needed) {
  return child.binding() < needed ? "(" + child.spec() + ")" : child.spec();
}

std::span<double> child_gradient(const KernelNode& node, std::size_t c, std::span<double> gradient) {
  Index begin = node.parameters().scale_count();
  for (std::size_t earlier = 0; earlier < c; ++earlier) {
    begin += node.child(earlier).scale_count();
  }
  return gradient.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(node.child(c).scale_count()));
}

bool children_have_input_derivatives(const KernelNode& node) {
  for (const Kernel& child : node.children()) {
    if (!child.node().has_input_derivatives()) {
      return false;
    }
  }
  return true;
}

}  // namespace mercer
