#include "mercer/report/sections/support_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/report_problem.h"

namespace mercer {
namespace {

using testing::report_problem;
using testing::ReportProblem;

// With equal weights a coefficient at its bound is C.
TEST(SupportVectors, BoundOnesHaveTheLargestCoefficient) {
  const ReportProblem problem = report_problem("svc", 80, 2, 2, {{"C", "0.5"}});
  const auto support = support_vectors(*problem.stored.model, nullptr, {});
  ASSERT_TRUE(support);
  Index bound = 0;
  for (std::size_t i = 0; i < support->rows.size(); ++i) {
    const double alpha = std::abs(support->coefficients(static_cast<Index>(i), 0));
    EXPECT_EQ(support->states[i] == SupportState::bound, alpha > 0.5 * (1 - 1e-6)) << alpha;
    bound += support->states[i] == SupportState::bound ? 1 : 0;
  }
  EXPECT_GT(bound, 0);
  EXPECT_LT(bound, static_cast<Index>(support->rows.size()));
}

TEST(SupportVectors, ModelsWithoutThemHaveNone) {
  for (const char* name : {"ridge", "gp", "gpc", "lssvm", "linearsvc"}) {
    EXPECT_FALSE(support_vectors(*report_problem(name, 30, 2, 2).stored.model, nullptr, {})) << name;
  }
}

TEST(TrainingRows, AreRecognized) {
  for (const char* name : {"svc", "svr", "oneclass", "rvr", "ridge", "gp", "gpc"}) {
    const ReportProblem problem = report_problem(name, 40, 3, 2);
    const FittedModel& model = *problem.stored.model;
    EXPECT_EQ(match_training_rows(model, problem.training.samples), RowMatch::equal) << name;
    EXPECT_NE(match_training_rows(model, problem.test.samples), RowMatch::equal) << name;
    EXPECT_NE(match_training_rows(model, problem.training.samples.slice({0, 3})), RowMatch::equal) << name;
  }
  const ReportProblem linear = report_problem("linearsvc", 40, 3, 2);
  EXPECT_EQ(match_training_rows(*linear.stored.model, linear.training.samples), RowMatch::unknown);
}

}  // namespace
}  // namespace mercer
