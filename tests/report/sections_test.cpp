// Baselines, learning curve, relevance, residuals, regions and warnings on problems whose answers are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/models/svm/svr.h"
#include "mercer/report/make_report.h"
#include "mercer/report/sections/baselines.h"
#include "mercer/report/sections/decision_regions.h"
#include "mercer/report/sections/learning_curve.h"
#include "mercer/report/sections/model_facts.h"
#include "mercer/report/sections/model_scores.h"
#include "mercer/report/sections/relevance.h"
#include "mercer/report/sections/residuals.h"
#include "mercer/report/thinning.h"
#include "mercer/report/warnings.h"
#include "report/report_problem.h"

namespace mercer {
namespace {

using testing::report_problem;
using testing::ReportProblem;

Predictions predictions_of(const ReportInput& input) {
  return predict_all(input.model(), input.samples, &*input.targets, report_quantile_levels(), {});
}

bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

TEST(Baselines, MeanOfTheTrainingRowsAndALinearFit) {
  const ReportProblem problem = report_problem("ridge", 80, 2, 2);
  const ReportInput input = problem.input(DataPart::test);
  const Predictions predictions = predictions_of(input);
  const std::vector<BaselineFact> facts = baseline_facts(input, predictions, {});
  ASSERT_EQ(facts.size(), 2U);
  const Matrix<double> y = problem.training.targets.values();
  double mean = 0;
  for (Index i = 0; i < 80; ++i) {
    mean += y(i, 0) / 80;
  }
  double squares = 0;
  for (Index i = 0; i < 40; ++i) {
    squares += std::pow(predictions.truth(i, 0) - mean, 2);
  }
  EXPECT_NEAR(facts[0].value, std::sqrt(squares / 40), 1e-12);
  const auto linear = find_model("ridge").fit(parse_kernel("linear()"), {}, problem.training, {});
  const Matrix<double> fitted = linear->predict(problem.test.samples, {});
  squares = 0;
  for (Index i = 0; i < 40; ++i) {
    squares += std::pow(predictions.truth(i, 0) - fitted(i, 0), 2);
  }
  EXPECT_NEAR(facts[1].value, std::sqrt(squares / 40), 1e-12);
}

TEST(LearningCurve, EndsAtTheModelItself) {
  for (const char* name : {"ridge", "svc", "gp"}) {
    const ReportProblem problem = report_problem(name, 60, 2, 2);
    const ReportInput input = problem.input(DataPart::test);
    const auto section = learning_section(input, {});
    ASSERT_TRUE(section) << name;
    EXPECT_EQ(section->rows.back(), 60);
    EXPECT_TRUE(std::is_sorted(section->rows.begin(), section->rows.end()));
    EXPECT_TRUE(section->validation_error.empty());
    EXPECT_NEAR(section->validation.back(), main_metric(input.model().task(), predictions_of(input), 0), 1e-6) << name;
  }
}

TEST(LearningCurve, FoldsWhereThereIsNoTestData) {
  const ReportProblem problem = report_problem("svc", 90, 2, 3);
  ReportInput input = problem.input(DataPart::training);
  const auto section = learning_section(input, {});
  ASSERT_TRUE(section);
  EXPECT_EQ(section->rows.back(), 60);
  EXPECT_EQ(section->validation_error.size(), section->validation.size());
  input.learning = LearningCurve::left_out;
  EXPECT_FALSE(learning_section(input, {}));
}

TEST(Relevance, ByLengthScales) {
  const ReportProblem problem = report_problem("ridge", 30, 3, 2, {}, "2*rbf(lengthscale=[1, 2, inf])");
  const auto section = relevance_section(problem.stored, problem.training.samples);
  ASSERT_TRUE(section);
  ASSERT_EQ(section->columns.size(), 3U);
  EXPECT_EQ(section->columns[0].name, "column 0");
  EXPECT_NEAR(section->columns[0].relevance, 0.8, 1e-12);
  EXPECT_NEAR(section->columns[1].relevance, 0.2, 1e-12);
  EXPECT_NEAR(*section->columns[1].lengthscale, 2, 1e-12);
  EXPECT_EQ(section->columns[2].relevance, 0);
}

TEST(Relevance, BySubscriptsAndWeights) {
  const ReportProblem some = report_problem("ridge", 30, 3, 2, {}, "linear() + rbf(lengthscale=[1, 4])[2, 0]");
  const auto section = relevance_section(some.stored, some.training.samples);
  ASSERT_TRUE(section);
  EXPECT_EQ(section->columns[0].name, "column 2");
  EXPECT_EQ(section->columns[1].name, "column 0");
  EXPECT_FALSE(relevance_section(report_problem("svc", 30, 3, 2).stored, some.training.samples));
  const auto weights = relevance_section(report_problem("linearsvc", 80, 3, 2).stored, some.training.samples);
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->columns[0].name, "column 0");  // the one that decides
  // As many features as columns: what they weigh says nothing of columns.
  const ReportProblem mapped = report_problem("mapridge", 60, 4, 2, {{"size", "4"}});
  EXPECT_FALSE(relevance_section(mapped.stored, mapped.training.samples));
}

TEST(Residuals, CoverageIsTheShareInside) {
  const ReportProblem problem = report_problem("gp", 60, 1, 2);
  const ReportInput input = problem.input(DataPart::test);
  const Predictions predictions = predictions_of(input);
  const RegressionSection section = regression_section(input, predictions, {});
  ASSERT_TRUE(section.coverage);
  const std::vector<double> limits = {0.05, 0.95};
  const Matrix<double> quantiles = input.model().quantiles(input.samples, limits, PredictionOf::observation, {});
  double inside = 0;
  for (Index i = 0; i < 40; ++i) {
    const double y = predictions.truth(i, 0);
    inside += quantiles(i, 0) <= y && y <= quantiles(i, 1) ? 1 : 0;
  }
  const auto at = std::ranges::find_if(section.coverage->nominal, [](double l) { return std::abs(l - 0.9) < 1e-9; });
  ASSERT_NE(at, section.coverage->nominal.end());
  EXPECT_NEAR(section.coverage->observed[at - section.coverage->nominal.begin()], inside / 40, 1e-12);
  ASSERT_TRUE(section.curve);
  EXPECT_EQ(section.curve->x.size(), section.curve->mean.size());
  for (std::size_t k = 0; k < section.curve->x.size(); ++k) {
    EXPECT_LT(section.curve->lower[k], section.curve->mean[k]);
    EXPECT_LT(section.curve->mean[k], section.curve->upper[k]);
  }
}

TEST(Residuals, TheTubeIsDrawnAboutTheFunction) {
  const ReportProblem constant = report_problem("svr", 60, 1, 2, {{"epsilon", "0.25"}});
  const RegressionSection section =
      regression_section(constant.input(DataPart::test), predictions_of(constant.input(DataPart::test)), {});
  ASSERT_TRUE(section.curve);
  ASSERT_EQ(section.curve->tube_lower.size(), section.curve->x.size());
  for (std::size_t k = 0; k < section.curve->x.size(); ++k) {
    EXPECT_NEAR(section.curve->tube_upper[k] - section.curve->mean[k], 0.25, 1e-12);
    EXPECT_NEAR(section.curve->mean[k] - section.curve->tube_lower[k], 0.25, 1e-12);
  }
}

// Half the width is max(0, ε x) where the model sees x, which is half of what the file has, less 10.
TEST(Residuals, AShapedTubeFollowsTheColumnAsTheModelSeesIt) {
  ReportProblem problem = report_problem("svr", 60, 1, 2);
  Matrix<double> x(60, 1);
  std::vector<double> y;
  for (Index i = 0; i < 60; ++i) {
    x(i, 0) = 0.05 * static_cast<double>(i);
    y.push_back(std::sin(x(i, 0)) + x(i, 0) * std::sin(37.0 * static_cast<double>(i)));
  }
  problem.training = {make_dense(std::move(x)), Targets::numeric(y, "y")};
  problem.stored.preparation.scaling = {.rule = {.kind = ScalingKind::standard}, .offset = {10}, .factor = {0.5}};
  const std::vector<OptionSetting> settings = {{"tube", "linear[0]"}, {"nu", "0.05"}};
  problem.stored.model = find_model("nusvr").fit(parse_kernel("rbf(gamma=1)"), settings, problem.training, {});
  const double epsilon = dynamic_cast<const SvrModel&>(*problem.stored.model).parts().tube.at(0).at(0);
  ASSERT_GT(epsilon, 0.1);
  const ReportInput input = problem.input(DataPart::training);
  const RegressionSection section = regression_section(input, predictions_of(input), {});
  ASSERT_TRUE(section.curve);
  ASSERT_EQ(section.curve->tube_upper.size(), section.curve->x.size());
  EXPECT_LT(section.curve->x.front(), 10);  // the margin, where the function of the tube is negative
  for (std::size_t k = 0; k < section.curve->x.size(); ++k) {
    const double width = epsilon * std::max(0.0, (section.curve->x[k] - 10) * 0.5);
    EXPECT_NEAR(section.curve->tube_upper[k] - section.curve->mean[k], width, 1e-12);
    EXPECT_NEAR(section.curve->mean[k] - section.curve->tube_lower[k], width, 1e-12);
  }
}

TEST(Residuals, ATubeWithoutWidthsBetweenTheRowsIsNotDrawn) {
  ReportProblem given = report_problem("svr", 60, 1, 2);
  given.training.noise.assign(60, 0.1);
  given.stored.model = find_model("svr").fit(parse_kernel("rbf(gamma=1)"), {}, given.training, {});
  const ReportProblem one_sided = report_problem("nusvr", 60, 1, 2, {{"sides", "above"}});
  for (const ReportProblem* const problem : {&std::as_const(given), &one_sided}) {
    const ReportInput input = problem->input(DataPart::training);
    const RegressionSection section = regression_section(input, predictions_of(input), {});
    ASSERT_TRUE(section.curve);
    EXPECT_TRUE(section.curve->tube_lower.empty());
    EXPECT_TRUE(section.curve->tube_upper.empty());
  }
}

// The grid of the regions holds what the model predicts there, in the units of the file.
TEST(Regions, HoldThePredictionsInTheUnitsOfTheFile) {
  ReportProblem problem = report_problem("svc", 60, 2, 3);
  problem.stored.preparation.scaling = {
      .rule = {.kind = ScalingKind::standard}, .offset = {10, -4}, .factor = {0.5, 2}};
  const ReportInput input = problem.input(DataPart::test);
  const auto section = decision_regions(input, predictions_of(input), std::nullopt, {});
  ASSERT_TRUE(section);
  for (const auto& [row, column] : {std::pair<Index, Index>{0, 0}, {17, 80}, {99, 40}}) {
    const double x = (section->x[column] - 10) * 0.5;
    const double y = (section->y[row] + 4) * 2;
    const Matrix<double> expected = input.model().predict(make_dense(std::vector<double>{x, y}, 1, 2), {});
    EXPECT_EQ(section->label(row, column), static_cast<Index>(expected(0, 0)));
  }
}

TEST(Regions, OtherColumnsAreAtTheirMedians) {
  const ReportProblem problem = report_problem("ridge", 61, 3, 2, {}, "rbf(gamma=0.3)");
  ReportInput input = problem.input(DataPart::training);
  input.axes = {"2", "0"};
  const auto section = decision_regions(input, predictions_of(input), std::nullopt, {});
  ASSERT_TRUE(section);
  std::vector<double> middle;
  const auto& rows = problem.training.samples.as<DenseRows<double>>();
  for (Index i = 0; i < 61; ++i) {
    middle.push_back(rows(i, 1));
  }
  std::sort(middle.begin(), middle.end());
  const std::vector<double> point = {section->y[30], middle[30], section->x[70]};
  EXPECT_NEAR(section->value(30, 70), input.model().predict(make_dense(point, 1, 3), {})(0, 0), 1e-12);
  EXPECT_EQ(section->axis_x, "column 2");
}

TEST(Warnings, NarrowAndWideKernels) {
  const auto warnings_with = [](const std::string& kernel) {
    const ReportProblem problem = report_problem("svc", 60, 3, 2, {}, kernel);
    return make_report(problem.input(DataPart::test), {}).warnings;
  };
  EXPECT_TRUE(any_contains(warnings_with("rbf(gamma=10000)"), "nearly the identity"));
  EXPECT_TRUE(any_contains(warnings_with("rbf(gamma=10000)"), "support vectors"));
  EXPECT_TRUE(any_contains(warnings_with("rbf(gamma=1e-7)"), "nearly constant"));
  EXPECT_EQ(warnings_with("rbf(gamma=0.3)"), std::vector<std::string>());
}

TEST(Warnings, TrainingRowsAndContradictions) {
  ReportProblem problem = report_problem("svc", 60, 1, 2);
  EXPECT_TRUE(any_contains(make_report(problem.input(DataPart::training), {}).warnings, "fitted to"));
  const Samples x = make_dense(std::vector<double>{1, 2, 1, 2, 1, 3}, 6, 1);
  const std::vector<std::string> labels = {"a", "b", "b", "b", "a", "a"};
  EXPECT_EQ(contradicting_rows(x, Targets::classes(labels)), 3);
  EXPECT_EQ(contradicting_rows(x, Targets::numeric({1, 1, 1, 1, 1, 1})), 0);
}

TEST(Warnings, AModelWorseThanAConstant) {
  ReportProblem problem = report_problem("svc", 60, 2, 2);
  ReportInput input = problem.input(DataPart::test);
  std::vector<std::string> turned;
  for (const std::int32_t code : input.targets->labels(0).codes) {
    turned.push_back(code == 0 ? "class 1" : "class 0");
  }
  input.targets = Targets::classes(turned);
  EXPECT_TRUE(any_contains(make_report(input, {}).warnings, "worse than a constant"));
}

// Names of outputs stand in the names of their metrics.
TEST(Warnings, OneOutputOfTwoWorseThanAConstant) {
  ReportProblem problem = report_problem("ridge", 60, 2, 2);
  const std::vector<double> y = column_of(problem.training.targets.values(), 0);
  const auto beside = [&](const std::vector<double>& second) {
    return Targets({{.name = "good", .values = y, .labels = {}}, {.name = "bad", .values = second, .labels = {}}});
  };
  const std::vector<double> turned(y.rbegin(), y.rend());
  const TrainingData training{problem.training.samples, beside(y)};
  problem.stored.model = find_model("ridge").fit(parse_kernel("rbf(gamma=0.3)"), {}, training, {});
  ReportInput input = problem.input(DataPart::test);
  input.samples = training.samples;
  input.targets = beside(turned);
  input.training = training;
  const std::vector<std::string> warnings = make_report(input, {}).warnings;
  EXPECT_TRUE(any_contains(warnings, "worse than a constant answer on these rows: rmse of bad"));
  EXPECT_FALSE(any_contains(warnings, "rmse of good"));
}

TEST(Solution, OfAGaussianProcessHasTheJitter) {
  const auto has_jitter = [](const std::string& model) {
    const Report report = make_report(report_problem(model, 30, 2, 2).input(DataPart::test), {});
    return std::ranges::any_of(report.model.solution, [](const SolutionFact& fact) { return fact.name == "jitter"; });
  };
  EXPECT_TRUE(has_jitter("gp"));
  EXPECT_FALSE(has_jitter("ridge"));
}

TEST(KernelFacts, EveryParameterWithItsMeaning) {
  const std::vector<ReportFact> facts = kernel_facts(parse_kernel("0.5*rbf(gamma=0.25) + linear()"));
  EXPECT_TRUE(std::any_of(facts.begin(), facts.end(), [](const ReportFact& fact) {
    return fact.name == "rbf: gamma" && fact.value == "0.25" && !fact.meaning.empty();
  }));
  EXPECT_TRUE(std::any_of(facts.begin(), facts.end(), [](const ReportFact& fact) { return fact.value == "0.5"; }));
}

TEST(Thinning, KeepsAllOrDrawsDistinctRows) {
  EXPECT_EQ(shown_rows(3, 5, 0), (std::vector<Index>{0, 1, 2}));
  const std::vector<Index> some = shown_rows(1000, 100, 1);
  EXPECT_EQ(some.size(), 100U);
  EXPECT_EQ(std::adjacent_find(some.begin(), some.end(), std::greater_equal<>()), some.end());
  EXPECT_NE(some, shown_rows(1000, 100, 2));
  EXPECT_FALSE(thinned_note(5, 5));
}

}  // namespace
}  // namespace mercer
