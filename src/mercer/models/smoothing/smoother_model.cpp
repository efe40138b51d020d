#include "mercer/models/smoothing/smoother_model.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
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

// Calls visit(first row, values) for batches of queries.
template <class Evaluate, class Visit>
void in_batches(ConstMatrixView<double> queries, Evaluate evaluate, Visit visit) {
  for (Index first = 0; first < queries.rows(); first += queries_per_batch) {
    const Index count = std::min(queries_per_batch, queries.rows() - first);
    visit(first, evaluate(queries.block(first, 0, count, queries.columns())));
  }
}

}  // namespace

Answers SmootherModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = means(numeric_points(samples, dimension(), name()).view(), run)};
}

std::unique_ptr<const PredictiveDistribution> SmootherModel::distribution(const Samples& samples,
                                                                          const Run& run) const {
  const Matrix<double> queries = numeric_points(samples, dimension(), name());
  const auto outputs = static_cast<Index>(output_names().size());
  StudentPredictions::Parts parts{.mean = Matrix<double>(queries.rows(), outputs),
                                  .function_variance = Matrix<double>(queries.rows(), outputs),
                                  .observation_variance = Matrix<double>(queries.rows(), outputs)};
  in_batches(
      queries.view(), [&](ConstMatrixView<double> part) { return smoothed(part, run); },
      [&](Index first, const SmoothedValues& values) {
        for (Index i = 0; i < values.mean.rows(); ++i) {
          for (Index o = 0; o < outputs; ++o) {
            parts.mean(first + i, o) = values.mean(i, o);
            parts.function_variance(first + i, o) = variance_of(values, PredictionOf::function, i, o);
            parts.observation_variance(first + i, o) = variance_of(values, PredictionOf::observation, i, o);
          }
        }
      });
  for (Index o = 0; o < outputs; ++o) {
    parts.degrees.push_back(degrees_of_freedom(o));
  }
  return std::make_unique<StudentPredictions>(std::move(parts));
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

}  // namespace mercer
