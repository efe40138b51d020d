// Metrics of folds against hand-made predictions, and their means over folds.
#include "mercer/select/folds/fold_metric.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

Targets labels_of(std::initializer_list<const char*> labels) {
  const std::vector<std::string> texts(labels.begin(), labels.end());
  return Targets::classes(texts, "y");
}

Matrix<double> column(std::initializer_list<double> values) {
  Matrix<double> matrix(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

FoldPrediction predicted(std::initializer_list<double> values) {
  FoldPrediction prediction;
  prediction.predictions = column(values);
  return prediction;
}

const Split all = {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}};

double class_metric(const char* name, const FoldPrediction& prediction) {
  const FoldMetric metric(name, find_model("svc"), labels_of({"a", "a", "a", "b", "b"}), {});
  return metric.value(prediction, all);
}

TEST(FoldMetric, ClassesByHand) {
  const auto right = [] { return predicted({0, 0, 1, 1, 0}); };
  EXPECT_NEAR(class_metric("accuracy", right()), 3.0 / 5, 1e-15);
  EXPECT_NEAR(class_metric("balanced-accuracy", right()), (2.0 / 3 + 1.0 / 2) / 2, 1e-15);
  // Second class: one of two found, two predicted.
  EXPECT_NEAR(class_metric("f1", right()), 0.5, 1e-15);
  // A row without an answer is an error.
  EXPECT_NEAR(class_metric("accuracy", predicted({0, 0, -1, 1, 1})), 4.0 / 5, 1e-15);
}

// As scikit-learn's f1_score(truth, predicted, average="macro"): over the classes of both.
TEST(FoldMetric, ClassesThatAreOnlyPredictedCostF1) {
  const FoldMetric f1("f1", find_model("svc"), labels_of({"a", "b", "c", "a", "b", "c", "d"}), {});
  const Split fold = {{4, 5, 6}, {0, 1, 3}};  // the truth is a, b, a
  EXPECT_NEAR(f1.value(predicted({0, 2, 2}), fold), (2.0 / 3 + 0 + 0) / 3, 1e-15);
  EXPECT_NEAR(f1.value(predicted({0, 1, 0}), fold), 1, 1e-15);
  EXPECT_NEAR(f1.value(predicted({3, 2, 0}), fold), (2.0 / 3 + 0 + 0 + 0) / 4, 1e-15);
}

TEST(FoldMetric, ScoresAndProbabilities) {
  FoldPrediction prediction = predicted({0, 0, 0, 1, 1});
  prediction.decisions = column({-3, -1, 2, 1, 4});
  EXPECT_NEAR(class_metric("auc", prediction), 5.0 / 6, 1e-15);
  Matrix<double> probabilities(5, 2);
  const double second[] = {0.1, 0.2, 0.3, 0.6, 0.9};
  double log_loss = 0;
  double brier = 0;
  for (Index i = 0; i < 5; ++i) {
    probabilities(i, 1) = second[i];
    probabilities(i, 0) = 1 - second[i];
    const double truth = i < 3 ? 1 - second[i] : second[i];
    log_loss -= std::log(truth) / 5;
    brier += (1 - truth) * (1 - truth) / 5;
  }
  prediction.probabilities = std::move(probabilities);
  EXPECT_NEAR(class_metric("log-loss", prediction), log_loss, 1e-14);
  EXPECT_NEAR(class_metric("brier", prediction), brier, 1e-14);
  // Rows are ordered by the probability where there is one, as in reports.
  EXPECT_NEAR(class_metric("auc", prediction), 1, 1e-15);
  // What the model does not give has no value.
  EXPECT_TRUE(std::isnan(class_metric("auc", predicted({0, 0, 0, 1, 1}))));
  EXPECT_TRUE(std::isnan(class_metric("brier", predicted({0, 0, 0, 1, 1}))));
  EXPECT_TRUE(std::isnan(class_metric("accuracy", FoldPrediction{})));
}

TEST(FoldMetric, RegressionOnTheRowsOfTheFold) {
  const Targets targets = Targets::numeric({1, 2, 3, 10});
  const Split rows = {{1, 2}, {3, 0}};
  const auto value = [&](const char* name) {
    return FoldMetric(name, find_model("ridge"), targets, {}).value(predicted({8, 2}), rows);
  };
  EXPECT_NEAR(value("rmse"), std::sqrt(2.5), 1e-15);
  EXPECT_NEAR(value("mae"), 1.5, 1e-15);
  EXPECT_NEAR(value("r2"), 1 - 5 / 40.5, 1e-15);
  const FoldMetric r2("r2", find_model("ridge"), Targets::numeric({1, 1, 2}), {});
  EXPECT_FALSE(r2.is_defined({{2}, {0, 1}}));
  EXPECT_TRUE(r2.is_defined({{1}, {0, 2}}));
}

TEST(FoldMetric, MeanOverFoldsLeavesOutFoldsWithoutAValue) {
  const FoldMetric auc("auc", find_model("svc"), labels_of({"a", "b", "a", "a", "a", "b"}), {});
  const std::vector<Split> folds = {{{4, 5}, {0, 1}}, {{0, 1}, {2, 3}}, {{0, 1}, {4, 5}}};
  const double none = std::nan("");
  const Mean mean = auc.combine(std::vector<double>{0.5, none, 1}, folds);
  EXPECT_NEAR(mean.value, 0.75, 1e-15);
  EXPECT_NEAR(mean.standard_error, 0.25, 1e-15);
  EXPECT_TRUE(std::isnan(auc.combine(std::vector<double>{none, none, 1}, folds).value));
}

// One class to train on: nothing to be told apart, whatever the validation rows are.
TEST(FoldMetric, FoldsThatTrainOnOneClassHaveNoValue) {
  const Targets targets = labels_of({"a", "a", "b", "a", "b"});
  const std::vector<Split> folds = {{{0, 1}, {2, 3}}, {{0, 2}, {3, 4}}};
  for (const char* name : {"accuracy", "balanced-accuracy", "f1", "auc"}) {
    const FoldMetric metric(name, find_model("svc"), targets, {});
    EXPECT_FALSE(metric.is_defined(folds[0])) << name;
    EXPECT_TRUE(metric.is_defined(folds[1])) << name;
    EXPECT_NEAR(metric.combine(std::vector<double>{std::nan(""), 0.75}, folds).value, 0.75, 1e-15) << name;
  }
  const FoldMetric accuracy("accuracy", find_model("svc"), targets, {});
  EXPECT_TRUE(std::isnan(accuracy.value(predicted({0, 0}), folds[0])));
  // Novelty trains on whatever there is.
  const FoldMetric novelty("accuracy", find_model("oneclass"), Targets::numeric({1, 1, -1, 1, -1}), {});
  EXPECT_TRUE(novelty.is_defined(folds[0]));
}

TEST(FoldMetric, RepetitionsAreNotNewEvidence) {
  FoldPlan plan{FoldKind::shuffled, 2, 4};
  const FoldMetric rmse("rmse", find_model("ridge"), Targets::numeric({1, 2, 3, 4}), plan);
  const std::vector<Split> folds = make_folds(plan, 4, {}, {}, 0);
  const std::vector<double> values = {1, 3, 1, 3, 1, 3, 1, 3};
  const double deviation = std::sqrt(8.0 / 7);
  EXPECT_NEAR(rmse.combine(values, folds).standard_error, deviation / std::sqrt(2.0), 1e-14);
}

TEST(FoldMetric, LeaveOneOutIsOverAllRows) {
  const FoldPlan plan{.kind = FoldKind::leave_one_out};
  const std::vector<Split> folds = make_folds(plan, 4, {}, {}, 0);
  const FoldMetric rmse("rmse", find_model("ridge"), Targets::numeric({1, 2, 3, 4}), plan);
  EXPECT_NEAR(rmse.combine(std::vector<double>{1, 2, 3, 4}, folds).value, std::sqrt(30.0 / 4), 1e-14);
  const std::vector<Split> five = make_folds(plan, 5, {}, {}, 0);
  const FoldMetric balanced("balanced-accuracy", find_model("svc"), labels_of({"a", "a", "a", "b", "b"}), plan);
  EXPECT_NEAR(balanced.combine(std::vector<double>{1, 1, 0, 1, 0}, five).value, (2.0 / 3 + 0.5) / 2, 1e-14);
  // Without the only row of a class nothing is left to be told apart.
  const FoldMetric single("balanced-accuracy", find_model("svc"), labels_of({"a", "a", "a", "b"}), plan);
  EXPECT_NEAR(single.combine(std::vector<double>{1, 1, 0, std::nan("")}, folds).value, 2.0 / 3, 1e-14);
  EXPECT_ERROR(FoldMetric("auc", find_model("svc"), labels_of({"a", "b"}), plan), InvalidArgument,
               "metric auc has no value for a single row");
  EXPECT_ERROR(FoldMetric("r2", find_model("ridge"), Targets::numeric({1, 2}), plan), InvalidArgument,
               "metric r2 has no value for a single row");
}

TEST(FoldMetric, DefaultsAndRefusals) {
  EXPECT_EQ(default_fold_metric(find_model("svc"), labels_of({"a", "b", "a", "b"})), "accuracy");
  EXPECT_EQ(default_fold_metric(find_model("svc"), labels_of({"a", "a", "a", "a", "a", "b"})), "balanced-accuracy");
  EXPECT_EQ(default_fold_metric(find_model("svc"), labels_of({"a", "a", "a", "a", "b"})), "accuracy");  // 20 %
  EXPECT_EQ(default_fold_metric(find_model("svr"), Targets::numeric({1, 2})), "rmse");
  EXPECT_EQ(default_fold_metric(find_model("kqr"), Targets::numeric({1, 2})), "pinball");
  EXPECT_ERROR(find_fold_metric("rmse", find_model("svc")), InvalidArgument,
               "metric rmse is not one for classification (svc)");
  EXPECT_ERROR(find_fold_metric("acuracy", find_model("svc")), InvalidArgument, "there is no metric 'acuracy'");
  EXPECT_EQ(find_fold_metric("Balanced_Accuracy", find_model("svc")), FoldMetricKind::balanced_accuracy);
  EXPECT_ERROR(FoldMetric("auc", find_model("svc"), labels_of({"a", "b", "c"}), {}), InvalidArgument,
               "metric auc needs two classes");
  EXPECT_ERROR(FoldMetric("accuracy", find_model("svc"), labels_of({"a", "a"}), {}), InvalidArgument,
               "metric accuracy needs two classes or more");
  EXPECT_ERROR(FoldMetric("auc", find_model("oneclass"), Targets(), {}), DataError,
               "oneclass is tuned by how well it tells two kinds of rows apart");
}

TEST(FoldMetric, NoveltyComparesWithTheLargerLabel) {
  const FoldMetric metric("accuracy", find_model("oneclass"), Targets::numeric({-1, 1, 1}), {});
  const Split rows = {{0, 1, 2}, {0, 1, 2}};
  EXPECT_NEAR(metric.value(predicted({-1, 1, -1}), rows), 2.0 / 3, 1e-15);
}

}  // namespace
}  // namespace mercer
