#include "mercer/kernels/kernel.h"

#include "mercer/base/error.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

namespace {

std::string in_brackets(std::size_t number) { return "[" + std::to_string(number) + "]"; }

// Child numbers stand in the path only where a node has several children.
void collect(const KernelNode& node, const std::string& prefix, std::vector<ScaleParameter>& out) {
  for (const Parameter& parameter : node.parameters().all()) {
    if (parameter.spec->role != ParameterRole::scale) {
      continue;
    }
    const ParameterValue& value = parameter.value;
    for (std::size_t i = 0; i < value.numbers.size(); ++i) {
      out.push_back({prefix + parameter.spec->name + (value.is_list ? in_brackets(i) : ""), value.numbers[i],
                     parameter.spec->constraint, value.fixed, value.bounds});
    }
  }
  for (std::size_t c = 0; c < node.children().size(); ++c) {
    const bool several = node.children().size() > 1;
    collect(node.child(c), several ? prefix + std::to_string(c) + "." : prefix, out);
  }
}

// Rebuilds the subtree, taking numbers from the front of `values`.
std::shared_ptr<const KernelNode> replace(const KernelNode& node, std::span<const double>& values) {
  ParameterList parameters = node.parameters();
  for (const Parameter& parameter : node.parameters().all()) {
    if (parameter.spec->role != ParameterRole::scale || parameter.value.numbers.empty()) {
      continue;
    }
    const std::size_t count = parameter.value.numbers.size();
    ParameterValue value = parameter.value;
    value.numbers.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    values = values.subspan(count);
    parameters = parameters.with(parameter.spec->name, value);
  }
  std::vector<Kernel> children;
  for (const Kernel& child : node.children()) {
    children.emplace_back(replace(child.node(), values));
  }
  return node.rebuilt(std::move(parameters), std::move(children));
}

bool all_resolved(const KernelNode& node) {
  if (!node.parameters().resolved()) {
    return false;
  }
  for (const Kernel& child : node.children()) {
    if (!all_resolved(child.node())) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string Kernel::spec() const { return node_->spec(); }

Definiteness Kernel::definiteness() const { return node_->definiteness(); }

std::vector<ScaleParameter> Kernel::scale_parameters() const {
  std::vector<ScaleParameter> parameters;
  collect(*node_, "", parameters);
  return parameters;
}

Kernel Kernel::with_scale_parameters(std::span<const double> values) const {
  if (static_cast<Index>(values.size()) != node_->scale_count()) {
    throw InvalidArgument(std::to_string(values.size()) + " values for the " + std::to_string(node_->scale_count()) +
                          " continuous parameters of " + spec());
  }
  return Kernel(replace(*node_, values));
}

bool Kernel::is_resolved() const { return all_resolved(*node_); }

bool Kernel::operator==(const Kernel& other) const { return node_ == other.node_ || spec() == other.spec(); }

}  // namespace mercer
