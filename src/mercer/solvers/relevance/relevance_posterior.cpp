#include "mercer/solvers/relevance/relevance_posterior.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/solvers/relevance/relevance_active.h"

namespace mercer {

WeightedTargets::WeightedTargets(std::span<const double> y, std::span<const double> w, Index n)
    : targets(y.begin(), y.end()), weights(w.begin(), w.end()), weighted(targets) {
  if (static_cast<Index>(y.size()) != n || (!w.empty() && w.size() != y.size())) {
    throw InvalidArgument(std::to_string(y.size()) + " targets and " + std::to_string(w.size()) + " weights for " +
                          std::to_string(n) + " rows");
  }
  if (weights.empty()) {
    weights.assign(targets.size(), 1.0);
  }
  double power = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    weighted[i] *= weights[i];
    count += weights[i];
    power += weighted[i] * targets[i];
  }
  mean_square = power / count;
  least_noise = mean_square > 0 ? 1e-6 * mean_square : 1;  // targets that are all 0 leave the noise open
}

double WeightState::determined() const {
  double sum = 0;
  for (Index i = 0; i < posterior.covariance.rows(); ++i) {
    sum += 1 - posterior.precisions[i] * posterior.covariance(i, i);
  }
  return sum;
}

WeightState weight_state(const WeightedTargets& y, ConstMatrixView<double> values, std::span<const Index> kept,
                         Matrix<double> inner, std::vector<double> projections, std::vector<double> precisions,
                         double noise, const Run& run) {
  WeightState state;
  const auto m = static_cast<Index>(kept.size());
  double log_precisions = 0;
  for (Index a = 0; a < m; ++a) {
    const double alpha = precisions[a];
    scale(1 / noise, inner.view().row(a));
    inner(a, a) += alpha;
    log_precisions += std::log(alpha);
  }
  state.posterior.precisions = std::move(precisions);
  if (!try_cholesky<double>(inner.view(), run).ok) {
    return state;
  }
  scale(1 / noise, projections);
  cholesky_solve<double>(std::as_const(inner).view(), std::span<double>(projections), run);
  state.posterior.mean = std::move(projections);
  // The residuals themselves, not yᵀWy − …, which has no digits where the weights are large.
  std::vector<double> residuals = y.targets;
  for (std::size_t a = 0; a < kept.size(); ++a) {
    axpy(-state.posterior.mean[a], values.row(kept[a]), residuals);
  }
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    state.squares += y.weights[i] * residuals[i] * residuals[i];
  }
  state.evidence =
      -0.5 * (y.count * std::log(2 * std::numbers::pi * noise) + log_determinant(std::as_const(inner).view()) -
              log_precisions + dot(y.weighted, residuals) / noise);
  state.posterior.covariance = inverse_from_factor(std::as_const(inner).view(), run);
  state.factor = std::move(inner);
  state.ok = std::isfinite(state.evidence);
  return state;
}

double log_noise_prior(const RelevanceOptions& options, double noise) {
  return -options.noise_shape * std::log(noise) - options.noise_rate / noise;
}

NoiseSteps noise_steps(const WeightedTargets& y, const WeightState& state, const RelevanceOptions& options,
                       double noise) {
  const double determined = state.determined();
  const double squares = state.squares + 2 * options.noise_rate;
  // As many functions as rows determine everything: the noise is then held, not divided by nothing.
  const double freedom = std::max(y.count - determined, 0.01 * y.count) + 2 * options.noise_shape;
  return {std::max(squares / freedom, y.least_noise),
          std::max((squares + noise * determined) / (y.count + 2 * options.noise_shape), y.least_noise)};
}

}  // namespace mercer
