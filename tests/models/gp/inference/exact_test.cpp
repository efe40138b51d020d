#include "mercer/models/gp/inference/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/parametric_basis.h"
#include "models/random_problem.h"
#include "support/dense.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_samples;
using testing::random_weights;

const std::vector<std::string>& kernels() {
  static const std::vector<std::string> specs = {
      "0.7*rbf(lengthscale=1.3)",
      "rbf(gamma=0.4)",
      "2*rbf(lengthscale=[0.8, 1.5, 3])",
      "matern(nu=0.5, lengthscale=1.2)",
      "1.5*matern(nu=1.5, lengthscale=[1, 2, 0.7])",
      "matern(nu=2.5, lengthscale=2)",
      "exponential(lengthscale=1.4)",
      "rq(alpha=0.8, lengthscale=1.1)",
      "cauchy(lengthscale=1.7)",
      "laplacian(gamma=0.3)",
      "periodic(lengthscale=1.5, period=2.3)",
      "inverse_multiquadric(c=1.2)",
      "power_exponential(beta=1.4, lengthscale=2)",
      "0.3*linear() + 0.5*constant(value=2)",
      "0.2*poly(degree=2, gamma=0.5, coef0=1.1)",
      "neural(bias_variance=0.8, weight_variance=0.6)",
      "arccos(order=1) + 0.1*white(variance=0.2)",
      "rbf(lengthscale=1.1)*linear() + 0.4*matern(nu=1.5, lengthscale=0.9)",
      "rbf(lengthscale=2)[0] + 0.5*rbf(lengthscale=0.7)[1, 2]",
      "exp(0.2*linear())",
      "anova(degree=2, gamma=0.3)",
      "normalize(poly(degree=2, gamma=0.7, coef0=0.5))",
  };
  return specs;
}

GpData make_data(Index n, Index outputs, ParametricPart part, std::uint64_t seed) {
  GpData data{.samples = random_samples(n, 3, seed),
              .targets = random_matrix(n, outputs, seed + 1),
              .noise = {},
              .weights = {},
              .basis = {}};
  data.basis = Matrix<double>::copy_of(ParametricBasis(data.samples, part).q());
  return data;
}

Dense covariance(const Kernel& kernel, const GpData& data, double noise) {
  Dense a = kernel_matrix(kernel, data.samples, data.samples);
  const std::vector<double> diagonal = data.noise_diagonal(noise);
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, i) += diagonal[i];
  }
  return a;
}

double log_normal(const Dense& y, const Dense& a) {
  return -0.5 * (y.dot(a.solve(y)) + std::log(std::abs(a.determinant())) +
                 static_cast<double>(y.size()) * std::log(2 * std::numbers::pi));
}

TEST(GpExact, EvidenceAndCoefficientsEqualTheDirectOnes) {
  std::uint64_t seed = 100;
  for (const std::string& spec : kernels()) {
    const Kernel kernel = parse_kernel(spec);
    for (const double noise : {1e-3, 0.1, 2.0}) {
      const GpData data = make_data(25, 2, ParametricPart::none, seed++);
      const Dense a = covariance(kernel, data, noise);
      const PreparedKernel prepared(kernel, data.samples, Precision::double_precision, {});
      const ExactSolution solution = solve_exact(prepared, data, noise, {});
      const Dense y = Dense(data.targets);
      const double expected = log_normal(y.column(0), a) + log_normal(y.column(1), a);
      EXPECT_NEAR(solution.log_evidence, expected, 1e-8 * std::abs(expected)) << spec;
      const Dense alpha = a.solve(y);
      EXPECT_LT((Dense(solution.alpha) - alpha).norm(), 1e-8 * alpha.norm()) << spec;
      EXPECT_EQ(solution.factor.jitter, 0) << spec;
    }
  }
}

// ln p(y) = Σ ln p(y_i | y_1 … y_(i-1)).
TEST(GpExact, EvidenceIsTheProductOfSequentialPredictions) {
  const Kernel kernel = parse_kernel("0.7*rbf(lengthscale=1.3)");
  const GpData data = make_data(12, 1, ParametricPart::none, 5);
  const Dense a = covariance(kernel, data, 0.2);
  const Dense y = Dense(data.targets).column(0);
  double sum = 0;
  for (Index i = 0; i < 12; ++i) {
    const Dense k = a.column(i).first(i);
    const Dense w = i == 0 ? Dense() : a.first(i, i).solve_positive(k);
    const double mean = i == 0 ? 0.0 : w.dot(y.first(i));
    const double variance = a(i, i) - (i == 0 ? 0.0 : w.dot(k));
    sum += -0.5 * std::log(2 * std::numbers::pi * variance) - (y(i) - mean) * (y(i) - mean) / (2 * variance);
  }
  const PreparedKernel prepared(kernel, data.samples, Precision::double_precision, {});
  EXPECT_NEAR(solve_exact(prepared, data, 0.2, {}).log_evidence, sum, 1e-10 * std::abs(sum));
}

double objective_at(GpObjective objective, const Kernel& kernel, const GpData& data, std::vector<double> values) {
  const double noise = values.back();
  values.pop_back();
  return exact_objective(objective, kernel.with_scale_parameters(values), data, noise, {}).value;
}

void expect_gradient(GpObjective objective, const Kernel& kernel, const GpData& data, double noise,
                     const std::string& what) {
  const EvidenceValue value = exact_objective(objective, kernel, data, noise, {});
  std::vector<double> theta;
  for (const ScaleParameter& parameter : kernel.scale_parameters()) {
    theta.push_back(parameter.value);
  }
  theta.push_back(noise);
  ASSERT_EQ(value.gradient.size(), theta.size()) << what;
  for (std::size_t p = 0; p < theta.size(); ++p) {
    // Richardson's extrapolation of central differences: error of order step⁴.
    const auto slope = [&](double step) {
      std::vector<double> up = theta;
      std::vector<double> down = theta;
      up[p] += step;
      down[p] -= step;
      return (objective_at(objective, kernel, data, up) - objective_at(objective, kernel, data, down)) / (2 * step);
    };
    const double step = 2e-3 * theta[p];
    const double expected = (4 * slope(step / 2) - slope(step)) / 3;
    EXPECT_NEAR(value.gradient[p], expected, 1e-6 * std::max(1.0, std::abs(expected)))
        << what << ", parameter " << p << " of " << kernel.spec();
  }
}

TEST(GpExact, GradientsEqualCentralDifferences) {
  std::uint64_t seed = 300;
  for (const std::string& spec : kernels()) {
    const GpData data = make_data(20, 1, ParametricPart::none, seed++);
    expect_gradient(GpObjective::evidence, parse_kernel(spec), data, 0.3, "evidence");
    expect_gradient(GpObjective::leave_one_out, parse_kernel(spec), data, 0.3, "leave-one-out");
  }
}

TEST(GpExact, GradientsWithWeightsKnownNoiseOutputsAndMeanFunctions) {
  std::uint64_t seed = 400;
  const Kernel kernel = parse_kernel("1.5*matern(nu=1.5, lengthscale=[1, 2, 0.7])");
  for (const ParametricPart part :
       {ParametricPart::none, ParametricPart::constant, ParametricPart::linear, ParametricPart::quadratic}) {
    GpData data = make_data(30, 2, part, seed);
    data.weights = random_weights(30, seed + 2);
    data.weights[3] = 0.02;  // far below ½: the curvature of the leave-one-out density changes its sign there
    data.noise = random_weights(30, seed + 3);
    seed += 10;
    expect_gradient(GpObjective::evidence, kernel, data, 0.3, "evidence");
    expect_gradient(GpObjective::leave_one_out, kernel, data, 0.3, "leave-one-out");
  }
}

// A flat prior is the limit of a wide one: the evidence with H bᵀ, b ~ N(0, v I), plus ½ p ln(2πv).
TEST(GpExact, IntegratedMeanIsTheLimitOfAWidePrior) {
  const Kernel kernel = parse_kernel("0.7*rbf(lengthscale=1.3)");
  for (const ParametricPart part : {ParametricPart::constant, ParametricPart::linear, ParametricPart::quadratic}) {
    const GpData data = make_data(25, 1, part, 77);
    const Dense h = Dense(data.basis);
    const double wide = 1e7;
    const Dense a = covariance(kernel, data, 0.1) + wide * h * h.transpose();
    const double expected = log_normal(Dense(data.targets).column(0), a) +
                            0.5 * static_cast<double>(h.columns()) * std::log(2 * std::numbers::pi * wide);
    const PreparedKernel prepared(kernel, data.samples, Precision::double_precision, {});
    EXPECT_NEAR(solve_exact(prepared, data, 0.1, {}).log_evidence, expected, 1e-4);
  }
}

TEST(GpExact, LeaveOneOutEqualsRefits) {
  const Kernel kernel = parse_kernel("0.7*rbf(lengthscale=1.3)");
  const Index n = 18;
  for (const ParametricPart part : {ParametricPart::none, ParametricPart::linear}) {
    GpData data = make_data(n, 2, part, 55);
    data.weights = random_weights(n, 56);
    const PreparedKernel prepared(kernel, data.samples, Precision::double_precision, {});
    ExactSolution solution = solve_exact(prepared, data, 0.2, {});
    const LeaveOneOutPredictions loo = leave_one_out(solution, data, 0.2, {});
    double log_density = 0;
    for (Index i = 0; i < n; ++i) {
      std::vector<Index> others;
      for (Index j = 0; j < n; ++j) {
        if (j != i) {
          others.push_back(j);
        }
      }
      const GpData rest = select(data, others, part);
      const Samples left_out = data.samples.select(std::vector<Index>{i});
      const Dense a = covariance(kernel, rest, 0.2);
      const Dense k = kernel_matrix(kernel, left_out, rest.samples);
      const Dense inverse = a.inverse();
      Dense mean = k * inverse * Dense(rest.targets);
      // Of one observation, whatever its row weighs.
      double variance = kernel_matrix(kernel, left_out, left_out)(0, 0) - (k * inverse * k.transpose())(0, 0) + 0.2;
      if (part != ParametricPart::none) {
        const auto functions = [&](const Samples& samples) {
          Matrix<double> values(samples.size(), parametric_count(part, samples));
          ParametricFunctions(part, samples).values({0, samples.size()}, values.view());
          return Dense(values);
        };
        const Dense h = functions(rest.samples);
        const Dense s = h.transpose() * inverse * h;
        const Dense beta = s.inverse() * h.transpose() * inverse * Dense(rest.targets);
        const Dense r = functions(left_out) - k * inverse * h;
        mean += r * beta;
        variance += (r * s.inverse() * r.transpose())(0, 0);
      }
      EXPECT_NEAR(loo.variances[i], variance, 1e-9 * variance);
      for (Index o = 0; o < 2; ++o) {
        EXPECT_NEAR(loo.means(i, o), mean(0, o), 1e-9);
        const double error = data.targets(i, o) - mean(0, o);
        log_density +=
            data.weight(i) * (-0.5 * std::log(2 * std::numbers::pi * variance) - error * error / (2 * variance));
      }
    }
    EXPECT_NEAR(loo.log_density, log_density, 1e-8);
    const EvidenceValue objective = exact_objective(GpObjective::leave_one_out, kernel, data, 0.2, {});
    EXPECT_NEAR(objective.value, log_density, 1e-8);
  }
}

// The prior's eigen-hypotheses, figure 16.4: omega = 1, 200 equidistant points on [-5, 5].
TEST(GpExact, SpectrumOfTheGaussianPriorIsTheBooks) {
  std::vector<double> x;
  for (int i = 0; i < 200; ++i) {
    x.push_back(-5 + 10.0 * i / 199);
  }
  const Samples samples = make_dense(x, 200, 1);
  const Dense k = kernel_matrix(parse_kernel("rbf(lengthscale=1)"), samples, samples);
  const Dense ascending = k.eigenvalues();
  const std::vector<double> expected = {47.96371511,  42.64825204,  35.08705253,  26.73325639,   18.88797021,
                                        12.39602109,  7.572399923,  4.315798543,  2.300812543,   1.150422160,
                                        0.5409455403, 0.2398268011, 0.1004977935, 0.03989564528, 0.0150358562};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(ascending(199 - static_cast<Index>(i)), expected[i], 1e-8 * expected[i] + 1e-10);
  }
  EXPECT_NEAR(ascending.block(190, 0, 10, 1).sum() / 200, 0.99528, 5e-6);
}

TEST(GpExact, RepeatedRowsWithoutNoiseNeedJitterAndSayHowMuch) {
  const Matrix<double> x = random_matrix(10, 3, 9);
  Matrix<double> twice(20, 3);
  for (Index i = 0; i < 20; ++i) {
    std::copy_n(x.view().row_data(i / 2), 3, twice.view().row_data(i));
  }
  const PreparedKernel prepared(parse_kernel("4*rbf(lengthscale=1)"), make_dense(std::move(twice)),
                                Precision::double_precision, {});
  const ExactFactor factor = factor_exact(prepared, std::vector<double>(20, 0.0), {});
  EXPECT_GT(factor.relative_jitter, 0);
  EXPECT_LE(factor.relative_jitter, 1e-8);
  EXPECT_DOUBLE_EQ(factor.jitter, 4 * factor.relative_jitter);
}

TEST(GpExact, AnyNumberOfThreadsGivesTheSameBits) {
  const GpData data = make_data(300, 1, ParametricPart::constant, 21);
  const Kernel kernel = parse_kernel("2*rbf(lengthscale=[0.8, 1.5, 3])");
  for (const GpObjective objective : {GpObjective::evidence, GpObjective::leave_one_out}) {
    const EvidenceValue one = exact_objective(objective, kernel, data, 0.1, mercer::Run{{.threads = 1}});
    const EvidenceValue three = exact_objective(objective, kernel, data, 0.1, mercer::Run{{.threads = 3}});
    EXPECT_EQ(one.value, three.value);
    EXPECT_EQ(one.gradient, three.gradient);
  }
}

}  // namespace
}  // namespace mercer
