// The registry of kernels: one row per kernel or construction. It drives the parser, the listing `mercer kernels`, the
// docs, the Python names and the law tests. The table is constant; adding a kernel adds one line to registry.cpp. A
// program's own kernels have entries, too: it makes them by make_kernel(entry, …) and hands them to parse_kernel().
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

class KernelNode;

/// What a kernel takes as samples. `aligned_strings` are all of one length; `trees` are bracketed text or directed graphs;
/// `adjacency` rows are those of the symmetric weight matrix of one graph whose nodes are the samples.
enum class KernelInput {
  vectors,
  nonnegative_vectors,
  categories,
  strings,
  aligned_strings,
  sets,
  bags,
  graphs,
  trees,
  adjacency,
  any
};

struct KernelEntry {
  std::string name;
  std::vector<std::string> aliases = {};
  std::string formula;
  std::string summary;
  std::string definiteness;  ///< as listed; the node computes the real one
  KernelInput input = KernelInput::vectors;
  std::vector<ParameterSpec> parameters = {};
  int fewest_children = 0;  ///< kernels that stand as arguments: normalize(k)
  int most_children = 0;
  std::shared_ptr<const KernelNode> (*make)(const KernelEntry& entry, ParameterList parameters,
                                            std::vector<Kernel> children) = nullptr;
  /// Specs that exercise the kernel; every law test runs over them.
  std::vector<std::string> examples = {};
};

std::span<const KernelEntry* const> kernel_registry();
/// By name or alias, first among `own`; null if unknown.
const KernelEntry* find_kernel(std::string_view name, std::span<const KernelEntry* const> own = {});
/// Names and aliases, for suggestions.
std::vector<std::string> kernel_names(std::span<const KernelEntry* const> own = {});

/// InvalidArgument unless a kernel of user code may be called so: letters, digits and _, and no name of the registry, as
/// which a model file, which holds text alone, would be read back.
void require_own_name(const std::string& name);

/// A kernel of an entry, as the parser makes it: defaults are filled in, values checked. InvalidArgument for an entry of the
/// caller's own whose name is none (require_own_name).
Kernel make_kernel(const KernelEntry& entry, std::vector<std::pair<std::string, ParameterValue>> parameters = {},
                   std::vector<Kernel> children = {});
/// By name or alias.
Kernel make_kernel(std::string_view name, std::vector<std::pair<std::string, ParameterValue>> parameters = {},
                   std::vector<Kernel> children = {});

/// The factory of a node type whose constructor takes (entry, parameters, children).
template <class Node>
std::shared_ptr<const KernelNode> make_node(const KernelEntry& entry, ParameterList parameters,
                                            std::vector<Kernel> children) {
  return std::make_shared<const Node>(entry, std::move(parameters), std::move(children));
}

}  // namespace mercer
