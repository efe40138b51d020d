// Random streams: the published Philox vectors, distributions against their moments and distribution functions,
// independence of streams, samples.
#include "mercer/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// Largest distance between the empirical and the true distribution function, times sqrt(n); above 1.95 with
// probability 0.001.
double kolmogorov_smirnov(std::vector<double> sample, const std::function<double(double)>& distribution) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = distribution(sample[i]);
    distance =
        std::max({distance, std::abs(f - static_cast<double>(i) / n), std::abs(f - static_cast<double>(i + 1) / n)});
  }
  return distance * std::sqrt(n);
}

template <class Draw>
std::vector<double> draw_many(int count, Draw draw) {
  std::vector<double> values(count);
  std::generate(values.begin(), values.end(), draw);
  return values;
}

// Known answers of the reference implementation (Random123's kat_vectors, philox4x32-10): counter and key all zeros
// give 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
TEST(RandomStream, KnownAnswers) {
  RandomStream zeros(0, 0);
  EXPECT_EQ(zeros.bits(), 0xe169c58d6627e8d5ULL);
  EXPECT_EQ(zeros.bits(), 0x9b00dbd8bc57ac4cULL);
}

TEST(RandomStream, RandomAccessMatchesSequence) {
  RandomStream random(123, 45);
  const RandomStream fresh(123, 45);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    ASSERT_EQ(random.bits(), fresh.at(k));
  }
}

TEST(RandomStream, UniformMomentsAndDistribution) {
  RandomStream random(1);
  const auto sample = draw_many(200000, [&] { return random.uniform(); });
  EXPECT_GT(*std::min_element(sample.begin(), sample.end()), 0.0);
  EXPECT_LT(*std::max_element(sample.begin(), sample.end()), 1.0);
  EXPECT_NEAR(std::accumulate(sample.begin(), sample.end(), 0.0) / 200000, 0.5, 4 * std::sqrt(1.0 / 12 / 200000));
  EXPECT_LT(kolmogorov_smirnov(sample, [](double x) { return x; }), 1.95);
}

TEST(RandomStream, NormalDistribution) {
  RandomStream random(2);
  const auto sample = draw_many(200000, [&] { return random.normal(); });
  EXPECT_LT(kolmogorov_smirnov(sample, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), 1.95);
  double fourth = 0;
  double lagged = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    fourth += std::pow(sample[i], 4);
    lagged += i > 0 ? sample[i] * sample[i - 1] : 0;
  }
  EXPECT_NEAR(fourth / 200000, 3.0, 4 * std::sqrt(96.0 / 200000));
  EXPECT_NEAR(lagged / 200000, 0.0, 4 * std::sqrt(1.0 / 200000));
}

TEST(RandomStream, GammaMoments) {
  for (const double shape : {0.1, 0.5, 1.0, 2.5, 30.0}) {
    RandomStream random(3, static_cast<std::uint64_t>(shape * 10));
    const auto sample = draw_many(100000, [&] { return random.gamma(shape); });
    const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / 100000;
    double variance = 0;
    for (const double x : sample) {
      variance += (x - mean) * (x - mean) / 100000;
    }
    EXPECT_NEAR(mean, shape, 4 * std::sqrt(shape / 100000)) << shape;
    EXPECT_NEAR(variance, shape, 4 * std::sqrt((2 * shape * shape + 6 * shape) / 100000)) << shape;
  }
  // Shape 1 is the exponential law; chi with two degrees is Rayleigh.
  RandomStream random(4);
  EXPECT_LT(
      kolmogorov_smirnov(draw_many(50000, [&] { return random.gamma(1); }), [](double x) { return -std::expm1(-x); }),
      1.95);
  EXPECT_LT(kolmogorov_smirnov(draw_many(50000, [&] { return random.chi(2); }),
                               [](double x) { return -std::expm1(-x * x / 2); }),
            1.95);
  EXPECT_LT(kolmogorov_smirnov(draw_many(50000, [&] { return random.cauchy(); }),
                               [](double x) { return 0.5 + std::atan(x) / M_PI; }),
            1.95);
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream random(5);
  EXPECT_EQ(random.below(1), 0U);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) {
    ++counts[random.below(7)];
  }
  double chi_squared = 0;
  for (const int count : counts) {
    chi_squared += (count - 10000.0) * (count - 10000.0) / 10000.0;
  }
  EXPECT_LT(chi_squared, 22.46);  // 6 degrees of freedom, probability 0.001
  // A bound over 2^63 makes the rejection frequent: about half of the results must lie in each half.
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 12345;
  int upper = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t value = random.below(bound);
    ASSERT_LT(value, bound);
    upper += value >= bound / 2 ? 1 : 0;
  }
  EXPECT_NEAR(upper, 5000, 200);
}

TEST(RandomStream, StreamsAndSeedsAreUncorrelated) {
  for (const auto& [first, second] :
       {std::pair{RandomStream(9, 0), RandomStream(9, 1)}, std::pair{RandomStream(9, 0), RandomStream(10, 0)},
        std::pair{RandomStream(0, 1), RandomStream(1, 0)}}) {
    RandomStream a = first;
    RandomStream b = second;
    double product = 0;
    for (int i = 0; i < 100000; ++i) {
      product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
    }
    EXPECT_NEAR(product / 100000, 0.0, 4.0 / 12 / std::sqrt(100000.0));
  }
}

TEST(Permutation, IsUniform) {
  RandomStream random(6);
  std::map<std::vector<Index>, int> counts;
  for (int i = 0; i < 24000; ++i) {
    ++counts[random_permutation(random, 4)];
  }
  ASSERT_EQ(counts.size(), 24U);
  double chi_squared = 0;
  for (const auto& [permutation, count] : counts) {
    chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  EXPECT_LT(chi_squared, 49.73);  // 23 degrees of freedom, probability 0.001
  EXPECT_TRUE(random_permutation(random, 0).empty());
}

TEST(Sample, WithoutReplacement) {
  RandomStream random(7);
  std::vector<int> counts(10);
  for (int trial = 0; trial < 20000; ++trial) {
    const auto sample = sample_without_replacement(random, 10, 3);
    ASSERT_EQ(std::set<Index>(sample.begin(), sample.end()).size(), 3U);
    for (const Index i : sample) {
      ++counts.at(static_cast<std::size_t>(i));
    }
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 6000, 4 * std::sqrt(20000 * 0.3 * 0.7));
  }
  auto all = sample_without_replacement(random, 50, 50);
  std::sort(all.begin(), all.end());
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(all[i], i);
  }
  EXPECT_EQ(sample_without_replacement(random, Index{1} << 60, 5).size(), 5U);
  EXPECT_TRUE(sample_without_replacement(random, 0, 0).empty());
  EXPECT_ERROR(sample_without_replacement(random, 3, 4), InvalidArgument, "sample size = 4");
  EXPECT_ERROR(sample_without_replacement(random, 3, -1), InvalidArgument, "sample size = -1");
}

}  // namespace
}  // namespace mercer
