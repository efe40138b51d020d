// Kernels that count the columns that differ, against the same count field by field over the samples themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/coordinate/count_differences.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cross;
using testing::gram;

// One field as a person reads it: a number, the name of a level, or nothing where the level is unknown.
using Field = std::optional<std::string>;

void append_fields(const Samples& column, std::vector<std::vector<Field>>& rows) {
  for (Index i = 0; i < column.size(); ++i) {
    if (column.kind() == SampleKind::categories) {
      const auto& categories = column.as<CategoryRows>();
      const std::int32_t code = categories.codes[i];
      rows[i].push_back(code < 0 ? Field() : Field("level " + categories.levels[code]));
      continue;
    }
    const auto& numbers = column.as<DenseRows<double>>();
    for (Index c = 0; c < numbers.columns; ++c) {
      rows[i].push_back(std::to_string(numbers(i, c)));
    }
  }
}

std::vector<std::vector<Field>> fields_of(const Samples& samples) {
  std::vector<std::vector<Field>> rows(samples.size());
  if (samples.kind() != SampleKind::table) {
    append_fields(samples, rows);
    return rows;
  }
  append_fields(samples.table().numeric(), rows);
  for (const Table::Column& column : samples.table().others()) {
    append_fields(column.values, rows);
  }
  return rows;
}

Index differing_fields(const std::vector<Field>& x, const std::vector<Field>& y) {
  Index count = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    count += x[c].has_value() && x[c] == y[c] ? 0 : 1;
  }
  return count;
}

// Categories of so many levels, about one in ten of them unknown; numbers are small integers.
struct Shape {
  std::vector<Index> levels;  // of the columns of categories
  Index numbers = 0;          // columns
  Index different_numbers = 5;
  double unknown = 0.1;
};

Samples random_samples(const Shape& shape, Index rows, std::uint64_t seed, const std::string& prefix = "l") {
  RandomStream random(seed);
  std::vector<double> numbers(static_cast<std::size_t>(rows * shape.numbers));
  for (double& number : numbers) {
    number = static_cast<double>(random.below(static_cast<std::uint64_t>(shape.different_numbers)));
  }
  std::vector<Table::Column> categories;
  for (std::size_t c = 0; c < shape.levels.size(); ++c) {
    std::vector<std::string> names;
    for (Index level = 0; level < shape.levels[c]; ++level) {
      names.push_back(prefix + std::to_string(level));
    }
    std::vector<std::int32_t> codes(rows, -1);
    for (std::int32_t& code : codes) {
      if (!names.empty() && random.uniform() >= shape.unknown) {
        code = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(names.size())));
      }
    }
    categories.push_back({"c" + std::to_string(c), make_categories(std::move(codes), std::move(names))});
  }
  return make_table(Table(make_dense(std::move(numbers), rows, shape.numbers), {}, std::move(categories)));
}

void expect_brute_force(const Samples& samples) {
  const auto fields = fields_of(samples);
  const Matrix<double> hamming = gram("hamming(gamma=0.3)", samples);
  const Matrix<double> delta = gram("delta()", samples);
  const std::vector<double> diagonal = testing::diagonal(parse_kernel("hamming(gamma=0.3)"), samples);
  Index wrong = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    for (Index j = 0; j < samples.size(); ++j) {
      const Index differing = differing_fields(fields[i], fields[j]);
      wrong += hamming(i, j) != std::exp(-0.3 * static_cast<double>(differing)) ? 1 : 0;
      wrong += delta(i, j) != (differing == 0 ? 1.0 : 0.0) ? 1 : 0;
    }
    EXPECT_EQ(diagonal[i], hamming(i, i)) << i;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Hamming, IsTheCountFieldByField) {
  for (const Shape& shape : {Shape{.levels = {7}}, Shape{.levels = {2, 9, 16, 7, 15, 6, 5, 42}},
                             Shape{.levels = {3, 4}, .numbers = 3}, Shape{.levels = {}, .numbers = 2}}) {
    for (const Index rows : {1, 2, 127, 128, 129, 300}) {
      SCOPED_TRACE(std::to_string(shape.levels.size()) + " categories, " + std::to_string(rows) + " rows");
      expect_brute_force(random_samples(shape, rows, 7));
    }
  }
}

// One byte holds 254 levels beside what is unknown, two bytes 65534.
TEST(Hamming, TellsAnyNumberOfLevelsApart) {
  for (const Index levels : {254, 255, 256, 257, 1000, 65533, 65534, 65535, 65536}) {
    SCOPED_TRACE(levels);
    expect_brute_force(random_samples({.levels = {levels, 3, levels}}, 40, 8));
    // Every level once, all compared with one row: no two codes may be the same.
    std::vector<std::int32_t> codes(levels);
    std::vector<std::string> names;
    for (Index level = 0; level < levels; ++level) {
      codes[level] = static_cast<std::int32_t>(level);
      names.push_back(std::to_string(level));
    }
    const Samples all = make_categories(std::move(codes), std::move(names));
    const std::vector<Index> some = {0, 1, 253, levels - 1};
    const Matrix<double> k = cross(parse_kernel("delta()"), all.select(some), all);
    for (Index a = 0; a < k.rows(); ++a) {
      Index equal = 0;
      for (Index j = 0; j < levels; ++j) {
        equal += k(a, j) == 1 ? 1 : 0;
      }
      EXPECT_EQ(equal, 1) << some[a];
      EXPECT_EQ(k(a, some[a]), 1) << some[a];
    }
  }
}

TEST(Hamming, CountsAnyNumberOfColumns) {
  for (const Index columns : {254, 255, 256, 511, 700}) {
    SCOPED_TRACE(columns);
    expect_brute_force(random_samples({.levels = std::vector<Index>(columns, 2), .numbers = 3}, 20, 9));
    // All of them differ: the count does not wrap around.
    const Samples opposite = make_dense(std::vector<double>(static_cast<std::size_t>(columns), 0), 1, columns);
    const Samples reference = make_dense(std::vector<double>(static_cast<std::size_t>(columns), 1), 1, columns);
    EXPECT_EQ(cross(parse_kernel("hamming(gamma=0.01)"), opposite, reference)(0, 0),
              std::exp(-0.01 * static_cast<double>(columns)));
  }
}

TEST(Hamming, WhatIsUnknownEqualsNothing) {
  expect_brute_force(random_samples({.levels = {3, 300}, .unknown = 1.0}, 70, 10));
  expect_brute_force(random_samples({.levels = {0, 0}}, 5, 11));
  const Samples all_missing = random_samples({.levels = {3, 300}, .unknown = 1.0}, 4, 12);
  EXPECT_EQ(gram("hamming(gamma=1)", all_missing)(2, 2), std::exp(-2.0));
}

// Levels go by their names: another order, levels that the reference lacks, and levels that the others lack.
TEST(Hamming, OtherSamplesAreReadByTheReferencesLevels) {
  const Samples reference = random_samples({.levels = {6, 280}, .numbers = 1, .different_numbers = 300}, 150, 13);
  const Samples others = random_samples({.levels = {9, 270}, .numbers = 1, .different_numbers = 400}, 90, 14);
  const auto x = fields_of(others);
  const auto y = fields_of(reference);
  const Matrix<double> k = cross(parse_kernel("hamming(gamma=0.4)"), others, reference);
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.columns(); ++j) {
      ASSERT_EQ(k(i, j), std::exp(-0.4 * static_cast<double>(differing_fields(x[i], y[j])))) << i << ", " << j;
    }
  }
  const Samples strangers = random_samples({.levels = {6, 280}, .numbers = 1}, 9, 15, "other");
  const Matrix<double> apart = cross(parse_kernel("delta()"), strangers, reference);
  EXPECT_EQ(std::count(apart.data(), apart.data() + apart.rows() * apart.columns(), 0.0), 9 * 150);
}

// A number is what it is, whether the reference has it or not; a level that it does not have equals nothing.
TEST(Hamming, NewNumbersEqualEachOtherAndNewLevelsDoNot) {
  const Samples reference = make_dense(std::vector<double>{1, 10, 2, 20}, 2, 2);
  const Samples a = make_dense(std::vector<double>{3, 10, 4, 30, 5, 30}, 3, 2);
  const Samples b = make_dense(std::vector<double>{4, 30, 3, 10, 1, 40, -0.0, 30}, 4, 2);
  const PreparedKernel prepared(parse_kernel("hamming(gamma=1)"), reference, Precision::double_precision, {});
  const auto x = prepared.prepare(a, {});
  const auto y = prepared.prepare(b, {});
  Workspace workspace;
  const auto count = [&](const Prepared& rows, const Prepared& columns, IndexRange part, Index i, Index j) {
    TileContext<double> context(rows, {i, i + 1}, columns, part, workspace);
    Matrix<double> k(1, part.size());
    prepared.kernel().node().tile(context, k.view());
    return std::lround(-std::log(k(0, j - part.begin)));
  };
  const auto numbers_a = fields_of(a);
  const auto numbers_b = fields_of(b);
  for (const IndexRange part : {IndexRange{0, 3}, IndexRange{1, 3}, IndexRange{2, 3}}) {
    for (Index i = 0; i < 3; ++i) {
      for (Index j = part.begin; j < part.end; ++j) {
        EXPECT_EQ(count(*x, *y, part, i, j), differing_fields(numbers_a[i], numbers_b[j])) << i << ", " << j;
        EXPECT_EQ(count(*x, *x, part, i, j), differing_fields(numbers_a[i], numbers_a[j])) << i << ", " << j;
      }
    }
  }
  std::vector<double> diagonal(3);
  prepared.kernel().node().diagonal(*x, {0, 3}, diagonal);
  EXPECT_EQ(diagonal, std::vector<double>(3, 1.0));

  const Samples colors = make_categories({0, 1}, {"red", "green"});
  const PreparedKernel of_colors(parse_kernel("delta()"), colors, Precision::double_precision, {});
  const auto blue = of_colors.prepare(make_categories({0, 1}, {"blue", "red"}), {});
  TileContext<double> context(*blue, {0, 2}, *blue, {0, 2}, workspace);
  Matrix<double> k(2, 2);
  of_colors.kernel().node().tile(context, k.view());
  EXPECT_EQ(k(0, 0), 0);
  EXPECT_EQ(k(1, 1), 1);
}

TEST(Hamming, ZeroHasNoSign) {
  const Samples zeros = make_dense(std::vector<double>{0.0, -0.0, 1e-320}, 3, 1);
  const Matrix<double> k = gram("delta()", zeros);
  EXPECT_EQ(k(0, 1), 1);
  EXPECT_EQ(k(0, 2), 0);
}

// A tile is a part of the matrix, wherever it is cut and in either precision.
TEST(Hamming, TilesOfAnyShapeAgree) {
  const Samples samples = random_samples({.levels = {5, 300}, .numbers = 2}, 400, 16);
  const Matrix<double> whole = gram("hamming(gamma=0.7)", samples);
  const PreparedKernel prepared(parse_kernel("hamming(gamma=0.7)"), samples, Precision::single_precision, {});
  Workspace workspace;
  for (const IndexRange rows : {IndexRange{0, 1}, IndexRange{3, 260}, IndexRange{399, 400}}) {
    for (const IndexRange columns : {IndexRange{0, 400}, IndexRange{1, 2}, IndexRange{131, 390}, IndexRange{7, 7}}) {
      TileContext<float> context(prepared.reference(), rows, prepared.reference(), columns, workspace);
      Matrix<float> k(rows.size(), columns.size());
      prepared.kernel().node().tile(context, k.view());
      for (Index i = 0; i < rows.size(); ++i) {
        for (Index j = 0; j < columns.size(); ++j) {
          ASSERT_EQ(k(i, j), static_cast<float>(whole(rows.begin + i, columns.begin + j)));
        }
      }
    }
  }
}

TEST(Hamming, PreparesTheSameOnAnyNumberOfThreads) {
  const Samples samples = random_samples({.levels = {5, 300}, .numbers = 3, .different_numbers = 30000}, 40000, 17);
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 2, 3}) {
    const PreparedKernel prepared(parse_kernel("hamming(gamma=0.7)"), samples, Precision::double_precision,
                                  mercer::Run(RunOptions{.threads = threads}));
    Workspace workspace;
    TileContext<double> context(prepared.reference(), {39990, 40000}, prepared.reference(), {0, 4096}, workspace);
    Matrix<double> k(10, 4096);
    prepared.kernel().node().tile(context, k.view());
    found.emplace_back(k.data(), k.data() + 10 * 4096);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(Hamming, RefusesOtherColumnsThanItWasPreparedFor) {
  const Samples two = make_dense(std::vector<double>{1, 2}, 1, 2);
  EXPECT_ERROR(cross(parse_kernel("hamming()"), two, make_dense(std::vector<double>{1}, 1, 1)), DataError,
               "2 columns where the kernel was prepared for 1");
  EXPECT_ERROR(cross(parse_kernel("hamming()"), make_dense(std::vector<double>{1}, 1, 1), make_categories({0}, {"a"})),
               DataError, "holds numbers where the kernel was prepared for categories");
  EXPECT_ERROR(gram("delta()", make_dense(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}, 2, 1)),
               DataError, "must be finite");
}

template <class Code>
class AddDifferences : public ::testing::Test {};
using CodeTypes = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(AddDifferences, CodeTypes);

TYPED_TEST(AddDifferences, AddsToWhatIsThereAndWritesNothingElse) {
  RandomStream random(18);
  for (const Index columns : {1, 7, 255}) {
    for (const Index rows : {0, 1, 31, 32, 127, 128, 129, 300}) {
      const Index stride = 320;
      std::vector<TypeParam> y(static_cast<std::size_t>(columns * stride + rows_per_step));
      std::vector<TypeParam> x(static_cast<std::size_t>(columns));
      const auto largest = std::numeric_limits<TypeParam>::max();
      for (auto* const codes : {&x, &y}) {
        for (TypeParam& code : *codes) {
          code = random.uniform() < 0.5 ? TypeParam{0} : largest;
        }
      }
      std::vector<std::int32_t> counts(static_cast<std::size_t>(rows) + 1, 1000);
      add_differences(std::span<const TypeParam>(x), y.data(), stride,
                      std::span(counts).first(static_cast<std::size_t>(rows)));
      EXPECT_EQ(counts.back(), 1000);
      for (Index j = 0; j < rows; ++j) {
        std::int32_t wanted = 1000;
        for (Index c = 0; c < columns; ++c) {
          wanted += x[c] != y[c * stride + j] ? 1 : 0;
        }
        ASSERT_EQ(counts[j], wanted) << columns << " columns, row " << j << " of " << rows;
      }
    }
  }
}

}  // namespace
}  // namespace mercer
