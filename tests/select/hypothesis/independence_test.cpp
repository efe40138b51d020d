#include "mercer/select/hypothesis/independence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_samples;

double brute_force(const Dense& k, const Dense& l) {
  const auto n = static_cast<double>(k.rows());
  const Dense h = Dense::identity(k.rows()).shifted(-1 / n);
  return (k * h * l * h).trace() / (n * n);
}

Samples square_of(const Matrix<double>& x, double noise, std::uint64_t seed) {
  Matrix<double> y = random_matrix(x.rows(), 1, seed);
  for (Index i = 0; i < x.rows(); ++i) {
    y(i, 0) = x(i, 0) * x(i, 0) + noise * y(i, 0);
  }
  return make_dense(std::move(y));
}

TEST(Independence, StatisticIsItsDefinition) {
  for (const Index n : {2, 7, 150}) {
    const Samples x = random_samples(n, 2, 1);
    const Samples y = random_samples(n, 3, 2);
    const Dense k = kernel_matrix(parse_kernel("rbf(gamma=0.5)"), x, x);
    const Dense l = kernel_matrix(parse_kernel("poly(degree=2, gamma=1, coef0=1)"), y, y);
    const DenseGram<double> gram_k(k.matrix());
    const DenseGram<double> gram_l(l.matrix());
    const double expected = brute_force(k, l);
    EXPECT_NEAR(hsic(gram_k, gram_l, {}), expected, 1e-12 * (1 + expected));
    EXPECT_NEAR(independence_test(gram_k, gram_l, {.permutations = 1}, {}).statistic, expected, 1e-12 * (1 + expected));
    // Low-rank factors of full rank.
    if (n == 7) {
      const IndependenceOptions factored{.permutations = 1, .memory_mb = 1e-9, .rank = 7};
      EXPECT_NEAR(independence_test(gram_k, gram_l, factored, {}).statistic, expected, 1e-5 * (1 + expected));
    }
  }
}

// All 24 orders of four rows: random permutations reach the statistic as often as the share of orders that do.
TEST(Independence, PermutationsAreTheOrders) {
  const Samples x = random_samples(4, 1, 3);
  const Samples y = random_samples(4, 1, 4);
  const Dense k = kernel_matrix(parse_kernel("rbf(gamma=0.5)"), x, x);
  const Dense l = kernel_matrix(parse_kernel("rbf(gamma=0.5)"), y, y);
  const double statistic = brute_force(k, l);
  std::vector<Index> order = {0, 1, 2, 3};
  double reached = 0;
  double mean = 0;
  do {
    const double value = brute_force(k, l.picked(order, order));
    mean += value / 24;
    reached += value >= statistic - 1e-12 ? 1.0 / 24 : 0.0;
  } while (std::next_permutation(order.begin(), order.end()));
  for (const double memory : {100.0, 1e-9}) {
    const TestResult result = independence_test(DenseGram<double>(k.matrix()), DenseGram<double>(l.matrix()),
                                                {.permutations = 20000, .memory_mb = memory}, {});
    EXPECT_NEAR(result.p_value, reached, 0.0125);  // 3.5 standard errors
    EXPECT_NEAR(result.null.mean, mean, 0.002);
    EXPECT_EQ(result.notes.size(), memory > 1 ? 0U : 1U);
  }
}

TEST(Independence, FindsDependenceWithoutCorrelation) {
  const Matrix<double> x = random_matrix(80, 1, 5);
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  const Kernel kernel = parse_kernel("rbf(gamma=median)");
  const IndependenceOptions options{.permutations = 199};
  const IndependenceResult dependent = independence_test(kernel, samples, kernel, square_of(x, 0.3, 6), options, {});
  EXPECT_TRUE(dependent.test.rejected);
  EXPECT_NEAR(dependent.test.p_value, 1.0 / 200, 1e-12);
  EXPECT_TRUE(dependent.first_kernel.is_resolved());
  EXPECT_FALSE(independence_test(kernel, samples, kernel, random_samples(80, 1, 7), options, {}).test.rejected);
}

TEST(Independence, KeepsItsLevel) {
  int rejected = 0;
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const mercer::Run run{{.threads = 1, .seed = seed}};
    rejected += independence_test(kernel, random_samples(12, 1, 2 * seed), kernel, random_samples(12, 1, 2 * seed + 1),
                                  {.permutations = 99}, run)
                        .test.rejected
                    ? 1
                    : 0;
  }
  EXPECT_GE(rejected, 8);  // 20 ± 2.75 standard deviations of 4.36
  EXPECT_LE(rejected, 32);
}

TEST(Independence, ThreadsChangeNothing) {
  const Samples x = random_samples(70, 2, 8);
  const Samples y = random_samples(70, 2, 9);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const auto one =
      independence_test(kernel, x, kernel, y, {.permutations = 50}, mercer::Run{{.threads = 1, .seed = 1}});
  const auto three =
      independence_test(kernel, x, kernel, y, {.permutations = 50}, mercer::Run{{.threads = 3, .seed = 1}});
  EXPECT_EQ(one.test.p_value, three.test.p_value);
  EXPECT_EQ(one.test.threshold, three.test.threshold);
  EXPECT_EQ(one.test.null.mean, three.test.null.mean);
}

TEST(Independence, DegenerateSamples) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  EXPECT_ERROR(independence_test(kernel, random_samples(1, 2, 1), kernel, random_samples(1, 2, 1), {}, {}), DataError,
               "an independence test needs two rows or more");
  EXPECT_ERROR(independence_test(kernel, random_samples(5, 2, 1), kernel, random_samples(4, 2, 1), {}, {}),
               InvalidArgument, "views of 5 and 4 samples");
  EXPECT_ERROR(independence_test(kernel, random_samples(5, 2, 1), kernel, random_samples(5, 2, 1), {.level = 0}, {}),
               InvalidArgument, "level = 0");
  const Samples constant = make_dense(std::vector<double>(5, 1.0), 5, 1);
  EXPECT_EQ(independence_test(kernel, constant, kernel, random_samples(5, 2, 1), {}, {}).test.p_value, 1);
}

}  // namespace
}  // namespace mercer
