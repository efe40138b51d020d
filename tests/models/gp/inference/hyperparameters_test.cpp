#include "mercer/models/gp/inference/hyperparameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(HyperPrior, DensitiesIntegrateToOneAndSlopesAreTheirDerivatives) {
  for (const char* text : {"lognormal(0.3, 0.7)", "gamma(2.5, 1.5)", "normal(5, 0.6)"}) {
    const HyperPrior prior = HyperPrior::parse(text);
    double integral = 0;
    const double step = 1e-3;
    for (double x = step / 2; x < 60; x += step) {
      integral += step * std::exp(prior.log_density(x));
    }
    EXPECT_NEAR(integral, 1, 1e-5) << text;
    for (const double x : {0.2, 1.0, 4.5}) {
      const double h = 1e-6 * x;
      EXPECT_NEAR(prior.slope(x), (prior.log_density(x + h) - prior.log_density(x - h)) / (2 * h),
                  1e-6 * std::max(1.0, std::abs(prior.slope(x))))
          << text;
    }
  }
}

TEST(HyperPrior, RefusesWhatItCannotRead) {
  for (const char* text : {"", "lognormal", "lognormal(1)", "gamma(1, x)", "gamma(0, 1)", "normal(0, -1)",
                           "cauchy(0, 1)", "gamma(1, 2", "gamma)1, 2("}) {
    EXPECT_ERROR(HyperPrior::parse(text), InvalidArgument, "prior '") << text;
  }
}

TEST(HyperPrior, FromNumbersIsThatOfTheText) {
  const std::vector<HyperPrior> priors = {HyperPrior::lognormal(0.25, 0.7), HyperPrior::gamma(2.5, 10),
                                          HyperPrior::normal(-5, 0.6)};
  for (const HyperPrior& prior : priors) {
    EXPECT_EQ(HyperPrior::parse(prior.text()).text(), prior.text());
    EXPECT_EQ(HyperPrior::parse(prior.text()).log_density(0.3), prior.log_density(0.3));
  }
  EXPECT_EQ(priors[0].text(), "lognormal(0.25, 0.7)");
  EXPECT_ERROR(HyperPrior::gamma(0, 1), InvalidArgument, "prior 'gamma(0, 1)'");
  EXPECT_ERROR(HyperPrior::normal(0, 0), InvalidArgument, "deviations, shapes and rates must be positive");
  EXPECT_ERROR(HyperPrior::normal(std::nan(""), 1), InvalidArgument, "finite");
}

TEST(HyperPriors, KeepTheTextAsItWasWritten) {
  const char* const text = " lengthscale :lognormal( 0,1 );; noise: gamma(2, 10); ";
  const HyperPriors priors = HyperPriors::parse(text);
  EXPECT_EQ(priors.text(), text);
  ASSERT_EQ(priors.all().size(), 2U);
  EXPECT_EQ(priors.all()[0].name, "lengthscale");
  EXPECT_EQ(priors.all()[1].prior.text(), "gamma(2, 10)");
  const HyperPriors same({{"lengthscale", HyperPrior::lognormal(0, 1)}, {"noise", HyperPrior::gamma(2, 10)}});
  EXPECT_EQ(same.text(), "lengthscale: lognormal(0, 1); noise: gamma(2, 10)");
  EXPECT_EQ(HyperPriors().text(), "");
}

TEST(HyperParameters, ComeFromTheKernel) {
  const auto parameters = kernel_hyperparameters(parse_kernel(
      "2*rbf(lengthscale=[1 , inf]) + poly(degree=2, gamma=0.5!, coef0=0) + matern(lengthscale=3 in 1..9)"));
  ASSERT_EQ(parameters.size(), 6U);
  EXPECT_EQ(parameters[0].value, 2);
  EXPECT_DOUBLE_EQ(parameters[0].lower, 2e-4);
  EXPECT_DOUBLE_EQ(parameters[0].upper, 2e4);
  EXPECT_FALSE(parameters[1].fixed);
  EXPECT_DOUBLE_EQ(parameters[1].upper, 1e6);
  EXPECT_TRUE(parameters[2].fixed);  // an infinite length scale switches its column off
  EXPECT_TRUE(parameters[3].fixed);  // as it was written
  EXPECT_TRUE(parameters[4].fixed);  // 0 has no logarithm
  EXPECT_EQ(parameters[5].lower, 1);
  EXPECT_EQ(parameters[5].upper, 9);
}

TEST(HyperParameters, PriorsGoByName) {
  auto parameters = kernel_hyperparameters(parse_kernel("2*rbf(lengthscale=[1, 2]) + rbf(gamma=1)"));
  parameters.push_back({.name = "noise"});
  set_priors(HyperPriors::parse("lengthscale: lognormal(0, 1); noise: gamma(2, 10)"), parameters);
  int count = 0;
  for (const HyperParameter& parameter : parameters) {
    count += parameter.prior.has_value() ? 1 : 0;
  }
  EXPECT_EQ(count, 3);
  EXPECT_TRUE(parameters.back().prior.has_value());
  EXPECT_NO_THROW(set_priors(HyperPriors::parse("  "), parameters));
  EXPECT_ERROR(set_priors(HyperPriors::parse("period: gamma(1, 1)"), parameters), InvalidArgument,
               "priors: there is no unknown 'period'");
  EXPECT_ERROR(set_priors(HyperPriors::parse("noise gamma(1, 1)"), parameters), InvalidArgument,
               "priors: 'noise gamma(1, 1)': expected NAME");
}

// ln of a product of lognormal-like bumps: the optimum is known.
EvidenceValue bumps(std::span<const double> values) {
  EvidenceValue result{.value = 0, .gradient = {}};
  const double centers[] = {0.5, 20.0, 3.0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = std::log(values[i] / centers[i]);
    result.value -= z * z * z * z + z * z;
    result.gradient.push_back(-(4 * z * z * z + 2 * z) / values[i]);
  }
  return result;
}

TEST(MaximizeEvidence, FindsTheOptimumOnTheLogarithmicScale) {
  const std::vector<HyperParameter> parameters = {
      {.name = "a", .value = 1, .lower = 1e-4, .upper = 1e4},
      {.name = "b", .value = 1, .lower = 1e-4, .upper = 1e4},
      {.name = "c", .value = 1, .lower = 1e-4, .upper = 1e4, .fixed = true}};
  const auto evidence = [](std::span<const double> values, const mercer::Run&) { return bumps(values); };
  for (const Index restarts : {0, 3}) {
    const EvidenceSearchResult result =
        maximize_evidence(evidence, parameters, {.restarts = restarts, .tolerance = 1e-12}, {});
    EXPECT_NEAR(result.values[0], 0.5, 1e-4);
    EXPECT_NEAR(result.values[1], 20, 4e-3);
    EXPECT_EQ(result.values[2], 1);
    EXPECT_TRUE(result.notes.empty());
    EXPECT_NEAR(result.value, bumps(result.values).value, 1e-12);
  }
}

TEST(MaximizeEvidence, PriorsPullAndBoundsAreDiagnosed) {
  std::vector<HyperParameter> parameters = {{.name = "lengthscale[0]", .value = 1, .lower = 1e-2, .upper = 5},
                                            {.name = "noise", .value = 1, .lower = 1e-4, .upper = 1e4}};
  // Rises with the first without end; the second has its optimum at 2 of the prior alone.
  const auto evidence = [](std::span<const double> values, const mercer::Run&) {
    return EvidenceValue{.value = std::log(values[0]), .gradient = {1 / values[0], 0.0}};
  };
  set_priors(HyperPriors::parse("noise: gamma(5, 2)"), parameters);
  const EvidenceSearchResult result = maximize_evidence(evidence, parameters, {.tolerance = 1e-12}, {});
  EXPECT_NEAR(result.values[0], 5, 1e-3);
  EXPECT_NEAR(result.values[1], 2, 1e-3);  // (shape − 1)/rate: the mode of the density over the parameter itself
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].text.find("lengthscale[0] ended at its upper bound 5"), std::string::npos)
      << result.notes[0].text;
}

// Linear in 1/ℓ² of a column that does not matter: the top is at infinity, or at the bound.
TEST(MaximizeEvidence, AFadingLengthScaleIsSwitchedOffInOneStep) {
  Index calls = 0;
  const auto evidence = [&](std::span<const double> values, const mercer::Run&) {
    ++calls;
    const double z = std::log(values[1] / 2);
    return EvidenceValue{.value = -900 / (values[0] * values[0]) - 5 * z * z,
                         .gradient = {1800 / std::pow(values[0], 3), -10 * z / values[1]}};
  };
  std::vector<HyperParameter> parameters = {
      {.name = "lengthscale[0]", .value = 40, .lower = 1e-2, .upper = 1e6, .fading_from = 30},
      {.name = "noise", .value = 1, .lower = 1e-4, .upper = 1e4}};
  const Matrix<double> curvature = evidence_curvature(evidence, parameters, {});
  EXPECT_EQ(calls, 3);
  EXPECT_NEAR(curvature(1, 1), 10, 1e-2);
  EXPECT_NEAR(curvature(0, 1), 0, 1e-6);
  EXPECT_NEAR(curvature(0, 0), 4 * (1 + 9.0 / 16), 0.02);  // (30/ℓ)² = exp(−2x) − 1
  const EvidenceSearchResult result = maximize_evidence(evidence, parameters, {.curvature = curvature.view()}, {});
  EXPECT_NEAR(result.values[0], 1e6, 1);
  EXPECT_NEAR(result.values[1], 2, 1e-3);
  EXPECT_LE(result.evaluations, 4);
  ASSERT_EQ(result.notes.size(), 1U);
  // Where the column matters after all it comes back from there.
  const auto matters = [](std::span<const double> values, const mercer::Run&) {
    const double s = 100 / (values[0] * values[0]) - 1;
    return EvidenceValue{.value = -s * s, .gradient = {400 * s / std::pow(values[0], 3), 0.0}};
  };
  parameters[0].value = 1e6;
  const EvidenceSearchResult back = maximize_evidence(matters, parameters, {.tolerance = 1e-12}, {});
  EXPECT_NEAR(back.values[0], 10, 1e-3);
  EXPECT_TRUE(back.notes.empty());
}

// Differences of gradients against the second derivatives, with a prior, in the coordinates of the search.
TEST(MaximizeEvidence, CurvatureIsThatOfEvidenceAndPriors) {
  const auto evidence = [](std::span<const double> values, const mercer::Run&) { return bumps(values); };
  std::vector<HyperParameter> parameters = {{.name = "a", .value = 0.7, .lower = 1e-4, .upper = 1e4},
                                            {.name = "b", .value = 15, .lower = 1e-4, .upper = 15},
                                            {.name = "c", .value = 1, .lower = 1e-4, .upper = 1e4, .fixed = true}};
  set_priors(HyperPriors::parse("a: lognormal(0, 0.5)"), parameters);
  const Matrix<double> curvature = evidence_curvature(evidence, parameters, {});
  ASSERT_EQ(curvature.rows(), 2);
  const double za = std::log(0.7 / 0.5);
  const double zb = std::log(15.0 / 20.0);
  // ln p of a lognormal density is −½ (x/0.5)² − x in x = ln θ.
  EXPECT_NEAR(curvature(0, 0), 12 * za * za + 2 + 4, 0.05);
  EXPECT_NEAR(curvature(1, 1), 12 * zb * zb + 2, 0.05);
  EXPECT_NEAR(curvature(0, 1), 0, 1e-9);
  EXPECT_NEAR(log_prior(parameters, std::vector<double>{0.7, 15, 1}), parameters[0].prior->log_density(0.7), 1e-15);
}

TEST(MaximizeEvidence, StartsWithoutAValueAreAnError) {
  const std::vector<HyperParameter> parameters = {{.name = "a", .value = 1, .lower = 0.1, .upper = 10}};
  const auto nothing = [](std::span<const double>, const mercer::Run&) {
    return EvidenceValue{.value = -std::numeric_limits<double>::infinity(), .gradient = {0.0}};
  };
  EXPECT_ERROR(maximize_evidence(nothing, parameters, {}, {}), NumericalError,
               "the search for hyper-parameters has no start with a value");
}

// A hole around the first start: the random ones go on.
TEST(MaximizeEvidence, OneStartWithoutAValueIsOneStartLess) {
  const std::vector<HyperParameter> parameters = {{.name = "a", .value = 1, .lower = 1e-3, .upper = 1e3}};
  const auto evidence = [](std::span<const double> values, const mercer::Run&) {
    const double x = std::log(values[0]);
    if (std::abs(x) < 0.5) {
      throw NumericalError("a hole");
    }
    return EvidenceValue{.value = -(x - 1) * (x - 1), .gradient = {-2 * (x - 1) / values[0]}};
  };
  const EvidenceSearchResult result = maximize_evidence(evidence, parameters, {.restarts = 6}, {});
  EXPECT_NEAR(result.values[0], std::exp(1.0), 1e-2);
  EXPECT_ERROR(maximize_evidence(evidence, parameters, {.restarts = 0}, {}), NumericalError,
               "the search for hyper-parameters has no start with a value");
}

}  // namespace
}  // namespace mercer
