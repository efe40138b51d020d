#include "mercer/data/coding.h"
#include "mercer/data/columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/constant_columns.h"
#include "mercer/data/preparation.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr CodingRule coded{.missing = MissingRule::indicator, .unnamed = CodingRule::Unnamed::coded};

Samples table_of(std::vector<double> ages, std::vector<std::string> towns) {
  const auto rows = static_cast<Index>(ages.size());
  return make_table(Table(make_dense(std::move(ages), rows, 1), {"age"}, {{"town", make_categories(towns)}}));
}

struct Coded {
  SchemaCoding fitted;
  Samples samples;
};

Coded code(const CodingRule& rule, const Samples& raw, std::span<const double> weights = {}) {
  Coded result{fit_coding(rule, schema_of(raw), {raw, weights}), {}};
  result.samples = result.fitted.coding.apply(apply_schema(raw, result.fitted.schema), result.fitted.schema);
  return result;
}

std::vector<double> row_of(const Samples& samples, Index i) {
  const Samples dense = to_dense<double>(samples.kind() == SampleKind::table ? samples.table().numeric() : samples);
  const auto& rows = dense.as<DenseRows<double>>();
  std::vector<double> row;
  for (Index j = 0; j < rows.columns; ++j) {
    row.push_back(rows(i, j));
  }
  return row;
}

std::vector<std::string> names_of(const Samples& samples) {
  const auto names = samples.table().numeric_names();
  return {names.begin(), names.end()};
}

TEST(Coding, ACategoryHasOneColumnPerLevelBesideTheNumbers) {
  const Coded result = code(coded, table_of({1, 2, 4}, {"ulm", "bern", "ulm"}));
  EXPECT_EQ(names_of(result.samples), (std::vector<std::string>{"age", "town=ulm", "town=bern"}));
  EXPECT_EQ(row_of(result.samples, 0), (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(row_of(result.samples, 1), (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(row_of(result.samples, 2), (std::vector<double>{4, 1, 0}));
  EXPECT_EQ(result.samples.table().indicators(), 2);
  EXPECT_TRUE(result.samples.table().others().empty());
}

TEST(Coding, MissingNumbersAreTheMedianAndSayTheyWereMissing) {
  const Coded result = code(coded, table_of({3, none, 1, 10}, {"a", "b", "", "a"}));
  EXPECT_EQ(names_of(result.samples),
            (std::vector<std::string>{"age", "age is missing", "town=a", "town=b", "town is missing"}));
  EXPECT_EQ(row_of(result.samples, 1), (std::vector<double>{3, 1, 0, 1, 0}));
  EXPECT_EQ(row_of(result.samples, 2), (std::vector<double>{1, 0, 0, 0, 1}));
  EXPECT_EQ(describe(result.fitted.schema, result.fitted.coding),
            "2 columns: 1 number, 1 category (3 levels); missing: age 1, town 1");
}

TEST(Coding, MediansOfEvenCountsLieBetweenAndWeightsRepeatRows) {
  const Samples raw = table_of({1, 2, 5, none, 100}, {"a", "b", "a", "b", "a"});
  const auto median = [&](std::vector<double> weights) {
    return code(coded, raw, weights).fitted.coding.numbers.front().fill;
  };
  EXPECT_EQ(median({}), 3.5);                // of 1 2 5 100
  EXPECT_EQ(median({1, 1, 1, 1, 0}), 2);     // of 1 2 5
  EXPECT_EQ(median({3, 1, 1, 9, 0}), 1);     // of 1 1 1 2 5
  EXPECT_EQ(median({1, 1, 1, 0, 3}), 52.5);  // of 1 2 5 100 100 100
}

TEST(Coding, RowsThatDoNotCountSayNothing) {
  const std::vector<double> weights = {1, 1, 0};
  const Coded result = code(coded, table_of({1, 2, none}, {"a", "b", "c"}), weights);
  EXPECT_EQ(names_of(result.samples), (std::vector<std::string>{"age", "town=a", "town=b"}));
  EXPECT_EQ(row_of(result.samples, 2), (std::vector<double>{1.5, 0, 0}));
}

TEST(Coding, AnUnknownLevelIsNoLevelAndIsCountedInOneWarning) {
  const Coded result = code(coded, table_of({1, 2, 3}, {"a", "b", "a"}));
  std::vector<std::string> warnings;
  const class Run run(RunOptions{.log = [&](LogLevel, std::string_view text) { warnings.emplace_back(text); }});
  const Samples fresh = table_of({7, none, 9}, {"c", "b", "d"});
  const Samples samples =
      result.fitted.coding.apply(apply_schema(fresh, result.fitted.schema), result.fitted.schema, run);
  EXPECT_EQ(row_of(samples, 0), (std::vector<double>{7, 0, 0}));
  EXPECT_EQ(row_of(samples, 1), (std::vector<double>{2, 0, 1}));  // the median of the training rows
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front(), "rows with levels that the training rows did not have, which count as no level: town 2");
}

TEST(Coding, ColumnsOfOneValueAndTextsAreLeftOutAndSaid) {
  const std::vector<std::string> texts = {"a long story", "another one", "a long story"};
  const std::vector<std::string> names = {"ann", "bob", "cy"};
  const Samples raw = make_table(Table(make_dense(std::vector<double>{1, 5, none, 2, 5, none, 3, 5, none}, 3, 3),
                                       {"x", "five", "nothing"},
                                       {{"story", make_strings(texts)},
                                        {"name", make_strings(names)},
                                        {"same", make_categories(std::vector<std::string>(3, "s"))}}));
  const Coded result = code(coded, raw);
  EXPECT_EQ(names_of(result.samples), (std::vector<std::string>{"x"}));
  EXPECT_EQ(result.fitted.schema.columns.size(), 1U);
  EXPECT_EQ(describe(result.fitted.schema, result.fitted.coding),
            "6 columns: 1 number; left out: five (constant), nothing (empty), story (text), name (unique), same "
            "(constant)");
}

TEST(Coding, ConstantsStayWhereTheyAreToBeKeptAndEmptyColumnsGo) {
  const Samples raw = make_table(
      Table(make_dense(std::vector<double>{1, 5, none, 2, 5, none, 3, 5, none}, 3, 3), {"x", "five", "nothing"}, {}));
  CodingRule rule = coded;
  rule.constants = CodingRule::Constants::kept;
  const Coded result = code(rule, raw);
  EXPECT_EQ(names_of(result.samples), (std::vector<std::string>{"x", "five"}));
  EXPECT_EQ(describe(result.fitted.schema, result.fitted.coding), "3 columns: 2 numbers; left out: nothing (empty)");
}

TEST(Coding, NamedColumnsStayBesideTheNumbers) {
  CodingRule rule = coded;
  rule.named = {"town"};
  const Coded result = code(rule, table_of({1, 2, 4}, {"ulm", "bern", "ulm"}));
  ASSERT_EQ(result.samples.table().others().size(), 1U);
  EXPECT_EQ(result.samples.table().others().front().name, "town");
  EXPECT_EQ(result.samples.table().indicators(), 2);
}

// Where nothing else is coded: kernels on vectors that name a category see its levels, others the category.
TEST(Coding, SubscriptsOfKernelsOnVectorsSeeLevels) {
  CodingRule rule;
  rule.in_subscripts = {"age", "town"};
  const Coded result = code(rule, table_of({1, 2, 4}, {"ulm", "bern", "ulm"}));
  EXPECT_EQ(result.fitted.coding.in_subscripts, (std::vector<std::string>{"town"}));
  const ColumnSelection both{{ColumnName{"town"}, ColumnName{"age"}}};
  const Samples vectors = select_columns(result.samples, both, CategoriesAs::vectors);
  ASSERT_EQ(vectors.kind(), SampleKind::dense);
  EXPECT_EQ(row_of(vectors, 1), (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(selected_numeric_columns(result.samples, both, CategoriesAs::vectors), (std::vector<Index>{0, 1, 2}));
  const Samples beside = select_columns(result.samples, both, CategoriesAs::both);
  EXPECT_EQ(row_of(beside, 1), (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(beside.table().indicators(), 2);
  EXPECT_EQ(beside.table().others().size(), 1U);
  const Samples columns = select_columns(result.samples, both);
  EXPECT_EQ(row_of(columns, 1), (std::vector<double>{2}));
  EXPECT_EQ(columns.table().others().size(), 1U);
  EXPECT_EQ(select_columns(result.samples, {{ColumnName{"town"}}}).kind(), SampleKind::categories);
  EXPECT_EQ(select_columns(result.samples, {{ColumnName{"town"}}}, CategoriesAs::vectors).columns(), 2);
}

TEST(Coding, ATableOfConstantsKeepsThem) {
  const Samples raw = make_table(Table(make_dense(std::vector<double>{5, 5, 5}, 3, 1), {"five"}, {}));
  const Coded result = code(coded, raw);
  EXPECT_EQ(names_of(result.samples), (std::vector<std::string>{"five"}));
  EXPECT_TRUE(result.fitted.coding.left_out.empty());
  EXPECT_EQ(said_of_constants({.schema = result.fitted.schema, .coding = result.fitted.coding}, raw),
            "every column that is used holds one value (five), so that nothing tells rows apart");
  const Samples varied = table_of({1, 2}, {"ulm", "ulm"});
  const Coded kept = code(coded, varied);
  EXPECT_EQ(said_of_constants({.schema = kept.fitted.schema, .coding = kept.fitted.coding}, varied), "");
}

TEST(Coding, ATableOfConstantCategoriesIsRefused) {
  const Samples raw = make_table(Table(make_dense(Matrix<double>(2, 0)), {},
                                       {{"town", make_categories(std::vector<std::string>{"ulm", "ulm"})},
                                        {"job", make_categories(std::vector<std::string>{"cook", "cook"})}}));
  EXPECT_ERROR(code(coded, raw), DataError,
               "no column is left for the model; left out: town (constant), job (constant)");
}

TEST(Coding, ATableOfTextsKeepsThem) {
  const std::vector<std::string> texts = {"a long story", "another one", "a long story"};
  const std::vector<std::string> names = {"ann", "bob", "cy"};
  const Samples raw = make_table(
      Table(make_dense(Matrix<double>(3, 0)), {}, {{"story", make_strings(texts)}, {"name", make_strings(names)}}));
  const Coded result = code(coded, raw);
  ASSERT_EQ(result.samples.table().others().size(), 2U);
  EXPECT_EQ(result.samples.table().others()[1].name, "name");
  EXPECT_TRUE(result.fitted.coding.left_out.empty());
}

TEST(Coding, RareLevelsShareOneColumn) {
  CodingRule rule = coded;
  rule.most_levels = 2;
  const Coded result = code(rule, table_of({1, 2, 3, 4, 5, 6}, {"a", "b", "b", "c", "c", "d"}));
  EXPECT_EQ(names_of(result.samples), (std::vector<std::string>{"age", "town=b", "town=c", "town=(other)"}));
  EXPECT_EQ(row_of(result.samples, 0), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(row_of(result.samples, 5), (std::vector<double>{6, 0, 0, 1}));
  EXPECT_EQ(row_of(result.samples, 3), (std::vector<double>{4, 0, 1, 0}));
}

// Memory of a matrix is what was there before.
TEST(Coding, IndicatorsAreZeroWhateverTheirMemoryHeld) {
  const Samples raw = table_of(std::vector<double>(50, 3.0), [] {
    std::vector<std::string> towns;
    for (int i = 0; i < 50; ++i) {
      towns.push_back(std::string(1, static_cast<char>('a' + i % 5)));
    }
    return towns;
  }());
  CodingRule rule = coded;
  rule.named = {"age"};
  for (int repeat = 0; repeat < 3; ++repeat) {
    {
      std::vector<Matrix<double>> earlier;
      for (int i = 0; i < 20; ++i) {
        earlier.emplace_back(50, 6);
        std::fill(earlier.back().data(), earlier.back().data() + 300, 1e300);
      }
    }
    const Coded result = code(rule, raw);
    for (Index i = 0; i < 50; ++i) {
      std::vector<double> expected(6, 0.0);
      expected[0] = 3;
      expected[1 + i % 5] = 1;
      ASSERT_EQ(row_of(result.samples, i), expected);
    }
  }
}

TEST(Coding, IndicatorsHaveNamesOfTheirOwn) {
  const Samples raw = make_table(Table(make_dense(std::vector<double>{1, 2, 3, 4}, 2, 2), {"town=a", "x"},
                                       {{"town", make_categories(std::vector<std::string>{"a", "b"})}}));
  EXPECT_EQ(names_of(code(coded, raw).samples), (std::vector<std::string>{"town=a", "x", "town=a'", "town=b"}));
}

TEST(Coding, RowsWithoutNamesAreFilledToo) {
  const Coded result = code(coded, make_dense(std::vector<double>{1, 7, none, 7, 3, 7}, 3, 2));
  EXPECT_EQ(row_of(result.samples, 1), (std::vector<double>{2, 7, 1}));
  EXPECT_EQ(row_of(result.samples, 2), (std::vector<double>{3, 7, 0}));
}

TEST(Coding, ScalingLeavesIndicatorsAlone) {
  const Samples raw = table_of({1, 2, none, 9}, {"a", "b", "a", "a"});
  for (const char* rule : {"standard", "maxabs", "robust", "minmax:-1,1", "none", "deviation"}) {
    const Preparation preparation = fit_preparation(schema_of(raw), coded, parse_scaling(rule), raw);
    const Samples samples = preparation.apply(raw);
    const std::vector<double> row = row_of(samples, 2);
    EXPECT_EQ((std::vector<double>{row.begin() + 1, row.end()}), (std::vector<double>{1, 1, 0})) << rule;
    EXPECT_EQ(preparation.numeric_names(), names_of(samples)) << rule;
  }
}

// Columns without names stay where they are, also those that tell nothing.
TEST(Coding, AColumnWithoutAValueThatHasToStayIsZero) {
  const Samples raw = make_dense(std::vector<double>{1, none, 3, none}, 2, 2);
  const Preparation preparation = fit_preparation(schema_of(raw), coded, parse_scaling("none"), raw);
  EXPECT_EQ(row_of(preparation.apply(raw), 0), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(row_of(preparation.apply(make_dense(std::vector<double>{none, 5}, 1, 2)), 0),
            (std::vector<double>{2, 5, 0}));
}

// Squared distances of coded rows, from the definition: numbers differ by their difference, categories by 2 where they
// differ and both were known, by 1 where one was.
TEST(Coding, DistancesAreSumsOverColumns) {
  RandomStream random(7);
  std::vector<double> ages;
  std::vector<std::string> towns;
  for (int i = 0; i < 60; ++i) {
    ages.push_back(random.uniform() < 0.2 ? none : std::floor(10 * random.uniform()));
    towns.push_back(std::string(1, static_cast<char>('a' + static_cast<int>(5 * random.uniform()))));
  }
  const Samples raw = table_of(ages, towns);
  const Coded result = code(coded, raw);
  const double fill = result.fitted.coding.numbers.front().fill;
  for (Index i = 0; i < raw.size(); ++i) {
    for (Index j = 0; j < raw.size(); ++j) {
      const auto number = [&](Index r) { return std::isnan(ages[r]) ? fill : ages[r]; };
      const double missing = std::isnan(ages[i]) != std::isnan(ages[j]) ? 1 : 0;
      const double expected = std::pow(number(i) - number(j), 2) + missing + (towns[i] == towns[j] ? 0 : 2);
      double found = 0;
      const auto x = row_of(result.samples, i);
      const auto y = row_of(result.samples, j);
      for (std::size_t c = 0; c < x.size(); ++c) {
        found += (x[c] - y[c]) * (x[c] - y[c]);
      }
      EXPECT_DOUBLE_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace mercer
