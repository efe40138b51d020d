// Platt's sigmoid: gradients by differences, the minimum by brute force, closed cases, separable and hostile values.
#include "mercer/models/classes/platt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Problem {
  std::vector<double> f;
  std::vector<double> y;
  std::vector<double> w;
};

Problem random_problem(unsigned seed, std::size_t n, double spread) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  Problem problem;
  for (std::size_t i = 0; i < n; ++i) {
    problem.f.push_back(spread * normal(random));
    problem.y.push_back(uniform(random) < 1 / (1 + std::exp(-1.5 * problem.f.back() / spread + 0.4)) ? 1.0 : -1.0);
    problem.w.push_back(uniform(random) < 0.2 ? 0.0 : 3 * uniform(random));
  }
  return problem;
}

// −Σ w (t ln p + (1−t) ln(1−p)) as the formula says it, in long double.
double plain_loss(double a, double b, const Problem& problem, bool weighted) {
  long double positive = 0;
  long double negative = 0;
  for (std::size_t i = 0; i < problem.f.size(); ++i) {
    (problem.y[i] > 0 ? positive : negative) += weighted ? problem.w[i] : 1.0;
  }
  long double sum = 0;
  for (std::size_t i = 0; i < problem.f.size(); ++i) {
    const long double t = problem.y[i] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
    const long double p = 1 / (1 + std::exp(static_cast<long double>(a) * problem.f[i] + b));
    sum -= (weighted ? problem.w[i] : 1.0) * (t * std::log(p) + (1 - t) * std::log1p(-p));
  }
  return static_cast<double>(sum);
}

TEST(Platt, LossIsTheFormula) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Problem problem = random_problem(seed, 40, 2);
    for (const auto& [a, b] : {std::pair{-1.0, 0.3}, {0.0, 0.0}, {2.0, -1.0}}) {
      EXPECT_NEAR(platt_loss({a, b}, problem.f, problem.y), plain_loss(a, b, problem, false), 1e-10);
      EXPECT_NEAR(platt_loss({a, b}, problem.f, problem.y, problem.w), plain_loss(a, b, problem, true), 1e-10);
    }
  }
}

TEST(Platt, NoDirectionDescendsFromTheFit) {
  for (unsigned seed = 1; seed < 30; ++seed) {
    const double spread = std::pow(10.0, static_cast<double>(seed % 7) - 3);
    const Problem problem = random_problem(seed, 5 + seed * 7, spread);
    const bool weighted = seed % 2 == 0;
    const PlattSigmoid fit =
        weighted ? fit_platt(problem.f, problem.y, problem.w).sigmoid : fit_platt(problem.f, problem.y).sigmoid;
    // Derivatives of the plain formula by central differences; A in units of the decision values.
    const double h = 1e-5;
    const auto loss = [&](double da, double db) {
      return plain_loss(fit.a + da / spread, fit.b + db, problem, weighted);
    };
    const auto n = static_cast<double>(problem.f.size());
    EXPECT_NEAR((loss(h, 0) - loss(-h, 0)) / (2 * h) / n, 0, 1e-9) << seed;
    EXPECT_NEAR((loss(0, h) - loss(0, -h)) / (2 * h) / n, 0, 1e-9) << seed;
  }
}

TEST(Platt, BruteForceFindsNothingLower) {
  const Problem problem = random_problem(3, 60, 1);
  const PlattSigmoid fit = fit_platt(problem.f, problem.y).sigmoid;
  const double best = plain_loss(fit.a, fit.b, problem, false);
  for (double a = -5; a <= 5; a += 0.05) {
    for (double b = -5; b <= 5; b += 0.05) {
      ASSERT_GE(plain_loss(a, b, problem, false), best - 1e-9);
    }
  }
}

// All values equal: the best probability is the mean of the targets.
TEST(Platt, ConstantValuesGiveTheMeanOfTheTargets) {
  for (const double value : {0.0, 1.0, -3.0}) {
    const std::vector<double> f(10, value);
    const std::vector<double> y = {1, 1, 1, 1, 1, 1, 1, -1, -1, -1};
    const double mean = (7 * (8.0 / 9) + 3 * (1.0 / 5)) / 10;
    EXPECT_NEAR(fit_platt(f, y).sigmoid.probability(value), mean, 1e-9);
  }
}

TEST(Platt, SeparableValuesMeetTheTargets) {
  // Two values: the sigmoid has two parameters and passes through both targets.
  std::vector<double> f;
  std::vector<double> y;
  for (int i = 0; i < 30; ++i) {
    f.push_back(i < 10 ? -2.0 : 1.0);
    y.push_back(i < 10 ? -1.0 : 1.0);
  }
  const PlattFit fit = fit_platt(f, y);
  EXPECT_NEAR(fit.sigmoid.probability(1.0), 21.0 / 22, 1e-8);
  EXPECT_NEAR(fit.sigmoid.probability(-2.0), 1.0 / 12, 1e-8);
  EXPECT_LT(fit.sigmoid.a, 0);
}

TEST(Platt, OneClassAndOneSample) {
  EXPECT_NEAR(fit_platt(std::vector<double>{2.0}, std::vector<double>{1.0}).sigmoid.probability(2.0), 2.0 / 3, 1e-8);
  EXPECT_NEAR(fit_platt(std::vector<double>{-1.0, -1.0}, std::vector<double>{-1.0, -1.0}).sigmoid.probability(-1.0),
              1.0 / 4, 1e-8);
}

TEST(Platt, WholeWeightsAreRepetitions) {
  const Problem problem = random_problem(11, 25, 1);
  Problem repeated;
  std::vector<double> weights;
  for (std::size_t i = 0; i < problem.f.size(); ++i) {
    weights.push_back(static_cast<double>(i % 4));
    for (std::size_t r = 0; r < i % 4; ++r) {
      repeated.f.push_back(problem.f[i]);
      repeated.y.push_back(problem.y[i]);
    }
  }
  const PlattSigmoid a = fit_platt(problem.f, problem.y, weights).sigmoid;
  const PlattSigmoid b = fit_platt(repeated.f, repeated.y).sigmoid;
  EXPECT_NEAR(a.a, b.a, 1e-7);
  EXPECT_NEAR(a.b, b.b, 1e-7);
}

TEST(Platt, ProbabilitiesNeverOverflow) {
  for (const double f : {-1e300, -800.0, 0.0, 800.0, 1e300}) {
    const double p = PlattSigmoid{-2, 0.5}.probability(f);
    const double q = PlattSigmoid{2, -0.5}.probability(f);
    EXPECT_TRUE(p >= 0 && p <= 1);
    EXPECT_NEAR(p + q, 1, 1e-15);
  }
  // Huge values still fit.
  const std::vector<double> f = {1e150, -1e150, 2e150, -5e149, 1e149};
  const std::vector<double> y = {1, -1, 1, -1, -1};
  const PlattSigmoid fit = fit_platt(f, y).sigmoid;
  EXPECT_TRUE(std::isfinite(fit.a) && std::isfinite(fit.b));
}

TEST(Platt, RefusesWhatCannotBeFitted) {
  const std::vector<double> one = {1.0};
  const std::vector<double> none;
  EXPECT_ERROR(fit_platt(none, none), InvalidArgument, "Platt's sigmoid needs one label");
  EXPECT_ERROR(fit_platt(one, none), InvalidArgument, "Platt's sigmoid needs one label");
  EXPECT_ERROR(fit_platt(one, std::vector<double>{0.5}), InvalidArgument, "Platt's sigmoid: sample 0");
  EXPECT_ERROR(fit_platt(std::vector<double>{std::nan("")}, one), InvalidArgument, "Platt's sigmoid: sample 0");
  EXPECT_ERROR(fit_platt(std::vector<double>{std::numeric_limits<double>::infinity()}, one), InvalidArgument,
               "Platt's sigmoid: sample 0");
  EXPECT_ERROR(fit_platt(one, one, std::vector<double>{-1.0}), InvalidArgument, "Platt's sigmoid: sample 0");
  EXPECT_ERROR(fit_platt(one, one, std::vector<double>{0.0}), InvalidArgument, "Platt's sigmoid: all weights are 0");
}

}  // namespace
}  // namespace mercer
