// Influential rows against refits without them, and against rows that were made wrong on purpose.
#include "mercer/report/sections/influence.h"

#include <gtest/gtest.h>

#include "mercer/report/refit.h"
#include "report/report_problem.h"

namespace mercer {
namespace {

using testing::report_problem;
using testing::ReportProblem;

std::vector<Index> all_but(Index rows, Index left_out) {
  std::vector<Index> result;
  for (Index i = 0; i < rows; ++i) {
    if (i != left_out) {
      result.push_back(i);
    }
  }
  return result;
}

void expect_changes_of_refits(const ReportProblem& problem, double tolerance) {
  const FittedModel& model = *problem.stored.model;
  const auto section = influence_section(problem.input(DataPart::training), std::nullopt, {});
  ASSERT_TRUE(section);
  const Index rows = problem.training.samples.size();
  const Matrix<double> whole = model.predict(problem.training.samples, {});
  double last = std::numeric_limits<double>::infinity();
  for (const InfluencePoint& point : section->points) {
    const auto without = refit(model, select_training(problem.training, all_but(rows, point.row)), {});
    const std::vector<Index> own = {point.row};
    const double left_out = without->predict(problem.training.samples.select(own), {})(0, 0);
    EXPECT_NEAR(point.influence, std::abs(whole(point.row, 0) - left_out), tolerance) << point.row;
    EXPECT_LE(point.influence, last);
    last = point.influence;
  }
  EXPECT_EQ(static_cast<Index>(section->points.size()), std::min(rows, influential_rows));
}

TEST(Influence, OfRidgeIsTheChangeOfARefit) {
  expect_changes_of_refits(report_problem("ridge", 25, 2, 2, {{"lambda", "0.3"}}, "rbf(gamma=0.5)"), 1e-9);
}

// Targets are standardised anew in a refit, which the closed form does not do: standardize=no compares like with like.
TEST(Influence, OfAGaussianProcessIsTheChangeOfARefit) {
  expect_changes_of_refits(
      report_problem("gp", 15, 2, 2, {{"standardize", "no"}, {"optimize", "no"}, {"noise", "0.2!"}},
                     "rbf(lengthscale=1)"),
      1e-7);
}

TEST(Influence, AWrongLabelComesFirst) {
  std::vector<double> values;
  std::vector<std::string> labels;
  const Matrix<double> noise = testing::random_matrix(60, 2, 8);
  for (Index i = 0; i < 60; ++i) {
    values.push_back((i < 30 ? -3 : 3) + noise(i, 0));
    values.push_back(noise(i, 1));
    labels.push_back((i < 30) == (i != 7) ? "left" : "right");
  }
  ReportProblem problem;
  problem.training = {make_dense(values, 60, 2), Targets::classes(labels, "side")};
  problem.stored.preparation.schema = schema_of(problem.training.samples);
  problem.stored.model = find_model("svc").fit(parse_kernel("linear()"), {}, problem.training, {});
  const auto support = support_vectors(*problem.stored.model, &problem.training.targets, {});
  const auto section = influence_section(problem.input(DataPart::training), support, {});
  ASSERT_TRUE(section);
  EXPECT_EQ(section->points.front().row, 7);
  EXPECT_EQ(section->points.front().label, "right");
  EXPECT_EQ(section->points.front().predicted, "left");
  EXPECT_NE(section->points.front().note.find("wrong side"), std::string::npos);
}

TEST(Influence, AnOutlierOfARegressionComesFirst) {
  ReportProblem problem = report_problem("svr", 50, 1, 2);
  std::vector<double> y;
  const Matrix<double> values = problem.training.targets.values();
  for (Index i = 0; i < 50; ++i) {
    y.push_back(values(i, 0) + (i == 13 ? 30 : 0));
  }
  problem.training.targets = Targets::numeric(y, "y");
  problem.stored.model = find_model("svr").fit(parse_kernel("rbf(gamma=1)"), {}, problem.training, {});
  const auto support = support_vectors(*problem.stored.model, &problem.training.targets, {});
  const auto section = influence_section(problem.input(DataPart::training), support, {});
  ASSERT_TRUE(section);
  EXPECT_EQ(section->points.front().row, 13);
  EXPECT_EQ(section->points.front().note, "outside the tube");
}

}  // namespace
}  // namespace mercer
