// Every family against brute force: sums, Simpson's rule, central differences.
#include "mercer/models/likelihoods/likelihood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/families.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Case {
  std::string label;
  LikelihoodPtr likelihood;
  std::vector<double> targets;
  std::vector<double> values;  // of f
};

std::vector<Case> cases() {
  const std::vector<double> f = {-7.3, -2.1, -0.4, 0.3, 1.7, 6.2};
  const std::vector<double> signs = {-1, 1};
  const std::vector<double> reals = {-3.2, 0.1, 2.5};
  return {{"logistic", logistic_likelihood(), signs, f},
          {"probit", probit_likelihood(), signs, f},
          {"noisy_logistic", with_label_noise(logistic_likelihood(), 0.1), signs, f},
          {"noisy_probit", with_label_noise(probit_likelihood(), 0.02), signs, f},
          {"gaussian", gaussian_likelihood(0.7), reals, f},
          {"student_t", student_t_likelihood(0.6, 4), reals, f},
          {"cauchy", student_t_likelihood(0.3, 1), reals, f},
          {"huber", huber_likelihood(0.8, 1.3), reals, f},
          {"laplacian", laplacian_likelihood(0.4), reals, f},
          {"poisson", poisson_likelihood(), {0, 1, 7}, {-4.0, -0.5, 0.8, 2.1}}};
}

class Families : public ::testing::TestWithParam<Case> {};

// `steps` is even.
double simpson(const std::function<double(double)>& g, double left, double right, int steps) {
  const double h = (right - left) / steps;
  double sum = g(left) + g(right);
  for (int k = 1; k < steps; ++k) {
    sum += (k % 2 == 0 ? 2 : 4) * g(left + k * h);
  }
  return sum * h / 3;
}

TEST_P(Families, ProbabilitiesSumToOne) {
  const auto& [label, likelihood, targets, values] = GetParam();
  for (const double f : values) {
    double total = 0;
    if (likelihood->accepts(0.5)) {
      // y = f + sinh(u): polynomial tails become exponential ones.
      for (const double side : {-1.0, 1.0}) {
        total += simpson(
            [&](double u) {
              const double away = std::sinh(u * u) * side;
              return std::exp(likelihood->log_density(f + away, f).value) * std::cosh(u * u) * 2 * u;
            },
            0, 5.5, 200000);
      }
    } else if (likelihood->accepts(2)) {
      for (int y = 0; y < 200; ++y) {
        total += std::exp(likelihood->log_density(y, f).value);
      }
    } else {
      total = std::exp(likelihood->log_density(1, f).value) + std::exp(likelihood->log_density(-1, f).value);
    }
    EXPECT_NEAR(total, 1, 2e-9) << f;
  }
}

TEST_P(Families, DerivativesAreThoseOfTheValue) {
  const auto& [label, likelihood, targets, values] = GetParam();
  constexpr double h = 1e-4;
  for (const double y : targets) {
    for (const double f : values) {
      const LogDensity at = likelihood->log_density(y, f);
      const LogDensity up = likelihood->log_density(y, f + h);
      const LogDensity down = likelihood->log_density(y, f - h);
      EXPECT_NEAR(at.first, (up.value - down.value) / (2 * h), 1e-6 * (1 + std::abs(at.first))) << y << " " << f;
      EXPECT_NEAR(at.second, (up.first - down.first) / (2 * h), 1e-6 * (1 + std::abs(at.second))) << y << " " << f;
      EXPECT_NEAR(at.third, (up.second - down.second) / (2 * h), 1e-6 * (1 + std::abs(at.third))) << y << " " << f;
      if (likelihood->is_log_concave()) {
        EXPECT_LE(at.second, 0);
      }
    }
  }
}

TEST_P(Families, ParameterSlopesAreDifferences) {
  const auto& [label, likelihood, targets, values] = GetParam();
  const std::vector<ScaleParameter> parameters = likelihood->parameters();
  std::vector<double> at;
  for (const ScaleParameter& parameter : parameters) {
    at.push_back(parameter.value);
  }
  std::vector<ParameterSlope> slopes(at.size());
  std::vector<double> tilted(at.size());
  for (std::size_t p = 0; p < at.size(); ++p) {
    const double h = 1e-5 * at[p];
    std::vector<double> moved = at;
    moved[p] += h;
    const LikelihoodPtr up = likelihood->with_parameters(moved);
    moved[p] -= 2 * h;
    const LikelihoodPtr down = likelihood->with_parameters(moved);
    EXPECT_NEAR(up->parameters()[p].value, at[p] + h, 1e-15);
    for (const double y : targets) {
      for (const double f : values) {
        likelihood->parameter_slopes(y, f, slopes);
        const auto difference = [&](auto member) {
          return (up->log_density(y, f).*member - down->log_density(y, f).*member) / (2 * h);
        };
        EXPECT_NEAR(slopes[p].value, difference(&LogDensity::value), 1e-6 * (1 + std::abs(slopes[p].value)));
        EXPECT_NEAR(slopes[p].first, difference(&LogDensity::first), 1e-6 * (1 + std::abs(slopes[p].first)));
        EXPECT_NEAR(slopes[p].second, difference(&LogDensity::second), 1e-6 * (1 + std::abs(slopes[p].second)));
        for (const double variance : {0.01, 1.5}) {
          likelihood->tilted_slopes(y, f, variance, tilted);
          EXPECT_NEAR(tilted[p], (up->tilted(y, f, variance).log_z - down->tilted(y, f, variance).log_z) / (2 * h),
                      1e-6 * (1 + std::abs(tilted[p])));
        }
      }
    }
  }
}

TEST_P(Families, TiltedMomentsEqualFineSimpsonSums) {
  const auto& [label, likelihood, targets, values] = GetParam();
  for (const double y : targets) {
    for (const double mean : {-2.0, 0.4, 3.0}) {
      for (const double variance : {1e-3, 0.5, 9.0}) {
        const double spread = std::sqrt(variance);
        // Cut at f = y, where a kink would spoil the rule.
        const double cut = std::clamp((y - mean) / spread, -13.0, 13.0);
        const auto moment = [&](int power) {
          const auto g = [&](double t) {
            const double f = mean + spread * t;
            return std::pow(t, power) * std::exp(likelihood->log_density(y, f).value - t * t / 2) /
                   std::sqrt(2 * std::numbers::pi);
          };
          return simpson(g, -14, cut, 20000) + simpson(g, cut, 14, 20000);
        };
        const double z = moment(0);
        const double t_mean = moment(1) / z;
        const double t_variance = moment(2) / z - t_mean * t_mean;
        const TiltedMoments tilted = likelihood->tilted(y, mean, variance);
        EXPECT_NEAR(tilted.log_z, std::log(z), 2e-7) << y << " " << mean << " " << variance;
        EXPECT_NEAR(tilted.first * spread, t_mean, 1e-6) << y << " " << mean << " " << variance;
        EXPECT_NEAR(tilted.second * variance, t_variance - 1, 1e-6) << y << " " << mean << " " << variance;
      }
    }
  }
}

TEST_P(Families, TiltedDerivativesAreThoseOfLogZ) {
  const auto& [label, likelihood, targets, values] = GetParam();
  for (const double y : targets) {
    for (const double mean : {-2.0, 0.4, 3.0}) {
      for (const double variance : {0.02, 0.5, 40.0}) {
        const double h = 1e-3 * std::sqrt(variance);
        const TiltedMoments up = likelihood->tilted(y, mean + h, variance);
        const TiltedMoments down = likelihood->tilted(y, mean - h, variance);
        const TiltedMoments at = likelihood->tilted(y, mean, variance);
        const double width = std::sqrt(variance);
        EXPECT_NEAR(at.first * width, (up.log_z - down.log_z) / (2 * h) * width, 1e-5);
        EXPECT_NEAR(at.second * variance, (up.first - down.first) / (2 * h) * variance, 1e-5);
      }
    }
  }
}

TEST_P(Families, NothingOverflows) {
  const auto& [label, likelihood, targets, values] = GetParam();
  for (const double y : targets) {
    for (const double f : {-1e4, -700.0, -40.0, 0.0, 40.0, 1e4}) {
      const LogDensity at = likelihood->log_density(y, f);
      EXPECT_FALSE(std::isnan(at.value)) << f;
      EXPECT_LT(at.value, 10) << f;
      for (const double derivative : {at.first, at.second, at.third}) {
        EXPECT_TRUE(std::isfinite(derivative)) << y << " " << f;
      }
      if (f < 100 || label != "poisson") {
        for (const double variance : {0.0, 1e-8, 1.0, 1e6}) {
          const TiltedMoments tilted = likelihood->tilted(y, f, variance);
          EXPECT_TRUE(std::isfinite(tilted.log_z)) << y << " " << f << " " << variance;
          EXPECT_TRUE(std::isfinite(tilted.first)) << y << " " << f << " " << variance;
          EXPECT_TRUE(std::isfinite(tilted.second)) << y << " " << f << " " << variance;
          // The tilted density is a distribution: its variance is not negative.
          EXPECT_GE(1 + variance * tilted.second, -1e-9) << y << " " << f << " " << variance;
        }
      }
    }
  }
}

TEST_P(Families, QuantilesInvertTheDistribution) {
  const auto& [label, likelihood, targets, values] = GetParam();
  for (const double mean : {-1.0, 2.0}) {
    for (const double variance : {0.0, 0.3, 2.0}) {
      for (const double level : {0.01, 0.3, 0.5, 0.9, 0.999}) {
        const double q = likelihood->observation_quantile(level, mean, variance);
        const double below = likelihood->observation_cumulative(q, mean, variance);
        if (likelihood->accepts(0.5)) {
          EXPECT_NEAR(below, level, 1e-9) << mean << " " << variance << " " << level;
        } else {
          EXPECT_GE(below, level);
          const double step = likelihood->accepts(2) ? 1 : 2;
          EXPECT_LT(likelihood->observation_cumulative(q - step, mean, variance), level);
        }
      }
    }
  }
}

// The distribution function against the sum, or integral, of the density that tilted() gives.
TEST_P(Families, CumulativeAddsTheDensity) {
  const auto& [label, likelihood, targets, values] = GetParam();
  const double mean = 0.7;
  const double variance = 0.4;
  const auto density = [&](double y) { return std::exp(likelihood->observation_log_density(y, mean, variance)); };
  if (likelihood->accepts(0.5)) {
    const double inside =
        likelihood->observation_cumulative(2, mean, variance) - likelihood->observation_cumulative(-1, mean, variance);
    EXPECT_NEAR(simpson(density, -1, 2, 1000), inside, 1e-6);
    EXPECT_NEAR(likelihood->observation_cumulative(mean, mean, variance), 0.5, 1e-12);
  } else if (likelihood->accepts(2)) {
    EXPECT_NEAR(density(0) + density(1) + density(2), likelihood->observation_cumulative(2, mean, variance), 1e-11);
  } else {
    EXPECT_NEAR(density(-1), likelihood->observation_cumulative(-1, mean, variance), 1e-12);
    EXPECT_NEAR(density(-1) + density(1), 1, 1e-12);
  }
}

TEST_P(Families, ObservationMoments) {
  const auto& [label, likelihood, targets, values] = GetParam();
  const double mean = 0.6;
  const double variance = 0.3;
  const ObservationMoments moments = likelihood->observation_moments(mean, variance);
  const auto density = [&](double y) { return std::exp(likelihood->observation_log_density(y, mean, variance)); };
  double first = 0;
  double second = 0;
  if (likelihood->accepts(0.5)) {
    EXPECT_EQ(moments.mean, mean);
    if (std::isinf(moments.variance)) {
      EXPECT_EQ(label, "cauchy");
      return;
    }
    const double range = label == "student_t" ? 400 : 40;
    second =
        2 * simpson([&](double u) { return std::pow(std::sinh(u), 2) * std::cosh(u) * density(mean + std::sinh(u)); },
                    0, std::asinh(range), 1500);
    EXPECT_NEAR(second, moments.variance, label == "student_t" ? 1e-2 : 1e-6);
    return;
  }
  const std::vector<double> support = likelihood->accepts(2) ? std::vector<double>() : std::vector<double>{-1, 1};
  for (int k = 0; k < (support.empty() ? 120 : 2); ++k) {
    const double y = support.empty() ? k : support[k];
    first += y * density(y);
    second += y * y * density(y);
  }
  EXPECT_NEAR(moments.mean, first, 1e-9);
  EXPECT_NEAR(moments.variance, second - first * first, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(All, Families, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.label; });

TEST(Logistic, LimitsOfTheLink) {
  const LikelihoodPtr logistic = logistic_likelihood();
  EXPECT_DOUBLE_EQ(logistic->log_density(1, 0).second, -0.25);
  EXPECT_DOUBLE_EQ(logistic->log_density(1, -1e4).value, -1e4);
  EXPECT_DOUBLE_EQ(logistic->log_density(1, -1e4).first, 1);
  const double p = std::exp(logistic->log_density(1, 1.3).value);
  EXPECT_NEAR(std::log(p / (1 - p)), 1.3, 1e-14);
}

TEST(Probit, CurvatureTendsToOneAndTheAverageIsClosed) {
  const LikelihoodPtr probit = probit_likelihood();
  EXPECT_NEAR(probit->log_density(1, -1e4).second, -1, 1e-7);
  EXPECT_NEAR(probit->log_density(1, -1e4).value / -5e7, 1, 1e-6);
  EXPECT_NEAR(std::exp(probit->tilted(-1, 0.8, 3).log_z), normal_cumulative(-0.4), 1e-15);
}

// A narrow probit is a step: the probability of a label is that of the sign of f.
TEST(Probit, WideLatentsMakeItAStep) {
  const LikelihoodPtr probit = probit_likelihood();
  EXPECT_NEAR(std::exp(probit->tilted(1, 3e4, 1e10).log_z), normal_cumulative(0.3), 1e-9);
}

TEST(LabelNoise, Limits) {
  const LikelihoodPtr base = logistic_likelihood();
  EXPECT_EQ(with_label_noise(base, 0), base);
  const LikelihoodPtr nearly = with_label_noise(base, 0.4999999);
  for (const double f : {-5.0, 0.0, 9.0}) {
    EXPECT_NEAR(std::exp(nearly->log_density(1, f).value), 0.5, 1e-6);
  }
  EXPECT_NEAR(std::exp(with_label_noise(base, 0.1)->log_density(1, -1e4).value), 0.1, 1e-15);
  // Random assignment with probability 2 eta is a flip with probability eta.
  const double p = std::exp(base->log_density(1, 0.7).value);
  EXPECT_NEAR(std::exp(with_label_noise(base, 0.15)->log_density(1, 0.7).value), (1 - 0.3) * p + 0.3 / 2, 1e-15);
  EXPECT_ERROR(with_label_noise(base, 0.5), InvalidArgument, "label_noise = 0.5");
  EXPECT_ERROR(with_label_noise(base, -0.1), InvalidArgument, "label_noise = -0.1");
}

TEST(StudentT, ManyDegreesAreGaussian) {
  const LikelihoodPtr student = student_t_likelihood(1.3, 1e7);
  const LikelihoodPtr gaussian = gaussian_likelihood(1.69);
  EXPECT_NEAR(student->log_density(2, 0.5).value, gaussian->log_density(2, 0.5).value, 1e-6);
  EXPECT_NEAR(student->tilted(2, 0.5, 0.8).second, gaussian->tilted(2, 0.5, 0.8).second, 1e-6);
}

TEST(StudentT, TwoModesAreBothCounted) {
  // Prior and observation far apart, each narrow: the tilted density has two separate bumps of similar weight.
  const LikelihoodPtr student = student_t_likelihood(0.01, 2);
  const double y = 8;
  const TiltedMoments tilted = student->tilted(y, 0, 1);
  const double z = simpson(
      [&](double f) {
        return std::exp(student->log_density(y, f).value - f * f / 2) / std::sqrt(2 * std::numbers::pi);
      },
      -12, 12, 400000);
  EXPECT_NEAR(tilted.log_z, std::log(z), 1e-10);
}

TEST(Huber, LimitsAreGaussianAndLaplacian) {
  EXPECT_NEAR(huber_likelihood(0.9, 50)->log_density(1, 0.2).value,
              gaussian_likelihood(0.81)->log_density(1, 0.2).value, 1e-13);
  // Small thresholds: ρ ≈ c|h|, a Laplacian of scale s/c.
  EXPECT_NEAR(huber_likelihood(1e-6, 1e-6)->log_density(1, 0.2).value,
              laplacian_likelihood(1)->log_density(1, 0.2).value, 1e-5);
}

TEST(Likelihoods, RefuseParametersAndTargets) {
  EXPECT_ERROR(gaussian_likelihood(0), InvalidArgument, "gaussian: noise = 0");
  EXPECT_ERROR(student_t_likelihood(1, -2), InvalidArgument, "student_t: degrees of freedom = -2");
  EXPECT_ERROR(huber_likelihood(1, std::nan("")), InvalidArgument, "huber: threshold = nan");
  EXPECT_ERROR(laplacian_likelihood(-1), InvalidArgument, "laplacian: scale = -1");
  const std::vector<double> two = {1, 2};
  EXPECT_ERROR(laplacian_likelihood(1)->with_parameters(two), InvalidArgument,
               "the likelihood laplacian has one parameter");
  EXPECT_ERROR(poisson_likelihood()->with_parameters(two), InvalidArgument, "the likelihood poisson has no parameters");
  EXPECT_FALSE(poisson_likelihood()->accepts(1.5));
  EXPECT_FALSE(poisson_likelihood()->accepts(-1));
  EXPECT_FALSE(logistic_likelihood()->accepts(0));
  EXPECT_FALSE(gaussian_likelihood(1)->accepts(std::nan("")));
}

}  // namespace
}  // namespace mercer
