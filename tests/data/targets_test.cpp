#include "mercer/data/targets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/numbered_column.h"
#include "mercer/data/schema.h"
#include "mercer/data/weighted_samples.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(Targets, NumbersServeBothTasks) {
  const Targets targets = Targets::numeric({10, -1, 2, 10}, "y");
  EXPECT_TRUE(targets.is_numeric());
  EXPECT_EQ(targets.values()(2, 0), 2);
  const ClassLabels labels = targets.labels();
  EXPECT_EQ(labels.levels, (std::vector<std::string>{"-1", "2", "10"}));
  EXPECT_EQ(labels.codes, (std::vector<std::int32_t>{2, 0, 1, 2}));
  EXPECT_EQ(targets.labels(0, std::vector<std::string>{"+10", "2.0"}).codes, (std::vector<std::int32_t>{0, -1, 1, 0}));
  EXPECT_ERROR(targets.labels(1), InvalidArgument, "output 1 was asked of 1 target columns");
}

TEST(Targets, TextsAreClasses) {
  const Targets targets = Targets::classes(std::vector<std::string>{"b", "a", "b"}, "kind");
  EXPECT_FALSE(targets.is_numeric());
  EXPECT_EQ(targets.labels().codes, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_ERROR(targets.values(), DataError, "target 'kind' holds labels such as 'a'");
  const Targets chosen = targets.select(std::vector<Index>{2, 2, 1});
  EXPECT_EQ(chosen.labels().codes, (std::vector<std::int32_t>{1, 1, 0}));
  EXPECT_ERROR(targets.select(std::vector<Index>{3}), InvalidArgument, "row number 3 is outside the 3 targets");
  EXPECT_EQ(sorted_levels({"10", "9", "-1", "9"}), (std::vector<std::string>{"-1", "9", "10"}));
  EXPECT_EQ(sorted_levels({"10", "9", "x"}), (std::vector<std::string>{"10", "9", "x"}));
}

TEST(Targets, LabelsBesideNumbersSurviveSelection) {
  TargetColumn column;
  column.name = "y";
  column.values = {7, 1, 7};
  column.labels = {{0, 1, 2}, {"007", "1", "7"}};
  const Targets chosen = Targets({column}).select(std::vector<Index>{0, 2});
  EXPECT_EQ(chosen.labels().codes, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(chosen.values()(1, 0), 7);
  EXPECT_EQ(chosen.label_kind(), LabelKind::text);
}

TEST(Targets, FiniteValuesNameTheOutputAndTheRowThatHasNone) {
  const TargetColumn price{.name = "price", .values = {1, NAN, 3, -INFINITY}, .labels = {}};
  const TargetColumn nameless{.name = {}, .values = {4, 5, NAN, 7}, .labels = {}};
  const Targets targets({price, nameless});
  const std::vector<Index> rows = {0, 0};
  EXPECT_EQ(nameless.finite_values(std::vector<Index>{0, 3}), (std::vector<double>{4, 7}));
  EXPECT_EQ(targets.finite_values(rows)(1, 1), 4);
  EXPECT_EQ(targets.finite_values({}).columns(), 2);
  EXPECT_ERROR(targets.finite_values(std::vector<Index>{0, 1}), DataError,
               "the target 'price' of row 1 (counted from 0) is nan; targets must be finite numbers");
  EXPECT_ERROR(targets.finite_values(std::vector<Index>{3}), DataError, "of row 3 (counted from 0) is -inf");
  EXPECT_ERROR(targets.finite_values(std::vector<Index>{2}), DataError,
               "the target of row 2 (counted from 0) is nan; targets must be finite numbers");
  const Targets labels = Targets::classes(std::vector<std::string>{"b", "a"}, "kind");
  EXPECT_ERROR(labels.finite_values(rows), DataError, "target 'kind' holds labels such as 'a'");
}

TEST(NumberedColumn, OnlyItsOwnNamesAreReadBack) {
  EXPECT_EQ(numbered_column_name(4), "column 4");
  EXPECT_EQ(numbered_column(numbered_column_name(0)), 0);
  EXPECT_EQ(numbered_column(numbered_column_name(123)), 123);
  for (const char* const name : {"", "column ", "column", "4", "column x", "column 4 ", "column +4", "column -4",
                                 "column 04", "a column 4", "column 4.0"}) {
    EXPECT_FALSE(numbered_column(name)) << name;
  }
}

TEST(WeightedSamples, CountedRowsAndTheirWeights) {
  const Samples x = make_dense(std::vector<double>{1, 2, 3}, 3, 1);
  const std::vector<double> weights = {2, 0, 0.5};
  const std::vector<Index> rows = counted_row_numbers({x, weights}, "test");
  EXPECT_EQ(rows, (std::vector<Index>{0, 2}));
  EXPECT_EQ(counted_samples(x, rows).as<DenseRows<double>>()(1, 0), 3);
  const std::vector<Index> all = counted_row_numbers(x, "test");
  EXPECT_EQ(counted_samples(x, all).as<DenseRows<double>>().data, x.as<DenseRows<double>>().data);  // no copy
  EXPECT_EQ(weights_or_ones(weights, rows), (std::vector<double>{2, 0.5}));
  EXPECT_EQ(weights_or_ones({}, rows), (std::vector<double>{1, 1}));
}

TEST(Samples, OnlyRealVectorsAreVisitedAsNumbers) {
  const auto columns = [](const auto& rows) { return rows.columns; };
  EXPECT_EQ(visit_numeric(make_dense(std::vector<double>{1, 2}, 1, 2), columns), 2);
  EXPECT_EQ(visit_numeric(make_sparse(std::vector<float>{1}, std::vector<std::int32_t>{0}, {0, 1}, 3), columns), 3);
  EXPECT_ERROR(visit_numeric(make_strings(std::vector<std::string>{"a"}), columns), InvalidArgument,
               "real vectors are needed, but the samples are strings");
}

TEST(Schema, SparseSamplesAreWidenedOrCut) {
  const Samples sparse = make_sparse(std::vector<double>{1, 2, 3}, std::vector<std::int32_t>{0, 2, 1}, {0, 2, 3}, 3);
  Schema schema{SampleKind::sparse, 5, {}};
  const Samples wide = apply_schema(sparse, schema);
  EXPECT_EQ(wide.columns(), 5);
  EXPECT_EQ(wide.origin(), sparse.origin());
  EXPECT_EQ(wide.as<SparseRows<double>>().values, sparse.as<SparseRows<double>>().values);
  schema.numeric_columns = 2;
  int warnings = 0;
  const mercer::Run run{
      {.log = [&](LogLevel level, std::string_view) { warnings += level == LogLevel::warning ? 1 : 0; }}};
  const Samples cut = apply_schema(sparse, schema, run);
  EXPECT_EQ(cut.columns(), 2);
  EXPECT_EQ(cut.as<SparseRows<double>>().offsets[2], 2);
  EXPECT_EQ(warnings, 1);
  EXPECT_ERROR(apply_schema(make_dense(std::vector<double>{1}, 1, 1), {SampleKind::dense, 2, {}}), DataError,
               "the samples have 1 numeric columns where the training samples had 2");
  EXPECT_ERROR(apply_schema(sparse, {SampleKind::strings, 0, {}}), DataError,
               "the model was fitted on samples of kind 'strings'");
}

}  // namespace
}  // namespace mercer
