// if_present() on several columns is each of them: which columns these are, and the kernel of one of them.
#include <algorithm>
#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/algebra/if_present.h"
#include "mercer/kernels/coordinate/constant.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr std::size_t most_columns_apart = 1000;

void add_leaf_inputs(const Kernel& kernel, std::vector<KernelInput>& inputs) {
  const KernelNode& node = kernel.node();
  if (node.children().empty() && !looks_at_no_column(kernel)) {
    inputs.push_back(node.entry().input);
  }
  for (const Kernel& child : node.children()) {
    add_leaf_inputs(child, inputs);
  }
}

bool names_columns(const Kernel& kernel) {
  return as_columns(kernel) || std::ranges::any_of(kernel.node().children(), names_columns);
}

bool is_for_vectors(KernelInput input) {
  return input == KernelInput::vectors || input == KernelInput::nonnegative_vectors;
}

// Columns of numbers by name, or by number where they have none.
std::vector<ColumnReference> numeric_references(const Samples& scope, Index count) {
  std::vector<ColumnReference> references;
  for (Index j = 0; j < count; ++j) {
    if (scope.kind() == SampleKind::table && !scope.table().numeric_names().empty()) {
      references.emplace_back(ColumnName{scope.table().numeric_names()[j]});
    } else {
      references.emplace_back(ColumnSpan{j, j + 1});
    }
  }
  return references;
}

// Of a kernel on vectors and of one on categories: what each sees of the scope, column by column.
std::vector<ColumnReference> columns_for_vectors(const Samples& scope) {
  const Samples seen = default_columns(scope);
  return seen.is_numeric() ? numeric_references(scope, seen.columns()) : std::vector<ColumnReference>{};
}
std::vector<ColumnReference> columns_for_categories(const Samples& scope) {
  if (scope.kind() != SampleKind::table) {
    return columns_for_vectors(scope);
  }
  const Table& table = scope.table();
  std::vector<ColumnReference> references = numeric_references(scope, table.numeric().columns() - table.indicators());
  for (const Table::Column& column : table.others()) {
    references.emplace_back(ColumnName{column.name});
  }
  return references;
}

// Parameters that number the columns of a scope, combine them or count by them: such a kernel is none of one column.
bool joins_columns(const Kernel& kernel) {
  const ParameterList& parameters = kernel.node().parameters();
  for (const char* const name : {"column", "matrix", "covariance", "metric", "means"}) {
    if (parameters.has(name)) {
      return true;
    }
  }
  const Parameter* const by = parameters.find("by");
  return (by != nullptr && by->value.word == "log_polar") ||
         std::ranges::any_of(kernel.node().children(), joins_columns);
}

// Lists of a number per column, with that of one column alone.
Kernel with_widths_of(const Kernel& kernel, std::size_t column, std::size_t columns) {
  const KernelNode& node = kernel.node();
  ParameterList parameters = node.parameters();
  for (const Parameter& parameter : node.parameters().all()) {
    const bool is_of_columns = parameter.spec->name == "lengthscale" || parameter.spec->name == "period";
    if (is_of_columns && parameter.value.is_list && parameter.value.numbers.size() == columns) {
      ParameterValue own = parameter.value;
      own.numbers = {parameter.value.numbers[column]};
      parameters = parameters.with(parameter.spec->name, std::move(own));
    }
  }
  std::vector<Kernel> children;
  for (const Kernel& child : node.children()) {
    children.push_back(with_widths_of(child, column, columns));
  }
  return Kernel(node.rebuilt(std::move(parameters), std::move(children)));
}

}  // namespace

std::vector<ColumnReference> columns_apart(const KernelNode& kernel, const Samples& scope) {
  if (&kernel.entry() != &if_present_entry() || names_columns(kernel.children().front()) ||
      joins_columns(kernel.children().front())) {
    return {};
  }
  std::vector<KernelInput> inputs;
  add_leaf_inputs(kernel.children().front(), inputs);
  const bool has_vectors = std::ranges::any_of(inputs, is_for_vectors);
  const auto fits_vectors = [](KernelInput input) { return is_for_vectors(input) || input == KernelInput::any; };
  const auto is_category = [](KernelInput input) { return input == KernelInput::categories; };
  std::vector<ColumnReference> columns;
  if (has_vectors && std::ranges::all_of(inputs, fits_vectors)) {
    columns = columns_for_vectors(scope);
  } else if (!inputs.empty() && std::ranges::all_of(inputs, is_category)) {
    columns = columns_for_categories(scope);
  }
  if (columns.size() > most_columns_apart) {
    throw InvalidArgument("if_present() on " + std::to_string(columns.size()) +
                          " columns is a kernel for each of them, and may be on 1000: name those where values are "
                          "missing by a subscript, if_present(k)[age, bmi]");
  }
  return columns;
}

Kernel for_column_apart(const KernelNode& if_present, std::size_t column, std::size_t columns) {
  return Kernel(
      if_present.rebuilt(if_present.parameters(), {with_widths_of(if_present.children().front(), column, columns)}));
}

}  // namespace mercer
