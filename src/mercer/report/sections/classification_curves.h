// ROC and precision-recall curves of one class against the rest.
//
//   at every threshold t: true positive rate = recall = P(score ≥ t | class), false positive rate = P(score ≥ t | rest),
//   precision = P(class | score ≥ t); average precision = Σ (R_k − R_{k−1}) P_k over the thresholds, from the highest
//
// Equal scores share one threshold. Curves are thinned to the points that a picture can tell apart, areas are not.
// Reference: Fawcett (2006), An introduction to ROC analysis.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/report/report_data.h"

namespace mercer {

/// positive[i] is 0 or 1. Empty curves and NaN unless both kinds occur. O(n ln n). Rows with a NaN score are left out.
RocCurve roc_curve(std::span<const char> positive, std::span<const double> scores);
PrecisionRecallCurve precision_recall_curve(std::span<const char> positive, std::span<const double> scores);

/// One per class that occurs (two classes: the second one alone). `scores` is n × classes (class_scores.h); at most
/// `most` classes, the most frequent first.
std::vector<ClassCurves> class_curves(const std::vector<std::string>& classes, const std::vector<std::int32_t>& truth,
                                      const Matrix<double>& scores, Index most = 30);

}  // namespace mercer
