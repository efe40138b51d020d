#include "mercer/models/gp/inducing/inducing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "models/gp/inducing_naive.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::NaiveInducing;
using testing::random_matrix;
using testing::random_samples;
using testing::random_weights;

std::vector<Index> first(Index count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

struct Setting {
  Samples samples;
  Matrix<double> targets;

  Setting(Index n, Index columns, Index outputs, std::uint64_t seed)
      : samples(random_samples(n, columns, seed)), targets(random_matrix(n, outputs, seed + 1)) {}

  InducingProblem problem(const char* kernel, std::span<const Index> rows, InducingMethod method,
                          std::vector<double> noise) const {
    return {.kernel = parse_kernel(kernel),
            .samples = samples,
            .inducing = samples.select(rows),
            .targets = targets.view(),
            .noise = std::move(noise),
            .method = method};
  }
};

GaussianPosterior posterior_of(const InducingProblem& problem, const InducingPosterior& found) {
  const mercer::Run run;
  Expansion mean(problem.kernel, problem.inducing, Matrix<double>::copy_of(found.coefficients.view()),
                 ParametricPart::none, Matrix<double>(0, found.coefficients.columns()), Precision::double_precision,
                 run);
  return {std::move(mean), found.reduction, {}, found.prior, std::nullopt, run};
}

void expect_same(const InducingProblem& problem, const Samples& test, double bound) {
  const mercer::Run run;
  const InducingPosterior found = inducing_posterior(problem, run);
  const NaiveInducing naive(problem, test);
  EXPECT_NEAR(found.log_evidence, naive.log_evidence, bound * std::abs(naive.log_evidence));
  const GaussianPosterior posterior = posterior_of(problem, found);
  Matrix<double> means(test.size(), problem.targets.columns());
  posterior.means(test, means.view(), run);
  EXPECT_LT((Dense(means) - naive.means).max_abs(), bound);
  std::vector<double> variances(test.size());
  posterior.moments(test, means.view(), variances, run);
  EXPECT_LT((Dense(means) - naive.means).max_abs(), bound);
  for (Index i = 0; i < test.size(); ++i) {
    EXPECT_NEAR(variances[i], naive.covariance(i, i), bound);
  }
  EXPECT_LT((Dense(posterior.covariance(test, run)) - naive.covariance).max_abs(), bound);
}

class InducingBy : public ::testing::TestWithParam<InducingMethod> {};

TEST_P(InducingBy, EqualsTheNaiveFormulas) {
  const Samples test = random_samples(9, 3, 90);
  for (const Index n : {1, 7, 40}) {
    for (const Index outputs : {1, 3}) {
      const Setting setting(n, 3, outputs, 100 + static_cast<std::uint64_t>(n));
      for (const Index m : {Index{1}, (n + 2) / 3, n}) {
        const auto rows = first(m);
        expect_same(setting.problem("1.3*matern(nu=1.5, lengthscale=2)", rows, GetParam(), {0.2}), test, 1e-8);
        expect_same(
            setting.problem("0.4*rbf(lengthscale=[1,2,0.7]) + 0.1*linear()", rows, GetParam(), random_weights(n, 7)),
            test, 1e-8);
      }
    }
  }
}

TEST_P(InducingBy, WithAllSamplesIsTheExactProcess) {
  const Index n = 35;
  const Setting setting(n, 2, 2, 41);
  const auto all = first(n);
  InducingProblem problem = setting.problem("matern(nu=0.5, lengthscale=1)", all, GetParam(), random_weights(n, 3));
  problem.jitter = 0;
  const mercer::Run run;
  const InducingPosterior found = inducing_posterior(problem, run);
  EXPECT_EQ(found.jitter, 0);
  EXPECT_NEAR(found.trace_error, 0, 1e-10);

  Dense a = kernel_matrix(problem.kernel, setting.samples, setting.samples);
  const Dense k = a;
  for (Index i = 0; i < n; ++i) {
    a(i, i) += problem.noise[i];
  }
  const Dense y = setting.targets;
  const Dense inverse = a.inverse();
  const double evidence =
      -0.5 * y.dot(inverse * y) - std::log(a.determinant()) - static_cast<double>(n) * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(found.log_evidence, evidence, 1e-9 * std::abs(evidence));
  const GaussianPosterior posterior = posterior_of(problem, found);
  Matrix<double> means(n, 2);
  posterior.means(setting.samples, means.view(), run);
  EXPECT_LT((Dense(means) - k * inverse * y).max_abs(), 1e-9);
  // A subset of regressors has the exact variance at its own samples only; these are they.
  const Dense covariance = k - k * inverse * k;
  EXPECT_LT((Dense(posterior.covariance(setting.samples, run)) - covariance).max_abs(), 1e-9);
}

TEST_P(InducingBy, RepeatedPointsChangeNothing) {
  const Setting setting(50, 2, 1, 61);
  const std::vector<Index> once{3, 9, 20, 41};
  const std::vector<Index> often{3, 9, 3, 20, 41, 41, 9};
  const Samples test = random_samples(10, 2, 63);
  const mercer::Run run;
  const InducingProblem single = setting.problem("rbf(lengthscale=1.5)", once, GetParam(), {0.1});
  const InducingProblem repeated = setting.problem("rbf(lengthscale=1.5)", often, GetParam(), {0.1});
  const InducingPosterior a = inducing_posterior(single, run);
  const InducingPosterior b = inducing_posterior(repeated, run);
  EXPECT_NEAR(a.log_evidence, b.log_evidence, 1e-6);
  EXPECT_LT(
      (Dense(posterior_of(single, a).covariance(test, run)) - Dense(posterior_of(repeated, b).covariance(test, run)))
          .max_abs(),
      1e-6);
  InducingProblem bare = repeated;
  bare.jitter = 0;  // K_uu is singular now: jitter is raised until it factors, and reported
  const InducingPosterior c = inducing_posterior(bare, run);
  EXPECT_NEAR(a.log_evidence, c.log_evidence, 1e-3);
}

TEST_P(InducingBy, AnyNumberOfThreadsGivesTheSameBits) {
  const Setting setting(5000, 4, 2, 71);
  const auto rows = first(90);
  const InducingProblem problem =
      setting.problem("matern(nu=2.5, lengthscale=2)", rows, GetParam(), random_weights(5000, 3));
  const InducingPosterior one = inducing_posterior(problem, mercer::Run({.threads = 1}));
  const InducingPosterior three = inducing_posterior(problem, mercer::Run({.threads = 3}));
  EXPECT_EQ(one.log_evidence, three.log_evidence);
  EXPECT_TRUE(testing::same_bits(one.coefficients, three.coefficients));
}

INSTANTIATE_TEST_SUITE_P(Methods, InducingBy,
                         ::testing::Values(InducingMethod::subset_of_regressors, InducingMethod::fitc,
                                           InducingMethod::variational),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(Inducing, VariationalBoundGrowsTowardTheEvidence) {
  const Index n = 60;
  const Setting setting(n, 3, 1, 81);
  const auto prepared = std::make_shared<const PreparedKernel>(parse_kernel("rbf(lengthscale=1.2)"), setting.samples,
                                                               Precision::double_precision, mercer::Run());
  const std::vector<Index> pivots = choose_inducing(KernelGram<double>(prepared), n, PivotRule::greedy, mercer::Run());
  ASSERT_EQ(pivots.size(), static_cast<std::size_t>(n));
  const InducingProblem exact = setting.problem("rbf(lengthscale=1.2)", pivots, InducingMethod::variational, {0.05});
  const double evidence = inducing_posterior(exact, mercer::Run()).log_evidence;
  double last = -INFINITY;
  for (const std::size_t m : {1U, 5U, 15U, 30U, 50U}) {
    const InducingProblem problem = setting.problem("rbf(lengthscale=1.2)", std::span<const Index>(pivots).first(m),
                                                    InducingMethod::variational, {0.05});
    const double bound = inducing_posterior(problem, mercer::Run()).log_evidence;
    EXPECT_LT(bound, evidence);
    EXPECT_GT(bound, last);
    last = bound;
  }
}

TEST(Inducing, RefusesWhatItCannotUse) {
  const Setting setting(10, 2, 1, 91);
  const auto rows = first(3);
  const auto bad = [&](auto change) {
    InducingProblem problem = setting.problem("rbf(lengthscale=1)", rows, InducingMethod::fitc, {0.1});
    change(problem);
    return problem;
  };
  const mercer::Run run;
  EXPECT_ERROR(inducing_posterior(bad([](auto& p) { p.noise = {0.0}; }), run), InvalidArgument, "noise = 0");
  EXPECT_ERROR(inducing_posterior(bad([](auto& p) { p.noise = {0.1, 0.2}; }), run), InvalidArgument,
               "2 noise variances for 10 samples");
  EXPECT_ERROR(inducing_posterior(bad([](auto& p) { p.noise = {NAN}; }), run), InvalidArgument, "noise = nan");
  EXPECT_ERROR(inducing_posterior(bad([](auto& p) { p.jitter = -1; }), run), InvalidArgument, "jitter = -1");
  EXPECT_ERROR(inducing_posterior(bad([](auto& p) { p.inducing = p.samples.slice({0, 0}); }), run), InvalidArgument,
               "a Gaussian process with inducing points needs at least one of them");
  EXPECT_ERROR(inducing_posterior(bad([](auto& p) { p.targets = p.targets.row_block({0, 9}); }), run), InvalidArgument,
               "targets of 9 rows for 10 samples");
}

}  // namespace
}  // namespace mercer
