// SmootherModel: regression whose values are averages of the training targets, f(x) = Σ_i l_i(x) y_i (loess, nw). What
// the equivalent kernel l says of the uncertainty is the same for all of them,
//
//   var f(x) = σ(x)² Σ_i l_i(x)² / w_i,   var y(x) = var f(x) + σ(x)²
//
// with errors of Student's distribution where σ was estimated with few degrees of freedom, of the normal one else.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "mercer/models/smoothing/training_points.h"

namespace mercer {

/// What is known at some queries, each queries × outputs.
struct SmoothedValues {
  Matrix<double> mean;
  Matrix<double> variance_factor;    ///< Σ_i l_i² / w_i
  Matrix<double> residual_variance;  ///< σ²
};

class SmootherModel : public FittedModel, public TrainingPoints {
 public:
  Task task() const final { return Task::regression; }
  bool has_kernel() const final { return false; }
  bool has_distribution() const final { return true; }
  std::unique_ptr<const PredictiveDistribution> distribution(const Samples& samples, const Run& run) const final;
  /// Errors of the function are joint over the samples: Σ_i l_i(x) ε_i of one draw of errors ε at the training points.
  Matrix<double> draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const final;

 protected:
  using FittedModel::FittedModel;

  /// Points in input space, as numeric_points() gives them.
  virtual Index dimension() const = 0;
  virtual Matrix<double> means(ConstMatrixView<double> queries, const Run& run) const = 0;
  virtual SmoothedValues smoothed(ConstMatrixView<double> queries, const Run& run) const = 0;
  /// Rows l_i(x) / √w_i of one output, queries × training points.
  virtual Matrix<double> error_kernels(ConstMatrixView<double> queries, Index output, const Run& run) const = 0;
  /// Of the residual variance of an output; infinite: the normal distribution.
  virtual double degrees_of_freedom(Index /*output*/) const { return std::numeric_limits<double>::infinity(); }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const final;
};

}  // namespace mercer
