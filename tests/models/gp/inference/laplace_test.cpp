// Laplace's approximation against explicit inverses, quadrature and central differences.
#include "mercer/models/gp/inference/laplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/models/gp/inference/curvature_factor.h"
#include "models/gp/latent_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::brute_force;
using testing::column;
using testing::contracted;
using testing::dense;
using testing::latent_kernel;
using testing::latent_targets;
using testing::LatentKernel;

struct Case {
  std::string label;
  LikelihoodPtr likelihood;
};

std::vector<Case> cases() {
  return {{"logistic", logistic_likelihood()},
          {"probit", probit_likelihood()},
          {"noisy_logistic", with_label_noise(logistic_likelihood(), 0.1)},
          {"gaussian", gaussian_likelihood(0.3)},
          {"student_t", student_t_likelihood(0.2, 3)},
          {"huber", huber_likelihood(0.4, 1.1)},
          {"poisson", poisson_likelihood()}};
}

class LaplaceFamilies : public ::testing::TestWithParam<Case> {
 protected:
  // Gross errors make curvatures negative where the family allows it.
  static std::vector<double> targets(const Likelihood& likelihood, const LatentKernel& kernel) {
    std::vector<double> y = latent_targets(likelihood, kernel, 5);
    if (likelihood.accepts(0.5)) {
      y[1] += 4;
      y[7] -= 5;
    } else if (!likelihood.accepts(2)) {
      y[1] = -y[1];
    }
    return y;
  }
};

constexpr LaplaceOptions fine(ApproximationGoal goal) {
  return {.tolerance = 1e-12, .max_iterations = 500, .goal = goal};
}

TEST_P(LaplaceFamilies, EqualsExplicitFormulas) {
  const Likelihood& likelihood = *GetParam().likelihood;
  const LatentKernel kernel = latent_kernel(24, 3);
  const Matrix<double> k = kernel.matrix();
  const std::vector<double> y = targets(likelihood, kernel);
  const LatentApproximation found =
      laplace(k.view(), {y}, likelihood, {}, fine(ApproximationGoal::posterior), mercer::Run());
  ASSERT_EQ(found.status, SolveStatus::converged);

  const Dense big = dense(k.view());
  const Dense f = big * column(found.alpha);
  Dense slope(24, 1);
  Dense curvature(24, 1);
  double value = 0;
  for (int i = 0; i < 24; ++i) {
    const LogDensity at = likelihood.log_density(y[i], f(i));
    value += at.value;
    slope(i) = at.first;
    curvature(i) = -at.second;
    EXPECT_NEAR(found.latent[i], f(i), 1e-10);
  }
  if (GetParam().label == "student_t") {
    EXPECT_LT(curvature.min(), 0);  // the case that needs the correction
  }
  EXPECT_LT((column(found.alpha) - slope).max_abs(), 1e-10 * (1 + slope.max_abs()));
  const Dense inside = Dense::identity(24) + big * Dense::with_diagonal(curvature);
  const double evidence = value - 0.5 * column(found.alpha).dot(f) - 0.5 * std::log(inside.determinant());
  EXPECT_NEAR(found.log_evidence, evidence, 1e-9 * (1 + std::abs(evidence)));

  // kᵀ W(I + KW)⁻¹ k for arbitrary rows.
  const Dense m = Dense::with_diagonal(curvature) * inside.inverse();
  Matrix<double> rows(3, 24);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < 24; ++j) {
      rows(i, j) = std::cos(0.3 * static_cast<double>(i * 24 + j));
    }
  }
  const Dense expected = dense(rows.view()) * m * dense(rows.view()).transpose();
  std::vector<double> diagonal(3);
  Matrix<double> copy = Matrix<double>::copy_of(rows.view());
  found.reduction->diagonal(copy.view(), diagonal, mercer::Run());
  const auto rebuilt = posterior_reduction(Matrix<double>::copy_of(k.view()), found.precision, mercer::Run());
  std::vector<double> again(3);
  copy = Matrix<double>::copy_of(rows.view());
  rebuilt->diagonal(copy.view(), again, mercer::Run());
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(diagonal[i], expected(i, i), 1e-8 * (1 + std::abs(expected(i, i))));
    EXPECT_EQ(diagonal[i], again[i]);
  }
}

TEST_P(LaplaceFamilies, GradientsAreDifferences) {
  const LikelihoodPtr likelihood = GetParam().likelihood;
  const LatentKernel kernel = latent_kernel(20, 8);
  const std::vector<double> y = targets(*likelihood, kernel);
  std::vector<double> weights(20, 1.0);
  weights[3] = 2.5;
  weights[11] = 0.4;
  const auto evidence = [&](const LatentKernel& at, const Likelihood& lik) {
    return laplace(at.matrix().view(), {y, weights}, lik, {}, fine(ApproximationGoal::evidence), mercer::Run())
        .log_evidence;
  };
  const LatentApproximation found =
      laplace(kernel.matrix().view(), {y, weights}, *likelihood, {}, fine(ApproximationGoal::gradient), mercer::Run());
  constexpr double h = 1e-5;
  LatentKernel up = kernel;
  LatentKernel down = kernel;
  up.variance += h;
  down.variance -= h;
  const double variance = (evidence(up, *likelihood) - evidence(down, *likelihood)) / (2 * h);
  up = down = kernel;
  up.lengthscale += h;
  down.lengthscale -= h;
  const double lengthscale = (evidence(up, *likelihood) - evidence(down, *likelihood)) / (2 * h);
  EXPECT_NEAR(contracted(found.kernel_weights, [&](Index i, Index j) { return kernel.variance_slope(i, j); }), variance,
              1e-6 * (1 + std::abs(variance)));
  EXPECT_NEAR(contracted(found.kernel_weights, [&](Index i, Index j) { return kernel.lengthscale_slope(i, j); }),
              lengthscale, 1e-6 * (1 + std::abs(lengthscale)));

  const std::vector<ScaleParameter> parameters = likelihood->parameters();
  ASSERT_EQ(found.likelihood_gradient.size(), parameters.size());
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::vector<double> more = {parameters[p].value * (1 + h)};
    const std::vector<double> less = {parameters[p].value * (1 - h)};
    const double difference =
        (evidence(kernel, *likelihood->with_parameters(more)) - evidence(kernel, *likelihood->with_parameters(less))) /
        (2 * h * parameters[p].value);
    EXPECT_NEAR(found.likelihood_gradient[p], difference, 2e-6 * (1 + std::abs(difference)));
  }
}

TEST_P(LaplaceFamilies, WarmStartsEndAtTheSameMode) {
  const Likelihood& likelihood = *GetParam().likelihood;
  const LatentKernel kernel = latent_kernel(30, 4);
  const std::vector<double> y = latent_targets(likelihood, kernel, 6);
  const Matrix<double> k = kernel.matrix();
  const LatentApproximation cold =
      laplace(k.view(), {y}, likelihood, {}, fine(ApproximationGoal::evidence), mercer::Run());
  const LatentApproximation warm =
      laplace(k.view(), {y}, likelihood, cold.alpha, fine(ApproximationGoal::evidence), mercer::Run());
  EXPECT_LE(warm.iterations, 1);
  EXPECT_NEAR(warm.log_evidence, cold.log_evidence, 1e-9);
}

TEST_P(LaplaceFamilies, AnyNumberOfThreadsGivesTheSameBits) {
  const Likelihood& likelihood = *GetParam().likelihood;
  const LatentKernel kernel = latent_kernel(300, 14);
  const std::vector<double> y = targets(likelihood, kernel);
  const Matrix<double> k = kernel.matrix();
  const auto found = [&](int threads) {
    return laplace(k.view(), {y}, likelihood, {}, {.goal = ApproximationGoal::gradient},
                   mercer::Run{{.threads = threads}});
  };
  const LatentApproximation one = found(1);
  const LatentApproximation three = found(3);
  EXPECT_EQ(one.alpha, three.alpha);
  EXPECT_EQ(one.log_evidence, three.log_evidence);
  EXPECT_TRUE(testing::same_bits(one.kernel_weights, three.kernel_weights));
}

INSTANTIATE_TEST_SUITE_P(All, LaplaceFamilies, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.label; });

TEST(Laplace, GaussianLikelihoodIsExact) {
  const LatentKernel kernel = latent_kernel(40, 2);
  const Matrix<double> k = kernel.matrix();
  const LikelihoodPtr gaussian = gaussian_likelihood(0.05);
  const std::vector<double> y = latent_targets(*gaussian, kernel, 3);
  const LatentApproximation found = laplace(k.view(), {y}, *gaussian, {}, {}, mercer::Run());
  const Dense total = dense(k.view()) + 0.05 * Dense::identity(40);
  const Dense alpha = total.solve_positive(column(y));
  EXPECT_LT((column(found.alpha) - alpha).norm(), 1e-8 * alpha.norm());
  const double evidence =
      -0.5 * column(y).dot(alpha) - 0.5 * total.log_determinant() - 20 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(found.log_evidence, evidence, 1e-9 * std::abs(evidence));
  EXPECT_LE(found.iterations, 2);
}

// The approximation of the evidence is good where the posterior is nearly normal.
TEST(Laplace, EvidenceIsNearQuadrature) {
  for (const Case& item : cases()) {
    // Two modes, or no curvature beyond the threshold: not nearly normal.
    if (item.label == "student_t" || item.label == "noisy_logistic" || item.label == "huber") {
      continue;
    }
    const LatentKernel kernel{{0.1, 0.7}, 1.2, 1.0};
    const Matrix<double> k = kernel.matrix();
    const std::vector<double> y = latent_targets(*item.likelihood, kernel, 7);
    const double exact = std::log(brute_force(k, y, *item.likelihood, {}, 401));
    EXPECT_NEAR(laplace(k.view(), {y}, *item.likelihood, {}, {}, mercer::Run()).log_evidence, exact, 0.1) << item.label;
  }
}

// The printed Newton step, with K and C exchanged, diverges here (amplitude 100).
TEST(Laplace, FewStepsForLargeAmplitudes) {
  LatentKernel kernel = latent_kernel(50, 6);
  kernel.variance = 100;
  const LikelihoodPtr logistic = logistic_likelihood();
  const std::vector<double> y = latent_targets(*logistic, kernel, 9);
  const LatentApproximation found = laplace(kernel.matrix().view(), {y}, *logistic, {}, {}, mercer::Run());
  EXPECT_EQ(found.status, SolveStatus::converged);
  EXPECT_LE(found.iterations, 12);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_GT(found.alpha[i] * y[i], 0);  // α_i lies in sign(y_i)·(0, 1)
    EXPECT_LT(found.alpha[i] * y[i], 1);
  }
}

TEST(Laplace, WeightsAreRepetitions) {
  const LikelihoodPtr probit = probit_likelihood();
  LatentKernel kernel = latent_kernel(6, 12);
  kernel.white = 0;
  const std::vector<double> y = latent_targets(*probit, kernel, 13);
  const std::vector<double> weights = {1, 2, 1, 1, 1, 1};
  const LatentApproximation weighted = laplace(kernel.matrix().view(), {y, weights}, *probit, {}, {}, mercer::Run());
  LatentKernel repeated = kernel;
  repeated.x.push_back(kernel.x[1]);
  std::vector<double> more = y;
  more.push_back(y[1]);
  const LatentApproximation twice = laplace(repeated.matrix().view(), {more}, *probit, {}, {}, mercer::Run());
  EXPECT_NEAR(weighted.log_evidence, twice.log_evidence, 1e-9);
  EXPECT_NEAR(weighted.latent[4], twice.latent[4], 1e-8);
}

TEST(Laplace, DegenerateMatrices) {
  const LikelihoodPtr logistic = logistic_likelihood();
  const std::vector<double> y = {1, -1, 1, -1};
  for (const double size : {0.0, 1e-200, 1.0, 1e8}) {
    const Matrix<double> k = Matrix<double>::filled(4, 4, size);  // four times the same input
    const LatentApproximation found =
        laplace(k.view(), {y}, *logistic, {}, {.goal = ApproximationGoal::gradient}, mercer::Run());
    EXPECT_TRUE(std::isfinite(found.log_evidence)) << size;
    for (const double f : found.latent) {
      EXPECT_NEAR(f, 0, 1e-6) << size;
    }
    for (Index i = 0; i < 16; ++i) {
      EXPECT_TRUE(std::isfinite(found.kernel_weights.data()[i])) << size;
    }
  }
  EXPECT_NEAR(laplace(Matrix<double>::filled(4, 4, 0.0).view(), {y}, *logistic, {}, {}, mercer::Run()).log_evidence,
              -4 * std::numbers::ln2, 1e-14);
}

TEST(Laplace, Refusals) {
  const Matrix<double> k = Matrix<double>::filled(2, 2, 1.0);
  const std::vector<double> y = {1, 0.5};
  const std::vector<double> one = {1};
  EXPECT_ERROR(laplace(k.view(), {y}, *logistic_likelihood(), {}, {}, mercer::Run()), InvalidArgument,
               "the target of row 1 (counted from 0) is 0.5");
  EXPECT_ERROR(laplace(k.view(), {one}, *logistic_likelihood(), {}, {}, mercer::Run()), InvalidArgument,
               "a kernel matrix of 2 by 2 with 1 targets");
  EXPECT_ERROR(laplace(k.view(), {y}, *laplacian_likelihood(1), {}, {}, mercer::Run()), InvalidArgument,
               "the likelihood laplacian has a kink");
  const Matrix<double> bad = Matrix<double>::filled(2, 2, std::nan(""));
  const std::vector<double> signs = {1, -1};
  EXPECT_ERROR(laplace(bad.view(), {signs}, *logistic_likelihood(), {}, {}, mercer::Run()), NumericalError,
               "the kernel matrix is not numerically positive definite at row 0");
}

TEST(CurvatureFactor, SaysWhereThePosteriorHasNoProperCurvature) {
  const Matrix<double> k = Matrix<double>::filled(1, 1, 2.0);
  CurvatureFactor factor(k.view(), mercer::Run());
  factor.factor(std::vector<double>{-0.4});  // 1/2 − 0.4 > 0
  EXPECT_TRUE(factor.is_proper());
  EXPECT_NEAR(factor.log_determinant(), std::log(1 - 0.8), 1e-14);
  EXPECT_NEAR(factor.inverse().variances[0], 1 / 0.1, 1e-12);
  factor.factor(std::vector<double>{-0.6});
  EXPECT_FALSE(factor.is_proper());
  EXPECT_EQ(factor.curvature()[0], 0);
}

// 10 % gross outliers: the robust likelihoods stay near the fit to clean data, the normal one does not.
TEST(Laplace, RobustLikelihoodsResistOutliers) {
  RandomStream random(5, 3);
  LatentKernel kernel{{}, 1.0, 0.6};
  std::vector<double> truth;
  std::vector<double> clean;
  std::vector<double> dirty;
  for (int i = 0; i < 100; ++i) {
    kernel.x.push_back(0.06 * i);
    truth.push_back(std::sin(2 * kernel.x.back()));
    clean.push_back(truth.back() + 0.1 * random.normal());
    dirty.push_back(clean.back() + (i % 10 == 3 ? (i % 20 == 3 ? 6.0 : 9.0) : 0.0));
  }
  const Matrix<double> k = kernel.matrix();
  const auto error = [&](const Likelihood& likelihood, const std::vector<double>& y) {
    const LatentApproximation found =
        laplace(k.view(), {y}, likelihood, {}, {.goal = ApproximationGoal::evidence}, mercer::Run());
    return std::sqrt((column(found.latent) - column(truth)).squared_norm() / 100);
  };
  const double reference = error(*gaussian_likelihood(0.01), clean);
  EXPECT_LT(reference, 0.06);
  EXPECT_LT(error(*student_t_likelihood(0.1, 3), dirty), 1.3 * reference);
  EXPECT_LT(error(*huber_likelihood(0.1, 1), dirty), 2.5 * reference);
  EXPECT_GT(error(*gaussian_likelihood(0.01), dirty), 10 * reference);
}

// Two observations of one function value that contradict each other: the middle is a minimum of the posterior, where its
// slope is 0 too. The oracle is the posterior of that one value f ~ N(0, 10).
TEST(Laplace, EndsAtAMaximumWhereTheStartIsAMinimum) {
  const LikelihoodPtr likelihood = student_t_likelihood(0.1, 4);
  const Matrix<double> k = Matrix<double>::filled(2, 2, 10.0);
  const std::vector<double> y = {5, -5};
  const auto log_posterior = [&](double f) {
    return likelihood->log_density(5, f).value + likelihood->log_density(-5, f).value - f * f / 20;
  };
  const LatentApproximation found =
      laplace(k.view(), {y}, *likelihood, {}, fine(ApproximationGoal::posterior), mercer::Run());
  EXPECT_EQ(found.status, SolveStatus::converged);
  const double mode = std::abs(found.latent[0]);
  EXPECT_NEAR(found.latent[0], found.latent[1], 1e-9 * mode);
  EXPECT_GT(log_posterior(mode), log_posterior(mode - 1e-3));
  EXPECT_GT(log_posterior(mode), log_posterior(mode + 1e-3));
  const double curvature = 0.1 - likelihood->log_density(5, mode).second - likelihood->log_density(-5, mode).second;
  const double evidence = log_posterior(mode) - 0.5 * std::log(10 * curvature);
  EXPECT_NEAR(found.log_evidence, evidence, 1e-9 * std::abs(evidence));
  // By quadrature: half of the mass lies at either mode, which is all that the approximation sees; Student-t has more in
  // its tails than a normal density of the same curvature.
  double mass = 0;
  for (int i = -400000; i <= 400000; ++i) {
    mass += 5e-5 * std::exp(log_posterior(5e-5 * i)) / std::sqrt(20 * std::numbers::pi);
  }
  EXPECT_NEAR(std::log(mass), -20.8568, 1e-3);
  EXPECT_NEAR(found.log_evidence, std::log(mass / 2), 0.3);

  // 1/σ² of the value itself, from the reduction: k − kᵀMk.
  Matrix<double> rows = Matrix<double>::filled(1, 2, 10.0);
  std::vector<double> reduced(1);
  found.reduction->diagonal(rows.view(), reduced, mercer::Run());
  EXPECT_NEAR(10 - reduced[0], 1 / curvature, 1e-7 / curvature);
}

// Rows that repeat and contradict each other, under likelihoods that are not log-concave: K + KWK is positive
// semidefinite exactly where the end is a maximum.
TEST(Laplace, EndsAtMaximaOfPosteriorsWithSeveral) {
  int ends = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, 93);
    LatentKernel kernel{{}, 5 + 20 * random.uniform(), 0.5 + random.uniform(), 0};
    std::vector<double> y;
    const bool labels = seed % 3 == 0;
    for (int i = 0; i < 4; ++i) {
      const double value = labels ? 1.0 : 1 + 6 * random.uniform();
      kernel.x.insert(kernel.x.end(), 2, std::floor(3 * random.uniform()));
      y.insert(y.end(), {value, -value});
    }
    const LikelihoodPtr likelihood = labels ? with_label_noise(logistic_likelihood(), 0.02 + 0.2 * random.uniform())
                                            : student_t_likelihood(0.05 + 0.3 * random.uniform(), 3);
    const Matrix<double> k = kernel.matrix();
    try {
      const LatentApproximation found =
          laplace(k.view(), {y}, *likelihood, {}, fine(ApproximationGoal::evidence), mercer::Run());
      ++ends;
      Dense curvature(8, 1);
      for (int i = 0; i < 8; ++i) {
        const auto row = static_cast<std::size_t>(i);
        const LogDensity at = likelihood->log_density(y[row], found.latent[row]);
        EXPECT_NEAR(at.first, found.alpha[row], 1e-5 * (1 + std::abs(at.first))) << seed;
        curvature(i) = -at.second;
      }
      const Dense big = dense(k.view());
      const Dense inside = big + big * Dense::with_diagonal(curvature) * big;
      EXPECT_GT(inside.eigenvalues().min(), -1e-10 * (inside.max_abs() + big.max_abs())) << seed;
    } catch (const NumericalError&) {
    }
  }
  EXPECT_GE(ends, 55);
}

// Two observations of one value, as far apart as just leaves one mode between them: its curvature vanishes there.
TEST(Laplace, SaysWhereTheCurvatureVanishes) {
  const Matrix<double> k = Matrix<double>::filled(2, 2, 10.0);
  const std::vector<double> y = {1, -1};
  // At 0 the curvature of both terms is 2(ν+1)(νs² − 1)/(νs² + 1)²; with the prior's 1/10 it is 0 for νs² = base.
  double low = 0.5;
  double high = 1;
  for (int step = 0; step < 60; ++step) {
    const double base = (low + high) / 2;
    (10 * (base - 1) / ((base + 1) * (base + 1)) + 0.1 < 0 ? low : high) = base;
  }
  const auto flat_at = [&](double share) {
    const LikelihoodPtr likelihood = student_t_likelihood(std::sqrt(high * share / 4), 4);
    return laplace(k.view(), {y}, *likelihood, {}, fine(ApproximationGoal::evidence), mercer::Run());
  };
  const LatentApproximation near = flat_at(1 + 1e-6);
  EXPECT_NEAR(near.latent[0], 0, 1e-9);
  EXPECT_TRUE(near.is_flat);
  EXPECT_FALSE(near.can_guide());
  const LatentApproximation wide = flat_at(3);
  EXPECT_NEAR(wide.latent[0], 0, 1e-9);
  EXPECT_FALSE(wide.is_flat);
  EXPECT_FALSE(flat_at(0.1).is_flat);  // two modes, one of them found
  EXPECT_GT(std::abs(flat_at(0.1).latent[0]), 0.5);
}

}  // namespace
}  // namespace mercer
