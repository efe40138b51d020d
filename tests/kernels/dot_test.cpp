// Values of the dot-product kernels against their formulas, integrals over random units, golden values of the
// specification, and their domains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "kernels/kernel_values.h"
#include "mercer/base/error.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::is_definite_on;
using testing::kernel_gram;
using testing::kernel_value;
using testing::kernel_values;
using testing::Points;

constexpr double pi = std::numbers::pi;

Points random_points(int count, int columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Points x(static_cast<std::size_t>(count), std::vector<double>(columns));
  for (auto& row : x) {
    for (double& value : row) {
      value = normal(random);
    }
  }
  return x;
}

double inner(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum += x[j] * y[j];
  }
  return sum;
}

// Compares a kernel with a formula of t = x.y, a = x.x, b = y.y on random vectors.
template <class Formula>
void expect_formula(const std::string& spec, int columns, Formula formula) {
  const Points x = random_points(7, columns, 1);
  const Points y = random_points(5, columns, 2);
  const Matrix<double> k = kernel_values(spec, x, y);
  const Matrix<float> single = kernel_values<float>(spec, x, y);
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 5; ++j) {
      const auto& p = x[i];
      const auto& q = y[j];
      const double expected = formula(inner(p, q), inner(p, p), inner(q, q));
      EXPECT_NEAR(k(i, j), expected, 1e-13 * std::max(1.0, std::abs(expected))) << spec;
      EXPECT_NEAR(static_cast<double>(single(i, j)), expected, 1e-5 * std::max(1.0, std::abs(expected))) << spec;
    }
  }
}

TEST(Dot, Formulas) {
  expect_formula("sigmoid(gamma=0.3, coef0=-0.2)", 3,
                 [](double t, double, double) { return std::tanh(0.3 * t - 0.2); });
  expect_formula("cosine()", 3, [](double t, double a, double b) { return t / std::sqrt(a * b); });
  expect_formula("vovk(terms=5)", 3,
                 [](double t, double, double) { return 1 + t + t * t + t * t * t + t * t * t * t; });
  expect_formula("dot_series(coefficients=[2, 0, -1, 0.5])", 3,
                 [](double t, double, double) { return 2 - t * t + 0.5 * t * t * t; });
  const auto angle = [](double t, double a, double b) { return std::acos(t / std::sqrt(a * b)); };
  expect_formula("arccos(order=0)", 4, [&](double t, double a, double b) { return 1 - angle(t, a, b) / pi; });
  expect_formula("arccos(order=1)", 4, [&](double t, double a, double b) {
    const double v = angle(t, a, b);
    return std::sqrt(a * b) / pi * (std::sin(v) + (pi - v) * std::cos(v));
  });
  expect_formula("arccos(order=2)", 4, [&](double t, double a, double b) {
    const double v = angle(t, a, b);
    return a * b / pi * (3 * std::sin(v) * std::cos(v) + (pi - v) * (1 + 2 * std::cos(v) * std::cos(v)));
  });
  expect_formula("neural(bias_variance=0.7, weight_variance=1.9)", 3, [](double t, double a, double b) {
    const auto s = [](double v) { return 2 * (0.7 + 1.9 * v); };
    return 2 / pi * std::asin(s(t) / std::sqrt((1 + s(a)) * (1 + s(b))));
  });
}

TEST(Arccos, IsTheMeanOverRandomUnits) {
  // 2 E[step(wx) step(wy) (wx)^n (wy)^n] over standard normal w; in the plane an integral over angles.
  const std::vector<double> x = {1.2, 0.3};
  const std::vector<double> y = {-0.4, 0.9};
  const int steps = 400000;
  for (const int order : {0, 1, 2}) {
    double sum = 0;
    for (int i = 0; i < steps; ++i) {
      const double v = 2 * pi * (i + 0.5) / steps;
      const double p = x[0] * std::cos(v) + x[1] * std::sin(v);
      const double q = y[0] * std::cos(v) + y[1] * std::sin(v);
      sum += p > 0 && q > 0 ? std::pow(p * q, order) : 0;
    }
    const double radial[3] = {1, 2, 8};  // E|w|^(2n) in the plane
    EXPECT_NEAR(kernel_value("arccos(order=" + std::to_string(order) + ")", x, y), 2 * radial[order] * sum / steps,
                1e-5);
  }
  EXPECT_ERROR(parse_kernel("arccos(order=3)"), InvalidArgument, "kernel spec: arccos: order = 3");
}

TEST(Dot, ZeroVectorsHaveNoAngle) {
  const Points x = {{0, 0}, {3, 4}, {1e-170, 0}, {1e150, 1e150}};
  for (const char* spec : {"cosine()", "arccos(order=0)", "legendre_series(coefficients=[1, 1], dimension=2)"}) {
    const Matrix<double> k = kernel_gram(spec, x);
    EXPECT_EQ(k(0, 0), 0) << spec;
    EXPECT_EQ(k(0, 1), 0) << spec;
    EXPECT_EQ(k(1, 1), spec[0] == 'l' ? 2 : 1) << spec;
    for (Index i = 0; i < 16; ++i) {
      EXPECT_TRUE(std::isfinite(k.data()[i])) << spec;
    }
  }
  const auto pair = testing::pair_derivatives("cosine()", {0, 0}, {3, 4});
  for (const double value : pair.mixed) {
    EXPECT_EQ(value, 0);
  }
}

TEST(Sigmoid, IsIndefinite) {
  // Golden eigenvalues of the specification.
  const Matrix<double> k = kernel_gram("sigmoid(gamma=1, coef0=0.5)", {{0}, {1}, {2}});
  const Dense values = Dense(k).eigenvalues();
  EXPECT_NEAR(values(0), -0.03616, 1e-5);
  EXPECT_NEAR(values(1), 0.21558, 1e-5);
  EXPECT_NEAR(values(2), 2.18760, 1e-5);
  EXPECT_EQ(parse_kernel("sigmoid()").definiteness().kind, DefinitenessKind::indefinite);
}

TEST(Neural, IsTheCovarianceOfErrorFunctionUnits) {
  // k = E[erf(b + wx) erf(b + wy)], b and w normal: a midpoint rule in the plane of (b, w).
  const double bias = 0.5;
  const double weight = 1.5;
  const double x = 0.8;
  const double y = -0.3;
  double sum = 0;
  const int steps = 400;
  const double h = 16.0 / steps;
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < steps; ++j) {
      const double u = -8 + (i + 0.5) * h;
      const double v = -8 + (j + 0.5) * h;
      const double b = std::sqrt(bias) * u;
      const double w = std::sqrt(weight) * v;
      sum += std::erf(b + w * x) * std::erf(b + w * y) * std::exp(-(u * u + v * v) / 2);
    }
  }
  EXPECT_NEAR(kernel_value("neural(bias_variance=0.5, weight_variance=1.5)", {x}, {y}), sum * h * h / (2 * pi), 1e-10);
}

TEST(Vovk, FiniteAndInfinite) {
  EXPECT_EQ(kernel_value("vovk(terms=6)", {1, 0}, {1, 3}), 6);  // where the quotient would be 0/0
  EXPECT_NEAR(kernel_value("vovk_infinite()", {0.6, 0.2}, {0.5, -0.7}), 1 / (1 - 0.16), 1e-15);
  EXPECT_TRUE(parse_kernel("vovk_infinite()").definiteness().domain.inside_unit_ball);
  EXPECT_ERROR(kernel_values("vovk_infinite()", {{0.1, 0.2}}, {{0.1, 0.2}, {0.6, 0.9}}), DataError, "row 1");
  EXPECT_ERROR(kernel_values("vovk_infinite()", {{1, 0}}, {{0.1, 0.2}}), DataError,
               "the kernel vovk_infinite needs vectors inside the unit ball");
  const double nearly = std::sqrt(1 - 1e-12);
  EXPECT_TRUE(std::isfinite(kernel_value<float>("vovk_infinite()", {nearly}, {nearly})));
}

TEST(DotSeries, DefiniteIfAndOnlyIfNoCoefficientIsNegative) {
  EXPECT_TRUE(parse_kernel("dot_series(coefficients=[1, 0, 2])").definiteness().is_positive());
  EXPECT_FALSE(parse_kernel("dot_series(coefficients=[1, 0, -1e-9])").definiteness().is_positive());
  EXPECT_NEAR(kernel_value("dot_series()", {1, 1}, {0.5, 0.25}), 1 + 0.75 + 0.5 * 0.5625, 1e-15);
  const Kernel k = parse_kernel("dot_series(coefficients=[1, 0, 2])");
  EXPECT_EQ(parse_kernel(k.spec()), k);
}

TEST(LegendreSeries, PolynomialsOfTheirDimension) {
  const auto at = [](const std::string& coefficients, int dimension, double c) {
    return kernel_value(
        "legendre_series(coefficients=" + coefficients + ", dimension=" + std::to_string(dimension) + ")", {2, 0},
        {3 * c, 3 * std::sqrt(1 - c * c)});
  };
  for (const double c : {-1.0, -0.4, 0.0, 0.7, 1.0}) {
    const double v = std::acos(c);
    EXPECT_NEAR(at("[0, 0, 0, 1]", 2, c), std::cos(3 * v), 1e-14);              // Chebyshev, first kind
    EXPECT_NEAR(at("[0, 0, 0, 0, 1]", 3, c), std::legendre(4, c), 1e-14);       // Legendre
    EXPECT_NEAR(at("[0, 0, 0, 1]", 4, c), (8 * c * c * c - 4 * c) / 4, 1e-14);  // Chebyshev, second kind
    EXPECT_NEAR(at("[0.5, 2, 1]", 3, c), 0.5 + 2 * c + std::legendre(2, c), 1e-14);
  }
  EXPECT_EQ(resolve_widths(parse_kernel("legendre_series()"), testing::points({{1, 2, 3}}), mercer::Run()).spec(),
            "legendre_series(coefficients=[1, 1, 1], dimension=3)");
  EXPECT_FALSE(is_definite_on("legendre_series(dimension=2)", {1, 2, 3}));
  EXPECT_TRUE(is_definite_on("legendre_series(dimension=3)", {1, 2, 3}));
  EXPECT_FALSE(parse_kernel("legendre_series(coefficients=[1, -1], dimension=3)").definiteness().is_positive());
}

TEST(LegendreSeries, IsNotPositiveBeyondItsDimension) {
  // P_3 of 2 dimensions (the cosine of three times the angle) on points of the sphere in 3 dimensions, by its formula.
  const Points x = random_points(40, 3, 5);
  Dense gram(40, 40);
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) {
      const double c = inner(x[i], x[j]) / std::sqrt(inner(x[i], x[i]) * inner(x[j], x[j]));
      gram(i, j) = 4 * c * c * c - 3 * c;
    }
  }
  EXPECT_LT(gram.eigenvalues()(0), -0.5);
}

TEST(Cosine, WarnsOnceAboutZeroVectors) {
  std::vector<std::string> messages;
  const mercer::Run run({.log = [&](LogLevel level, std::string_view message) {
    if (level == LogLevel::warning) {
      messages.emplace_back(message);
    }
  }});
  const Samples samples = make_dense(std::vector<double>{1, 2, 0, 0, 3, 4, 0, 0}, 4, 2);
  const PreparedKernel prepared(parse_kernel("cosine()"), samples, Precision::double_precision, run);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("2 of 4 samples are zero vectors"), std::string::npos) << messages[0];
}

}  // namespace
}  // namespace mercer
