#include "mercer/models/predictive_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/special_functions.h"

namespace mercer {

namespace {

// From here on the first term of an expansion in 1/ν is enough (1e-9 far into the tails), and Γ((ν + 1)/2) / Γ(ν/2) is not.
constexpr double nearly_normal = 1e6;

// The t for which P(T ≤ t) = level, by bisection of a bracket that is doubled until it holds. In the lower tail, whose
// probabilities keep their digits however small they are.
double student_quantile(double level, double degrees) {
  if (degrees > nearly_normal) {
    const double z = normal_quantile(level);
    return z + (z * z * z + z) / (4 * degrees);
  }
  const double tail = std::min(level, 1 - level);
  double upper = 1;  // of −t
  while (student_cumulative(-upper, degrees) > tail) {
    upper *= 2;
  }
  double lower = upper > 1 ? upper / 2 : 0;
  for (int step = 0; step < 200 && upper - lower > 1e-15 * upper; ++step) {
    const double middle = (lower + upper) / 2;
    (student_cumulative(-middle, degrees) > tail ? lower : upper) = middle;
  }
  const double t = (lower + upper) / 2;
  return level < 0.5 ? -t : t;
}

double log_student_density(double t, double degrees) {
  if (std::isinf(degrees)) {
    return -0.5 * (t * t + std::log(2 * std::numbers::pi));
  }
  if (degrees > nearly_normal) {
    return -0.5 * std::log(2 * std::numbers::pi) - 1 / (4 * degrees) - (degrees + 1) / 2 * std::log1p(t * t / degrees);
  }
  return log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) - 0.5 * std::log(degrees * std::numbers::pi) -
         (degrees + 1) / 2 * std::log1p(t * t / degrees);
}

}  // namespace

Matrix<double> PredictiveDistribution::quantiles(std::span<const double> levels, PredictionOf of) const {
  for (const double level : levels) {
    if (!(level > 0 && level < 1)) {
      reject_argument("level of a quantile", level, "between 0 and 1");
    }
  }
  Matrix<double> result(rows_, outputs_ * static_cast<Index>(levels.size()));
  fill_quantiles(levels, of, result.view());
  return result;
}

Matrix<double> PredictiveDistribution::log_density(ConstMatrixView<double> truth) const {
  if (truth.rows() != rows_ || truth.columns() != outputs_) {
    throw InvalidArgument("targets of " + std::to_string(truth.rows()) + " by " + std::to_string(truth.columns()) +
                          " for " + std::to_string(rows_) + " samples and " + std::to_string(outputs_) + " outputs");
  }
  Matrix<double> result(rows_, outputs_);
  fill_log_density(truth, result.view());
  return result;
}

StudentPredictions::StudentPredictions(Parts parts)
    : PredictiveDistribution(parts.mean.rows(), parts.mean.columns()), parts_(std::move(parts)) {}

const Matrix<double>& StudentPredictions::variance(PredictionOf of) const {
  return of == PredictionOf::function ? parts_.function_variance : parts_.observation_variance;
}

double StudentPredictions::degrees(Index output) const {
  return parts_.degrees.empty() ? std::numeric_limits<double>::infinity() : parts_.degrees[output];
}

PredictiveMoments StudentPredictions::moments(PredictionOf of) const {
  return {Matrix<double>::copy_of(parts_.mean.view()), Matrix<double>::copy_of(variance(of).view())};
}

void StudentPredictions::fill_quantiles(std::span<const double> levels, PredictionOf of, MatrixView<double> out) const {
  const auto count = static_cast<Index>(levels.size());
  for (Index o = 0; o < outputs(); ++o) {
    for (Index l = 0; l < count; ++l) {
      const double t = student_quantile(levels[l], degrees(o));
      for (Index i = 0; i < rows(); ++i) {
        out(i, o * count + l) = parts_.mean(i, o) + t * std::sqrt(variance(of)(i, o));
      }
    }
  }
}

void StudentPredictions::fill_log_density(ConstMatrixView<double> truth, MatrixView<double> out) const {
  for (Index i = 0; i < rows(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      const double deviation = std::sqrt(parts_.observation_variance(i, o));
      if (deviation == 0) {  // a point: nothing else is possible
        constexpr double infinity = std::numeric_limits<double>::infinity();
        out(i, o) = truth(i, o) == parts_.mean(i, o) ? infinity : std::isnan(truth(i, o)) ? truth(i, o) : -infinity;
        continue;
      }
      out(i, o) = log_student_density((truth(i, o) - parts_.mean(i, o)) / deviation, degrees(o)) - std::log(deviation);
    }
  }
}

}  // namespace mercer
