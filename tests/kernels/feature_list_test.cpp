// Lists of features that merge while they grow, and tiles of explicit features: sums, bits, range, stops.
#include "mercer/kernels/feature_list.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <stop_token>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/keyed_rows.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/matrix.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// So many that a list merges several times; values whose sums round.
std::vector<KeyedFeature> many_features(std::size_t count, std::uint64_t keys, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<KeyedFeature> features;
  for (std::size_t f = 0; f < count; ++f) {
    features.push_back({random() % keys, uniform(random)});
  }
  return features;
}

TEST(FeatureList, MergesToTheSumsInTheOrderOfArrival) {
  const mercer::Run run;
  for (const std::uint64_t keys : {std::uint64_t{7}, std::uint64_t{50000}, std::uint64_t{1} << 40U}) {
    FeatureList list(run);
    std::map<std::uint64_t, double> expected;
    for (const KeyedFeature& feature : many_features(300000, keys, 1)) {
      list.add(feature.key, feature.value);
      expected[feature.key] += feature.value;
    }
    const auto merged = list.merged();
    ASSERT_EQ(merged.size(), expected.size());
    std::size_t at = 0;
    for (const auto& [key, value] : expected) {
      ASSERT_EQ(merged[at].key, key);
      ASSERT_EQ(merged[at++].value, value) << "to the last bit";
    }
  }
}

TEST(FeatureList, SectionsAreMergedApart) {
  const mercer::Run run;
  FeatureList list(run);
  std::map<std::uint64_t, double> expected;
  for (const KeyedFeature& feature : many_features(1000, 50, 2)) {
    list.add(feature.key, feature.value);
    expected[feature.key] += feature.value;
  }
  {
    FeatureSection section(list, EqualKeys::keep_first);
    std::map<std::uint64_t, double> first;
    for (const KeyedFeature& feature : many_features(200000, 300, 3)) {
      list.add(feature.key, feature.value);
      first.emplace(feature.key, feature.value);
    }
    const auto own = section.merged();
    ASSERT_EQ(own.size(), first.size());
    for (KeyedFeature& feature : own) {
      EXPECT_EQ(feature.value, first.at(feature.key));
      feature.value *= 2;
      expected[feature.key] += feature.value;
    }
  }
  {
    FeatureSection dropped(list);
    list.add(1, 1.0);
    dropped.clear();
  }
  const auto merged = list.merged();
  ASSERT_EQ(merged.size(), expected.size());
  for (const KeyedFeature& feature : merged) {
    EXPECT_NEAR(feature.value, expected.at(feature.key), 1e-12);
  }
}

TEST(FeatureList, NoticesAStop) {
  std::stop_source source;
  const mercer::Run run{{.threads = 1, .stop = source.get_token()}};
  FeatureList list(run);
  source.request_stop();
  EXPECT_ERROR(
      {
        for (std::uint64_t key = 0; key < (std::uint64_t{1} << 22U); ++key) {
          list.add(key, 1.0);
        }
      },
      Stopped, "stopped on request");
}

TEST(KeyedRows, SameBitsForFrequentAndRareFeatures) {
  // Every row of a block has the features; of one row alone they are rare: values that round must not differ.
  const mercer::Run run;
  const auto append = [](Index i, FeatureList& out) {
    for (std::uint64_t key = 0; key < 40; ++key) {
      out.add(key, std::sqrt(static_cast<double>(i % 7) + static_cast<double>(key)) / 3);
    }
  };
  const KeyedRows many(300, append, run);
  const KeyedRows one(1, append, run);
  Matrix<double> together(300, 300);
  KeyedRows::inner_products(many, {0, 300}, many, {0, 300}, together.view());
  for (Index j = 0; j < 300; ++j) {
    const KeyedRows alone(1, [&](Index, FeatureList& out) { append(j, out); }, run);
    Matrix<double> k(1, 1);
    KeyedRows::inner_products(one, {0, 1}, alone, {0, 1}, k.view());
    ASSERT_EQ(k(0, 0), together(0, j)) << j;
  }
}

TEST(KeyedRows, TilesNoticeAStop) {
  std::stop_source source;
  const mercer::Run run{{.threads = 1, .stop = source.get_token()}};
  const KeyedRows rows(
      256,
      [](Index /*i*/, FeatureList& out) {
        for (std::uint64_t key = 0; key < 600; ++key) {
          out.add(key, 1.0);
        }
      },
      run);
  source.request_stop();
  Matrix<double> k(256, 256);
  EXPECT_ERROR(KeyedRows::inner_products(rows, {0, 256}, rows, {0, 256}, k.view()), Stopped, "stopped on request");
}

template <class T>
Matrix<T> whole_tile(const Kernel& kernel, const Samples& samples, Precision precision) {
  const PreparedKernel prepared(kernel, samples, precision, mercer::Run());
  Workspace workspace;
  const IndexRange all{0, samples.size()};
  TileContext<T> context(prepared.reference(), all, prepared.reference(), all, workspace);
  Matrix<T> k(samples.size(), samples.size());
  prepared.kernel().node().tile(context, k.view());
  return k;
}

TEST(SinglePrecision, CountsBeyond24BitsAreExact) {
  // 5000² occurrences of one substring are 25 000 000, which adding ones in single precision cannot reach.
  const Samples samples = make_strings(std::vector<std::string>{std::string(5001, 'A'), std::string(5001, 'A')});
  const Matrix<float> k =
      whole_tile<float>(parse_kernel("spectrum(k=2, alphabet=dna)"), samples, Precision::single_precision);
  EXPECT_EQ(k(0, 1), 25000000.0F);
}

TEST(SinglePrecision, NormalizeDividesBeforeItRounds) {
  const Samples samples =
      make_strings(std::vector<std::string>{"ACGTACGTACGTACGTAC", "ACGTACGTACGTACGTAG", "TTTTTTTTTTTTTTTTTT"});
  for (const char* spec : {"normalize(subsequence(n=12, decay=0.01))",  // 1e-48
                           "normalize(0.5*local_alignment(beta=12, form=plain, scores=identity))"}) {
    SCOPED_TRACE(spec);
    const Matrix<float> narrow = whole_tile<float>(parse_kernel(spec), samples, Precision::single_precision);
    const Matrix<double> wide = whole_tile<double>(parse_kernel(spec), samples, Precision::double_precision);
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        EXPECT_NEAR(narrow(i, j), wide(i, j), 1e-6);
      }
    }
    EXPECT_NEAR(narrow(0, 0), 1, 1e-6);
    EXPECT_GT(narrow(0, 1), 0);
  }
}

TEST(SinglePrecision, ValuesBeyondItAreAnErrorAndNotInfinite) {
  const Samples samples = make_strings(std::vector<std::string>{"ACGTACGTACGTACGTAC", "ACGTACGTACGTACGTAG"});
  const Kernel kernel = parse_kernel("local_alignment(beta=12, form=plain, scores=identity)");
  EXPECT_GT(whole_tile<double>(kernel, samples, Precision::double_precision)(0, 0), 1e39);
  EXPECT_ERROR(whole_tile<float>(kernel, samples, Precision::single_precision), NumericalError,
               "of local_alignment for rows 0 and 0");
}

}  // namespace
}  // namespace mercer
