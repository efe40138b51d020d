// A program with reports in it computes as one without: no function of a later room takes the place of an inline one.
#include "mercer/base/median.h"

#include <gtest/gtest.h>

#include "mercer/report/numeric_columns.h"
#include "mercer/smoothing/robustness.h"

namespace mercer {
namespace {

TEST(Median, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median_of({10, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({10, 1, 3}), 3);
  EXPECT_EQ(bisquare_limit(std::vector<double>{-10, 1, 3, -2}), 6 * 2.5);
}

TEST(Median, ReportsHoldColumnsThere) {
  const Samples samples = make_dense(std::vector<double>{0, 1, 0, 2, 0, 3, 0, 10}, 4, 2);
  const NumericColumns columns(samples, {}, schema_of(samples));
  const Samples made = columns.with_columns(0, {5}, 0, {5});
  EXPECT_EQ(numeric_value(made, 0, 0), 5);
  EXPECT_EQ(numeric_value(made, 0, 1), 2.5);
}

}  // namespace
}  // namespace mercer
