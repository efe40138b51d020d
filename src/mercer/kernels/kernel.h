// Kernel: an immutable value, k(x, x'). A cheap handle over a shared expression tree; copies, threads and caches are
// therefore trivial. Built from text (kernels/spec.h), from the functions in kernels/algebra.h, or by operators:
//
//   Kernel k = 0.5 * parse_kernel("rbf(gamma=0.1)") + parse_kernel("matern(nu=1.5)[age]");
//
// A kernel is evaluated by tiles, through gram/ or PreparedKernel; never pair by pair.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/kernels/definiteness.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

class KernelNode;

class Kernel {
 public:
  /// None yet: only to be assigned to.
  Kernel() = default;
  explicit Kernel(std::shared_ptr<const KernelNode> node) : node_(std::move(node)) {}

  const KernelNode& node() const { return *node_; }
  const std::shared_ptr<const KernelNode>& shared_node() const { return node_; }

  /// The text form; parse_kernel(spec()) == *this.
  std::string spec() const;
  Definiteness definiteness() const;

  /// Every continuous parameter in the order of the gradients: a node's own, then its children's.
  std::vector<ScaleParameter> scale_parameters() const;
  /// The same expression with other values for those; throws where a constraint is broken.
  Kernel with_scale_parameters(std::span<const double> values) const;
  /// Whether every width is a number (no `scale`, `auto`, `median`, no search range).
  bool is_resolved() const;

  /// Equal expressions: the same text.
  bool operator==(const Kernel& other) const;

 private:
  std::shared_ptr<const KernelNode> node_;
};

}  // namespace mercer
