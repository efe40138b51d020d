#include "mercer/report/sections/gram_picture.h"

#include <gtest/gtest.h>

#include "mercer/linalg/center.h"
#include "mercer/report/sections/gram_sample.h"
#include "report/report_problem.h"

namespace mercer {
namespace {

using testing::report_problem;
using testing::ReportProblem;

TEST(EffectiveRank, CountsEqualDirections) {
  const std::vector<double> equal(7, 2.5);
  EXPECT_NEAR(effective_rank(equal), 7, 1e-12);
  const std::vector<double> one = {4, 0, 0, -1e-18};
  EXPECT_NEAR(effective_rank(one), 1, 1e-12);
  const std::vector<double> none = {0, 0};
  EXPECT_TRUE(std::isnan(effective_rank(none)));
}

TEST(ConditionNumber, IsTheRatioOrUnknown) {
  const std::vector<double> regular = {8, 4, 2};
  EXPECT_EQ(condition_number(regular), 4);
  const std::vector<double> singular = {1, 1e-18};
  EXPECT_TRUE(std::isnan(condition_number(singular)));
  EXPECT_TRUE(std::isnan(condition_number({})));
}

TEST(GramPicture, IsSortedByClass) {
  const ReportProblem problem = report_problem("svc", 60, 2, 3);
  const auto section = gram_section(problem.input(DataPart::training), {});
  ASSERT_TRUE(section);
  EXPECT_FALSE(section->thinned);
  ASSERT_EQ(section->groups.size(), 3U);
  const auto codes = problem.training.targets.labels(0).codes;
  std::vector<Index> order;
  for (std::int32_t c = 0; c < 3; ++c) {
    EXPECT_EQ(section->groups[c].begin, static_cast<Index>(order.size()));
    for (Index i = 0; i < 60; ++i) {
      if (codes[i] == c) {
        order.push_back(i);
      }
    }
    EXPECT_EQ(section->groups[c].end, static_cast<Index>(order.size()));
  }
  const Matrix<double> all = gram_of(problem.stored.model->kernel(), problem.training.samples, {});
  double trace = 0;
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 60; ++j) {
      EXPECT_NEAR(section->values(i, j), all(order[i], order[j]), 1e-12);
    }
    trace += all(i, i);
  }
  double sum = 0;
  for (const double value : section->spectrum) {
    sum += value;
  }
  EXPECT_NEAR(sum, trace, 1e-9);
  EXPECT_TRUE(std::is_sorted(section->spectrum.rbegin(), section->spectrum.rend()));
}

TEST(GramPicture, LargeMatricesAreThinned) {
  const ReportProblem problem = report_problem("ridge", 400, 2, 2, {}, "rbf(gamma=1)");
  const auto section = gram_section(problem.input(DataPart::training), {});
  ASSERT_TRUE(section);
  EXPECT_EQ(section->values.rows(), gram_picture_rows);
  ASSERT_TRUE(section->thinned);
  EXPECT_EQ(section->thinned->of, 400);
  EXPECT_EQ(section->spectrum.size(), 400U);
}

TEST(CenterGram, RowsSumToZero) {
  Matrix<double> gram = gram_of(parse_kernel("rbf(gamma=1)"), make_dense(testing::random_matrix(9, 2, 1)), {});
  center_symmetric(gram.view());
  for (Index i = 0; i < 9; ++i) {
    double sum = 0;
    for (Index j = 0; j < 9; ++j) {
      sum += gram(i, j);
    }
    EXPECT_NEAR(sum, 0, 1e-12);
  }
}

}  // namespace
}  // namespace mercer
