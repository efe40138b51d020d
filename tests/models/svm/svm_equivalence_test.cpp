// Machines that are one another in other words, as models. (The duals themselves: tests/solvers/svm/svm_dual_test.cpp.)
#include <gtest/gtest.h>

#include "mercer/kernels/spec.h"
#include "mercer/models/svm/svc.h"
#include "models/svm_blobs.h"
#include "support/dense.h"
#include "support/largest_difference.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::Blobs;
using testing::blobs;
using testing::largest_difference;

const Kernel gaussian = parse_kernel("rbf(gamma=0.5)");

TEST(SvmEquivalence, NuSvcIsSvcWithTheInverseOfItsMargin) {
  const Blobs two = blobs(140, 2, 1.0, 1);
  const Samples x = testing::random_samples(60, 2, 2);
  NuSvcOptions nu;
  nu.tolerance = 1e-8;
  nu.nu = 0.55;
  const auto by_nu = fit_nusvc(gaussian, nu, two.data);
  const double sum = Dense(by_nu->expansion().coefficients()).sum_abs();
  SvcOptions options;
  options.tolerance = 1e-8;
  options.C = sum / (0.55 * 140);  // Σ|β| = ν m / ρ and C = 1/ρ
  const auto by_c = fit_svc(gaussian, options, two.data);
  EXPECT_LT(largest_difference(by_nu->decide(x, {}), by_c->decide(x, {})), 1e-5);
  EXPECT_NEAR(Dense(by_c->expansion().coefficients()).sum_abs() / (options.C * 140), 0.55, 1e-5);
}

TEST(SvmEquivalence, SquaredSlackIsAHardMarginWithWhiteNoiseInTheKernel) {
  const Blobs two = blobs(100, 2, 1.0, 3);
  const Samples x = testing::random_samples(60, 2, 4);
  SvcOptions soft;
  soft.tolerance = 1e-8;
  soft.slack = SvcSlack::squared;
  soft.C = 0.25;
  SvcOptions hard;
  hard.tolerance = 1e-8;
  hard.slack = SvcSlack::none;
  const auto a = fit_svc(gaussian, soft, two.data);
  const auto b = fit_svc(parse_kernel("rbf(gamma=0.5) + 2*white"), hard, two.data);  // 1/(2C) = 2
  EXPECT_LT(largest_difference(a->decide(x, {}), b->decide(x, {})), 1e-6);
}

TEST(SvmEquivalence, ScaledFeaturesNeedAnInverselyScaledCost) {
  const Blobs two = blobs(100, 2, 1.0, 5);
  Matrix<double> larger(100, 2);
  for (Index i = 0; i < 100; ++i) {
    larger(i, 0) = 3 * two.x(i, 0);
    larger(i, 1) = 3 * two.x(i, 1);
  }
  const TrainingData scaled{make_dense(std::move(larger)), two.data.targets, {}};
  SvcOptions options;
  options.tolerance = 1e-8;
  const Matrix<double> plain = fit_svc(parse_kernel("linear"), options, two.data)->decide(two.data.samples, {});
  options.C = 1.0 / 9;
  const Matrix<double> other = fit_svc(parse_kernel("linear"), options, scaled)->decide(scaled.samples, {});
  EXPECT_LT(largest_difference(plain, other), 1e-5);
}

TEST(SvmEquivalence, WithoutItsOtherRowsAMachineIsTheSame) {
  const Blobs two = blobs(120, 2, 1.5, 6);
  SvcOptions options;
  options.tolerance = 1e-8;
  const auto all = fit_svc(gaussian, options, two.data);
  const std::vector<Index>& rows = all->support_rows();
  ASSERT_LT(rows.size(), 100U);
  const auto few = fit_svc(gaussian, options, {two.data.samples.select(rows), two.data.targets.select(rows), {}});
  EXPECT_LT(largest_difference(all->decide(two.data.samples, {}), few->decide(two.data.samples, {})), 1e-5);
}

TEST(SvmEquivalence, OppositeLabelsGiveOppositeValues) {
  const Blobs two = blobs(80, 2, 1.0, 7);
  std::vector<std::string> swapped;
  for (const int c : two.classes) {
    swapped.emplace_back(c == 0 ? "b" : "a");
  }
  SvcOptions options;
  options.tolerance = 1e-8;
  const Matrix<double> a = fit_svc(gaussian, options, two.data)->decide(two.data.samples, {});
  const Matrix<double> b =
      fit_svc(gaussian, options, {two.data.samples, Targets::classes(swapped), {}})->decide(two.data.samples, {});
  EXPECT_LT((Dense(a) + Dense(b)).max_abs(), 1e-6);
}

}  // namespace
}  // namespace mercer
