#include "mercer/select/error_reject.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

double order_of(double confidence) { return std::isnan(confidence) ? -endless : confidence; }

}  // namespace

ErrorRejectCurve error_reject_curve(std::span<const double> confidence, std::span<const char> wrong) {
  require_same_length(wrong.size(), confidence.size());
  std::vector<std::size_t> order(confidence.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return order_of(confidence[i]); });
  const auto n = static_cast<double>(order.size());
  auto errors = static_cast<double>(std::ranges::count_if(wrong, [](char is) { return is != 0; }));
  ErrorRejectCurve curve;
  for (std::size_t begin = 0; begin < order.size();) {
    const double here = order_of(confidence[order[begin]]);
    curve.rejected.push_back(static_cast<double>(begin) / n);
    curve.error.push_back(errors / (n - static_cast<double>(begin)));
    curve.confidence.push_back(here);
    for (; begin < order.size() && order_of(confidence[order[begin]]) == here; ++begin) {
      errors -= wrong[order[begin]] != 0 ? 1 : 0;
    }
  }
  return curve;
}

PuntError punt_error(const ErrorRejectCurve& curve, double target) {
  if (!(target >= 0 && target <= 1)) {
    throw InvalidArgument("the error to be reached is a share of rows, between 0 and 1, not " + shortest(target));
  }
  const auto reached = std::ranges::find_if(curve.error, [&](double error) { return error <= target; });
  if (reached == curve.error.end()) {
    return {.target = target, .rejected = 1, .error = 0, .confidence = endless};
  }
  const auto at = static_cast<std::size_t>(reached - curve.error.begin());
  return {
      .target = target, .rejected = curve.rejected[at], .error = curve.error[at], .confidence = curve.confidence[at]};
}

std::vector<double> leads(ConstMatrixView<double> scores) {
  std::vector<double> result;
  for (Index i = 0; i < scores.rows(); ++i) {
    double first = -endless;
    double second = -endless;
    for (const double score : scores.row(i)) {
      second = std::max(second, std::min(first, score));
      first = std::max(first, score);
    }
    const bool known = std::ranges::none_of(scores.row(i), [](double score) { return std::isnan(score); });
    result.push_back(known ? first - second : unknown_value);
  }
  return result;
}

}  // namespace mercer
