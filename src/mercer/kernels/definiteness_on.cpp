#include "mercer/kernels/definiteness_on.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/widths.h"

namespace mercer {

namespace {

// A node may have dropped what its child needs: the child checks that in its own scope.
bool has_domain(const KernelNode& node) {
  return node.definiteness().domain != Domain{} ||
         std::ranges::any_of(node.children(), [](const Kernel& child) { return has_domain(child.node()); });
}

}  // namespace

Definiteness definiteness_on(const Kernel& kernel, const Samples& samples, const Run& run) {
  Definiteness known = kernel.definiteness();
  if (known.kind == DefinitenessKind::indefinite || !has_domain(kernel.node())) {
    return known;
  }
  const PreparedKernel prepared(resolve_widths(kernel, samples, run.quiet()), samples, Precision::double_precision,
                                run.quiet());
  if (prepared.reference().off_domain().empty()) {
    return known;
  }
  Definiteness result = Definiteness::indefinite();
  result.off_domain = prepared.reference().off_domain();
  return result;
}

void require_on_domain(const Kernel& kernel, const Prepared& samples) {
  if (!samples.off_domain().empty()) {
    throw DataError("the kernel " + kernel.spec() + " is no covariance of these samples: " + samples.off_domain());
  }
}

}  // namespace mercer
