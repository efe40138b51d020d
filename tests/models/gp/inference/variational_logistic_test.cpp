#include "mercer/models/gp/inference/variational_logistic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "models/gp/latent_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::brute_force;
using testing::contracted;
using testing::latent_kernel;
using testing::latent_targets;
using testing::LatentKernel;

double sigmoid(double t) { return 1 / (1 + std::exp(-t)); }

TEST(LogisticBounds, GoldenValues) {
  EXPECT_NEAR(variational_lambda(0.5), 0.1224593312, 5e-11);
  EXPECT_NEAR(logistic_lower_bound(0, 0.5), 0.4998425394, 5e-11);
  EXPECT_NEAR(logistic_upper_bound(0, 0.5), 0.5, 1e-15);
  EXPECT_EQ(variational_lambda(0), 0.125);
  EXPECT_NEAR(variational_lambda(9.99e-4), variational_lambda(1.001e-3), 1e-9);
  EXPECT_EQ(variational_lambda(-2), variational_lambda(2));
}

TEST(LogisticBounds, HoldEverywhereAndTouch) {
  for (double t = -30; t <= 30; t += 0.37) {
    for (double nu = -8; nu <= 8; nu += 0.5) {
      EXPECT_LE(logistic_lower_bound(t, nu), sigmoid(t) * (1 + 1e-13)) << t << " " << nu;
    }
    for (double mu = 0; mu <= 1; mu += 0.05) {
      EXPECT_GE(logistic_upper_bound(t, mu), sigmoid(t) * (1 - 1e-13)) << t << " " << mu;
    }
    EXPECT_NEAR(logistic_lower_bound(t, t) / sigmoid(t), 1, 1e-12);
    EXPECT_NEAR(logistic_lower_bound(t, -t) / sigmoid(t), 1, 1e-12);
    EXPECT_NEAR(logistic_upper_bound(t, sigmoid(-t)) / sigmoid(t), 1, 1e-10);
  }
  EXPECT_EQ(logistic_upper_bound(3, 0), 1);
  EXPECT_EQ(logistic_upper_bound(3, 1), std::exp(3.0));
  EXPECT_ERROR(logistic_upper_bound(0, 1.5), InvalidArgument, "mu = 1.5");
}

TEST(VariationalLogistic, BoundsEncloseTheEvidence) {
  const LikelihoodPtr logistic = logistic_likelihood();
  for (const std::vector<double>& x : {std::vector<double>{0.0}, {0.0, 0.4}, {0.0, 0.3, 1.5}}) {
    for (const double variance : {0.1, 1.0, 20.0}) {
      const LatentKernel kernel{x, variance, 1.0};
      const std::vector<double> labels = {1, 1, -1};
      const std::vector<double> y(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(x.size()));
      const Matrix<double> k = kernel.matrix();
      const double exact = std::log(brute_force(k, y, *logistic, {}, 101));
      const VariationalLogistic found = variational_logistic(k.view(), y, {}, {}, mercer::Run());
      EXPECT_EQ(found.status, SolveStatus::converged);
      EXPECT_LE(found.log_evidence, exact + 1e-9) << x.size() << " " << variance;
      EXPECT_GE(found.upper_bound, exact - 1e-9) << x.size() << " " << variance;
      EXPECT_LT(exact - found.log_evidence, 0.6);
      for (std::size_t s = 1; s < found.history.size(); ++s) {
        EXPECT_GE(found.history[s], found.history[s - 1] - 1e-12) << s;
      }
    }
  }
}

TEST(VariationalLogistic, IsAFixedPointOfTheExplicitUpdate) {
  const LatentKernel kernel = latent_kernel(15, 4);
  const Matrix<double> k = kernel.matrix();
  const std::vector<double> y = latent_targets(*logistic_likelihood(), kernel, 6);
  const VariationalLogistic found = variational_logistic(k.view(), y, {}, {.tolerance = 1e-11}, mercer::Run());
  Dense precision(15, 1);
  for (int i = 0; i < 15; ++i) {
    precision(i) = 2 * variational_lambda(found.nu[i]);
  }
  const Dense inverse = testing::dense(k.view()).inverse();
  const Dense covariance = (inverse + Dense::with_diagonal(precision)).inverse();
  const Dense mean = covariance * testing::column(y) / 2;
  for (int i = 0; i < 15; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_NEAR(found.latent[at], mean(i), 1e-5);
    EXPECT_NEAR(found.nu[at] * found.nu[at], covariance(i, i) + mean(i) * mean(i), 1e-5);
  }
}

TEST(VariationalLogistic, GradientIsTheDifference) {
  const LatentKernel kernel = latent_kernel(12, 8);
  const std::vector<double> y = latent_targets(*logistic_likelihood(), kernel, 5);
  const auto bound = [&](const LatentKernel& at) {
    return variational_logistic(at.matrix().view(), y, {}, {.tolerance = 1e-10, .goal = ApproximationGoal::evidence},
                                mercer::Run())
        .log_evidence;
  };
  const VariationalLogistic found = variational_logistic(
      kernel.matrix().view(), y, {}, {.tolerance = 1e-10, .goal = ApproximationGoal::gradient}, mercer::Run());
  constexpr double h = 1e-5;
  LatentKernel up = kernel;
  LatentKernel down = kernel;
  up.lengthscale += h;
  down.lengthscale -= h;
  const double difference = (bound(up) - bound(down)) / (2 * h);
  EXPECT_NEAR(contracted(found.kernel_weights, [&](Index i, Index j) { return kernel.lengthscale_slope(i, j); }),
              difference, 1e-6 * (1 + std::abs(difference)));
}

}  // namespace
}  // namespace mercer
