#include "mercer/solvers/relevance/relevance_priors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "solvers/relevance_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

double bump(double a, double b) { return std::exp(-(a - b) * (a - b) / 4); }

struct Solved {
  OwnedBasis owned;
  RelevanceFit fit;
  Dense phi;
  Dense y;
};

Solved solve(const LineProblem& problem, const WeightPrior& prior, const RelevanceOptions& options = {}) {
  Solved result{make_basis(kernel_on_line(problem.x, bump), ConstantColumn::last), {}, {}, Dense(problem.y)};
  result.fit = relevance_with_prior(*result.owned.basis, problem.y, {}, prior, options, {});
  result.phi = chosen_columns(basis_matrix(*result.owned.basis), result.fit.columns);
  return result;
}

// ∫ N(w | 0, 1/α) Gamma(α | a, b) dα by the trapezoidal rule in ln α, which converges geometrically.
TEST(RelevancePriors, StudentsDensityIsTheIntegralOverThePrecision) {
  for (const double a : {0.3, 1.0, 4.0}) {
    for (const double b : {0.05, 1.0, 7.0}) {
      for (const double w : {0.0, 0.2, 3.0}) {
        double sum = 0;
        for (double u = -60; u < 12; u += 0.01) {
          const double alpha = std::exp(u);
          sum += 0.01 * alpha * std::sqrt(alpha / (2 * std::numbers::pi)) * std::exp(-alpha * w * w / 2) *
                 std::pow(b, a) * std::pow(alpha, a - 1) * std::exp(-b * alpha) / std::tgamma(a);
        }
        EXPECT_NEAR(log_weight_density({WeightPriorKind::student, a, b}, w), std::log(sum), 1e-9);
      }
    }
  }
}

// ln p(y | α, σ²) + Σ (a ln α − b α) is stationary in every ln α, by differences of the direct form.
TEST(RelevancePriors, GammaEndsWhereTheObjectiveIsStationary) {
  const WeightPrior prior{WeightPriorKind::gamma, 0.5, 0.3};
  RelevanceOptions options;
  options.tolerance = 1e-10;
  const Solved s = solve(noisy_sinc(30, 0.2, 4), prior, options);
  EXPECT_EQ(s.fit.status, SolveStatus::converged);
  EXPECT_EQ(s.fit.columns.size(), 31U);
  EXPECT_TRUE(std::ranges::is_sorted(s.fit.history));
  const auto objective = [&](const std::vector<double>& precisions, double noise) {
    double value = direct_evidence(s.phi, s.y, precisions, noise);
    for (const double alpha : precisions) {
      value += prior.shape * std::log(alpha) - prior.rate * alpha;
    }
    return value;
  };
  EXPECT_NEAR(s.fit.evidence, objective(s.fit.precisions, s.fit.noise), 1e-8 * (1 + std::abs(s.fit.evidence)));
  const double h = 1e-4;
  for (std::size_t i = 0; i < s.fit.precisions.size(); ++i) {
    std::vector<double> up = s.fit.precisions;
    std::vector<double> down = up;
    up[i] *= std::exp(h);
    down[i] *= std::exp(-h);
    EXPECT_NEAR((objective(up, s.fit.noise) - objective(down, s.fit.noise)) / (2 * h), 0, 2e-4);
    EXPECT_LE(s.fit.precisions[i], (1 + 2 * prior.shape) / (2 * prior.rate));
  }
  EXPECT_NEAR((objective(s.fit.precisions, s.fit.noise * std::exp(h)) -
               objective(s.fit.precisions, s.fit.noise * std::exp(-h))) /
                  (2 * h),
              0, 2e-4);
}

// A flat prior on all functions ends where the sequential algorithm may end too: few functions, the same noise.
TEST(RelevancePriors, AFlatPriorDropsFunctions) {
  RelevanceOptions options;
  options.max_iterations = 400;
  const LineProblem problem = noisy_sinc(40, 0.2, 7);
  const Solved s = solve(problem, {WeightPriorKind::gamma, 0, 0}, options);
  EXPECT_LT(s.fit.columns.size(), 20U);
  const RelevanceFit fast = relevance_regression(*s.owned.basis, problem.y, {}, {}, {});
  EXPECT_NEAR(std::sqrt(s.fit.noise), std::sqrt(fast.noise), 0.02);
  EXPECT_GT(fast.evidence, s.fit.evidence - 0.5);
}

// At given noise the weights are a mode of the posterior: its gradient is zero, and random steps lead down.
TEST(RelevancePriors, StudentEndsAtAMode) {
  const WeightPrior prior{WeightPriorKind::student, 0.5, 1e-3};
  RelevanceOptions options;
  options.noise = 0.015;
  options.tolerance = 1e-12;
  const Solved s = solve(noisy_sinc(30, 0.2, 6), prior, options);
  EXPECT_EQ(s.fit.status, SolveStatus::converged);
  EXPECT_TRUE(std::ranges::is_sorted(s.fit.history));
  const auto log_posterior = [&](const Dense& w) {
    double value = -0.5 * (30 * std::log(2 * std::numbers::pi * 0.015) + (s.y - s.phi * w).squared_norm() / 0.015);
    for (Index j = 0; j < w.rows(); ++j) {
      value -= (prior.shape + 0.5) * std::log(prior.rate + w(j) * w(j) / 2);
    }
    return value;
  };
  const Dense w(s.fit.weights);
  EXPECT_NEAR(s.fit.evidence, log_posterior(w), 1e-8 * (1 + std::abs(s.fit.evidence)));
  RandomStream random(2);
  for (int trial = 0; trial < 50; ++trial) {
    Dense near = w;
    for (Index j = 0; j < near.rows(); ++j) {
      near(j) += 1e-4 * random.normal();
    }
    EXPECT_LT(log_posterior(near), log_posterior(w) + 1e-7);
  }
  // Most weights are next to nothing.
  EXPECT_GT(std::ranges::count_if(s.fit.weights, [](double value) { return std::abs(value) < 0.02; }), 15);
}

TEST(RelevancePriors, StudentLearnsTheNoise) {
  const LineProblem problem = noisy_sinc(100, 0.2, 3);
  const Solved s = solve(problem, {WeightPriorKind::student, 1e-4, 1e-4});
  EXPECT_GT(std::sqrt(s.fit.noise), 0.09);
  EXPECT_LT(std::sqrt(s.fit.noise), 0.14);
  EXPECT_LT((s.phi * Dense(s.fit.weights) - Dense(problem.truth)).norm() / 10, 0.06);
}

TEST(RelevancePriors, PriorsWithoutABestPrecisionAreRefused) {
  EXPECT_ERROR(solve(noisy_sinc(5, 0.2, 3), {WeightPriorKind::gamma, 1, 0}), InvalidArgument,
               "a Gamma prior of shape 1 and rate 0 of precisions");
  EXPECT_ERROR(solve(noisy_sinc(5, 0.2, 3), {WeightPriorKind::student, -1, 1}), InvalidArgument,
               "a Gamma prior of shape -1 and rate 1 of precisions");
}

}  // namespace
}  // namespace mercer
