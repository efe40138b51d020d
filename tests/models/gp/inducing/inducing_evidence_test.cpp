#include "mercer/models/gp/inducing/inducing_evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "mercer/kernels/spec.h"
#include "mercer/models/gp/inducing/inducing.h"
#include "models/gp/inducing_naive.h"

namespace mercer {
namespace {

using testing::NaiveInducing;
using testing::random_matrix;
using testing::random_samples;
using testing::random_weights;

class InducingEvidenceBy : public ::testing::TestWithParam<InducingMethod> {};

// Central differences of the naive evidence.
void expect_gradient(const InducingProblem& problem) {
  const mercer::Run run;
  const InducingEvidence evidence = inducing_evidence(problem, run);
  const double naive = NaiveInducing(problem, problem.samples).log_evidence;
  EXPECT_NEAR(evidence.value, naive, 1e-9 * std::abs(naive));
  const auto at = [&](const InducingProblem& moved) { return NaiveInducing(moved, moved.samples).log_evidence; };

  std::vector<double> values;
  for (const ScaleParameter& parameter : problem.kernel.scale_parameters()) {
    values.push_back(parameter.value);
  }
  ASSERT_EQ(evidence.kernel_gradient.size(), values.size());
  for (std::size_t p = 0; p < values.size(); ++p) {
    const double step = 1e-5 * std::abs(values[p]);
    double difference = 0;
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> moved = values;
      moved[p] += sign * step;
      InducingProblem other = problem;
      other.kernel = problem.kernel.with_scale_parameters(moved);
      difference += sign * at(other) / (2 * step);
    }
    EXPECT_NEAR(evidence.kernel_gradient[p], difference, 1e-6 * (1 + std::abs(difference))) << p;
  }
  ASSERT_EQ(evidence.noise_gradient.size(), problem.noise.size());
  for (std::size_t i = 0; i < problem.noise.size(); i += 5) {
    const double step = 1e-5 * problem.noise[i];
    double difference = 0;
    for (const double sign : {1.0, -1.0}) {
      InducingProblem other = problem;
      other.noise[i] += sign * step;
      difference += sign * at(other) / (2 * step);
    }
    EXPECT_NEAR(evidence.noise_gradient[i], difference, 1e-6 * (1 + std::abs(difference))) << i;
  }
}

TEST_P(InducingEvidenceBy, GradientEqualsCentralDifferences) {
  for (const Index n : {1, 30}) {
    for (const Index outputs : {1, 2}) {
      const Samples samples = random_samples(n, 3, 200 + static_cast<std::uint64_t>(n));
      const Matrix<double> targets = random_matrix(n, outputs, 5);
      std::vector<Index> rows;
      for (Index i = 0; i < n; i += 4) {
        rows.push_back(i);
      }
      InducingProblem problem{.kernel = parse_kernel("1.5*rbf(lengthscale=[1,2,1.4]) + 0.3*linear()"),
                              .samples = samples,
                              .inducing = samples.select(rows),
                              .targets = targets.view(),
                              .noise = {0.3},
                              .method = GetParam()};
      problem.jitter = 1e-5;  // large, so that its own derivative counts
      expect_gradient(problem);
      problem.kernel = parse_kernel("matern(nu=1.5, lengthscale=1.7)");
      problem.noise = random_weights(n, 9);
      expect_gradient(problem);
    }
  }
}

TEST_P(InducingEvidenceBy, SamplesInSeveralBlocksAddUp) {
  // Several blocks of rows and of inducing points: against the posterior's own evidence, moved along the gradient.
  const Index n = 4500;
  const Samples samples = random_samples(n, 3, 300);
  const Matrix<double> targets = random_matrix(n, 1, 6);
  std::vector<Index> rows(300);
  std::iota(rows.begin(), rows.end(), Index{100});
  InducingProblem problem{.kernel = parse_kernel("1.2*matern(nu=1.5, lengthscale=0.8)"),
                          .samples = samples,
                          .inducing = samples.select(rows),
                          .targets = targets.view(),
                          .noise = {0.4},
                          .method = GetParam()};
  const InducingEvidence one = inducing_evidence(problem, mercer::Run({.threads = 1}));
  const InducingEvidence three = inducing_evidence(problem, mercer::Run({.threads = 3}));
  EXPECT_EQ(one.value, three.value);
  EXPECT_EQ(one.kernel_gradient, three.kernel_gradient);
  EXPECT_EQ(one.noise_gradient, three.noise_gradient);
  double difference = 0;
  const double step = 1e-4;
  for (const double sign : {1.0, -1.0}) {
    InducingProblem other = problem;
    const std::vector<double> values{1.2 + sign * step, 0.8 + 2 * sign * step};
    other.kernel = problem.kernel.with_scale_parameters(values);
    other.noise = {0.4 + 0.5 * sign * step};
    difference += sign * inducing_posterior(other, mercer::Run()).log_evidence / (2 * step);
  }
  ASSERT_EQ(one.kernel_gradient.size(), 2U);
  EXPECT_NEAR(one.kernel_gradient[0] + 2 * one.kernel_gradient[1] + 0.5 * one.noise_gradient[0], difference,
              1e-4 * (1 + std::abs(difference)));
}

// A row of weight w is w rows: bounds, evidences and all derivatives, with inducing points that leave much unexplained.
TEST_P(InducingEvidenceBy, WeightsAreCopies) {
  const Index n = 20;
  const Samples samples = random_samples(n, 3, 230);
  const Matrix<double> targets = random_matrix(n, 2, 7);
  std::vector<Index> copies;
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) {
    weights.push_back(static_cast<double>(1 + i % 3));
    copies.insert(copies.end(), static_cast<std::size_t>(1 + i % 3), i);
  }
  const std::vector<double> noise = random_weights(n, 9);
  Matrix<double> copied_targets(static_cast<Index>(copies.size()), 2);
  std::vector<double> copied_noise;
  for (std::size_t c = 0; c < copies.size(); ++c) {
    std::copy_n(targets.view().row_data(copies[c]), 2, copied_targets.view().row_data(static_cast<Index>(c)));
    copied_noise.push_back(noise[copies[c]]);
  }
  const Kernel kernel = parse_kernel("1.5*rbf(lengthscale=[1,2,1.4]) + 0.3*linear()");
  const Samples inducing = samples.select(std::vector<Index>{0, 5, 11, 16});
  const InducingEvidence a = inducing_evidence({.kernel = kernel,
                                                .samples = samples,
                                                .inducing = inducing,
                                                .targets = targets.view(),
                                                .noise = noise,
                                                .method = GetParam(),
                                                .weights = weights},
                                               {});
  const InducingEvidence b = inducing_evidence({.kernel = kernel,
                                                .samples = samples.select(copies),
                                                .inducing = inducing,
                                                .targets = std::as_const(copied_targets).view(),
                                                .noise = copied_noise,
                                                .method = GetParam()},
                                               {});
  EXPECT_NEAR(a.value, b.value, 1e-10 * std::abs(b.value));
  ASSERT_EQ(a.kernel_gradient.size(), b.kernel_gradient.size());
  for (std::size_t p = 0; p < a.kernel_gradient.size(); ++p) {
    EXPECT_NEAR(a.kernel_gradient[p], b.kernel_gradient[p], 1e-9 * (1 + std::abs(b.kernel_gradient[p]))) << p;
  }
  std::vector<double> by_row(n, 0.0);
  for (std::size_t c = 0; c < copies.size(); ++c) {
    by_row[copies[c]] += b.noise_gradient[c];
  }
  for (std::size_t i = 0; i < by_row.size(); ++i) {
    EXPECT_NEAR(a.noise_gradient[i], by_row[i], 1e-9 * (1 + std::abs(by_row[i]))) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, InducingEvidenceBy,
                         ::testing::Values(InducingMethod::subset_of_regressors, InducingMethod::fitc,
                                           InducingMethod::variational),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace mercer
