#include "mercer/models/merged_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "mercer/data/equal_rows.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

// What a row is apart from its samples: its targets, by their codes where they have any, and its noise.
std::vector<double> other_values(const TrainingData& data, Index row) {
  const auto i = static_cast<std::size_t>(row);
  std::vector<double> values;
  for (const TargetColumn& column : data.targets.columns()) {
    values.push_back(column.has_labels() ? static_cast<double>(column.labels.codes[i]) : column.values[i]);
  }
  if (!data.noise.empty()) {
    values.push_back(data.noise[i]);
  }
  if (!data.groups.empty()) {
    values.push_back(data.groups[i]);
  }
  return values;
}

struct Row {
  Index rank = 0;  // of the samples in the order of their values; the same for equal ones
  std::vector<double> others;
  Index number = 0;
  double weight = 1;

  auto key() const { return std::tie(rank, others); }
};

std::vector<Index> ranks_of(const Samples& samples, const std::vector<Index>& first) {
  std::vector<Index> order(first.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return first[a] != first[b] && row_before(samples, a, b); });
  std::vector<Index> ranks(first.size());
  for (std::size_t k = 1; k < order.size(); ++k) {
    const auto before = static_cast<std::size_t>(order[k - 1]);
    const auto here = static_cast<std::size_t>(order[k]);
    ranks[here] = ranks[before] + (first[before] == first[here] ? 0 : 1);
  }
  return ranks;
}

std::vector<Row> rows_of(const TrainingData& data, const Samples& samples, const std::vector<Index>& counted,
                         const std::vector<Index>& first) {
  const std::vector<Index> ranks = ranks_of(samples, first);
  std::vector<Row> rows;
  rows.reserve(counted.size());
  for (std::size_t i = 0; i < counted.size(); ++i) {
    rows.push_back({.rank = ranks.empty() ? 0 : ranks[i],
                    .others = other_values(data, counted[i]),
                    .number = counted[i],
                    .weight = data.weights.empty() ? 1.0 : data.weights[counted[i]]});
  }
  return rows;
}

// Sorted by their keys, of equal ones the first with the sum of the weights. NaN, which has no order, is left to the checks
// of the models.
std::vector<Row> distinct(std::vector<Row> rows) {
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) { return a.key() < b.key(); });
  std::vector<Row> kept;
  for (Row& row : rows) {
    if (!kept.empty() && kept.back().key() == row.key()) {
      kept.back().weight += row.weight;
    } else {
      kept.push_back(std::move(row));
    }
  }
  return kept;
}

bool none_repeats(const std::vector<Index>& first) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != static_cast<Index>(i)) {
      return false;
    }
  }
  return true;
}

bool all_weigh_the_same(const TrainingData& data, const std::vector<Index>& rows) {
  const std::vector<double> weights = select_weights(data.weights, rows);
  return std::ranges::all_of(weights, [&](double weight) { return weight == weights.front(); });
}

bool has_nan(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [](const Row& row) {
    return std::ranges::any_of(row.others, [](double value) { return std::isnan(value); });
  });
}

TrainingData selected(const TrainingData& data, const std::vector<Row>& rows) {
  std::vector<Index> numbers;
  std::vector<double> weights;
  for (const Row& row : rows) {
    numbers.push_back(row.number);
    weights.push_back(row.weight);
  }
  if (std::ranges::all_of(weights, [](double weight) { return weight == 1; })) {
    weights.clear();
  }
  return {.samples = data.samples.select(numbers),
          .targets = data.targets.outputs() > 0 ? data.targets.select(numbers) : data.targets,
          .weights = std::move(weights),
          .noise = select_weights(data.noise, numbers),
          .groups = select_groups(data.groups, numbers)};
}

}  // namespace

std::vector<Index> MergedRows::given(std::vector<Index> numbers) const {
  for (Index& number : numbers) {
    number = rows[number];
  }
  return numbers;
}

MergedRows merged_rows(const char* model, const Kernel* kernel, const TrainingData& data) {
  const std::vector<Index> counted = weighted_rows(data, model);
  if (data.targets.outputs() > 0) {
    require_targets(data);
  }
  const bool all = static_cast<Index>(counted.size()) == data.samples.size();
  const Samples samples = counted_samples(data.samples, counted);
  const bool apart = kernel != nullptr && kernel->node().depends_on_identity();
  const std::vector<Index> first = apart ? std::vector<Index>() : first_equal_rows(samples);
  if (all && none_repeats(first) && all_weigh_the_same(data, counted)) {
    return {.data = data, .rows = counted};
  }
  std::vector<Row> rows = rows_of(data, samples, counted, first);
  if (!apart && !has_nan(rows)) {
    rows = distinct(std::move(rows));
    if (std::ranges::all_of(rows, [&](const Row& row) { return row.weight == rows.front().weight; })) {
      std::ranges::sort(rows, {}, &Row::number);
    }
  }
  MergedRows result{.data = selected(data, rows), .rows = {}};
  for (const Row& row : rows) {
    result.rows.push_back(row.number);
  }
  return result;
}

TrainingData merged_unless_in_folds(const char* model, const Kernel& kernel, const TrainingData& data,
                                    ChosenBy chosen) {
  return chosen == ChosenBy::folds ? data : merged_rows(model, &kernel, data).data;
}

}  // namespace mercer
