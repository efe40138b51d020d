// Scaling of numeric columns, fitted on training samples, stored in the model and replayed at prediction:
//
//   x' = base + (x - offset_j) · factor_j
//
// standard: offset = mean, factor = 1 / standard deviation (divided by Σw), base = 0
// maxabs:   offset = 0,    factor = 1 / max |x|,                           base = 0
// minmax:   offset = min,  factor = (high - low) / (max - min),            base = low
// robust:   offset = median, factor = 1 / (third quartile - first quartile), base = 0: a few wild values move neither.
//           Where both quartiles are the same number (half of the rows hold one value), factor = 1 / standard deviation.
//
// Means, deviations and quartiles (weighted_quantile.h) count every row by its weight, and rows of weight 0 are passed over.
// A constant column has factor 1. Indicators of a table (Table::indicators) stay 0 and 1. Sparse samples stay sparse, so only rules that map 0 to 0 apply to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/weighted_samples.h"

namespace mercer {

enum class ScalingKind { none, standard, deviation, maxabs, minmax, robust };

/// Text form: "none", "standard", "deviation" (divides by the standard deviation without centring, for sparse
/// samples), "maxabs", "minmax:-1,1", "robust".
struct ScalingRule {
  ScalingKind kind = ScalingKind::none;
  double low = -1;
  double high = 1;
  bool operator==(const ScalingRule&) const = default;
};

/// InvalidArgument with the list of rules where the text is none; "minmax" alone is minmax:-1,1.
ScalingRule parse_scaling(std::string_view text);
std::string to_string(const ScalingRule& rule);

/// standard for dense numeric columns, maxabs for sparse ones, none where there are no numeric columns.
ScalingRule default_scaling(const Samples& samples);

struct Scaling {
  ScalingRule rule;
  double base = 0;
  std::vector<double> offset;  ///< per numeric column; empty for none
  std::vector<double> factor;

  /// New samples of the same kind with their numeric columns scaled, identity kept. InvalidArgument where the number
  /// of columns differs. O(n·d).
  Samples apply(const Samples& samples, const Run& run = {}) const;

  /// Scaled numbers, one column per numeric column of the samples, back in the units of the file. InvalidArgument where
  /// the number of columns differs.
  void undo(MatrixView<double> scaled) const;

  /// By what a density over a scaled column is multiplied in the units of the file.
  double density_factor(Index column) const;
};

/// Two passes over the numeric columns. InvalidArgument, with advice, for a rule that would make sparse samples dense;
/// DataError for a column that varies by less than the smallest number that has a reciprocal (about 6e-309), and for
/// weights that counted_row_numbers() refuses. Sums are
/// arranged so that no finite column overflows.
Scaling fit_scaling(const ScalingRule& rule, const WeightedSamples& all);

}  // namespace mercer
