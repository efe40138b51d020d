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

bool takes_vectors(KernelInput input) {
  return input == KernelInput::vectors || input == KernelInput::nonnegative_vectors || input == KernelInput::any;
}

// What stands outside of subscripts, and what is in them.
void add_scopes(const Kernel& kernel, ColumnUses& uses) {
  if (const auto subscript = as_columns(kernel)) {
    for (const ColumnReference& reference : subscript->columns.references) {
      if (const auto* const column = std::get_if<ColumnName>(&reference)) {
        add_once(column->name, uses.subscripted);
      } else {
        uses.by_number = true;
      }
    }
    return;
  }
  const KernelNode& node = kernel.node();
  if (node.children().empty() && !looks_at_no_column(kernel)) {
    (takes_vectors(node.entry().input) ? uses.vectors_by_default : uses.others_by_default) = true;
    uses.texts_by_default = uses.texts_by_default || reads_text(node.entry().input);
  }
  for (const Kernel& child : node.children()) {
    add_scopes(child, uses);
  }
}

}  // namespace

ColumnUses column_uses(const Kernel& kernel) {
  ColumnUses uses;
  add_uses(kernel, uses);
  add_scopes(kernel, uses);
  if (!add_named(kernel, uses, false)) {
    uses.named.clear();
    uses.complete.clear();
  }
  return uses;
}

CodingRule coding_for(const Kernel& kernel, std::optional<MissingRule> missing) {
  const ColumnUses uses = column_uses(kernel);
  CodingRule rule;
  if (uses.takes_matrix) {
    rule.missing = missing.value_or(MissingRule::reject);
    return rule;
  }
  if (uses.takes_missing) {
    rule.missing = missing.value_or(MissingRule::kernel);
    return rule;
  }
  rule.missing = missing.value_or(MissingRule::indicator);
  rule.unnamed = uses.vectors_by_default ? CodingRule::Unnamed::coded : CodingRule::Unnamed::as_they_are;
  rule.named = uses.subscripted;
  rule.beside = uses.others_by_default ? CodingRule::Beside::all : CodingRule::Beside::named;
  rule.numbering = uses.by_number ? CodingRule::Numbering::kept : CodingRule::Numbering::free;
  return rule;
}

}  // namespace mercer
