#include "mercer/solvers/relevance/relevance_classification.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "solvers/relevance_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

double bump(double a, double b) { return std::exp(-(a - b) * (a - b)); }
double sigmoid(double a, double b) { return std::tanh(a * b - 0.5); }

struct Labeled {
  std::vector<double> x;
  std::vector<double> positive;
};

// Two classes on a line with log-odds 4 sin(x)/flatness.
Labeled labeled_line(Index n, double flatness, std::uint64_t seed) {
  Labeled problem;
  RandomStream random(seed, 5);
  for (Index i = 0; i < n; ++i) {
    const double x = 8 * random.uniform() - 4;
    problem.x.push_back(x);
    problem.positive.push_back(random.uniform() < 1 / (1 + std::exp(-4 / flatness * std::sin(x))) ? 1.0 : 0.0);
  }
  return problem;
}

// ln p(t | f) − ½ Σ α μ² by its definition.
double penalized(const Dense& phi, const Dense& mean, const std::vector<double>& precisions,
                 const std::vector<double>& positive) {
  const Dense f = phi * mean;
  double value = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    const double p = 1 / (1 + std::exp(-f(i)));
    value += std::log(positive[i] > 0.5 ? p : 1 - p);
  }
  for (Index j = 0; j < mean.rows(); ++j) {
    value -= 0.5 * precisions[j] * mean(j) * mean(j);
  }
  return value;
}

// The mode by Newton's method and Laplace's evidence, for given precisions.
SlowFit slow_laplace(const Dense& phi, const std::vector<double>& positive, const std::vector<double>& precisions) {
  SlowFit fit;
  fit.mean = Dense(phi.columns(), 1);
  Dense h;
  for (int step = 0; step < 100; ++step) {
    const Dense f = phi * fit.mean;
    Dense gradient(phi.columns(), 1);
    Dense weighted = phi;
    Dense residual(phi.rows(), 1);
    for (Index i = 0; i < phi.rows(); ++i) {
      const double p = 1 / (1 + std::exp(-f(i)));
      residual(i) = positive[i] - p;
      for (Index j = 0; j < phi.columns(); ++j) {
        weighted(i, j) *= p * (1 - p);
      }
    }
    h = phi.transpose() * weighted;
    h.add_to_diagonal(Dense(precisions));
    gradient = phi.transpose() * residual;
    for (Index j = 0; j < phi.columns(); ++j) {
      gradient(j) -= precisions[j] * fit.mean(j);
    }
    Dense move = h.solve_positive(gradient);
    const double before = penalized(phi, fit.mean, precisions, positive);
    while (penalized(phi, fit.mean + move, precisions, positive) < before && move.max_abs() > 1e-14) {
      move *= 0.5;
    }
    fit.mean += move;
    if (move.max_abs() < 1e-10) {
      break;
    }
  }
  fit.covariance = h.inverse();
  fit.evidence = penalized(phi, fit.mean, precisions, positive) - 0.5 * h.log_determinant();
  for (const double alpha : precisions) {
    fit.evidence += 0.5 * std::log(alpha);
  }
  return fit;
}

// All functions at once: α ← (1 − αΣ)/μ², those above 1e9 dropped.
SlowFit slow_classification(const Dense& phi, const std::vector<double>& positive, int iterations) {
  SlowFit fit;
  std::vector<Index> columns(phi.columns());
  std::iota(columns.begin(), columns.end(), Index{0});
  std::vector<double> precisions(columns.size(), 1e-2);
  for (int step = 0; step <= iterations; ++step) {
    fit = slow_laplace(chosen_columns(phi, columns), positive, precisions);
    fit.columns = columns;
    fit.precisions = precisions;
    std::vector<Index> kept;
    std::vector<double> next;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const double gamma = std::max(1 - precisions[i] * fit.covariance(at, at), 1e-300);
      const double alpha = gamma / (fit.mean(at) * fit.mean(at));
      if (alpha < 1e9) {
        kept.push_back(columns[i]);
        next.push_back(alpha);
      }
    }
    columns = std::move(kept);
    precisions = std::move(next);
  }
  return fit;
}

TEST(RelevanceClassification, EvidenceModeAndCovarianceAreLaplaces) {
  for (const auto kernel : {bump, sigmoid}) {
    for (const ConstantColumn constant : {ConstantColumn::none, ConstantColumn::last}) {
      for (const Index n : {6, 40, 90}) {
        const Labeled problem = labeled_line(n, 1, static_cast<std::uint64_t>(n));
        const OwnedBasis owned = make_basis(kernel_on_line(problem.x, kernel), constant);
        const RelevanceFit fit = relevance_classification(*owned.basis, problem.positive, {}, {}, {});
        EXPECT_EQ(fit.status, SolveStatus::converged);
        EXPECT_TRUE(std::ranges::is_sorted(fit.history));
        if (fit.columns.empty()) {
          EXPECT_NEAR(fit.evidence, static_cast<double>(n) * std::log(0.5), 1e-9);
          continue;
        }
        const Dense phi = chosen_columns(basis_matrix(*owned.basis), fit.columns);
        const SlowFit slow = slow_laplace(phi, problem.positive, fit.precisions);
        EXPECT_NEAR(fit.evidence, slow.evidence, 1e-6 * (1 + std::abs(slow.evidence)));
        EXPECT_LT((Dense(fit.weights) - slow.mean).max_abs(), 1e-4 * (1 + slow.mean.max_abs()));
        const Dense root(fit.root);
        EXPECT_LT((root * root.transpose() - slow.covariance).max_abs(), 1e-4 * slow.covariance.max_abs());
      }
    }
  }
}

// Where it ends: α μ² = γ = 1 − αΣ, the fixed point for curvatures that are held. With d evidence/d ln α there also moving
// the mode, the evidence itself can still grow, which is why the documentation does not call it the largest.
TEST(RelevanceClassification, EndsAtTheFixedPointOfHeldCurvatures) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Labeled problem = labeled_line(40, 1.5, seed);
    const OwnedBasis owned = make_basis(kernel_on_line(problem.x, bump), ConstantColumn::last);
    const RelevanceFit fit = relevance_classification(*owned.basis, problem.positive, {}, {.tolerance = 1e-6}, {});
    const Dense root(fit.root);
    const Dense covariance = root * root.transpose();
    for (std::size_t j = 0; j < fit.columns.size(); ++j) {
      const auto at = static_cast<Index>(j);
      const double gamma = 1 - fit.precisions[j] * covariance(at, at);
      EXPECT_NEAR(fit.precisions[j] * fit.weights[j] * fit.weights[j], gamma, 0.01) << seed << " " << j;
    }
  }
}

// Both end in local maxima; dropping functions from all of them is slow to make the machine small.
TEST(RelevanceClassification, IsAsGoodAsAllFunctionsAtOnceWithFewer) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Labeled problem = labeled_line(40, 1.5, seed);
    const OwnedBasis owned = make_basis(kernel_on_line(problem.x, bump), ConstantColumn::last);
    const RelevanceFit fit = relevance_classification(*owned.basis, problem.positive, {}, {}, {});
    const SlowFit slow = slow_classification(basis_matrix(*owned.basis), problem.positive, 30);
    EXPECT_GE(fit.evidence, slow.evidence - 0.5);
    EXPECT_LE(fit.columns.size(), slow.columns.size());
  }
}

TEST(RelevanceClassification, WeightsAreRepetitions) {
  const Labeled problem = labeled_line(40, 1, 8);
  Labeled repeated;
  std::vector<double> weights;
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    weights.push_back(1 + static_cast<double>(i % 2));
    for (std::size_t copy = 0; copy <= i % 2; ++copy) {
      repeated.x.push_back(problem.x[i]);
      repeated.positive.push_back(problem.positive[i]);
    }
  }
  const OwnedBasis once = make_basis(kernel_on_line(problem.x, bump), ConstantColumn::last);
  const OwnedBasis twice = make_basis(kernel_on_line(repeated.x, bump), ConstantColumn::last);
  const RelevanceFit a = relevance_classification(*once.basis, problem.positive, weights, {}, {});
  const RelevanceFit b = relevance_classification(*twice.basis, repeated.positive, {}, {}, {});
  EXPECT_NEAR(a.evidence, b.evidence, 1e-5);
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    EXPECT_NEAR(a.weights[i], b.weights[i], 1e-3 * (1 + std::abs(b.weights[i])));
  }
}

TEST(RelevanceClassification, SeparableAndDegenerateClasses) {
  // Classes apart: the prior keeps the weights finite.
  Labeled apart;
  for (int i = 0; i < 40; ++i) {
    apart.x.push_back(i < 20 ? -4 + 0.1 * i : 2 + 0.1 * i);
    apart.positive.push_back(i < 20 ? 0.0 : 1.0);
  }
  const OwnedBasis owned = make_basis(kernel_on_line(apart.x, bump), ConstantColumn::last);
  const RelevanceFit fit = relevance_classification(*owned.basis, apart.positive, {}, {}, {});
  EXPECT_TRUE(std::isfinite(fit.evidence));
  EXPECT_TRUE(std::ranges::is_sorted(fit.history));
  ASSERT_FALSE(fit.columns.empty());
  const Dense f = chosen_columns(basis_matrix(*owned.basis), fit.columns) * Dense(fit.weights);
  for (Index i = 0; i < 40; ++i) {
    EXPECT_EQ(f(i) > 0, i >= 20);
  }
  // One class, and one row.
  const std::vector<double> ones(40, 1.0);
  EXPECT_TRUE(std::isfinite(relevance_classification(*owned.basis, ones, {}, {}, {}).evidence));
  const OwnedBasis one = make_basis(kernel_on_line({0}, bump), ConstantColumn::last);
  EXPECT_TRUE(std::isfinite(relevance_classification(*one.basis, std::vector<double>{1}, {}, {}, {}).evidence));
  EXPECT_ERROR(relevance_classification(*owned.basis, std::vector<double>{1}, {}, {}, {}), InvalidArgument,
               "1 labels and 0 weights for 40 rows");
}

}  // namespace
}  // namespace mercer
