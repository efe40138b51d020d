// What a test of a hypothesis says, and how a null distribution judges a statistic.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/index.h"

namespace mercer {

/// How the statistic would be spread if the hypothesis were true.
struct NullSummary {
  std::string kind;  ///< "permutation" or "normal"
  Index count = 0;   ///< permutations, or blocks that the variance is estimated from
  double mean = 0;
  double deviation = 0;
};

struct TestResult {
  double statistic = 0;
  double p_value = 1;
  double threshold = 0;   ///< the hypothesis is rejected where the statistic is above it
  bool rejected = false;  ///< p_value ≤ level
  NullSummary null;
  Index left_out = 0;  ///< rows that the statistic does not use
  std::vector<std::string> notes;
};

/// From statistics of random permutations: p = (1 + #{null ≥ statistic}) / (1 + count), which is at most `level` with
/// probability at most `level` where the hypothesis is true, for any number of permutations. Values within rounding
/// (1e-12 of the largest, 1e-14 of `size`, that of the kernel values in them) of the statistic count as equal to it. Without enough permutations for the level nothing is
/// ever rejected: the threshold is infinite. NumericalError where a value is not finite.
TestResult judge_by_permutations(double statistic, std::span<const double> null, double level, double size = 0);

/// From independent values of mean `statistic`, one-sided: p = 1 − Φ(statistic / standard error). InvalidArgument for fewer
/// than two values.
TestResult judge_by_normal(std::span<const double> values, double level);

/// InvalidArgument where the level is not in (0, 1) or there are no permutations.
void require_test_options(double level, Index permutations);

}  // namespace mercer
