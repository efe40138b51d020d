// Thresholds of two classes on decision values of rows that the model was not fitted to.
//
//   least cost   t minimizes Σ_i w_i π_y/s_y c(y_i, [v_i ≥ t]) over the gaps between values and both ends. Of equally good
//                gaps the one nearest to where the model itself parts the classes: its own threshold, where that lies in it, and
//                else the middle of the gap.
//   rate         v the ⌈(n+1)(1−r)⌉-th smallest value of the n negatives, positive is what is above v: of a new negative, drawn
//                as these were, P(v_new > v) ≤ r, whatever the distribution. It needs n+1 ≥ 1/r. t lies in the middle of the
//                gap above v.
//
// Weights count rows (a weight of 2 is two rows).
// Reference: X. Tong, Y. Feng and J. J. Li, Neyman-Pearson classification algorithms, Science Advances 4 (2018), for why the
// empirical quantile alone would exceed the rate half of the time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/models/decision_rule.h"

namespace mercer {

/// Values of rows whose class is known: 0 or 1. weights: empty, all 1.
struct ValuesOfClasses {
  std::span<const double> values;
  std::span<const std::int32_t> classes;
  std::span<const double> weights = {};
};

/// By the costs and priors of the rule. `own`: where the model parts the classes by itself. O(n ln n). InvalidArgument for no
/// rows, lengths that differ, values that are not finite, classes other than 0 and 1, weights that are negative, and with
/// priors for a class without rows. Infinite where the prior of a class is 0, which is then never answered.
double threshold_of_least_cost(const ValuesOfClasses& rows, const DecisionRule& rule, double own);

/// By the share of rows of the other class that may be called positive. `names`: of the two classes, for messages.
/// InvalidArgument as above, for a rate outside (0, 1), and for fewer negatives than the rate needs.
double threshold_at_rate(const ValuesOfClasses& rows, RateWanted wanted, std::span<const std::string> names);

}  // namespace mercer
