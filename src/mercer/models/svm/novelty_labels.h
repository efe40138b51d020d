// What labels say to a one-class machine, which else looks at no targets: rows of one label are known outliers, rows of
// another are not rows of the class at all but the points whose mean in feature space is the origin,
//
//   y_i = −1 for an outlier, +1 for all others;   Φ₀ = Σ_n w_n Φ(z_n) / Σ_n w_n
//
// References: Schölkopf & Smola (2002), (8.42)-(8.51).
#pragma once

#include <string>
#include <vector>

#include "mercer/models/model.h"

namespace mercer {

/// Labels of the targets; empty: none.
struct NoveltyLabels {
  std::string outlier;
  std::string origin;

  bool are_given() const { return !outlier.empty() || !origin.empty(); }
};

struct NoveltyRows {
  std::vector<Index> rows;          ///< of the class, of positive weight, known outliers included
  std::vector<double> signs = {};   ///< y per row; empty: all +1
  std::vector<Index> origin = {};   ///< the rows z_n; empty: the origin of the feature space
  std::vector<double> shares = {};  ///< w_n / Σw of these
};

/// InvalidArgument where a label is given and there are no targets, or none of that label among the rows that count, or
/// both labels are the same; DataError where no rows are left, or all of them are outliers.
NoveltyRows novelty_rows(const char* model, const NoveltyLabels& labels, const TrainingData& data);

}  // namespace mercer
