// PredictiveDistribution: what a model with error bars says of given samples. The kernel is evaluated once, when it is
// made (FittedModel::distribution); moments, quantiles and densities are read off it.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer {

/// What a predictive distribution is about: the function, or an observation of it (with noise).
enum class PredictionOf { function, observation };

/// n × outputs each, in the units of the targets.
struct PredictiveMoments {
  Matrix<double> mean;
  Matrix<double> variance;
};

/// All in the units of the targets.
class PredictiveDistribution {
 public:
  virtual ~PredictiveDistribution() = default;
  PredictiveDistribution(const PredictiveDistribution&) = delete;
  PredictiveDistribution& operator=(const PredictiveDistribution&) = delete;
  PredictiveDistribution(PredictiveDistribution&&) = delete;
  PredictiveDistribution& operator=(PredictiveDistribution&&) = delete;

  Index rows() const { return rows_; }
  Index outputs() const { return outputs_; }

  virtual PredictiveMoments moments(PredictionOf of) const = 0;
  /// n × outputs: the values that stand for the distribution, its means unless the model predicts something else.
  virtual Matrix<double> predictions(PredictionOf of) const { return moments(of).mean; }
  /// n × (outputs · levels), the levels of one output side by side. InvalidArgument unless every level is in (0, 1).
  Matrix<double> quantiles(std::span<const double> levels, PredictionOf of) const;
  /// n × outputs: ln p(truth_io | x_i), of observations. InvalidArgument for another shape.
  Matrix<double> log_density(ConstMatrixView<double> truth) const;

 protected:
  PredictiveDistribution(Index rows, Index outputs) : rows_(rows), outputs_(outputs) {}

 private:
  virtual void fill_quantiles(std::span<const double> levels, PredictionOf of, MatrixView<double> out) const = 0;
  virtual void fill_log_density(ConstMatrixView<double> truth, MatrixView<double> out) const = 0;

  Index rows_;
  Index outputs_;
};

/// Student's distribution about a mean,
///
///   (y − mean_io) / √variance_io ~ t with ν_o degrees of freedom,
///
/// the normal one where ν is infinite. The variances are those of the function and of an observation of it.
class StudentPredictions final : public PredictiveDistribution {
 public:
  struct Parts {
    Matrix<double> mean;
    Matrix<double> function_variance;
    Matrix<double> observation_variance;
    std::vector<double> degrees = {};  ///< per output; empty: all infinite
  };
  explicit StudentPredictions(Parts parts);

  PredictiveMoments moments(PredictionOf of) const override;

 private:
  void fill_quantiles(std::span<const double> levels, PredictionOf of, MatrixView<double> out) const override;
  void fill_log_density(ConstMatrixView<double> truth, MatrixView<double> out) const override;
  const Matrix<double>& variance(PredictionOf of) const;
  double degrees(Index output) const;

  Parts parts_;
};

}  // namespace mercer
