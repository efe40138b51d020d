#include "mercer/select/hypothesis/test_result.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/special_functions.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

void require_test_options(double level, Index permutations) {
  if (!(level > 0 && level < 1)) {
    reject_argument("level", level, "between 0 and 1");
  }
  if (permutations < 1) {
    reject_argument("permutations", static_cast<double>(permutations), "1 or more");
  }
}

TestResult judge_by_permutations(double statistic, std::span<const double> null, double level, double size) {
  double largest = std::abs(statistic);
  for (const double value : null) {
    largest = std::max(largest, std::abs(value));
  }
  if (!std::isfinite(largest) || std::isnan(statistic)) {
    throw NumericalError("a test statistic is not finite: are all kernel values?");
  }
  const double rounding = std::max(1e-12 * largest, 1e-14 * size);
  const auto reached =
      std::count_if(null.begin(), null.end(), [&](double value) { return value >= statistic - rounding; });
  const auto total = static_cast<double>(null.size()) + 1;
  TestResult result;
  result.statistic = statistic;
  result.p_value = static_cast<double>(1 + reached) / total;
  result.rejected = result.p_value <= level;
  // Rejected where at most k − 1 null values reach the statistic, k the largest whole number with k/total ≤ level.
  const auto k = static_cast<std::size_t>(std::floor(level * total * (1 + 1e-12)));
  result.threshold = std::numeric_limits<double>::infinity();
  if (k > 0 && !null.empty()) {
    std::vector<double> sorted(null.begin(), null.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    result.threshold = k > sorted.size() ? -result.threshold : sorted[k - 1];
  }
  const Mean mean = mean_of(null);
  result.null = {"permutation", static_cast<Index>(null.size()), mean.value,
                 null.size() > 1 ? mean.standard_error * std::sqrt(static_cast<double>(null.size())) : 0.0};
  return result;
}

TestResult judge_by_normal(std::span<const double> values, double level) {
  if (values.size() < 2) {
    throw InvalidArgument(
        "a normal null distribution needs two blocks or more: take more samples, smaller blocks or the "
        "quadratic statistic");
  }
  const Mean mean = mean_of(values);
  if (!std::isfinite(mean.value) || !std::isfinite(mean.standard_error)) {
    throw NumericalError("a test statistic is not finite: are all kernel values?");
  }
  TestResult result;
  result.statistic = mean.value;
  result.null = {"normal", static_cast<Index>(values.size()), 0.0, mean.standard_error};
  // All blocks equal: without spread only the sign says something.
  result.p_value = mean.standard_error > 0 ? normal_cumulative(-mean.value / mean.standard_error)
                   : mean.value > 0        ? 0.0
                                           : 1.0;
  result.threshold = mean.standard_error * normal_quantile(1 - level);
  result.rejected = result.p_value <= level;
  return result;
}

}  // namespace mercer
