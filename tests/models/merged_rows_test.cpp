#include "mercer/models/merged_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::vector<double> column_of(const Samples& samples) {
  std::vector<double> values;
  for (Index i = 0; i < samples.size(); ++i) {
    values.push_back(samples.as<DenseRows<double>>()(i, 0));
  }
  return values;
}

TEST(MergedRows, RowsThatRepeatAreOneOfTheirSummedWeight) {
  const TrainingData data{
      make_dense(std::vector<double>{5, 1, 5, 5, 7}, 5, 1), Targets::numeric({1, 2, 1, 3, 4}), {2, 1, 3, 1, 0}};
  const MergedRows merged = merged_rows("test", nullptr, data);
  ASSERT_EQ(merged.rows.size(), 3U) << "5 with target 1 twice; the row of weight 0 is gone";
  double total = 0;
  for (std::size_t i = 0; i < merged.rows.size(); ++i) {
    const Index row = merged.rows[i];
    EXPECT_EQ(merged.data.weights[i], row == 0 ? 5 : 1);
    EXPECT_EQ(column_of(merged.data.samples)[i], column_of(data.samples)[row]);
    EXPECT_EQ(merged.data.targets.values()(static_cast<Index>(i), 0), data.targets.values()(row, 0));
    total += merged.data.weights[i];
  }
  EXPECT_EQ(total, 7);
}

// To the bit: the order is that of the values, not of the file.
TEST(MergedRows, AnyOrderAndAnyWayToRepeatGiveTheSameRows) {
  const TrainingData weighted{make_dense(std::vector<double>{3, 1, 2, 9}, 4, 1),
                              Targets::classes(std::vector<std::string>{"a", "b", "a", "b"}),
                              {2, 1, 3, 0}};
  const TrainingData repeated{make_dense(std::vector<double>{2, 3, 2, 1, 3, 2}, 6, 1),
                              Targets::classes(std::vector<std::string>{"a", "a", "a", "b", "a", "a"}),
                              {}};
  const MergedRows a = merged_rows("test", nullptr, weighted);
  const MergedRows b = merged_rows("test", nullptr, repeated);
  EXPECT_EQ(column_of(a.data.samples), column_of(b.data.samples));
  EXPECT_EQ(a.data.weights, b.data.weights);
  EXPECT_EQ(b.given({0, 1, 2}), b.rows);
}

TEST(MergedRows, PlainDataStaysAsItIs) {
  const TrainingData data{make_dense(std::vector<double>{3, 1, 2}, 3, 1), Targets::numeric({1, 2, 3}), {}};
  EXPECT_EQ(column_of(merged_rows("test", nullptr, data).data.samples), (std::vector<double>{3, 1, 2}));
  TrainingData equal = data;
  equal.weights = {2, 2, 2};
  EXPECT_EQ(column_of(merged_rows("test", nullptr, equal).data.samples), (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(merged_rows("test", nullptr, equal).data.weights, equal.weights);
  // Every row twice: in the order of the file, of weight 2.
  const TrainingData twice{make_dense(std::vector<double>{3, 1, 3, 1}, 4, 1), Targets::numeric({1, 2, 1, 2}), {}};
  const MergedRows merged = merged_rows("test", nullptr, twice);
  EXPECT_EQ(column_of(merged.data.samples), (std::vector<double>{3, 1}));
  EXPECT_EQ(merged.data.weights, (std::vector<double>{2, 2}));
}

TEST(MergedRows, SamplesThatAreThemselvesStayApart) {
  const TrainingData data{make_dense(std::vector<double>{3, 3, 2}, 3, 1), Targets::numeric({1, 1, 3}), {1, 2, 1}};
  const Kernel white = parse_kernel("rbf(gamma=1) + white(variance=1)");
  EXPECT_EQ(merged_rows("test", &white, data).rows.size(), 3U);
  const Kernel plain = parse_kernel("rbf(gamma=1)");
  EXPECT_EQ(merged_rows("test", &plain, data).rows.size(), 2U);
  EXPECT_ERROR(merged_rows("test", &plain, {data.samples, data.targets, {0, 0, 0}}), DataError, "all weights are 0");
}

}  // namespace
}  // namespace mercer
