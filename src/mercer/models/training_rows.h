// The rows that a model is fitted to: those of positive weight.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/data/weighted_samples.h"
#include "mercer/models/model.h"

namespace mercer {

/// Ascending. DataError for weights that are not finite, negative, all 0 or of another number than the samples, and
/// where there are no rows.
std::vector<Index> weighted_rows(const TrainingData& data, const char* model);

/// These rows, and what belongs to them.
struct CountedRows {
  std::vector<Index> rows;  ///< of the data
  Samples samples;
  std::vector<double> weights;  ///< per row; empty: all 1

  double weight(Index i) const { return weights.empty() ? 1.0 : weights[i]; }
  /// What widths are taken from.
  WeightedSamples weighted() const { return {samples, weights}; }
};
/// Errors as in weighted_rows().
CountedRows counted_rows(const char* model, const TrainingData& data);

/// A note, unless there are none.
void note_rows_left_out(Index rows_of_weight_0, FitReport& report);

/// The kernel with its widths taken from these rows of the data, each counted by its weight; weights of classes are
/// importance, not number, and have no part in it. `counted`: the samples of the rows.
Kernel resolve_widths(const Kernel& kernel, const Samples& counted, std::span<const Index> rows,
                      const TrainingData& data, const Run& run);

/// For fits in which weights have a part in the widths of the kernel alone: InvalidArgument where rows have different weights
/// and these change no width. `reason` ends the sentence "weights change nothing here, because ".
void refuse_unused_weights(const char* model, const Kernel& kernel, const CountedRows& rows, const std::string& reason,
                           const Run& run);

/// DataError where there is not one target per sample.
void require_targets(const TrainingData& data);

/// For regression, rows of weight 0 apart. The same, the errors of weighted_rows() and TargetColumn::finite_values(), and
/// DataError where the largest number of an output is outside 1e-140 … 1e140, so that squares of targets would overflow or
/// vanish: losses, variances and noise are squares.
void require_target_numbers(const TrainingData& data, const char* model);

/// DataError where the largest number of the samples (rows of weight 0 apart) is outside 1e-140 … 1e140: distances and
/// products are squares too. Samples without numbers pass. O(n·d).
void require_sample_range(const TrainingData& data, const char* model);

}  // namespace mercer
