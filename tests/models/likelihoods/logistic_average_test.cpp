// The averages of the logistic function against the general quadrature, limits and derivatives.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mercer/models/likelihoods/families.h"
#include "mercer/models/likelihoods/tilted_quadrature.h"

namespace mercer {
namespace {

TiltedMoments by_quadrature(const Likelihood& likelihood, double y, double mean, double variance) {
  return tilted_moments(
      {[&](double f) { return likelihood.log_density(y, f); }, mean, variance, {0.0, -3.0, 3.0}, std::numbers::pi});
}

TEST(LogisticAverage, EqualsTheGeneralQuadrature) {
  const LikelihoodPtr likelihood = logistic_likelihood();
  for (const double deviation : {0.01, 0.3, 1.0, 2.0, 5.0, 19.0, 33.0, 99.0}) {
    for (const double mean : {-250.0, -60.0, -9.0, -1.0, 0.0, 0.4, 3.0, 20.0, 200.0}) {
      for (const double y : {1.0, -1.0}) {
        const double variance = deviation * deviation;
        const TiltedMoments found = likelihood->tilted(y, mean, variance);
        const TiltedMoments expected = by_quadrature(*likelihood, y, mean, variance);
        const auto place = ::testing::Message() << "m = " << mean << ", s = " << deviation << ", y = " << y;
        EXPECT_NEAR(found.log_z, expected.log_z, 1e-11 * (1 + std::abs(expected.log_z))) << place;
        // In units of the deviation, as the tilted mean and variance have them.
        EXPECT_NEAR(deviation * found.first, deviation * expected.first, 1e-9 * (1 + deviation)) << place;
        EXPECT_NEAR(variance * found.second, variance * expected.second, 1e-8 * (1 + variance)) << place;
      }
    }
  }
}

// Probabilities near 0 keep their digits: e^m E[e^(f − m)] = e^(m + v/2).
TEST(LogisticAverage, TailsAreExponential) {
  const LikelihoodPtr likelihood = logistic_likelihood();
  EXPECT_NEAR(likelihood->tilted(1, -80, 4).log_z, -78, 1e-12 * 78);
  EXPECT_NEAR(likelihood->tilted(-1, 80, 4).first, -1, 1e-12);
  // Beyond the range of the fast sum.
  EXPECT_NEAR(likelihood->tilted(1, -400, 4).log_z, -398, 1e-10 * 398);
  EXPECT_LT(likelihood->tilted(1, 60, 1).log_z, 0);
  EXPECT_NEAR(likelihood->tilted(1, 60, 1).log_z, -std::exp(-59.5), 1e-10 * std::exp(-59.5));
}

TEST(LogisticAverage, BothClassesAddUpToOne) {
  const LikelihoodPtr likelihood = logistic_likelihood();
  for (const double deviation : {1e-3, 0.7, 12.0, 99.0, 101.0, 3e3}) {
    for (const double mean : {-7.0, 0.0, 2.5}) {
      const double variance = deviation * deviation;
      const double both = std::exp(likelihood->tilted(1, mean, variance).log_z) +
                          std::exp(likelihood->tilted(-1, mean, variance).log_z);
      EXPECT_NEAR(both, 1, 1e-12) << mean << " " << deviation;
    }
  }
}

}  // namespace
}  // namespace mercer
