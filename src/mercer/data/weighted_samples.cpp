#include "mercer/data/weighted_samples.h"

#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

double WeightedSamples::total() const {
  return weights.empty() ? static_cast<double>(samples.size()) : std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::vector<Index> counted_row_numbers(const WeightedSamples& all, const std::string& what) {
  const Index n = all.samples.size();
  if (!all.weights.empty() && static_cast<Index>(all.weights.size()) != n) {
    throw DataError(std::to_string(n) + " samples with " + std::to_string(all.weights.size()) +
                    " weights: one weight per sample is needed");
  }
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    const double weight = all.weight(i);
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw DataError("the weight of row " + std::to_string(i) + " (counted from 0) is " + shortest(weight) +
                      "; weights must be finite and not negative");
    }
    if (weight > 0) {
      rows.push_back(i);
    }
  }
  if (rows.empty()) {
    throw DataError(what + (n == 0 ? ": there are no rows to fit" : ": all weights are 0, no row is left to fit"));
  }
  if (!std::isfinite(all.total())) {
    throw DataError("the sum of the weights is too large for a number: divide them all by some number");
  }
  return rows;
}

Samples counted_samples(const Samples& all, std::span<const Index> rows) {
  return static_cast<Index>(rows.size()) == all.size() ? all : all.select(rows);
}

std::vector<double> repeated_weights(std::span<const double> weights, std::span<const Index> offsets) {
  std::vector<double> repeated;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    repeated.insert(repeated.end(), static_cast<std::size_t>(offsets[i + 1] - offsets[i]), weights[i]);
  }
  return repeated;
}

namespace {

template <class T>
std::vector<T> selected_of(std::span<const T> values, std::span<const Index> rows) {
  std::vector<T> selected;
  if (!values.empty()) {
    selected.reserve(rows.size());
    for (const Index row : rows) {
      selected.push_back(values[row]);
    }
  }
  return selected;
}

}  // namespace

std::vector<double> select_weights(std::span<const double> weights, std::span<const Index> rows) {
  return selected_of(weights, rows);
}

std::vector<std::int32_t> select_groups(std::span<const std::int32_t> groups, std::span<const Index> rows) {
  return selected_of(groups, rows);
}

std::vector<double> weights_or_ones(std::span<const double> weights, std::span<const Index> rows) {
  return weights.empty() ? std::vector<double>(rows.size(), 1.0) : select_weights(weights, rows);
}

}  // namespace mercer
