#include "mercer/expansion/parametric_columns.h"

#include <algorithm>
#include <vector>

#include "mercer/kernels/algebra.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/spec.h"

namespace mercer {

namespace {

Kernel linear_on(const ColumnSelection& columns) {
  const Kernel linear = parse_kernel("linear()");
  return columns.references.empty() ? linear : on_columns(linear, columns);
}

}  // namespace

Kernel seeing_functions(const Kernel& kernel, const ParametricPart& part) {
  if (!part.uses_columns()) {
    return kernel;
  }
  std::vector<Kernel> terms = {kernel};
  std::ranges::transform(part.terms(), std::back_inserter(terms),
                         [](const ParametricTerm& term) { return linear_on(term.columns); });
  return sum(std::move(terms));
}

ParametricPart with_named_columns(const ParametricPart& part, std::span<const std::string> columns,
                                  std::span<const std::string> inputs, std::span<const std::string> targets) {
  if (!part.uses_columns()) {
    return part;
  }
  std::vector<ParametricTerm> terms = part.terms();
  for (ParametricTerm& term : terms) {
    if (!term.columns.references.empty()) {
      term.columns = as_columns(with_named_columns(linear_on(term.columns), columns, inputs, targets))->columns;
    }
  }
  return ParametricPart(std::move(terms));
}

}  // namespace mercer
