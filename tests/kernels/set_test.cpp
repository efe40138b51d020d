// Kernels on sets, against definitions that enumerate: members, subsets, unions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/gram_values.h"
#include "kernels/law_objects.h"
#include "mercer/base/error.h"
#include "mercer/kernels/widths.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cross;
using testing::dense;
using testing::diagonal;
using testing::gram;

using Set = std::vector<std::int32_t>;

// Sets with members below 10, among them empty ones and copies.
std::vector<Set> random_sets(std::uint64_t seed, std::size_t n) {
  RandomStream random(seed, 3);
  std::vector<Set> sets(n);
  for (std::size_t i = 1; i < n; ++i) {
    for (std::int32_t member = 0; member < 10; ++member) {
      if (random.uniform() < 0.1 * static_cast<double>(i % 10)) {
        sets[i].push_back(member);
      }
    }
  }
  sets.push_back(sets[n / 2]);
  return sets;
}

double common(const Set& a, const Set& b) {
  return static_cast<double>(
      std::count_if(a.begin(), a.end(), [&](std::int32_t u) { return std::find(b.begin(), b.end(), u) != b.end(); }));
}

double together(const Set& a, const Set& b) {
  std::set<std::int32_t> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return static_cast<double>(all.size());
}

template <class Value>
void expect_gram(const std::string& spec, const std::vector<Set>& sets, Value value) {
  const Matrix<double> k = gram(spec, make_sets(sets));
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (std::size_t j = 0; j < sets.size(); ++j) {
      const double wanted = value(sets[i], sets[j]);
      EXPECT_NEAR(k(static_cast<Index>(i), static_cast<Index>(j)), wanted, 1e-13 * std::max(1.0, wanted))
          << spec << " " << i << " " << j;
    }
  }
}

TEST(SetKernels, AreTheirDefinitions) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const std::vector<Set> sets = random_sets(seed, 20);
    expect_gram("set_intersection()", sets, common);
    expect_gram("tanimoto()", sets,
                [](const Set& a, const Set& b) { return together(a, b) == 0 ? 1.0 : common(a, b) / together(a, b); });
    expect_gram("jaccard", sets,
                [](const Set& a, const Set& b) { return together(a, b) == 0 ? 1.0 : common(a, b) / together(a, b); });
    expect_gram("dice()", sets, [](const Set& a, const Set& b) {
      return a.empty() && b.empty() ? 1.0 : 2 * common(a, b) / static_cast<double>(a.size() + b.size());
    });
    expect_gram("normalize(set_intersection())", sets, [](const Set& a, const Set& b) {
      return a.empty() || b.empty() ? 0.0 : common(a, b) / std::sqrt(static_cast<double>(a.size() * b.size()));
    });
  }
}

// Σ over all U of {0, …, 9} of 1[U⊆A] 1[U⊆B] (base − 1)^|U|.
double over_the_power_set(const Set& a, const Set& b, double base) {
  const auto bits = [](const Set& set) {
    unsigned mask = 0;
    for (const std::int32_t member : set) {
      mask |= 1U << member;
    }
    return mask;
  };
  double sum = 0;
  for (unsigned u = 0; u < 1024; ++u) {
    if ((u & ~bits(a)) == 0 && (u & ~bits(b)) == 0) {
      sum += std::pow(base - 1, std::popcount(u));
    }
  }
  return sum;
}

TEST(Subsets, CountsThePowerSet) {
  const std::vector<Set> sets = random_sets(5, 12);
  expect_gram("subsets()", sets, [](const Set& a, const Set& b) { return over_the_power_set(a, b, 2); });
  expect_gram("subsets(base=1.5)", sets, [](const Set& a, const Set& b) { return over_the_power_set(a, b, 1.5); });
  expect_gram("subsets(base=1)", sets, [](const Set&, const Set&) { return 1.0; });
  expect_gram("subsets(form=normalized)", sets, [](const Set& a, const Set& b) {
    return over_the_power_set(a, b, 2) / std::sqrt(over_the_power_set(a, a, 2) * over_the_power_set(b, b, 2));
  });
  // Empty sets share the empty set.
  EXPECT_EQ(gram("subsets()", make_sets(std::vector<Set>{{}, {}, {4}}))(0, 1), 1);
  EXPECT_EQ(gram("subsets()", make_sets(std::vector<Set>{{}, {}, {4}}))(0, 2), 1);
}

Set first_numbers(std::int32_t begin, std::int32_t end) {
  Set set;
  for (std::int32_t member = begin; member < end; ++member) {
    set.push_back(member);
  }
  return set;
}

TEST(Subsets, LargeSetsNeedTheNormalizedForm) {
  // 5000 members each, all but six in common: 2^−3.
  const Samples large = make_sets(std::vector<Set>{first_numbers(0, 5000), first_numbers(3, 5003)});
  EXPECT_NEAR(gram("subsets(form=normalized)", large)(0, 1), 0.125, 1e-13);
  EXPECT_EQ(gram("subsets(form=normalized)", large)(0, 0), 1);
  EXPECT_ERROR(gram("normalize(subsets())", large), DataError, "form=normalized");
  // What fits double need not fit float.
  const Samples medium = make_sets(std::vector<Set>{first_numbers(0, 500), first_numbers(3, 503)});
  EXPECT_EQ(gram("subsets()", medium)(0, 1), std::pow(2.0, 497));
  EXPECT_ERROR(PreparedKernel(parse_kernel("subsets()"), medium, Precision::single_precision, mercer::Run()), DataError,
               "subsets: a set of 500 members has more subsets than a number of this");
  EXPECT_ERROR(parse_kernel("subsets(base=0.5)"), InvalidArgument, "kernel spec: subsets: base = 0.5");
}

// Vectors of zeros and ones that say which members a set has.
std::vector<std::vector<double>> indicators(const std::vector<Set>& sets) {
  std::vector<std::vector<double>> rows;
  for (const Set& set : sets) {
    rows.emplace_back(10, 0.0);
    for (const std::int32_t member : set) {
      rows.back()[member] = 1;
    }
  }
  return rows;
}

TEST(OverlapKernels, IndicatorVectorsGiveTheValuesOfTheirSets) {
  const std::vector<Set> sets = random_sets(7, 15);
  const Samples vectors = dense(indicators(sets));
  std::vector<double> ones;
  std::vector<std::int32_t> members;
  std::vector<std::int64_t> offsets = {0};
  for (const Set& set : sets) {
    members.insert(members.end(), set.begin(), set.end());
    ones.resize(members.size(), 1.0);
    offsets.push_back(static_cast<std::int64_t>(members.size()));
  }
  const Samples sparse = make_sparse(ones, members, offsets, 10);
  for (const char* spec : {"tanimoto()", "dice()"}) {
    const Matrix<double> of_sets = gram(spec, make_sets(sets));
    const Matrix<double> of_vectors = gram(spec, vectors);
    const Matrix<double> of_sparse = gram(spec, sparse);
    const Matrix<double> mixed = cross(parse_kernel(spec), sparse, vectors);
    for (Index i = 0; i < of_sets.rows() * of_sets.columns(); ++i) {
      EXPECT_NEAR(of_vectors.data()[i], of_sets.data()[i], 1e-14);
      EXPECT_NEAR(of_sparse.data()[i], of_sets.data()[i], 1e-14);
      EXPECT_NEAR(mixed.data()[i], of_sets.data()[i], 1e-14);
    }
  }
}

TEST(OverlapKernels, RealVectorsAreWelcome) {
  RandomStream random(11, 0);
  std::vector<std::vector<double>> rows(40, std::vector<double>(3));
  for (auto& row : rows) {
    for (double& value : row) {
      value = random.normal();
    }
  }
  rows[7] = {0, 0, 0};
  rows[8] = {1e-160, 0, 0};
  rows[9] = {1e8, -1e8, 1};
  const Matrix<double> tanimoto = gram("tanimoto()", dense(rows));
  const Matrix<double> dice = gram("dice()", dense(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      double s = 0;
      double a = 0;
      double b = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        s += rows[i][c] * rows[j][c];
        a += rows[i][c] * rows[i][c];
        b += rows[j][c] * rows[j][c];
      }
      const auto row = static_cast<Index>(i);
      const auto column = static_cast<Index>(j);
      EXPECT_NEAR(tanimoto(row, column), a + b == 0 ? 1.0 : s / (a + b - s), 1e-13);
      EXPECT_NEAR(dice(row, column), a + b == 0 ? 1.0 : 2 * s / (a + b), 1e-13);
    }
  }
  EXPECT_GE(testing::smallest_eigenvalue(tanimoto), -1e-12);
  EXPECT_GE(testing::smallest_eigenvalue(dice), -1e-12);
  EXPECT_ERROR(gram("tanimoto()", dense({{1e200, 1}, {1, 1}})), DataError,
               "row 0 (counted from 0) is so large that its squared length overflows");
  EXPECT_ERROR(gram("dice()", dense({{std::nan(""), 1}, {1, 1}})), DataError, "row 0, column 0 is NaN");
}

TEST(SetKernels, RefuseOtherSamplesAndSayWhatTheyTake) {
  const Samples texts = make_strings(std::vector<std::string>{"a", "b"});
  const Samples sets = make_sets(std::vector<Set>{{1}, {1, 2}});
  for (const char* spec : {"set_intersection()", "subsets()", "tanimoto()", "dice()"}) {
    EXPECT_ERROR(gram(spec, texts), InvalidArgument, "these samples are of kind 'strings'") << spec;
  }
  EXPECT_ERROR(gram("subsets()", dense({{1, 0}, {1, 1}})), InvalidArgument, "subsets compares sets of whole numbers");
  EXPECT_ERROR(cross(parse_kernel("tanimoto()"), dense({{1, 0}}), sets), InvalidArgument,
               "tanimoto: these samples are of kind 'dense'");
  EXPECT_ERROR(cross(parse_kernel("tanimoto()"), sets, dense({{1, 0}})), InvalidArgument,
               "tanimoto: these samples are of kind 'sets'");
}

TEST(SetKernels, ManySetsAgreeWithPairsInSinglePrecision) {
  RandomStream random(13, 0);
  const Samples sets = testing::law_sets(600, random);
  const Kernel kernel = parse_kernel("tanimoto()");
  const PreparedKernel prepared(kernel, sets, Precision::single_precision, mercer::Run());
  Workspace workspace;
  TileContext<float> context(prepared.reference(), {100, 400}, prepared.reference(), {0, 600}, workspace);
  Matrix<float> k(300, 600);
  kernel.node().tile(context, k.view());
  const auto& rows = sets.as<SetRows>();
  for (Index i = 0; i < 300; i += 7) {
    for (Index j = 0; j < 600; ++j) {
      const Set a(rows[100 + i].begin(), rows[100 + i].end());
      const Set b(rows[j].begin(), rows[j].end());
      EXPECT_NEAR(k(i, j), together(a, b) == 0 ? 1.0 : common(a, b) / together(a, b), 1e-6);
    }
  }
}

}  // namespace
}  // namespace mercer
