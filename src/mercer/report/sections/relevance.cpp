#include "mercer/report/sections/relevance.h"

#include <algorithm>
#include <cmath>

#include "mercer/data/columns.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/models/linear/feature_weights.h"
#include "mercer/report/numeric_columns.h"

namespace mercer {

namespace {

struct Widths {
  std::vector<double> inverse_squares;  // per column of the kernel
  std::vector<Index> columns;           // their numbers
};

// The first list of widths of the expression, with the columns that it is about.
std::optional<Widths> find_widths(const Kernel& kernel, const Samples& samples, std::vector<Index> columns) {
  if (const auto subscript = as_columns(kernel)) {
    columns = selected_numeric_columns(samples, subscript->columns, categories_seen_by(subscript->kernel));
  }
  const KernelNode& node = kernel.node();
  for (const char* name : {"lengthscale", "gamma"}) {
    const Parameter* const parameter = node.parameters().find(name);
    if (parameter == nullptr || !parameter->value.is_list || parameter->value.numbers.size() != columns.size()) {
      continue;
    }
    Widths widths{{}, std::move(columns)};
    for (const double value : parameter->value.numbers) {
      widths.inverse_squares.push_back(std::string_view(name) == "gamma" ? 2 * value : 1 / (value * value));
    }
    return widths;
  }
  for (const Kernel& child : node.children()) {
    if (auto found = find_widths(child, samples, columns)) {
      return found;
    }
  }
  return std::nullopt;
}

RelevanceSection sorted(RelevanceSection section, Index most) {
  double total = 0;
  for (const ColumnRelevance& column : section.columns) {
    total += column.relevance;
  }
  for (ColumnRelevance& column : section.columns) {
    column.relevance /= total > 0 ? total : 1;
  }
  std::ranges::stable_sort(section.columns, std::ranges::greater(), &ColumnRelevance::relevance);
  if (static_cast<Index>(section.columns.size()) > most) {
    section.columns.resize(most);
  }
  return section;
}

}  // namespace

std::optional<RelevanceSection> relevance_section(const StoredModel& stored, const Samples& samples, Index most) {
  const NumericColumns names(samples, stored.preparation.scaling, stored.preparation.schema);
  std::vector<Index> all;
  for (Index j = 0; j < names.count(); ++j) {
    all.push_back(j);
  }
  if (all.size() < 2 || !stored.model->has_kernel()) {
    return std::nullopt;  // nothing to compare
  }
  RelevanceSection section;
  if (const auto widths = find_widths(stored.model->kernel(), samples, all)) {
    section.how = "Inverse squared length scale of each column, as a share of all; columns are scaled alike.";
    for (std::size_t k = 0; k < widths->columns.size(); ++k) {
      const double inverse = widths->inverse_squares[k];
      section.columns.push_back({names.name(widths->columns[k]), inverse, 1 / std::sqrt(inverse)});
    }
    return sorted(std::move(section), most);
  }
  const auto* const linear = offered<FeatureWeights>(*stored.model);
  if (linear == nullptr || linear->input().map() != nullptr || linear->machines().weights.rows() != names.count()) {
    return std::nullopt;  // what features of other kinds weigh says nothing of columns
  }
  const Matrix<double>& weights = linear->machines().weights;
  section.how = "Size of the weights of each scaled column, over all machines, as a share of all.";
  for (Index j = 0; j < names.count(); ++j) {
    double squares = 0;
    for (Index m = 0; m < weights.columns(); ++m) {
      squares += weights(j, m) * weights(j, m);
    }
    section.columns.push_back({names.name(j), std::sqrt(squares)});
  }
  return sorted(std::move(section), most);
}

}  // namespace mercer
