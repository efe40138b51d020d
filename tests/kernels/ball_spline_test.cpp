// Ball splines against what they are: overlaps of balls, B-splines on the line, Hankel transforms by quadrature.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/kernel_values.h"
#include "mercer/base/error.h"
#include "mercer/kernels/radial/ball_profile.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::is_definite_on;
using testing::kernel_value;

// The common part of two balls is two caps; its volume is 2 V_{N−1} ∫ (1−t²)^((N−1)/2) from r/2 to 1 (Simpson's rule on
// t = sin a, which leaves cos^N a).
double ball_overlap(int dimension, double r) {
  const auto integral = [&](double from) {
    const int steps = 2000;
    const double to = std::numbers::pi / 2;
    const double h = (to - from) / steps;
    double sum = 0;
    for (int i = 0; i <= steps; ++i) {
      const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
      sum += weight * std::pow(std::max(0.0, std::cos(from + i * h)), dimension);
    }
    return sum * h / 3;
  };
  return r >= 2 ? 0 : integral(std::asin(r / 2)) / integral(0);
}

TEST(BallSpline, IsTheOverlapOfTwoBalls) {
  for (const int dimension : {1, 2, 3, 4, 7, 30, 101}) {
    const std::string spec = "ball_spline(lengthscale=1.5, dimension=" + std::to_string(dimension) + ")";
    for (const double r : {0.0, 0.01, 0.4, 1.0, 1.7, 1.99, 2.0, 2.5}) {
      EXPECT_NEAR(kernel_value(spec, {0.0}, {1.5 * r}), ball_overlap(dimension, r), 1e-11) << spec << " " << r;
    }
  }
  EXPECT_NEAR(kernel_value("ball_spline(lengthscale=1, dimension=1)", {0}, {0.6}), 0.7, 1e-13);
  EXPECT_NEAR(kernel_value("ball_spline(lengthscale=1, dimension=3)", {0}, {0.6}), 1 - 0.75 * 0.6 + 0.216 / 16, 1e-13);
  EXPECT_FALSE(is_definite_on("ball_spline(dimension=1, lengthscale=1)", {0, 0}));
  EXPECT_TRUE(is_definite_on("ball_spline(dimension=2, lengthscale=1)", {0, 0}));
}

TEST(BallSpline, OnTheLineIsTheBSplineOfBoxes) {
  for (const int order : {1, 3, 5, 15}) {
    const std::string n = "order=" + std::to_string(order);
    const auto profile = make_ball_profile(order, 1);
    const double top = kernel_value("bspline(" + n + ", lengthscale=3)", {0}, {0});
    for (const double r : {0.0, 1e-9, 0.2, 1.0, 2.0, 2.0 + 1e-12, 3.3, 4.0, 5.9, 6.1, 10.0, 70.0}) {
      EXPECT_NEAR(profile->value(r * r / 2.25), kernel_value("bspline(" + n + ", lengthscale=3)", {0}, {r}) / top,
                  1e-13)
          << n << " " << r;
    }
  }
}

// k(r) ∝ ∫ ω^(N−1) Λ_{N+2}(ω)^(n+1) Λ_N(ωr) dω with Λ_N(z) = Γ(N/2) (2/z)^(N/2−1) J_{N/2−1}(z), up to ω = 160; Simpson's
// rule in s, ω = s².
double hankel(int order, int dimension, double r) {
  const auto wave = [](int n, double z) {
    const double nu = 0.5 * n - 1;
    return z == 0 ? 1.0 : std::exp(std::lgamma(nu + 1) + nu * std::log(2 / z)) * std::cyl_bessel_j(nu, z);
  };
  constexpr int steps = 12000;
  const double h = std::sqrt(160.0) / steps;
  double sum = 0;
  double top = 0;
  for (int i = 1; i <= steps; ++i) {
    const double s = i * h;
    const double share = i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    const double density = std::pow(std::abs(wave(dimension + 2, s * s)), order + 1);
    const double weight = share * density * s * std::pow(s * s / std::sqrt(dimension), dimension - 1);
    top += weight;
    sum += weight * wave(dimension, s * s * r);
  }
  return sum / top;
}

TEST(BallSpline, IsTheHankelTransformOfItsSpectrum) {
  struct Case {
    int order, dimension;
    double tolerance;  // for slow spectra: what lies beyond ω = 160
  };
  for (const Case& c : {Case{3, 2, 2e-9}, Case{3, 3, 1e-10}, Case{3, 4, 1e-11}, Case{5, 2, 1e-12}, Case{7, 3, 1e-12}}) {
    const std::string spec = "ball_spline(order=" + std::to_string(c.order) +
                             ", dimension=" + std::to_string(c.dimension) + ", lengthscale=1)";
    for (const double r : {0.05, 1.0, 2.0, 3.9}) {
      EXPECT_NEAR(kernel_value(spec, {0.0}, {r}), hankel(c.order, c.dimension, r), c.tolerance) << spec << " " << r;
    }
    EXPECT_EQ(kernel_value(spec, {0.0}, {c.order + 1.0}), 0) << spec;
  }
}

TEST(BallSpline, AgreesWithThirtyDigits) {
  struct Case {
    int order, dimension;
    std::vector<double> values;  // at r = 0.05, 0.4, 1, 1.7
  };
  const std::vector<Case> cases = {
      {7, 3, {0.99928713456967236, 0.95535111117713445, 0.75072657165820569, 0.43305668264633918}},
      {3, 30, {0.99232862141680166, 0.60958846842650376, 0.042112105295639856, 6.088984988672424e-5}},
      {5, 30, {0.99438197301978831, 0.69678322146260573, 0.10205145000186607, 0.0011558459285709069}},
      {3, 100, {0.97615896980265214, 0.21191612194052746, 4.7702518590004204e-5, 4.9518177375280608e-14}},
      {9, 100, {0.98856338366280652, 0.47867851191864197, 0.0098183726369551635, 1.3880966708494461e-6}},
      {15, 100, {0.99254695475817605, 0.61944880589599951, 0.049882132358640759, 0.00016725475428384105}}};
  for (const Case& c : cases) {
    const auto profile = make_ball_profile(c.order, c.dimension);
    std::size_t i = 0;
    for (const double r : {0.05, 0.4, 1.0, 1.7}) {
      EXPECT_NEAR(profile->value(r * r), c.values[i++], 1e-12) << c.order << " " << c.dimension << " " << r;
    }
  }
}

TEST(BallSpline, DerivativesOfTheProfileAreItsDifferences) {
  for (const int order : {3, 5}) {
    for (const Index dimension : {1, 2, 3, 6}) {
      const auto profile = make_ball_profile(order, dimension);
      for (const double r : {0.03, 0.3, 1.1, 1.999, 2.0, 2.7, 3.95}) {
        const double u = r * r;
        const double h = 1e-4 * u;
        const double first = (profile->value(u + h) - profile->value(u - h)) / (2 * h);
        const double second = (profile->first(u + h) - profile->first(u - h)) / (2 * h);
        EXPECT_NEAR(profile->first(u), first, 1e-7) << order << " " << dimension << " " << r;
        EXPECT_NEAR(profile->second(u), second, 1e-4 * std::max(0.1, std::abs(second)))
            << order << " " << dimension << " " << r;
      }
      EXPECT_EQ(profile->value(0), 1);
      EXPECT_LT(profile->first(0), 0);
    }
  }
}

TEST(BallSpline, TakesOddOrdersOnly) {
  EXPECT_ERROR(parse_kernel("ball_spline(order=2)"), InvalidArgument, "kernel spec: ball_spline: order = 2");
  EXPECT_ERROR(parse_kernel("ball_spline(order=17)"), InvalidArgument, "kernel spec: ball_spline: order = 17");
  EXPECT_ERROR(parse_kernel("ball_spline(order=0)"), InvalidArgument, "kernel spec: ball_spline: order = 0");
  EXPECT_ERROR(parse_kernel("ball_spline(order=3, dimension=101)"), InvalidArgument,
               "ball_spline: order = 3 in 101 dimensions");
  EXPECT_EQ(kernel_value("ball_spline(order=15, dimension=100, lengthscale=1)", {0}, {0}), 1);
}

}  // namespace
}  // namespace mercer
