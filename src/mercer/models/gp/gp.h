// Gaussian process regression: y = m(x) + f(x) + noise with f ~ GP(0, k). The kernel's continuous parameters and the
// noise are learnt by maximising the evidence (or the leave-one-out density), from starts that the data suggest.
//
//   Gaussian noise        exact by Cholesky (models/gp/inference/exact.h); conjugate gradients, inducing points or a greedy basis
//                         where n is large (models/gp/iterative/iterative.h, inducing.h, solvers/fisher/sparse_greedy.h)
//   Student-t, Huber,     Laplace's approximation or expectation propagation (models/gp/inference/laplace.h,
//   Laplacian, Poisson    expectation_propagation.h); Laplacian noise also as a quadratic programme (MAP)
//
// Targets are brought to mean 0 and variance 1 first, so that amplitudes in the kernel are relative to the variance of
// the targets; everything that the model says is in the user's units. References: Schölkopf & Smola (2002), 16.3-16.4;
// Rasmussen & Williams (2006).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/models/closed_form_leave_one_out.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/gp/covariance_source.h"
#include "mercer/models/gp/function_covariance.h"
#include "mercer/models/gp/gp_options.h"
#include "mercer/models/gp/inference/exact.h"
#include "mercer/models/gp/inference/posterior.h"
#include "mercer/models/likelihoods/likelihood.h"
#include "mercer/models/model.h"
#include "mercer/models/target_scaling.h"

namespace mercer {

class GpModel final : public FittedModel,
                      public ClosedFormLeaveOneOut,
                      public JointCovariance,
                      public LatentMean,
                      public FeatureSpaceFunction {
 public:
  struct Parts {
    GpOptions options;  ///< inference and method as they were chosen
    TargetScaling scaling;
    std::vector<double> likelihood_parameters;  ///< of standardised targets
    double latent_offset = 0;  ///< Poisson: the logarithm of the mean count, added to the posterior for function values
    Expansion mean;            ///< of the latent function, standardised
    CovarianceSource covariance;
    std::optional<Samples> variance_centers = {};  ///< of the covariance, where they are not the centres of the mean
    ParametricUncertainty uncertainty = {};
    std::optional<LeaveOneOutPredictions> loo = {};  ///< standardised
    /// Of `covariance`, where a fit has made it.
    std::shared_ptr<const CovarianceReduction> reduction = {};

    void fields(Fields& visit);
  };
  /// InvalidArgument for parameters that the likelihood does not allow.
  GpModel(ModelHead head, Parts parts, const Run& run);

  Task task() const override { return Task::regression; }
  const Kernel& kernel() const override { return parts_.mean.kernel(); }
  /// All but the mode alone (inference=map) has a distribution.
  bool has_distribution() const override;
  /// The function is y without noise; for counts it is the logarithm of their mean.
  std::unique_ptr<const PredictiveDistribution> distribution(const Samples& samples, const Run& run) const override;
  Matrix<double> draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const override;
  /// The mean of the latent function, standardised; null where predictions are not that mean (counts).
  const Expansion* expansion_form() const override;
  /// A ridge model of the mean: the variances belong to the centres that go.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  bool is_affine_in_feature_space() const override;
  std::optional<std::vector<OptionSetting>> leave_one_out_settings() const override;
  bool knows_left_out_predictions() const override;
  bool leave_one_out_needs_convergence() const override { return false; }
  std::optional<Matrix<double>> left_out_predictions(ConstMatrixView<double> truth) const override;

  Matrix<double> covariance(const Samples& samples, Index output, const Run& run) const override;
  std::optional<double> jitter() const override;
  const Expansion& latent_mean() const override { return parts_.mean; }

  const Parts& parts() const { return parts_; }
  /// In the units of the targets: n × outputs means and variances of y_i given all other rows. Empty unless asked for.
  std::optional<PredictiveMoments> leave_one_out() const;

 private:
  /// Predictions: the mean of an observation.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  bool mean_needs_variance() const;
  void require_distribution() const;

  Parts parts_;
  LikelihoodPtr likelihood_;
  GaussianPosterior posterior_;
};

/// Exact: n³ operations per step of the search (on at most search_rows rows), n³/3 for the fit; n² numbers. The model
/// refers to the samples: views of the caller's memory must outlive it. InvalidArgument for a kernel that is not
/// positive definite, DataError for targets, weights or noise that are not usable, NumericalError where the matrix is
/// singular beyond all jitter.
std::unique_ptr<GpModel> fit_gp(const Kernel& kernel, const GpOptions& options, const TrainingData& data,
                                const Run& run = {});

const ModelEntry& gp_entry();

}  // namespace mercer
