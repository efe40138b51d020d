#include "mercer/data/targets.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/data/schema.h"
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
