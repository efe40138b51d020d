#include "mercer/solvers/relevance/relevance_priors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/relevance/relevance_active.h"
#include "mercer/solvers/relevance/relevance_posterior.h"

namespace mercer {

namespace {

constexpr double dropped_share = 1e-10;  // of a weight, that the data determine

class PriorAscent {
 public:
  PriorAscent(const RelevanceBasis& basis, std::span<const double> targets, std::span<const double> weights,
              const WeightPrior& prior, const RelevanceOptions& options, const Run& run)
      : basis_(basis),
        prior_(prior),
        options_(options),
        run_(run),
        y_(targets, weights, basis.rows()),
        active_(basis),
        noise_(options.noise.value_or(std::max(0.1 * y_.mean_square, y_.least_noise))) {
    // Weights as large as the targets, before anything is known.
    const double first = y_.mean_square > 0 ? static_cast<double>(basis.columns()) / y_.mean_square : 1.0;
    for (Index j = 0; j < basis.columns(); ++j) {
      active_.add(j, std::min(first, largest_precision()), run);
    }
    fill_products();
    state_ = state_of(active_.precisions(), noise_);
    if (!state_.ok) {
      throw NumericalError(
          "relevance vectors: the functions are too nearly the same for a prior on each; use fewer "
          "candidates, a narrower kernel, or prior = ard");
    }
  }

  RelevanceFit solve() {
    RelevanceFit fit;
    fit.status = SolveStatus::iteration_limit;
    fit.history.push_back(objective(state_, noise_));
    while (fit.iterations < options_.max_iterations && fit.status != SolveStatus::converged) {
      run_.check_stop();
      ++fit.iterations;
      const double before = objective(state_, noise_);
      step();
      const double gained = objective(state_, noise_) - before;
      const double old = noise_;
      if (!options_.noise) {
        learn_noise();
      }
      fit.history.push_back(objective(state_, noise_));
      run_.progress("precisions", static_cast<double>(fit.iterations), 0);
      if (gained <= options_.tolerance && std::abs(std::log(noise_ / old)) < 1e-7) {
        fit.status = SolveStatus::converged;
      }
    }
    fit.noise = noise_;
    fit.evidence = objective(state_, noise_);
    active_.store(state_.posterior.mean, std::as_const(state_.factor).view(), fit);
    return fit;
  }

 private:
  double largest_precision() const {
    return prior_.rate > 0 ? (1 + 2 * prior_.shape) / (2 * prior_.rate) : std::numeric_limits<double>::infinity();
  }

  void fill_products() {
    const Index m = active_.size();
    Matrix<double> weighted(m, basis_.rows());
    for (Index a = 0; a < m; ++a) {
      const std::span<const double> row = active_.values().row(a);
      std::transform(row.begin(), row.end(), y_.weights.begin(), weighted.view().row_data(a), std::multiplies<>());
    }
    inner_ = Matrix<double>(m, m);
    parallel_gemm<double>(1.0, std::as_const(weighted).view(), Transpose::no, active_.values(), Transpose::yes, 0.0,
                          inner_.view(), run_);
    projections_.resize(m);
    gemv(1.0, active_.values(), Transpose::no, y_.weighted, 0.0, projections_);
  }

  WeightState state_of(const std::vector<double>& precisions, double noise) const {
    const std::vector<Index> kept = finite_numbers(precisions);
    const auto m = static_cast<Index>(kept.size());
    Matrix<double> inner(m, m);
    std::vector<double> finite;
    std::vector<double> projections;
    for (Index a = 0; a < m; ++a) {
      const Index i = kept[a];
      for (Index b = 0; b < m; ++b) {
        inner(a, b) = inner_(i, kept[b]);
      }
      finite.push_back(precisions[i]);
      projections.push_back(projections_[i]);
    }
    return weight_state(y_, active_.values(), kept, std::move(inner), std::move(projections), std::move(finite), noise,
                        run_);
  }

  // What must not fall. Functions that went have weight 0.
  double objective(const WeightState& state, double noise) const {
    double value = log_noise_prior(options_, noise);
    if (prior_.kind == WeightPriorKind::gamma) {
      value += state.evidence;
      for (const double alpha : state.posterior.precisions) {
        value += prior_.shape * std::log(alpha) - prior_.rate * alpha;
      }
      return value;
    }
    value -= 0.5 * (y_.count * std::log(2 * std::numbers::pi * noise) + state.squares / noise);
    for (const double weight : state.posterior.mean) {
      value -= (prior_.shape + 0.5) * std::log(prior_.rate + weight * weight / 2);
    }
    return value;
  }

  double next_precision(Index i, double share) const {
    const auto at = static_cast<std::size_t>(i);
    const double mean = state_.posterior.mean[at];
    const double variance = state_.posterior.covariance(i, i);
    const double alpha = state_.posterior.precisions[at];
    const double gamma = std::clamp(1 - alpha * variance, 0.0, 1.0);
    if (prior_.rate == 0 && gamma < dropped_share) {
      return std::numeric_limits<double>::infinity();
    }
    if (prior_.kind == WeightPriorKind::student) {
      return (2 * prior_.shape + 1) / (2 * prior_.rate + mean * mean);
    }
    // share 0: the fixed point; share 1: expectation maximisation.
    return (share + (1 - share) * gamma + 2 * prior_.shape) / (mean * mean + share * variance + 2 * prior_.rate);
  }

  // The fixed point where it climbs, the step of expectation maximisation, which always does, where not.
  void step() {
    const double before = objective(state_, noise_);
    for (const double share : {0.0, 1.0}) {
      std::vector<double> precisions;
      for (Index i = 0; i < active_.size(); ++i) {
        precisions.push_back(next_precision(i, share));
      }
      WeightState next = state_of(precisions, noise_);
      const bool drops = finite_numbers(precisions).size() != precisions.size();
      if (next.ok && (drops || objective(next, noise_) >= before)) {
        active_.keep(precisions);
        if (drops) {
          fill_products();
        }
        state_ = std::move(next);
        return;
      }
    }
  }

  void learn_noise() {
    const NoiseSteps steps = noise_steps(y_, state_, options_, noise_);
    const double before = objective(state_, noise_);
    for (const double noise : {steps.fast, steps.safe}) {
      WeightState next = state_of(active_.precisions(), noise);
      // The mode of the weights does not tell the noise: it can only be estimated as if the precisions were given.
      if (next.ok && (prior_.kind == WeightPriorKind::student || objective(next, noise) >= before)) {
        state_ = std::move(next);
        noise_ = noise;
        return;
      }
    }
  }

  const RelevanceBasis& basis_;
  const WeightPrior& prior_;
  const RelevanceOptions& options_;
  const Run& run_;
  WeightedTargets y_;
  RelevanceActive active_;
  double noise_;
  Matrix<double> inner_;             // ΦᵀWΦ
  std::vector<double> projections_;  // ΦᵀWy
  WeightState state_;
};

}  // namespace

double log_weight_density(const WeightPrior& prior, double weight) {
  // std::lgamma writes to a global variable.
  int sign = 0;
  const double ratio = lgamma_r(prior.shape + 0.5, &sign) - lgamma_r(prior.shape, &sign);
  return prior.shape * std::log(prior.rate) + ratio - 0.5 * std::log(2 * std::numbers::pi) -
         (prior.shape + 0.5) * std::log(prior.rate + weight * weight / 2);
}

RelevanceFit relevance_with_prior(const RelevanceBasis& basis, std::span<const double> targets,
                                  std::span<const double> weights, const WeightPrior& prior,
                                  const RelevanceOptions& options, const Run& run) {
  if (!(prior.shape >= 0 && prior.rate >= 0) ||
      (prior.kind == WeightPriorKind::gamma && prior.shape > 0 && prior.rate == 0)) {
    throw InvalidArgument("a Gamma prior of shape " + shortest(prior.shape) + " and rate " + shortest(prior.rate) +
                          " of precisions: both must not be negative, and without a rate the shape must be 0, else "
                          "infinite precisions are best whatever the data");
  }
  return PriorAscent(basis, targets, weights, prior, options, run).solve();
}

}  // namespace mercer
