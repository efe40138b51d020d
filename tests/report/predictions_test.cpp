// Scores of blocks of rows, joined, are the scores of all rows.
#include "mercer/report/predictions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/report/sections/model_scores.h"
#include "report/report_problem.h"

namespace mercer {
namespace {

std::vector<OutputScores> scores_in_blocks(const FittedModel& model, const TrainingData& data,
                                           const std::vector<Index>& ends) {
  std::vector<Predictions> blocks;
  Index begin = 0;
  for (const Index end : ends) {
    std::vector<Index> rows;
    for (Index i = begin; i < end; ++i) {
      rows.push_back(i);
    }
    const Targets targets = data.targets.select(rows);
    blocks.push_back(
        predict_all(model, data.samples.select(rows), &targets, coverage_limits(), {}, DecisionValues::for_metrics));
    begin = end;
  }
  return model_scores(model, joined(std::move(blocks)));
}

// What a metric is a sum of: logarithms of densities have both signs, and their mean may be far smaller than they are.
double size_of_terms(const std::string& name, double value) {
  return name == "nlpd" ? std::max(1.0, std::abs(value)) : std::abs(value);
}

void expect_same_scores(const std::vector<OutputScores>& a, const std::vector<OutputScores>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t o = 0; o < a.size(); ++o) {
    ASSERT_EQ(a[o].metrics.size(), b[o].metrics.size());
    ASSERT_FALSE(a[o].metrics.empty());
    for (std::size_t m = 0; m < a[o].metrics.size(); ++m) {
      EXPECT_EQ(a[o].metrics[m].name, b[o].metrics[m].name);
      const std::string& name = a[o].metrics[m].name;
      EXPECT_NEAR(a[o].metrics[m].value, b[o].metrics[m].value, 1e-12 * size_of_terms(name, a[o].metrics[m].value))
          << name;
      EXPECT_NEAR(a[o].metrics[m].baseline, b[o].metrics[m].baseline,
                  1e-12 * size_of_terms(name, a[o].metrics[m].baseline))
          << name;
    }
    ASSERT_EQ(a[o].confusion.rows(), b[o].confusion.rows());
    for (Index i = 0; i < a[o].confusion.rows(); ++i) {
      for (Index j = 0; j < a[o].confusion.columns(); ++j) {
        EXPECT_EQ(a[o].confusion(i, j), b[o].confusion(i, j));
      }
    }
  }
}

class JoinedPredictions : public ::testing::TestWithParam<const char*> {};

TEST_P(JoinedPredictions, ScoreAsTheWhole) {
  const testing::ReportProblem problem = testing::report_problem(GetParam(), 60, 2, 3);
  const std::vector<OutputScores> whole = scores_in_blocks(*problem.stored.model, problem.test, {40});
  expect_same_scores(whole, scores_in_blocks(*problem.stored.model, problem.test, {1, 17, 40}));
}

INSTANTIATE_TEST_SUITE_P(Models, JoinedPredictions, ::testing::Values("ridge", "gp", "svc", "klr"));

// Labels that the model does not know are classes of recall 0: in another order, or alone in a block, they are the same.
TEST(JoinedPredictions, UnknownLabelsAreTheSameInAllBlocks) {
  testing::ReportProblem problem = testing::report_problem("svc", 60, 2, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < 40; ++i) {
    labels.emplace_back(i % 7 == 0 ? "z" : i % 11 == 0 ? "an unknown one" : i % 2 == 0 ? "class 0" : "class 1");
  }
  problem.test.targets = Targets::classes(labels, "kind");
  const std::vector<OutputScores> whole = scores_in_blocks(*problem.stored.model, problem.test, {40});
  expect_same_scores(whole, scores_in_blocks(*problem.stored.model, problem.test, {7, 8, 30, 40}));
}

}  // namespace
}  // namespace mercer
