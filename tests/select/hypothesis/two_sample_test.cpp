#include "mercer/select/hypothesis/two_sample.h"

#include <gtest/gtest.h>

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

// By the definition, for the rows listed in `x` against all others.
double brute_force_of_samples(const Dense& k, const std::vector<Index>& x) {
  std::vector<char> in(k.rows(), 0);
  for (const Index i : x) {
    in[i] = 1;
  }
  double within_x = 0;
  double within_y = 0;
  double across = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.rows(); ++j) {
      const bool a = in[i] != 0;
      const bool b = in[j] != 0;
      if (i != j) {
        (a && b ? within_x : !a && !b ? within_y : across) += k(i, j);
      }
    }
  }
  const auto n = static_cast<double>(x.size());
  const double m = static_cast<double>(k.rows()) - n;
  return within_x / (n * (n - 1)) + within_y / (m * (m - 1)) - across / (n * m);  // across has both orders
}

std::vector<Index> first_rows(Index count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

Samples shifted(Index rows, Index columns, double by, std::uint64_t seed) {
  Matrix<double> x = random_matrix(rows, columns, seed);
  for (Index i = 0; i < rows; ++i) {
    x(i, 0) += by;
  }
  return make_dense(std::move(x));
}

TEST(TwoSample, StatisticsAreTheirDefinitions) {
  const Samples all = random_samples(13, 2, 1);
  const Dense k = kernel_matrix(parse_kernel("rbf(gamma=0.5)"), all, all);
  const DenseGram<double> gram(k.matrix());
  for (const Index first : {2, 5, 11}) {
    EXPECT_NEAR(mmd_squared(gram, first, {}), brute_force_of_samples(k, first_rows(first)), 1e-14);
  }
  // Splits in one product.
  Matrix<double> members = Matrix<double>::filled(13, 2, 0.0);
  const std::vector<Index> odd = {1, 3, 5, 7, 9, 11};
  for (const Index i : odd) {
    members(i, 0) = 1;
  }
  members(0, 1) = members(12, 1) = 1;
  const std::vector<double> both = mmd_squared(gram, members.view(), {});
  EXPECT_NEAR(both[0], brute_force_of_samples(k, odd), 1e-14);
  EXPECT_NEAR(both[1], brute_force_of_samples(k, {0, 12}), 1e-14);
}

// With a linear kernel MMD² estimates the squared distance of the means, without bias.
TEST(TwoSample, LinearKernelGivesTheDistanceOfMeans) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TwoSampleOptions options{.permutations = 1};
    sum += two_sample_test(parse_kernel("linear()"), shifted(10, 2, 1.5, 2 * seed), shifted(8, 2, 0, 2 * seed + 1),
                           options, {})
               .test.statistic;
  }
  EXPECT_NEAR(sum / 200, 2.25, 0.2);
}

// All C(6, 3) = 20 splits of six rows: random permutations reach the statistic as often as the share of splits that do.
TEST(TwoSample, PermutationsAreTheSplits) {
  const Samples all = random_samples(6, 1, 4);
  const Dense k = kernel_matrix(parse_kernel("rbf(gamma=0.5)"), all, all);
  const double statistic = brute_force_of_samples(k, {0, 1, 2});
  double reached = 0;
  double mean = 0;
  for (Index a = 0; a < 6; ++a) {
    for (Index b = a + 1; b < 6; ++b) {
      for (Index c = b + 1; c < 6; ++c) {
        const double value = brute_force_of_samples(k, {a, b, c});
        mean += value / 20;
        reached += value >= statistic - 1e-12 ? 1.0 / 20 : 0.0;
      }
    }
  }
  const TestResult result = two_sample_test(DenseGram<double>(k.matrix()), 3, {.permutations = 20000},
                                            mercer::Run{{.threads = 1, .seed = 3}});
  EXPECT_NEAR(result.statistic, statistic, 1e-14);
  EXPECT_NEAR(result.p_value, reached, 0.012);  // 3.5 standard errors
  EXPECT_NEAR(result.null.mean, mean, 0.01);
}

TEST(TwoSample, PartsOfPermutationsAndThreadsChangeNothing) {
  const Samples all = random_samples(60, 2, 5);
  const auto prepared = std::make_shared<const PreparedKernel>(parse_kernel("rbf(gamma=0.5)"), all,
                                                               Precision::double_precision, mercer::Run());
  const KernelGram<double> gram(prepared);
  TwoSampleOptions options{.permutations = 100};
  const TestResult whole = two_sample_test(gram, 25, options, mercer::Run{{.threads = 1, .seed = 1}});
  const TestResult threads = two_sample_test(gram, 25, options, mercer::Run{{.threads = 3, .seed = 1}});
  EXPECT_EQ(whole.p_value, threads.p_value);
  EXPECT_EQ(whole.threshold, threads.threshold);
  options.memory_mb = 0.02;  // 21 splits at a time, and no room for K
  const TestResult parts = two_sample_test(gram, 25, options, mercer::Run{{.threads = 1, .seed = 1}});
  EXPECT_EQ(whole.p_value, parts.p_value);
  EXPECT_NEAR(whole.threshold, parts.threshold, 1e-14);
  options.memory_mb = 0.03;  // room for K
  EXPECT_NEAR(two_sample_test(gram, 25, options, mercer::Run{{.threads = 1, .seed = 1}}).threshold, whole.threshold,
              1e-14);
}

// A smaller version of bench/task/mmd_level_bench.
TEST(TwoSample, KeepsItsLevel) {
  int rejected = 0;
  const TwoSampleOptions options{.permutations = 99};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const mercer::Run run{{.threads = 1, .seed = seed}};
    rejected += two_sample_test(parse_kernel("rbf(gamma=median)"), shifted(15, 2, 0, 1000 + 2 * seed),
                                shifted(12, 2, 0, 1001 + 2 * seed), options, run)
                        .test.rejected
                    ? 1
                    : 0;
  }
  EXPECT_GE(rejected, 12);  // 25 ± 2.7 standard deviations of 4.9
  EXPECT_LE(rejected, 38);
}

TEST(TwoSample, FindsAShift) {
  for (const MmdStatistic statistic : {MmdStatistic::quadratic, MmdStatistic::block, MmdStatistic::linear}) {
    TwoSampleOptions options{.statistic = statistic, .permutations = 199};
    const Index rows = statistic == MmdStatistic::quadratic ? 60 : 600;
    const TestResult found = two_sample_test(parse_kernel("rbf(gamma=median)"), shifted(rows, 2, 0, 7),
                                             shifted(rows, 2, 1.2, 8), options, {})
                                 .test;
    EXPECT_TRUE(found.rejected) << static_cast<int>(statistic);
    EXPECT_GT(found.statistic, found.threshold);
    const TestResult none = two_sample_test(parse_kernel("rbf(gamma=median)"), shifted(rows, 2, 0, 19),
                                            shifted(rows, 2, 0, 20), options, {})
                                .test;
    EXPECT_FALSE(none.rejected) << static_cast<int>(statistic);
    EXPECT_LE(none.statistic, none.threshold);
  }
}

TEST(TwoSample, BlocksAreMeansOfSmallTests) {
  // Equal rows of each sample: whatever the order, every block has the same value.
  const Samples x = make_dense(std::vector<double>(10, 0.0), 10, 1);
  const Samples y = make_dense(std::vector<double>(13, 1.0), 13, 1);
  const double expected = 2 - 2 * std::exp(-0.5);
  for (const MmdStatistic statistic : {MmdStatistic::block, MmdStatistic::linear}) {
    const TwoSampleOptions options{.statistic = statistic, .block_size = 5};
    const TestResult result = two_sample_test(parse_kernel("rbf(gamma=0.5)"), x, y, options, {}).test;
    EXPECT_NEAR(result.statistic, expected, 1e-14);
    EXPECT_EQ(result.null.count, statistic == MmdStatistic::block ? 2 : 5);
    EXPECT_EQ(result.left_out, 3);
    EXPECT_LT(result.p_value, 1e-6);
  }
  // One block of all rows would be the quadratic statistic.
  const Samples all = random_samples(40, 2, 11);
  const Dense k = kernel_matrix(parse_kernel("rbf(gamma=0.5)"), all, all);
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    sum += two_sample_test(DenseGram<double>(k.matrix()), 20, {.statistic = MmdStatistic::block, .block_size = 10},
                           mercer::Run{{.threads = 1, .seed = seed}})
               .statistic;
  }
  // Over random orders a block's mean is the statistic of all pairs.
  EXPECT_NEAR(sum / 300, brute_force_of_samples(k, first_rows(20)), 0.006);
}

TEST(TwoSample, TextsAndCategories) {
  std::vector<std::string> a(20, "red");
  std::vector<std::string> b(20, "red");
  for (std::size_t i = 0; i < 15; ++i) {
    b[i] = "blue";
  }
  const TwoSampleResult result =
      two_sample_test(parse_kernel("delta()"), make_categories(a), make_categories(b), {.permutations = 99}, {});
  EXPECT_TRUE(result.test.rejected);
  EXPECT_NEAR(result.test.statistic, 1 + (15.0 * 14 + 5 * 4) / 380 - 2.0 * 5 / 20, 1e-12);
}

TEST(TwoSample, DegenerateSamples) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  EXPECT_ERROR(two_sample_test(kernel, random_samples(1, 2, 1), random_samples(5, 2, 1), {}, {}), DataError,
               "samples of 1 and 5 rows");
  EXPECT_ERROR(two_sample_test(kernel, random_samples(0, 2, 1), random_samples(0, 2, 1), {}, {}), DataError,
               "samples of 0 and 0 rows");
  EXPECT_ERROR(two_sample_test(kernel, random_samples(5, 3, 1), random_samples(5, 2, 1), {}, {}), InvalidArgument,
               "samples of 3 and 2 columns cannot be joined");
  EXPECT_ERROR(two_sample_test(kernel, random_samples(5, 2, 1), random_samples(5, 2, 1),
                               {.statistic = MmdStatistic::block, .block_size = 4}, {}),
               InvalidArgument, "blocks of 4 rows, where the smaller sample has 5");
  EXPECT_ERROR(two_sample_test(kernel, random_samples(5, 2, 1), random_samples(5, 2, 1), {.level = 1}, {}),
               InvalidArgument, "level = 1");
  EXPECT_ERROR(two_sample_test(kernel, random_samples(5, 2, 1), random_samples(5, 2, 1), {.permutations = 0}, {}),
               InvalidArgument, "permutations = 0");
  // Constant samples: every split is the same.
  const Samples equal = make_dense(std::vector<double>(6, 1.0), 6, 1);
  EXPECT_EQ(two_sample_test(kernel, equal, equal, {}, {}).test.p_value, 1);
  EXPECT_EQ(two_sample_test(kernel, equal, equal, {.statistic = MmdStatistic::linear}, {}).test.p_value, 1);
}

TEST(TestResult, PermutationsCountTheStatisticItself) {
  const std::vector<double> null = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  const TestResult middle = judge_by_permutations(0.75, null, 0.3);
  EXPECT_NEAR(middle.p_value, 0.3, 1e-15);
  EXPECT_TRUE(middle.rejected);
  EXPECT_EQ(middle.threshold, 0.7);
  EXPECT_FALSE(judge_by_permutations(0.7, null, 0.3).rejected);
  EXPECT_TRUE(judge_by_permutations(0.71, null, 0.3).rejected);
  // Nine permutations cannot reject at 5 %.
  EXPECT_FALSE(judge_by_permutations(5, null, 0.05).rejected);
  EXPECT_TRUE(std::isinf(judge_by_permutations(5, null, 0.05).threshold));
  EXPECT_NEAR(middle.null.mean, 0.5, 1e-15);
  EXPECT_ERROR(judge_by_permutations(std::nan(""), null, 0.05), NumericalError, "a test statistic is not finite");
}

TEST(TestResult, NormalTail) {
  const std::vector<double> values = {1, 2, 3};
  const TestResult result = judge_by_normal(values, 0.025);
  EXPECT_NEAR(result.statistic, 2, 1e-15);
  EXPECT_NEAR(result.null.deviation, 1 / std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(result.threshold, 1.959963984540054 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(result.p_value, 0.5 * std::erfc(2 * std::sqrt(3.0) / std::sqrt(2.0)), 1e-12);
  const std::vector<double> one = {1};
  EXPECT_ERROR(judge_by_normal(one, 0.05), InvalidArgument, "a normal null distribution needs two blocks or more");
}

}  // namespace
}  // namespace mercer
