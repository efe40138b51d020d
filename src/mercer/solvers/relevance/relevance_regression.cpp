#include "mercer/solvers/relevance/relevance_regression.h"

#include <algorithm>
#include <cmath>

#include "mercer/linalg/blas.h"
#include "mercer/solvers/relevance/relevance_actions.h"
#include "mercer/solvers/relevance/relevance_active.h"
#include "mercer/solvers/relevance/relevance_posterior.h"

namespace mercer {

namespace {

// Of the targets' mean square.
constexpr double first_relative_noise = 0.01;
// So many additions are made before the noise is learnt, if there are so many: a model of few functions leaves most of
// the signal to the noise, and large noise keeps functions out that a full model needs.
constexpr Index additions_before_noise = 50;

class RegressionAscent {
 public:
  RegressionAscent(const RelevanceBasis& basis, std::span<const double> targets, std::span<const double> weights,
                   const RelevanceOptions& options, const Run& run)
      : basis_(basis),
        options_(options),
        run_(run),
        y_(targets, weights, basis.rows()),
        active_(basis),
        products_(basis.columns()),
        norms_(static_cast<std::size_t>(basis.columns())),
        target_products_(norms_.size()),
        noise_(options.noise.value_or(std::max(first_relative_noise * y_.mean_square, y_.least_noise))) {
    basis.project({y_.weighted.data(), 1, basis.rows()}, {target_products_.data(), 1, basis.columns()}, y_.weights,
                  norms_, run);
    state_ = posterior_of(active_.precisions(), noise_);
  }

  RelevanceFit solve() {
    RelevanceFit fit;
    fit.status = SolveStatus::iteration_limit;
    fit.history.push_back(state_.evidence);
    while (fit.iterations < options_.max_iterations) {
      run_.check_stop();
      const double before = state_.evidence;
      const double added = add_best();
      ++fit.iterations;
      const bool learns = added <= options_.tolerance || fit.iterations > additions_before_noise;
      settle(std::max(options_.tolerance, 0.01 * added), learns ? 3 : 0);
      if (added <= options_.tolerance) {
        settle(1e-4 * options_.tolerance, 200);
      }
      fit.history.push_back(state_.evidence);
      run_.progress("relevance vectors", static_cast<double>(active_.size()), 0);
      if (added <= options_.tolerance && state_.evidence - before <= 2 * options_.tolerance) {
        fit.status = SolveStatus::converged;
        break;
      }
    }
    fit.noise = noise_;
    fit.evidence = state_.evidence;
    active_.store(state_.posterior.mean, std::as_const(state_.factor).view(), fit);
    return fit;
  }

 private:
  // The functions of finite precision alone count.
  WeightState posterior_of(const std::vector<double>& precisions, double noise) const {
    const std::vector<Index> kept = finite_numbers(precisions);
    const auto m = static_cast<Index>(kept.size());
    auto inner = Matrix<double>::filled(m, m, 0.0);
    std::vector<double> finite;
    std::vector<double> projections;
    std::vector<Index> columns;
    for (Index a = 0; a < m; ++a) {
      const Index i = kept[a];
      columns.push_back(active_.columns()[i]);
      for (Index b = 0; b <= a; ++b) {
        inner(a, b) = products_.view()(i, columns[b]);
      }
      finite.push_back(precisions[i]);
      projections.push_back(target_products_[columns.back()]);
    }
    WeightState state = weight_state(y_, active_.values(), kept, std::move(inner), std::move(projections),
                                     std::move(finite), noise, run_);
    state.evidence += log_noise_prior(options_, noise);
    return state;
  }

  // Takes over precisions, some of them infinite, if the evidence does not fall.
  bool accept(const std::vector<double>& precisions, double noise) {
    WeightState next = posterior_of(precisions, noise);
    if (!next.ok || next.evidence < state_.evidence) {
      return false;
    }
    products_.keep(finite_numbers(precisions));
    active_.keep(precisions);
    noise_ = noise;
    state_ = std::move(next);
    return true;
  }

  // Adds the function of largest gain; returns what it gained.
  double add_best() {
    if (options_.max_functions > 0 && active_.size() >= options_.max_functions) {
      return 0;
    }
    const std::vector<double> s = own_norms();
    const std::vector<double> q = projections();
    std::vector<double> gains(s.size());
    for (std::size_t j = 0; j < s.size(); ++j) {
      gains[j] = gain_of_adding(s[j], q[j]);
    }
    for (int tries = 0; tries < 3; ++tries) {
      const auto best = std::max_element(gains.begin(), gains.end());
      if (best == gains.end() || *best <= options_.tolerance) {
        return 0;
      }
      const auto j = static_cast<std::size_t>(best - gains.begin());
      const double before = state_.evidence;
      add(static_cast<Index>(j), best_precision(s[j], q[j]));
      if (accept(active_.precisions(), noise_)) {
        return std::max(state_.evidence - before, options_.tolerance * 1.001);
      }
      active_.drop_last();
      products_.drop_last();
      *best = 0;
    }
    return 0;
  }

  void add(Index j, double precision) {
    active_.add(j, precision, run_);
    const std::span<const double> values = active_.values().row(active_.size() - 1);
    Matrix<double> weighted(1, basis_.rows());
    for (std::size_t i = 0; i < values.size(); ++i) {
      weighted.data()[i] = y_.weights[i] * values[i];
    }
    const std::span<double> row = products_.append();
    basis_.project(std::as_const(weighted).view(), {row.data(), 1, basis_.columns()}, {}, {}, run_);
  }

  // s_j = φ_jᵀC⁻¹φ_j = σ⁻²φ_jᵀWφ_j − σ⁻⁴‖L⁻¹ΦᵀWφ_j‖².
  std::vector<double> own_norms() const {
    std::vector<double> norms = norms_;
    scale(1 / noise_, norms);
    return unexplained_norms({products_.view(), 1 / noise_, norms}, std::as_const(state_.factor).view(), active_, run_);
  }

  // q_j = φ_jᵀW(y − Φμ)/σ².
  std::vector<double> projections() const {
    std::vector<double> q = target_products_;
    if (active_.size() > 0) {
      gemv(-1.0, products_.view(), Transpose::yes, state_.posterior.mean, 1.0, q);
    }
    scale(1 / noise_, q);
    return q;
  }

  // Precisions and noise in turn, until neither moves.
  void settle(double tolerance, int noise_rounds) {
    for (int round = 0; round <= noise_rounds; ++round) {
      const double before = state_.evidence;
      const ImprovedPrecisions better =
          improved_precisions(state_.posterior, tolerance, 20 * (active_.size() + 10), run_);
      if (better.gain > 0) {
        accept(better.precisions, noise_);
      }
      const double moved = noise_rounds > 0 ? learn_noise() : 0;
      if (state_.evidence - before <= tolerance && moved < 1e-6) {
        break;
      }
    }
  }

  // Returns how far ln σ² moved.
  double learn_noise() {
    if (options_.noise) {
      return 0;
    }
    const double old = noise_;
    const NoiseSteps steps = noise_steps(y_, state_, options_, noise_);
    if (!accept(active_.precisions(), steps.fast)) {
      accept(active_.precisions(), steps.safe);
    }
    return std::abs(std::log(noise_ / old));
  }

  const RelevanceBasis& basis_;
  const RelevanceOptions& options_;
  const Run& run_;
  WeightedTargets y_;
  RelevanceActive active_;
  GrowingRows products_;                 // φ_iᵀWφ_j: functions in use × all columns
  std::vector<double> norms_;            // φᵀWφ per column
  std::vector<double> target_products_;  // φᵀWy per column
  double noise_ = 0;
  WeightState state_;
};

}  // namespace

RelevanceFit relevance_regression(const RelevanceBasis& basis, std::span<const double> targets,
                                  std::span<const double> weights, const RelevanceOptions& options, const Run& run) {
  return RegressionAscent(basis, targets, weights, options, run).solve();
}

}  // namespace mercer
