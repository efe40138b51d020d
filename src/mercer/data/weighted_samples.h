// Samples that count more or less than once: a weight of 0 leaves a row out, one of 2 is the row twice. What is learnt
// from the samples alone (scaling, widths of kernels) takes them in this form, so that it cannot pass weights over.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/data/samples.h"

namespace mercer {

struct WeightedSamples {
  Samples samples;
  std::span<const double> weights;  ///< per row; empty: all 1. Must outlive this.

  // Samples without weights are such, so there is nothing to be explicit about.
  // NOLINTNEXTLINE(google-explicit-constructor)
  WeightedSamples(Samples all, std::span<const double> counts = {}) : samples(std::move(all)), weights(counts) {}

  double weight(Index i) const { return weights.empty() ? 1.0 : weights[i]; }
  /// Σ w.
  double total() const;
  /// The same rows in another form.
  WeightedSamples with(Samples others) const { return {std::move(others), weights}; }
};

/// Numbers of the rows of positive weight, ascending. DataError for weights that are not finite, negative, all 0 or of
/// another number than the samples, and where there are no rows; `what` begins the messages ("svc").
std::vector<Index> counted_row_numbers(const WeightedSamples& all, const std::string& what);

/// The samples of these rows, ascending; themselves, without a copy, where these are all.
Samples counted_samples(const Samples& all, std::span<const Index> rows);

/// The weights of parts, where row i has the parts offsets[i] … offsets[i + 1] − 1; empty stays empty.
std::vector<double> repeated_weights(std::span<const double> weights, std::span<const Index> offsets);

/// The weights of these rows; empty stays empty.
std::vector<double> select_weights(std::span<const double> weights, std::span<const Index> rows);

std::vector<std::int32_t> select_groups(std::span<const std::int32_t> groups, std::span<const Index> rows);

/// The weights of these rows, one each: 1 where there are none.
std::vector<double> weights_or_ones(std::span<const double> weights, std::span<const Index> rows);

}  // namespace mercer
