// The normal posterior of the weights of a relevance vector regression for given precisions and noise, and its evidence.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/relevance/relevance_actions.h"
#include "mercer/solvers/relevance/relevance_regression.h"

namespace mercer {

/// Targets with the weights of their rows.
struct WeightedTargets {
  /// Empty weights: all 1. InvalidArgument for sizes that do not fit n rows.
  WeightedTargets(std::span<const double> y, std::span<const double> w, Index n);

  std::vector<double> targets;
  std::vector<double> weights;
  std::vector<double> weighted;  ///< Wy
  double count = 0;              ///< Σ w
  double mean_square = 0;        ///< Σ w y² / Σ w
  double least_noise = 0;        ///< 1e-6 of that: less noise leaves H without digits
};

struct WeightState {
  WeightPosterior posterior;
  Matrix<double> factor;  ///< L of H = L Lᵀ
  double evidence = 0;    ///< ln p(y | α, σ²)
  double squares = 0;     ///< ‖y − Φμ‖², weighted
  bool ok = false;        ///< whether H has a factor and the evidence is finite

  /// Σ (1 − α_i Σ_ii): how many weights the data determine.
  double determined() const;
};

/// The functions are the rows `kept` of `values` (… × n); `inner` (ΦᵀWΦ, lower triangle) and `projections` (ΦᵀWy) are of
/// those alone, as the precisions. M³ + 2nM operations.
WeightState weight_state(const WeightedTargets& y, ConstMatrixView<double> values, std::span<const Index> kept,
                         Matrix<double> inner, std::vector<double> projections, std::vector<double> precisions,
                         double noise, const Run& run);

/// ln of the Gamma prior of 1/σ² over its logarithm, up to its constant.
double log_noise_prior(const RelevanceOptions& options, double noise);

/// The next σ²: the fixed point (‖y − Φμ‖² + 2d)/(m − Σγ + 2c), which is fast, and the step of expectation maximisation
/// (‖y − Φμ‖² + σ²Σγ + 2d)/(m + 2c), which never lowers the evidence.
struct NoiseSteps {
  double fast = 0;
  double safe = 0;
};
NoiseSteps noise_steps(const WeightedTargets& y, const WeightState& state, const RelevanceOptions& options,
                       double noise);

}  // namespace mercer
