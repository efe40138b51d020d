#include "mercer/solvers/relevance/relevance_regression.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/solvers/relevance/relevance_actions.h"
#include "solvers/relevance_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

double bump(double a, double b) { return std::exp(-(a - b) * (a - b) / 8); }
double narrow_bump(double a, double b) { return std::exp(-2 * (a - b) * (a - b)); }
// The infinite linear spline of (16.140) with its leading 1: strongly indefinite on [−10, 10].
double spline(double a, double b) {
  const double least = std::min(a, b);
  return 1 + a * b + a * b * least - (a + b) / 2 * least * least + least * least * least / 3;
}
double sigmoid(double a, double b) { return std::tanh(0.3 * a * b - 0.5); }

struct Solved {
  OwnedBasis owned;
  RelevanceFit fit;
  Dense phi;  // of the functions in use
  Dense y;
};

template <class Kernel1d>
Solved solve(const LineProblem& problem, Kernel1d kernel, ConstantColumn constant,
             const RelevanceOptions& options = {}) {
  Solved result{make_basis(kernel_on_line(problem.x, kernel), constant), {}, {}, Dense(problem.y)};
  result.fit = relevance_regression(*result.owned.basis, problem.y, {}, options, {});
  result.phi = chosen_columns(basis_matrix(*result.owned.basis), result.fit.columns);
  return result;
}

TEST(RelevanceActions, TheBestPrecisionIsTheMaximum) {
  RandomStream random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const double s = std::exp(4 * random.normal());
    const double q = std::sqrt(s) * std::exp(random.normal());
    const double best = best_precision(s, q);
    const double value = precision_evidence(best, s, q);
    EXPECT_NEAR(value, gain_of_adding(s, q), 1e-10 * (1 + value));
    for (double e = -30; e <= 30; e += 0.5) {
      const double alpha = s * std::exp(e);
      EXPECT_LE(precision_evidence(alpha, s, q), value + 1e-12);
      EXPECT_NEAR(precision_evidence(alpha, s, q), 0.5 * (std::log(alpha) - std::log(alpha + s) + q * q / (alpha + s)),
                  1e-9 * (1 + q * q / s));
    }
  }
}

// Kernels that are positive definite and not, with and without the constant.
TEST(RelevanceRegression, EvidenceIsThatOfTheTargetsCovariance) {
  for (const Index n : {5, 30, 61}) {
    const LineProblem problem = noisy_sinc(n, 0.2, static_cast<std::uint64_t>(n));
    for (const auto kernel : {bump, narrow_bump, spline, sigmoid}) {
      for (const ConstantColumn constant : {ConstantColumn::none, ConstantColumn::last}) {
        const Solved s = solve(problem, kernel, constant);
        EXPECT_EQ(s.fit.status, SolveStatus::converged);
        EXPECT_NEAR(s.fit.evidence, direct_evidence(s.phi, s.y, s.fit.precisions, s.fit.noise),
                    1e-6 * (1 + std::abs(s.fit.evidence)));
      }
    }
  }
}

TEST(RelevanceRegression, TheEvidenceNeverFalls) {
  for (const auto kernel : {bump, narrow_bump, spline, sigmoid}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Solved s = solve(noisy_sinc(80, 0.3, seed), kernel, ConstantColumn::last);
      EXPECT_TRUE(std::ranges::is_sorted(s.fit.history));
      EXPECT_EQ(s.fit.history.back(), s.fit.evidence);
      EXPECT_GT(s.fit.history.back(), s.fit.history.front());
    }
  }
}

// ∂ ln p/∂ ln α_i = ½ (1 − α_i Σ_ii − α_i μ_i²) = 0 for functions in use, no gain from any other, and the noise's fixed
// point σ² = ‖y − Φμ‖²/(n − Σ γ).
TEST(RelevanceRegression, TheGradientIsZeroAtTheEnd) {
  for (const auto kernel : {bump, narrow_bump, spline}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Solved s = solve(noisy_sinc(70, 0.2, seed), kernel, ConstantColumn::last);
      const auto m = static_cast<Index>(s.fit.columns.size());
      ASSERT_GT(m, 0);
      Dense h = (1 / s.fit.noise) * (s.phi.transpose() * s.phi);
      h.add_to_diagonal(Dense(s.fit.precisions));
      const Dense sigma = h.inverse();
      const Dense mean = (1 / s.fit.noise) * (sigma * (s.phi.transpose() * s.y));
      double determined = 0;
      for (Index i = 0; i < m; ++i) {
        const double alpha = s.fit.precisions[i];
        EXPECT_NEAR(s.fit.weights[i], mean(i), 1e-5 * mean.max_abs());
        EXPECT_NEAR(0.5 * (1 - alpha * sigma(i, i) - alpha * mean(i) * mean(i)), 0, 1e-3);
        determined += 1 - alpha * sigma(i, i);
      }
      const Dense residuals = s.y - s.phi * mean;
      EXPECT_NEAR(residuals.squared_norm() / (70 - determined) / s.fit.noise, 1, 1e-4);
      // Σ = R Rᵀ.
      const Dense root(s.fit.root);
      EXPECT_LT((root * root.transpose() - sigma).max_abs(), 1e-5 * sigma.max_abs());
      const Dense all = basis_matrix(*s.owned.basis);
      Dense c = s.fit.noise * Dense::identity(70);
      for (Index i = 0; i < m; ++i) {
        c += (1 / s.fit.precisions[i]) * (s.phi.column(i) * s.phi.column(i).transpose());
      }
      for (Index j = 0; j < all.columns(); ++j) {
        if (!std::ranges::binary_search(s.fit.columns, j)) {
          const Dense column = all.column(j);
          const Dense solved = c.solve_positive(column);
          EXPECT_LT(gain_of_adding(column.dot(solved), solved.dot(s.y)), 1.1e-3) << j;
        }
      }
    }
  }
}

// Both end in local maxima: the sequential algorithm is never far below the one that starts from all functions, above it
// on average, and has no more functions in use.
TEST(RelevanceRegression, IsAsGoodAsAllFunctionsAtOnce) {
  double difference = 0;
  std::size_t ours = 0;
  std::size_t theirs = 0;
  for (const auto kernel : {bump, narrow_bump}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const LineProblem problem = noisy_sinc(60, 0.2, seed);
      const Solved s = solve(problem, kernel, ConstantColumn::last);
      const SlowFit slow = slow_regression(basis_matrix(*s.owned.basis), s.y, 150);
      EXPECT_GE(s.fit.evidence, slow.evidence - 0.25);
      difference += s.fit.evidence - slow.evidence;
      ours += s.fit.columns.size();
      theirs += slow.columns.size();
    }
  }
  EXPECT_GT(difference, 0);
  EXPECT_LE(ours, theirs);
}

// Figure 16.8: 4 to 12 functions, an error below .06, noise between .09 and .14 (truly .1155), for the spline and for a
// Gaussian of width 2.
TEST(RelevanceRegression, NoisySincHasFewVectors) {
  for (const auto kernel : {spline, +[](double a, double b) { return std::exp(-(a - b) * (a - b) / 4); }}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const LineProblem problem = noisy_sinc(100, 0.2, 100 + seed);
      const Solved s = solve(problem, kernel, ConstantColumn::last);
      EXPECT_GE(s.fit.columns.size(), 4U);
      EXPECT_LE(s.fit.columns.size(), 12U);
      EXPECT_GT(std::sqrt(s.fit.noise), 0.09);
      EXPECT_LT(std::sqrt(s.fit.noise), 0.14);
      const Dense error = s.phi * Dense(s.fit.weights) - Dense(problem.truth);
      EXPECT_LT(error.norm() / 10, 0.06);
    }
  }
}

// A weight of 3 is the row three times, in the targets and among the functions to choose from.
TEST(RelevanceRegression, WeightsAreRepetitions) {
  const LineProblem problem = noisy_sinc(25, 0.2, 8);
  LineProblem repeated;
  std::vector<double> weights;
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    weights.push_back(1 + static_cast<double>(i % 3));
    for (std::size_t copy = 0; copy <= i % 3; ++copy) {
      repeated.x.push_back(problem.x[i]);
      repeated.y.push_back(problem.y[i]);
    }
  }
  const OwnedBasis owned = make_basis(kernel_on_line(problem.x, bump), ConstantColumn::last);
  const RelevanceFit weighted = relevance_regression(*owned.basis, problem.y, weights, {}, {});
  const Solved all = solve(repeated, bump, ConstantColumn::last);
  EXPECT_NEAR(weighted.evidence, all.fit.evidence, 1e-6);
  EXPECT_NEAR(weighted.noise, all.fit.noise, 1e-6 * all.fit.noise);
  ASSERT_EQ(weighted.columns.size(), all.fit.columns.size());
  for (std::size_t a = 0; a < weighted.columns.size(); ++a) {
    EXPECT_NEAR(weighted.weights[a], all.fit.weights[a], 1e-5 * (1 + std::abs(all.fit.weights[a])));
  }
}

TEST(RelevanceRegression, ColumnsThatAreNotKeptGiveTheSame) {
  const LineProblem problem = noisy_sinc(90, 0.2, 5);
  const OwnedBasis kept = make_basis(kernel_on_line(problem.x, bump), ConstantColumn::last);
  const OwnedBasis passing = make_basis(kernel_on_line(problem.x, bump), ConstantColumn::last, 0);
  EXPECT_TRUE(kept.basis->is_stored());
  EXPECT_FALSE(passing.basis->is_stored());
  const RelevanceFit a = relevance_regression(*kept.basis, problem.y, {}, {}, {});
  const RelevanceFit b = relevance_regression(*passing.basis, problem.y, {}, {}, {});
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_NEAR(a.evidence, b.evidence, 1e-8);
}

// Every column four times, and nearly so: the evidence of the columns taken once.
TEST(RelevanceRegression, RepeatedColumnsAreNotTakenTwice) {
  const LineProblem problem = noisy_sinc(20, 0.1, 4);
  LineProblem repeated;
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    for (int copy = 0; copy < 4; ++copy) {
      repeated.x.push_back(problem.x[i] + 1e-9 * copy);
      repeated.y.push_back(problem.y[i] + 0.01 * copy);
    }
  }
  const Solved s = solve(repeated, narrow_bump, ConstantColumn::last);
  EXPECT_EQ(s.fit.status, SolveStatus::converged);
  EXPECT_TRUE(std::ranges::is_sorted(s.fit.history));
  std::vector<Index> places;
  for (const Index column : s.fit.columns) {
    places.push_back(column / 4);
  }
  EXPECT_EQ(std::ranges::adjacent_find(places), places.end());
}

TEST(RelevanceRegression, GivenNoiseIsKept) {
  RelevanceOptions options;
  options.noise = 0.05;
  const Solved s = solve(noisy_sinc(40, 0.2, 9), bump, ConstantColumn::last, options);
  EXPECT_EQ(s.fit.noise, 0.05);
  EXPECT_NEAR(s.fit.evidence, direct_evidence(s.phi, s.y, s.fit.precisions, 0.05),
              1e-8 * (1 + std::abs(s.fit.evidence)));
}

// σ² = (‖y − Φμ‖² + 2d)/(n − Σ γ + 2c) is where the evidence times the Gamma density of 1/σ² (over its logarithm) is
// largest; a strong prior decides.
TEST(RelevanceRegression, NoisePriorsMoveTheNoise) {
  RelevanceOptions options;
  options.noise_shape = 3;
  options.noise_rate = 0.9;
  const Solved s = solve(noisy_sinc(50, 0.2, 9), bump, ConstantColumn::last, options);
  const auto objective = [&](double noise) {
    return direct_evidence(s.phi, s.y, s.fit.precisions, noise) - 3 * std::log(noise) - 0.9 / noise;
  };
  EXPECT_NEAR(s.fit.evidence, objective(s.fit.noise), 1e-8 * (1 + std::abs(s.fit.evidence)));
  EXPECT_GT(objective(s.fit.noise), objective(1.02 * s.fit.noise));
  EXPECT_GT(objective(s.fit.noise), objective(0.98 * s.fit.noise));
  options.noise_shape = 1e6;
  options.noise_rate = 3e5;
  EXPECT_NEAR(solve(noisy_sinc(50, 0.2, 9), bump, ConstantColumn::last, options).fit.noise, 0.3, 1e-3);
}

TEST(RelevanceRegression, LimitsAreKept) {
  RelevanceOptions options;
  options.max_functions = 3;
  const Solved few = solve(noisy_sinc(60, 0.2, 2), narrow_bump, ConstantColumn::last, options);
  EXPECT_EQ(few.fit.columns.size(), 3U);
  EXPECT_EQ(few.fit.status, SolveStatus::converged);
  options.max_functions = 0;
  options.max_iterations = 2;
  EXPECT_EQ(solve(noisy_sinc(60, 0.2, 2), narrow_bump, ConstantColumn::last, options).fit.status,
            SolveStatus::iteration_limit);
}

TEST(RelevanceRegression, DegenerateTargets) {
  // Nothing to explain.
  const OwnedBasis owned = make_basis(kernel_on_line({0, 1, 2}, bump), ConstantColumn::last);
  const RelevanceFit none = relevance_regression(*owned.basis, std::vector<double>{0, 0, 0}, {}, {}, {});
  EXPECT_TRUE(none.columns.empty());
  EXPECT_TRUE(std::isfinite(none.evidence));
  // One row.
  const OwnedBasis one = make_basis(kernel_on_line({0}, bump), ConstantColumn::none);
  const RelevanceFit single = relevance_regression(*one.basis, std::vector<double>{5}, {}, {}, {});
  EXPECT_TRUE(std::isfinite(single.evidence));
  // Any unit of the targets gives the same machine.
  const LineProblem problem = noisy_sinc(50, 0.2, 1);
  const RelevanceFit plain = solve(problem, bump, ConstantColumn::last).fit;
  for (const double unit : {1e-120, 1e120}) {
    LineProblem scaled = problem;
    std::ranges::transform(problem.y, scaled.y.begin(), [unit](double y) { return unit * y; });
    const RelevanceFit fit = solve(scaled, bump, ConstantColumn::last).fit;
    EXPECT_EQ(fit.columns, plain.columns);
    EXPECT_NEAR(std::sqrt(fit.noise) / unit, std::sqrt(plain.noise), 1e-6);
  }
  EXPECT_ERROR(relevance_regression(*owned.basis, std::vector<double>{0, 0}, {}, {}, {}), InvalidArgument,
               "2 targets and 0 weights for 3 rows");
  EXPECT_ERROR(make_basis(kernel_on_line({0, 1}, [](double, double) { return NAN; }), ConstantColumn::none), DataError,
               "the precomputed kernel matrix has no finite number in row 0");
}

}  // namespace
}  // namespace mercer
