#include "mercer/kernels/column_uses.h"

#include <algorithm>

#include "mercer/kernels/algebra.h"
#include "mercer/kernels/algebra/if_present.h"
#include "mercer/kernels/coordinate/constant.h"
#include "mercer/kernels/coordinate/precomputed.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

void add_inputs(const KernelNode& node, std::vector<KernelInput>& inputs) {
  if (node.children().empty()) {
    inputs.push_back(node.entry().input);
  }
  for (const Kernel& child : node.children()) {
    add_inputs(child.node(), inputs);
  }
}

bool reads_text(KernelInput input) {
  return input == KernelInput::strings || input == KernelInput::aligned_strings || input == KernelInput::trees;
}
bool reads_sets(KernelInput input) { return input == KernelInput::sets; }
bool reads_categories(KernelInput input) { return input == KernelInput::categories; }

void add_uses(const Kernel& kernel, ColumnUses& uses) {
  const KernelNode& node = kernel.node();
  uses.takes_missing = uses.takes_missing || &node.entry() == &if_present_entry();
  uses.takes_matrix =
      uses.takes_matrix || node.entry().input == KernelInput::adjacency || &node.entry() == &precomputed_entry();
  if (const auto subscript = as_columns(kernel)) {
    std::vector<KernelInput> inputs;
    add_inputs(node, inputs);
    for (const ColumnReference& reference : subscript->columns.references) {
      const auto* const named = std::get_if<ColumnName>(&reference);
      if (named != nullptr && std::all_of(inputs.begin(), inputs.end(), reads_text)) {
        uses.text.push_back(named->name);
      } else if (named != nullptr && std::all_of(inputs.begin(), inputs.end(), reads_sets)) {
        uses.sets.push_back(named->name);
      } else if (named != nullptr && std::all_of(inputs.begin(), inputs.end(), reads_categories)) {
        uses.categories.push_back(named->name);
      }
    }
  }
  for (const Kernel& child : node.children()) {
    add_uses(child, uses);
  }
}

void add_once(const std::string& name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

bool stands_inside(const KernelNode& node, const KernelEntry& entry) {
  return &node.entry() == &entry ||
         std::any_of(node.children().begin(), node.children().end(),
                     [&](const Kernel& child) { return stands_inside(child.node(), entry); });
}

// Adds the columns that are named; false where some part of the kernel sees columns without naming them.
bool add_named(const Kernel& kernel, ColumnUses& uses, bool is_guarded) {
  const KernelNode& node = kernel.node();
  is_guarded = is_guarded || &node.entry() == &if_present_entry();
  if (const auto subscript = as_columns(kernel)) {
    is_guarded = is_guarded || stands_inside(node, if_present_entry());
    for (const ColumnReference& reference : subscript->columns.references) {
      const auto* const column = std::get_if<ColumnName>(&reference);
      if (column == nullptr) {
        return false;
      }
      add_once(column->name, uses.named);
      if (!is_guarded) {
        add_once(column->name, uses.complete);
      }
    }
    return true;
  }
  if (node.children().empty()) {
    return looks_at_no_column(kernel);
  }
  return std::all_of(node.children().begin(), node.children().end(),
                     [&](const Kernel& child) { return add_named(child, uses, is_guarded); });
}

}  // namespace

ColumnUses column_uses(const Kernel& kernel) {
  ColumnUses uses;
  add_uses(kernel, uses);
  if (!add_named(kernel, uses, false)) {
    uses.named.clear();
    uses.complete.clear();
  }
  return uses;
}

}  // namespace mercer
