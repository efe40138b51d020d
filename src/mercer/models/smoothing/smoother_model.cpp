#include "mercer/models/smoothing/smoother_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/special_functions.h"
#include "mercer/linalg/product.h"
#include "mercer/models/numeric_points.h"

namespace mercer {

namespace {

constexpr Index queries_per_batch = 2048;
constexpr std::uint64_t error_stream = 0x736d6f6f7468;

double variance_of(const SmoothedValues& values, PredictionOf of, Index i, Index o) {
  const double own = of == PredictionOf::observation ? 1 : 0;
  return values.residual_variance(i, o) * (values.variance_factor(i, o) + own);
}

// The t for which P(T ≤ t) = level, by bisection of a bracket that is doubled until it holds.
double student_quantile(double level, double degrees) {
  if (std::isinf(degrees)) {
    return normal_quantile(level);
  }
  double upper = 1;
  while (student_cumulative(upper, degrees) < std::max(level, 1 - level)) {
    upper *= 2;
  }
  double lower = -upper;
  for (int step = 0; step < 200 && upper - lower > 1e-14 * std::abs(upper + lower); ++step) {
    const double middle = (lower + upper) / 2;
    (student_cumulative(middle, degrees) < level ? lower : upper) = middle;
  }
  return (lower + upper) / 2;
}

double log_student_density(double t, double degrees) {
  if (std::isinf(degrees)) {
    return -0.5 * (t * t + std::log(2 * std::numbers::pi));
  }
  return log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) - 0.5 * std::log(degrees * std::numbers::pi) -
         (degrees + 1) / 2 * std::log1p(t * t / degrees);
}

// Calls visit(first row, values) for batches of queries.
template <class Evaluate, class Visit>
void in_batches(ConstMatrixView<double> queries, Evaluate evaluate, Visit visit) {
  for (Index first = 0; first < queries.rows(); first += queries_per_batch) {
    const Index count = std::min(queries_per_batch, queries.rows() - first);
    visit(first, evaluate(queries.block(first, 0, count, queries.columns())));
  }
}

}  // namespace

Matrix<double> SmootherModel::predict(const Samples& samples, const Run& run) const {
  return means(numeric_points(samples, dimension(), name()).view(), run);
}

PredictiveMoments SmootherModel::moments(const Samples& samples, PredictionOf of, const Run& run) const {
  const Matrix<double> queries = numeric_points(samples, dimension(), name());
  const auto outputs = static_cast<Index>(output_names().size());
  PredictiveMoments result{Matrix<double>(queries.rows(), outputs), Matrix<double>(queries.rows(), outputs)};
  in_batches(
      queries.view(), [&](ConstMatrixView<double> part) { return smoothed(part, run); },
      [&](Index first, const SmoothedValues& values) {
        for (Index i = 0; i < values.mean.rows(); ++i) {
          for (Index o = 0; o < outputs; ++o) {
            result.mean(first + i, o) = values.mean(i, o);
            result.variance(first + i, o) = variance_of(values, of, i, o);
          }
        }
      });
  return result;
}

Matrix<double> SmootherModel::quantiles(const Samples& samples, std::span<const double> levels, PredictionOf of,
                                        const Run& run) const {
  const auto count = static_cast<Index>(levels.size());
  const PredictiveMoments known = moments(samples, of, run);
  Matrix<double> result(known.mean.rows(), known.mean.columns() * count);
  for (Index o = 0; o < known.mean.columns(); ++o) {
    for (Index l = 0; l < count; ++l) {
      const double level = levels[static_cast<std::size_t>(l)];
      if (!(level > 0 && level < 1)) {
        reject_argument("level", level, "above 0 and below 1");
      }
      const double t = student_quantile(level, degrees_of_freedom(o));
      for (Index i = 0; i < result.rows(); ++i) {
        result(i, o * count + l) = known.mean(i, o) + t * std::sqrt(known.variance(i, o));
      }
    }
  }
  return result;
}

Matrix<double> SmootherModel::draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const {
  const Matrix<double> queries = numeric_points(samples, dimension(), name());
  const SmoothedValues values = smoothed(queries.view(), run);
  const Index outputs = values.mean.columns();
  Matrix<double> result(queries.rows(), outputs * count);
  RandomStream random(run.seed(), error_stream);
  for (Index o = 0; o < outputs; ++o) {
    const Matrix<double> kernels = error_kernels(queries.view(), o, run);
    Matrix<double> errors(kernels.columns(), count);
    fill_normal(random, {errors.data(), static_cast<std::size_t>(errors.rows() * count)});
    Matrix<double> own(queries.rows(), count);
    fill_normal(random, {own.data(), static_cast<std::size_t>(own.rows() * count)});
    Matrix<double> moved(queries.rows(), count);
    parallel_gemm<double>(1, kernels.view(), Transpose::no, errors.view(), Transpose::no, 0, moved.view(), run);
    for (Index i = 0; i < result.rows(); ++i) {
      const double deviation = std::sqrt(values.residual_variance(i, o));
      for (Index c = 0; c < count; ++c) {
        const double noise = of == PredictionOf::observation ? own(i, c) : 0;
        result(i, o * count + c) = values.mean(i, o) + deviation * (moved(i, c) + noise);
      }
    }
  }
  return result;
}

Matrix<double> SmootherModel::log_density(const Samples& samples, ConstMatrixView<double> truth, const Run& run) const {
  const PredictiveMoments known = moments(samples, PredictionOf::observation, run);
  if (truth.rows() != known.mean.rows() || truth.columns() != known.mean.columns()) {
    throw InvalidArgument(std::string(name()) + ": the true values must be samples x outputs");
  }
  Matrix<double> result(truth.rows(), truth.columns());
  for (Index i = 0; i < truth.rows(); ++i) {
    for (Index o = 0; o < truth.columns(); ++o) {
      const double deviation = std::sqrt(known.variance(i, o));
      result(i, o) = log_student_density((truth(i, o) - known.mean(i, o)) / deviation, degrees_of_freedom(o)) -
                     std::log(deviation);
    }
  }
  return result;
}

}  // namespace mercer
