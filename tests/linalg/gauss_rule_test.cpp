#include "mercer/linalg/gauss_rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

double power_sum(const GaussRule& rule, int power) {
  double sum = 0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    sum += rule.weights[i] * std::pow(rule.nodes[i], power);
  }
  return sum;
}

// Moments of the standard normal are (p − 1)!!, those of the uniform distribution 1/(p + 1).
TEST(GaussRule, IntegratesPolynomialsExactly) {
  for (const Index count : {1, 2, 3, 8, 20}) {
    double normal_moment = 1;
    for (int power = 0; power < 2 * count; power += 2) {
      EXPECT_NEAR(power_sum(hermite_rule(count), power) / normal_moment, 1, 1e-11) << count << " " << power;
      EXPECT_NEAR(power_sum(legendre_rule(count), power) * (power + 1), 1, 1e-13) << count << " " << power;
      normal_moment *= power + 1;
      EXPECT_NEAR(power_sum(hermite_rule(count), power + 1) / normal_moment, 0, 1e-12);
      EXPECT_NEAR(power_sum(legendre_rule(count), power + 1), 0, 1e-15);
    }
  }
}

TEST(GaussRule, FirstInexactPowerShowsTheDegree) {
  EXPECT_GT(std::abs(power_sum(legendre_rule(3), 6) * 7 - 1), 1e-3);
  EXPECT_GT(std::abs(power_sum(hermite_rule(3), 6) / 15 - 1), 1e-3);
}

TEST(GaussRule, KnownNodes) {
  const GaussRule hermite = hermite_rule(3);
  EXPECT_NEAR(hermite.nodes[2], std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(hermite.weights[1], 2.0 / 3, 1e-15);
  const GaussRule legendre = legendre_rule(2);
  EXPECT_NEAR(legendre.nodes[0], -1 / std::sqrt(3.0), 1e-15);
  EXPECT_EQ(hermite_rule(5).nodes[2], 0.0);
}

TEST(GaussRule, AnalyticFunctions) {
  const GaussRule rule = hermite_rule(30);
  double sum = 0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    sum += rule.weights[i] * std::exp(0.7 * rule.nodes[i]);
  }
  EXPECT_NEAR(sum, std::exp(0.245), 1e-13);
}

TEST(GaussRule, RefusesSizes) {
  EXPECT_ERROR(hermite_rule(0), InvalidArgument, "nodes of a quadrature rule = 0");
  EXPECT_ERROR(legendre_rule(201), InvalidArgument, "nodes of a quadrature rule = 201");
}

}  // namespace
}  // namespace mercer
