// Expectation propagation against quadrature, exact regression and central differences.
#include "mercer/models/gp/inference/expectation_propagation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/models/gp/inference/laplace.h"
#include "models/gp/latent_problem.h"
#include "support/dense.h"

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
  double two_dimensional = 0;  // how near the approximation is to the exact evidence for two observations
};

std::vector<Case> cases() {
  return {{"logistic", logistic_likelihood(), 1e-3},
          {"probit", probit_likelihood(), 1e-3},
          {"gaussian", gaussian_likelihood(0.3), 1e-9},
          {"laplacian", laplacian_likelihood(0.4), 2e-2},
          {"huber", huber_likelihood(0.4, 1.1), 5e-3},
          {"poisson", poisson_likelihood(), 5e-3},
          {"noisy_probit", with_label_noise(probit_likelihood(), 0.1), 1e-2}};
}

constexpr ExpectationPropagationOptions fine(ApproximationGoal goal) {
  return {.tolerance = 1e-11, .max_sweeps = 2000, .goal = goal};
}

class EpFamilies : public ::testing::TestWithParam<Case> {};

TEST_P(EpFamilies, OneObservationIsExact) {
  const Likelihood& likelihood = *GetParam().likelihood;
  const LatentKernel kernel{{0.3}, 2.2, 1.0};
  const Matrix<double> k = kernel.matrix();
  const std::vector<double> y = {latent_targets(likelihood, kernel, 2)};
  double first = 0;
  double second = 0;
  const double z = brute_force(
      k, y, likelihood,
      [&](const Dense& f, double weight) {
        first += weight * f(0);
        second += weight * f(0) * f(0);
      },
      200001);
  const ExpectationPropagation found =
      expectation_propagation(k.view(), y, likelihood, {}, fine(ApproximationGoal::posterior), mercer::Run());
  EXPECT_NEAR(found.log_evidence, std::log(z), 1e-8);
  EXPECT_NEAR(found.latent[0], first / z, 1e-7);
  Matrix<double> row = Matrix<double>::filled(1, 1, k(0, 0));
  std::vector<double> reduction(1);
  found.reduction->diagonal(row.view(), reduction, mercer::Run());
  EXPECT_NEAR(k(0, 0) - reduction[0], second / z - first / z * first / z, 1e-7);
}

TEST_P(EpFamilies, TwoObservationsAreNearQuadrature) {
  const Likelihood& likelihood = *GetParam().likelihood;
  const LatentKernel kernel{{0.1, 0.8}, 1.5, 1.0};
  const Matrix<double> k = kernel.matrix();
  const std::vector<double> y = latent_targets(likelihood, kernel, 4);
  Dense mean(2, 1);
  const double z = brute_force(
      k, y, likelihood,
      [&](const Dense& f, double weight) {
        mean(0) += weight * f(0);
        mean(1) += weight * f(1);
      },
      801);
  const ExpectationPropagation found =
      expectation_propagation(k.view(), y, likelihood, {}, fine(ApproximationGoal::evidence), mercer::Run());
  ASSERT_EQ(found.status, SolveStatus::converged);
  EXPECT_NEAR(found.log_evidence, std::log(z), GetParam().two_dimensional);
  EXPECT_NEAR(found.latent[0], mean(0) / z, 5 * GetParam().two_dimensional);
  EXPECT_NEAR(found.latent[1], mean(1) / z, 5 * GetParam().two_dimensional);
}

TEST_P(EpFamilies, GradientsAreDifferences) {
  const LikelihoodPtr likelihood = GetParam().likelihood;
  const LatentKernel kernel = latent_kernel(12, 8);
  const std::vector<double> y = latent_targets(*likelihood, kernel, 5);
  const auto evidence = [&](const LatentKernel& at, const Likelihood& lik) {
    return expectation_propagation(at.matrix().view(), y, lik, {}, fine(ApproximationGoal::evidence), mercer::Run())
        .log_evidence;
  };
  const ExpectationPropagation found = expectation_propagation(kernel.matrix().view(), y, *likelihood, {},
                                                               fine(ApproximationGoal::gradient), mercer::Run());
  ASSERT_EQ(found.status, SolveStatus::converged);
  constexpr double h = 1e-4;
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
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::vector<double> more = {parameters[p].value * (1 + h)};
    const std::vector<double> less = {parameters[p].value * (1 - h)};
    const double difference =
        (evidence(kernel, *likelihood->with_parameters(more)) - evidence(kernel, *likelihood->with_parameters(less))) /
        (2 * h * parameters[p].value);
    EXPECT_NEAR(found.likelihood_gradient[p], difference, 1e-6 * (1 + std::abs(difference)));
  }
}

TEST_P(EpFamilies, WarmStartsAndThreads) {
  const Likelihood& likelihood = *GetParam().likelihood;
  const LatentKernel kernel = latent_kernel(80, 9);
  const std::vector<double> y = latent_targets(likelihood, kernel, 10);
  const Matrix<double> k = kernel.matrix();
  const ExpectationPropagation one =
      expectation_propagation(k.view(), y, likelihood, {}, {}, mercer::Run{{.threads = 1}});
  const ExpectationPropagation three =
      expectation_propagation(k.view(), y, likelihood, {}, {}, mercer::Run{{.threads = 3}});
  EXPECT_EQ(one.status, SolveStatus::converged) << one.residual;
  EXPECT_LE(one.iterations, 100);
  EXPECT_EQ(one.alpha, three.alpha);
  EXPECT_EQ(one.log_evidence, three.log_evidence);
  const ExpectationPropagation warm = expectation_propagation(k.view(), y, likelihood, one.sites, {}, mercer::Run());
  EXPECT_EQ(warm.iterations, 0);
}

INSTANTIATE_TEST_SUITE_P(All, EpFamilies, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.label; });

TEST(ExpectationPropagation, GaussianLikelihoodIsExact) {
  const LatentKernel kernel = latent_kernel(40, 2);
  const Matrix<double> k = kernel.matrix();
  const LikelihoodPtr gaussian = gaussian_likelihood(0.05);
  const std::vector<double> y = latent_targets(*gaussian, kernel, 3);
  const ExpectationPropagation found = expectation_propagation(k.view(), y, *gaussian, {}, {}, mercer::Run());
  const Dense total = dense(k.view()) + 0.05 * Dense::identity(40);
  const Dense alpha = total.solve_positive(column(y));
  EXPECT_LT((column(found.alpha) - alpha).norm(), 1e-7 * alpha.norm());
  const double evidence =
      -0.5 * column(y).dot(alpha) - 0.5 * total.log_determinant() - 20 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(found.log_evidence, evidence, 1e-8 * std::abs(evidence));
}

// Three labels with strong prior: the average probability is skewed, where the mode misses it.
TEST(ExpectationPropagation, IsNearerToTheTruthThanLaplace) {
  const LikelihoodPtr probit = probit_likelihood();
  const LatentKernel kernel{{0.0, 0.5, 1.4}, 25, 1.0};
  const Matrix<double> k = kernel.matrix();
  const std::vector<double> y = {1, 1, -1};
  const double exact = std::log(brute_force(k, y, *probit, {}, 121));
  const double ep = expectation_propagation(k.view(), y, *probit, {}, {}, mercer::Run()).log_evidence;
  const double mode = laplace(k.view(), {y}, *probit, {}, {}, mercer::Run()).log_evidence;
  EXPECT_NEAR(ep, exact, 0.02);
  EXPECT_GT(std::abs(mode - exact), 5 * std::abs(ep - exact));
}

TEST(ExpectationPropagation, LaplacianNoiseResistsOutliers) {
  RandomStream random(5, 3);
  LatentKernel kernel{{}, 1.0, 0.6};
  std::vector<double> truth;
  std::vector<double> clean;
  std::vector<double> dirty;
  for (int i = 0; i < 100; ++i) {
    kernel.x.push_back(0.06 * i);
    truth.push_back(std::sin(2 * kernel.x.back()));
    clean.push_back(truth.back() + 0.1 * random.normal());
    dirty.push_back(clean.back() + (i % 10 == 3 ? 6.0 : 0.0));
  }
  const Matrix<double> k = kernel.matrix();
  const auto error = [&](const Likelihood& likelihood, const std::vector<double>& y) {
    const ExpectationPropagation found =
        expectation_propagation(k.view(), y, likelihood, {}, {.goal = ApproximationGoal::evidence}, mercer::Run());
    return std::sqrt((column(found.latent) - column(truth)).squared_norm() / 100);
  };
  const double reference = error(*gaussian_likelihood(0.01), clean);
  EXPECT_LT(error(*laplacian_likelihood(0.1), dirty), 2.5 * reference);
  EXPECT_LT(error(*student_t_likelihood(0.1, 3), dirty), 1.5 * reference);
  EXPECT_GT(error(*gaussian_likelihood(0.01), dirty), 8 * reference);
}

TEST(ExpectationPropagation, DegenerateMatrices) {
  const LikelihoodPtr logistic = logistic_likelihood();
  const std::vector<double> y = {1, -1, 1, -1};
  for (const double size : {0.0, 1e-200, 1.0, 1e6}) {
    const Matrix<double> k = Matrix<double>::filled(4, 4, size);
    const ExpectationPropagation found =
        expectation_propagation(k.view(), y, *logistic, {}, {.goal = ApproximationGoal::gradient}, mercer::Run());
    EXPECT_TRUE(std::isfinite(found.log_evidence)) << size;
    for (const double f : found.latent) {
      EXPECT_NEAR(f, 0, 1e-3 * (1 + std::sqrt(size))) << size;
    }
    for (Index i = 0; i < 16; ++i) {
      EXPECT_TRUE(std::isfinite(found.kernel_weights.data()[i])) << size;
    }
  }
  const Matrix<double> zero = Matrix<double>::filled(4, 4, 0.0);
  EXPECT_NEAR(expectation_propagation(zero.view(), y, *logistic, {}, {}, mercer::Run()).log_evidence,
              -4 * std::numbers::ln2, 1e-14);
}

// How far the moments of the sites are from those of the posterior, from explicit inverses; infinite where a site has
// no cavity.
double moment_error(const Matrix<double>& k, const std::vector<double>& y, const Likelihood& likelihood,
                    const Sites& sites) {
  const auto n = static_cast<Index>(y.size());
  const Dense precision(sites.precision);
  const Dense covariance =
      (Dense::identity(n) + dense(k.view()) * Dense::with_diagonal(precision)).inverse() * dense(k.view());
  const Dense mean = covariance * column(sites.linear);
  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double cavity = 1 / covariance(i, i) - sites.precision[row];
    if (!(cavity > 0)) {
      return std::numeric_limits<double>::infinity();
    }
    const double v = 1 / cavity;
    const double m = v * (mean(i) / covariance(i, i) - sites.linear[row]);
    const TiltedMoments tilted = likelihood.tilted(y[row], m, v);
    worst = std::max({worst, std::abs(m + v * tilted.first - mean(i)) / std::sqrt(covariance(i, i)),
                      std::abs((v + v * v * tilted.second) / covariance(i, i) - 1)});
  }
  return worst;
}

TEST(ExpectationPropagation, ConvergedMeansThatAllMomentsAgree) {
  // Two observations of one value that contradict each other, and rows that do so here and there.
  const auto check = [](const LatentKernel& kernel, const std::vector<double>& y, const Likelihood& likelihood) {
    const Matrix<double> k = kernel.matrix();
    ExpectationPropagation found =
        expectation_propagation(k.view(), y, likelihood, {}, {.goal = ApproximationGoal::evidence}, mercer::Run());
    if (found.status == SolveStatus::converged) {
      EXPECT_LT(moment_error(k, y, likelihood, found.sites), 1e-5);
    } else {
      EXPECT_GT(found.residual, 1e-7);
    }
    return found;
  };
  // The fixed point is far wider than the prior, and says so.
  const ExpectationPropagation wide = check({{0, 0}, 10, 1, 0}, {5, -5}, *student_t_likelihood(0.1, 4));
  EXPECT_EQ(wide.widened, 2);
  EXPECT_NE(check({{0, 0}, 10, 1, 0}, {0.6745, -0.6745}, *student_t_likelihood(0.0135, 4)).status,
            SolveStatus::converged);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomStream random(seed, 94);
    LatentKernel kernel{{}, 5 + 20 * random.uniform(), 0.5 + random.uniform(), 0};
    std::vector<double> y;
    for (int i = 0; i < 3; ++i) {
      const double value = 1 + 4 * random.uniform();
      kernel.x.insert(kernel.x.end(), 2, std::floor(3 * random.uniform()));
      y.insert(y.end(), {value, -value});
    }
    check(kernel, y, *student_t_likelihood(0.1 + 0.5 * random.uniform(), 4));
  }
}

TEST(ExpectationPropagation, SitesThatHaveNoPosteriorAreNoStart) {
  const LatentKernel kernel = latent_kernel(6, 4);
  const Matrix<double> k = kernel.matrix();
  const LikelihoodPtr likelihood = with_label_noise(probit_likelihood(), 0.1);
  const std::vector<double> y = latent_targets(*likelihood, kernel, 6);
  const Sites improper{std::vector<double>(6, -3.0), std::vector<double>(6, 0.5)};
  const ExpectationPropagation from_there =
      expectation_propagation(k.view(), y, *likelihood, improper, fine(ApproximationGoal::evidence), mercer::Run());
  const ExpectationPropagation from_none =
      expectation_propagation(k.view(), y, *likelihood, {}, fine(ApproximationGoal::evidence), mercer::Run());
  EXPECT_EQ(from_there.status, SolveStatus::converged);
  EXPECT_NEAR(from_there.log_evidence, from_none.log_evidence, 1e-9 * std::abs(from_none.log_evidence));
}

}  // namespace
}  // namespace mercer
