// Scores and margins by class against what the model predicts.
#include "mercer/report/sections/class_scores.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/models/svm/svc.h"
#include "report/report_problem.h"

namespace mercer {
namespace {

using testing::report_problem;
using testing::ReportProblem;

// The largest score is the class that is predicted, but for votes that are tied.
TEST(ClassScores, TheLargestIsPredicted) {
  struct Case {
    const char* model;
    std::vector<OptionSetting> settings;
    Index classes;
  };
  const std::vector<Case> cases = {{"svc", {}, 2},
                                   {"svc", {{"multiclass", "ovr"}}, 3},
                                   {"svc", {{"multiclass", "ww"}}, 3},
                                   {"nusvc", {{"nu", "0.2"}, {"multiclass", "ovr"}}, 3},
                                   {"linearsvc", {}, 3},
                                   {"lssvm", {}, 3},
                                   {"lssvm", {}, 2},
                                   {"gpc", {}, 2}};
  for (const Case& one : cases) {
    const ReportProblem problem = report_problem(one.model, 80, 2, one.classes, one.settings);
    const Predictions predictions =
        predict_all(*problem.stored.model, problem.test.samples, &problem.test.targets, {}, {});
    const Matrix<double> scores = scores_by_class(*problem.stored.model, predictions);
    const std::vector<double> margins = class_margins(*problem.stored.model, predictions, scores);
    for (Index i = 0; i < scores.rows(); ++i) {
      const std::span<const double> row = scores.view().row(i);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      EXPECT_EQ(best, static_cast<Index>(predictions.values(i, 0))) << one.model << " row " << i;
      const bool right = predictions.values(i, 0) == predictions.classes[i];
      EXPECT_EQ(right, margins[i] > 0) << one.model << " row " << i;
    }
  }
}

// Votes decide; the values of the machines only order classes of equal votes.
TEST(ClassScores, PairsKeepTheOrderOfVotes) {
  const ReportProblem problem = report_problem("svc", 90, 2, 3);
  const auto& model = dynamic_cast<const SvcModel&>(*problem.stored.model);
  const Predictions predictions = predict_all(model, problem.test.samples, &problem.test.targets, {}, {});
  const Matrix<double> scores = scores_by_class(model, predictions);
  const std::vector<double> margins = class_margins(model, predictions, scores);
  std::vector<double> votes(3);
  for (Index i = 0; i < scores.rows(); ++i) {
    model.code().scores(predictions.decisions.view().row(i), votes);
    for (Index a = 0; a < 3; ++a) {
      for (Index b = 0; b < 3; ++b) {
        if (votes[a] > votes[b]) {
          EXPECT_GT(scores(i, a), scores(i, b));
        }
      }
    }
    const auto own = static_cast<std::size_t>(predictions.classes[i]);
    if (votes[own] == 2) {
      EXPECT_GT(margins[i], 0);
    } else if (votes[own] == 0) {
      EXPECT_LT(margins[i], 0);
    }
  }
}

}  // namespace
}  // namespace mercer
