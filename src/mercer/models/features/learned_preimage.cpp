#include "mercer/models/features/learned_preimage.h"

#include "mercer/base/error.h"

namespace mercer {

LearnedPreimage::LearnedPreimage(ConstMatrixView<double> features, ConstMatrixView<double> points,
                                 const LearnedPreimageOptions& options, const Run& run) {
  if (features.rows() != points.rows()) {
    throw InvalidArgument(std::to_string(features.rows()) + " rows of features for " + std::to_string(points.rows()) +
                          " points");
  }
  RidgeOptions ridge;
  ridge.mean_lambda = options.mean_lambda;
  const TrainingData data{make_dense(Matrix<double>::copy_of(features)), Targets::numeric(points)};
  model_ = fit_ridge(options.kernel, ridge, data, run);
}

Matrix<double> LearnedPreimage::points(ConstMatrixView<double> features, const Run& run) const {
  return model_->predict(make_dense(Matrix<double>::copy_of(features)), run);
}

}  // namespace mercer
