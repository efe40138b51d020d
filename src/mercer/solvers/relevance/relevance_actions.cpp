#include "mercer/solvers/relevance/relevance_actions.h"

#include <cmath>
#include <limits>

#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr double no_precision = std::numeric_limits<double>::infinity();

struct PrecisionStep {
  Index number = -1;
  double gain = 0;
  double precision = 0;
};

PrecisionStep best_precision_step(const WeightPosterior& posterior) {
  PrecisionStep best;
  for (Index i = 0; i < posterior.covariance.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double alpha = posterior.precisions[at];
    const double variance = posterior.covariance(i, i);
    if (!std::isfinite(alpha) || !(variance > 0)) {
      continue;
    }
    const double s = 1 / variance - alpha;
    const double q = posterior.mean[at] / variance;
    // What the data say drowns in rounding: the weight is what its prior says.
    if (!(s > 1e-13 * alpha)) {
      continue;
    }
    const double wanted = best_precision(s, q);
    const double gain = precision_evidence(wanted, s, q) - precision_evidence(alpha, s, q);
    if (gain > best.gain) {
      best = {i, gain, wanted};
    }
  }
  return best;
}

void apply_precision_step(const PrecisionStep& step, WeightPosterior& posterior) {
  const Index m = posterior.covariance.rows();
  const auto at = static_cast<std::size_t>(step.number);
  const double variance = posterior.covariance(step.number, step.number);
  const double change = step.precision - posterior.precisions[at];
  const double factor = std::isfinite(step.precision) ? change / (1 + change * variance) : 1 / variance;
  const std::vector<double> row(posterior.covariance.view().row(step.number).begin(),
                                posterior.covariance.view().row(step.number).end());
  axpy(-factor * posterior.mean[at], row, posterior.mean);
  ger(-factor, row, row, posterior.covariance.view());
  posterior.precisions[at] = step.precision;
  if (!std::isfinite(step.precision)) {
    posterior.mean[at] = 0;
    for (Index j = 0; j < m; ++j) {
      posterior.covariance(step.number, j) = 0;
      posterior.covariance(j, step.number) = 0;
    }
  }
}

}  // namespace

double best_precision(double s, double q) {
  const double relevance = q * q - s;
  return relevance > 0 ? s * (s / relevance) : no_precision;
}

double precision_evidence(double precision, double s, double q) {
  if (!std::isfinite(precision)) {
    return 0;
  }
  return 0.5 * (q * (q / (precision + s)) - std::log1p(s / precision));
}

double gain_of_adding(double s, double q) {
  if (!(s > 0)) {
    return 0;
  }
  const double ratio = q * (q / s);
  return ratio > 1 ? 0.5 * (ratio - 1 - std::log(ratio)) : 0;
}

ImprovedPrecisions improved_precisions(const WeightPosterior& posterior, double tolerance, Index max_steps,
                                       const Run& run) {
  WeightPosterior next{posterior.precisions, posterior.mean, Matrix<double>::copy_of(posterior.covariance.view())};
  ImprovedPrecisions result;
  for (Index step = 0; step < max_steps; ++step) {
    const PrecisionStep best = best_precision_step(next);
    if (best.number < 0 || best.gain <= tolerance) {
      break;
    }
    apply_precision_step(best, next);
    result.gain += best.gain;
    if (step % 64 == 63) {
      run.check_stop();
    }
  }
  result.precisions = std::move(next.precisions);
  return result;
}

}  // namespace mercer
