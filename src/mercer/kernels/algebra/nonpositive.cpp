#include "mercer/kernels/algebra/nonpositive.h"

#include "mercer/base/error.h"
#include "mercer/kernels/registry.h"

namespace mercer {

void require_nonpositive(const KernelNode& node) {
  if (!node.child(0).definiteness().nonpositive) {
    throw InvalidArgument(node.entry().name + " needs a kernel without positive values, such as negative_distance(); " +
                          node.child(0).spec() + " is not known to be one");
  }
}

Definiteness definiteness_of_nonpositive_map(const Definiteness& child) {
  if (!child.is_conditional_up_to(1)) {
    Definiteness result = Definiteness::indefinite();
    result.nonpositive = true;
    return result;
  }
  Definiteness result = Definiteness::conditional(1);
  result.domain = child.domain;
  result.nonpositive = true;
  return result;
}

}  // namespace mercer
