#include "mercer/kernels/column_uses.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/unknown_column.h"
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
bool reads_vectors(KernelInput input) {
  return input == KernelInput::vectors || input == KernelInput::nonnegative_vectors;
}

// As readers take it; nothing for a number that counts numeric columns.
std::optional<std::string> reference_text(const ColumnReference& reference, NumbersOf numbers) {
  if (const auto* const name = std::get_if<ColumnName>(&reference)) {
    return name->name;
  }
  if (const auto* const range = std::get_if<ColumnNameRange>(&reference)) {
    return range->first + ":" + range->last;
  }
  return numbers == NumbersOf::file ? std::optional(to_string(reference)) : std::nullopt;
}

void add_uses(const Kernel& kernel, NumbersOf numbers, ColumnUses& uses) {
  const KernelNode& node = kernel.node();
  uses.takes_missing = uses.takes_missing || &node.entry() == &if_present_entry();
  uses.takes_matrix =
      uses.takes_matrix || node.entry().input == KernelInput::adjacency || &node.entry() == &precomputed_entry();
  if (const auto subscript = as_columns(kernel)) {
    std::vector<KernelInput> inputs;
    add_inputs(node, inputs);
    for (const ColumnReference& reference : subscript->columns.references) {
      const auto named = reference_text(reference, numbers);
      if (named && std::all_of(inputs.begin(), inputs.end(), reads_text)) {
        uses.text.push_back(*named);
      } else if (named && std::all_of(inputs.begin(), inputs.end(), reads_sets)) {
        uses.sets.push_back(*named);
      } else if (named && std::all_of(inputs.begin(), inputs.end(), reads_categories)) {
        uses.categories.push_back(*named);
      } else if (named && std::all_of(inputs.begin(), inputs.end(), reads_vectors)) {
        uses.vectors.push_back(*named);
      }
    }
  }
  for (const Kernel& child : node.children()) {
    add_uses(child, numbers, uses);
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
bool add_named(const Kernel& kernel, NumbersOf numbers, ColumnUses& uses, bool is_guarded) {
  const KernelNode& node = kernel.node();
  is_guarded = is_guarded || &node.entry() == &if_present_entry();
  if (const auto subscript = as_columns(kernel)) {
    is_guarded = is_guarded || stands_inside(node, if_present_entry());
    for (const ColumnReference& reference : subscript->columns.references) {
      const auto column = reference_text(reference, numbers);
      if (!column) {
        return false;
      }
      add_once(*column, uses.named);
      if (!is_guarded) {
        add_once(*column, uses.complete);
      }
    }
    return true;
  }
  if (node.children().empty()) {
    return looks_at_no_column(kernel);
  }
  return std::all_of(node.children().begin(), node.children().end(),
                     [&](const Kernel& child) { return add_named(child, numbers, uses, is_guarded); });
}

bool takes_vectors(KernelInput input) {
  return input == KernelInput::vectors || input == KernelInput::nonnegative_vectors || input == KernelInput::any;
}

// What stands outside of subscripts, and what is in them.
void add_scopes(const Kernel& kernel, NumbersOf numbers, ColumnUses& uses) {
  if (const auto subscript = as_columns(kernel)) {
    for (const ColumnReference& reference : subscript->columns.references) {
      if (const auto column = reference_text(reference, numbers)) {
        add_once(*column, uses.subscripted);
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
    add_scopes(child, numbers, uses);
  }
}

// Subscripts of kernels on vectors, outside of if_present(), which sees what is missing in the columns themselves.
void add_coded(const Kernel& kernel, NumbersOf numbers, ColumnUses& uses) {
  const KernelNode& node = kernel.node();
  if (&node.entry() == &if_present_entry()) {
    return;
  }
  if (const auto subscript = as_columns(kernel);
      subscript && categories_seen_by(subscript->kernel) != CategoriesAs::columns) {
    for (const ColumnReference& reference : subscript->columns.references) {
      if (const auto column = reference_text(reference, numbers)) {
        add_once(*column, uses.coded);
      }
    }
  }
  for (const Kernel& child : node.children()) {
    add_coded(child, numbers, uses);
  }
}

bool has_subscript(const Kernel& kernel) {
  return as_columns(kernel) || std::ranges::any_of(kernel.node().children(), has_subscript);
}

// Puts names in the place of numbers and ranges.
class ColumnNamer {
 public:
  ColumnNamer(std::span<const std::string> columns, std::span<const std::string> inputs,
              std::span<const std::string> targets)
      : columns_(columns), inputs_(inputs.begin(), inputs.end()), targets_(targets) {}

  Kernel named(const Kernel& kernel) const {
    if (const auto subscript = as_columns(kernel)) {
      return on_columns(subscript->kernel, named(subscript->columns));
    }
    const KernelNode& node = kernel.node();
    std::vector<Kernel> children;
    for (const Kernel& child : node.children()) {
      children.push_back(named(child));
    }
    return children.empty() ? kernel : Kernel(node.rebuilt(node.parameters(), std::move(children)));
  }

 private:
  ColumnSelection named(const ColumnSelection& selection) const {
    ColumnSelection result;
    for (const ColumnReference& reference : selection.references) {
      if (const auto* const span = std::get_if<ColumnSpan>(&reference)) {
        add_span(*span, result);
      } else if (const auto* const range = std::get_if<ColumnNameRange>(&reference)) {
        add_range(*range, result);
      } else {
        const std::string& name = std::get<ColumnName>(reference).name;
        if (!inputs_.contains(name) && std::ranges::find(columns_, name) != columns_.end()) {
          reject_no_input(reference, name);
        }
        require_no_slip(name);
        result.references.push_back(reference);
      }
    }
    return result;
  }

  // The columns that categories and missing values become are named after these: town=ulm, size is missing.
  bool is_made(const std::string& name) const {
    return std::ranges::any_of(columns_, [&](const std::string& column) {
      return name.starts_with(column + "=") || name == column + " is missing";
    });
  }

  // A name that the file does not have and that is near to one of its own. What is near to none is left to the samples.
  void require_no_slip(const std::string& name) const {
    if (inputs_.contains(name) || std::ranges::find(columns_, name) != columns_.end() || is_made(name)) {
      return;
    }
    std::vector<std::string> known;
    std::ranges::copy_if(columns_, std::back_inserter(known),
                         [&](const std::string& c) { return inputs_.contains(c); });
    const std::string meant = did_you_mean(name, known);
    if (!meant.empty()) {
      throw UnknownColumn("column subscript: there is no column '" + name + "'." + meant);
    }
  }

  [[noreturn]] void reject_no_input(const ColumnReference& reference, const std::string& name) const {
    const bool is_target = std::ranges::find(targets_, name) != targets_.end();
    throw UnknownColumn("column subscript [" + to_string(reference) + "]: '" + name + "' is no input: it " +
                        (is_target ? "is a target" : "serves another purpose or is left out"));
  }

  // Columns begin … end-1 that are inputs.
  Index add_inputs(Index begin, Index end, ColumnSelection& result) const {
    Index added = 0;
    for (Index j = begin; j < end; ++j) {
      if (inputs_.contains(columns_[j])) {
        result.references.emplace_back(ColumnName{columns_[j]});
        ++added;
      }
    }
    return added;
  }

  void add_span(const ColumnSpan& span, ColumnSelection& result) const {
    const std::string text = "column subscript [" + to_string(ColumnReference(span)) + "]: ";
    if (span.end > static_cast<Index>(columns_.size())) {
      throw UnknownColumn(text + "there are " + std::to_string(columns_.size()) + " columns, numbered from 0");
    }
    if (add_inputs(span.begin, span.end, result) == 0) {
      reject_no_input(span, columns_[span.begin]);
    }
  }

  // An end that there is not is found where samples are asked for it, with the nearest name.
  void add_range(const ColumnNameRange& range, ColumnSelection& result) const {
    const auto first = std::ranges::find(columns_, range.first);
    const auto last = std::ranges::find(columns_, range.last);
    if (first == columns_.end() || last == columns_.end()) {
      result.references.emplace_back(ColumnName{first == columns_.end() ? range.first : range.last});
      return;
    }
    const std::string text = "column subscript [" + to_string(ColumnReference(range)) + "]: ";
    if (last < first) {
      throw UnknownColumn(text + "'" + range.last + "' comes before '" + range.first + "'");
    }
    if (add_inputs(first - columns_.begin(), last - columns_.begin() + 1, result) == 0) {
      throw UnknownColumn(text + "none of these columns is an input");
    }
  }

  std::span<const std::string> columns_;
  std::unordered_set<std::string_view> inputs_;
  std::span<const std::string> targets_;
};

}  // namespace

Kernel with_named_columns(const Kernel& kernel, std::span<const std::string> columns,
                          std::span<const std::string> inputs, std::span<const std::string> targets) {
  return has_subscript(kernel) ? ColumnNamer(columns, inputs, targets).named(kernel) : kernel;
}

ColumnUses column_uses(const Kernel& kernel, NumbersOf numbers) {
  ColumnUses uses;
  add_uses(kernel, numbers, uses);
  add_scopes(kernel, numbers, uses);
  add_coded(kernel, numbers, uses);
  if (!add_named(kernel, numbers, uses, false)) {
    uses.named.clear();
    uses.complete.clear();
  }
  return uses;
}

void require_numbers_for_vectors(const Kernel& kernel, const Schema& schema) {
  const ColumnUses uses = column_uses(kernel);
  for (const std::string& name : uses.vectors) {
    const auto column = std::ranges::find(schema.columns, name, &SchemaColumn::name);
    if (column == schema.columns.end()) {
      continue;
    }
    const std::string subscript = to_string(ColumnSelection{{ColumnName{name}}});
    const bool is_coded = std::ranges::find(uses.coded, name) != uses.coded.end();
    if (column->kind == ColumnKind::categorical && !is_coded) {
      throw InvalidArgument(std::string("if_present() of a kernel on vectors is given column '")
                                .append(name)
                                .append("', which holds categories; if_present(delta())")
                                .append(subscript)
                                .append(" takes those"));
    }
    if (column->kind == ColumnKind::text) {
      throw InvalidArgument(std::string("a kernel on vectors is given column '")
                                .append(name)
                                .append("', which holds texts; spectrum(k=3)")
                                .append(subscript)
                                .append(" takes those, and --categorical makes them categories"));
    }
  }
}

CodingRule coding_for(const Kernel& kernel, std::optional<MissingRule> missing) {
  const ColumnUses uses = column_uses(kernel);
  CodingRule rule;
  if (uses.takes_matrix) {
    rule.missing = missing.value_or(MissingRule::reject);
    return rule;
  }
  rule.in_subscripts = uses.coded;
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
