#include "mercer/report/sections/model_scores.h"

#include <algorithm>
#include <limits>
#include <set>

#include "mercer/base/error.h"
#include "mercer/select/distribution_metrics.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

Metric fraction(std::string name, Index count, Index total) {
  const ProportionInterval limits = wilson_interval(count, total);
  return {.name = std::move(name),
          .value = static_cast<double>(count) / static_cast<double>(std::max<Index>(total, 1)),
          .lower = limits.lower,
          .upper = limits.upper,
          .baseline = std::numeric_limits<double>::quiet_NaN(),
          .better = Better::lower};
}

Index level_column(const Predictions& predictions, Index output, double level) {
  const auto at = std::ranges::find(predictions.levels, level);
  if (at == predictions.levels.end()) {
    throw InvalidArgument("coverage: the predictions lack the quantiles at " + std::to_string(level));
  }
  return output * static_cast<Index>(predictions.levels.size()) + static_cast<Index>(at - predictions.levels.begin());
}

void add_distribution_metrics(const Predictions& predictions, Index o, std::vector<Metric>& metrics) {
  const std::vector<double> y = column_of(predictions.truth, o);
  const std::vector<double> density = column_of(predictions.log_density, o);
  metrics.push_back(standardized_mean_squared_error(y, column_of(predictions.values, o)));
  metrics.push_back(mean_standardized_log_loss(y, density));
  metrics.push_back(negative_log_predictive_density(y, density));
  const auto scored = static_cast<Index>(predictions.scored_levels.size());
  metrics.push_back(pinball_loss(y,
                                 predictions.scored_quantiles.view().block(0, o * scored, predictions.rows(), scored),
                                 predictions.scored_levels));
  if (predictions.fits_quantiles) {
    for (Index l = 0; l < scored; ++l) {
      metrics.push_back(
          share_below(y, column_of(predictions.scored_quantiles, o * scored + l), predictions.scored_levels[l]));
    }
  }
  for (const double level : coverage_levels) {
    metrics.push_back(coverage(y, column_of(predictions.quantiles, level_column(predictions, o, (1 - level) / 2)),
                               column_of(predictions.quantiles, level_column(predictions, o, (1 + level) / 2)), level));
  }
}

std::vector<OutputScores> regression_scores(const PredictorFacts& predictor, const Predictions& predictions) {
  std::vector<OutputScores> scores;
  for (Index o = 0; o < predictions.truth.columns(); ++o) {
    OutputScores& output = scores.emplace_back();
    output.target = predictor.outputs[o];
    output.metrics = regression_metrics(column_of(predictions.truth, o), column_of(predictions.values, o));
    if (predictions.log_density.columns() > 0) {
      add_distribution_metrics(predictions, o, output.metrics);
    }
  }
  return scores;
}

// What each answer costs; unknown labels the most that it can.
std::vector<double> costs_of_answers(const DecisionRule& rule, Index classes, const std::vector<std::int32_t>& truth,
                                     const std::vector<std::int32_t>& answers) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    double cost = truth[i] < 0 ? 0 : rule.cost(truth[i], answers[i], classes);
    for (Index j = 0; j < classes && truth[i] < 0; ++j) {
      cost = std::max(cost, rule.cost(j, answers[i], classes));
    }
    costs.push_back(cost);
  }
  return costs;
}

void add_costs(const DecisionRule& rule, Index classes, const std::vector<std::int32_t>& truth,
               const std::vector<std::int32_t>& answers, std::vector<Metric>& metrics) {
  if (rule.costs.empty() || answers.empty()) {
    return;
  }
  const std::vector<double> costs = costs_of_answers(rule, classes, truth, answers);
  const Mean mean = mean_of(costs);
  double constant = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < classes; ++k) {
    const std::vector<std::int32_t> same(answers.size(), static_cast<std::int32_t>(k));
    constant = std::min(constant, mean_of(costs_of_answers(rule, classes, truth, same)).value);
  }
  const double half = interval_quantile * mean.standard_error;
  const Metric cost{.name = "cost",
                    .value = mean.value,
                    .lower = std::max(0.0, mean.value - half),
                    .upper = mean.value + half,
                    .baseline = constant,
                    .better = Better::lower};
  const auto n = static_cast<double>(answers.size());
  metrics.push_back(cost);
  metrics.push_back({.name = "total cost",
                     .value = n * cost.value,
                     .lower = n * cost.lower,
                     .upper = n * cost.upper,
                     .baseline = n * cost.baseline,
                     .better = Better::lower});
}

// Rows without an answer are wrong as long as they are kept; they are the first to be rejected.
void add_error_reject(const Predictions& predictions, OutputScores& scores) {
  if (static_cast<Index>(predictions.confidence.size()) != predictions.rows()) {
    return;
  }
  std::vector<char> wrong;
  for (Index i = 0; i < predictions.rows(); ++i) {
    const auto code = static_cast<std::int32_t>(predictions.values(i, 0));
    wrong.push_back(code < 0 || code != predictions.classes[i] ? 1 : 0);
  }
  scores.error_reject = error_reject_curve(predictions.confidence, wrong);
}

std::vector<OutputScores> class_scores(const PredictorFacts& predictor, const Predictions& predictions) {
  if (predictions.rows() == 0) {
    throw InvalidArgument("there are no samples to score");
  }
  std::vector<OutputScores> all(1);
  OutputScores& scores = all.front();
  scores.target = predictor.outputs.front();
  scores.classes = predictor.classes;
  std::vector<std::int32_t> codes;
  std::vector<std::int32_t> answered;
  std::set<std::int32_t> unknown;
  for (Index i = 0; i < predictions.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (predictions.values(i, 0) < 0) {
      continue;
    }
    codes.push_back(static_cast<std::int32_t>(predictions.values(i, 0)));
    answered.push_back(predictions.classes[row]);
    if (predictions.classes[row] < 0) {
      unknown.insert(predictions.labels[row]);
    }
  }
  scores.confusion = confusion_matrix(answered, codes, static_cast<Index>(scores.classes.size()));
  scores.metrics = {accuracy(scores.confusion),
                    balanced_accuracy(scores.confusion, static_cast<Index>(unknown.size()))};
  const Index undecided = predictions.rows() - static_cast<Index>(codes.size());
  if (undecided > 0) {
    scores.metrics.push_back(fraction("undecided", undecided, predictions.rows()));
  }
  add_costs(predictor.decision, static_cast<Index>(scores.classes.size()), answered, codes, scores.metrics);
  add_error_reject(predictions, scores);
  if (scores.classes.size() == 2) {
    std::vector<char> positive;
    for (const std::int32_t code : predictions.classes) {
      positive.push_back(code == 1 ? 1 : 0);
    }
    scores.metrics.push_back(area_under_curve(
        positive, second_class_scores(predictions.probabilities.view(), predictions.decisions.view())));
  }
  if (predictions.probabilities.columns() > 0) {
    scores.metrics.push_back(log_loss(predictions.classes, predictions.probabilities.view()));
    scores.metrics.push_back(brier_score(predictions.classes, predictions.probabilities.view()));
  }
  return all;
}

// Where there are two kinds of labels, the larger one (1 against -1) is the normal one.
std::vector<OutputScores> novelty_scores(const Predictions& predictions) {
  std::vector<OutputScores> all(1);
  OutputScores& scores = all.front();
  scores.target = "inside";
  Index outside = 0;
  for (Index i = 0; i < predictions.rows(); ++i) {
    outside += predictions.decisions(i, 0) < 0 ? 1 : 0;
  }
  scores.metrics.push_back(fraction("fraction outside", outside, predictions.rows()));
  if (!predictions.normal.empty()) {
    scores.target = "normal: " + predictions.label_names[1];
    scores.metrics.push_back(area_under_curve(predictions.normal, column_of(predictions.decisions, 0)));
  }
  return all;
}

struct MetricMeaning {
  const char* name;
  const char* text;
};

constexpr std::array meanings = {
    MetricMeaning{"accuracy", "the fraction of right answers"},
    MetricMeaning{
        "balanced accuracy",
        "the fraction of right answers in each class, averaged over the classes that occur; 0 in classes that the "
        "model does not know"},
    MetricMeaning{"cost", "the mean cost of an answer, by the costs of mistakes"},
    MetricMeaning{"total cost", "the cost of all answers to these rows together"},
    MetricMeaning{"undecided", "the fraction of rows for which the model declines to answer"},
    MetricMeaning{"auc", "the probability that a row of the second class scores higher than another row"},
    MetricMeaning{"log-loss", "mean of -ln p(true class): 0 is certainty that is right"},
    MetricMeaning{"brier", "mean squared distance of the probabilities from the truth"},
    MetricMeaning{"rmse", "root of the mean squared error, in units of the target"},
    MetricMeaning{"mae", "mean absolute error, in units of the target"},
    MetricMeaning{"r2", "the share of the variance that is explained; 0 is no better than the mean"},
    MetricMeaning{"smse", "mean squared error relative to the variance of the targets"},
    MetricMeaning{"msll", "mean log loss less that of a normal distribution with mean and variance of the targets"},
    MetricMeaning{"nlpd", "mean of -ln p(y): how surprised the model is by the targets"},
    MetricMeaning{
        "pinball",
        "mean loss of quantiles: a target above the one of level t costs t times the distance, one below 1 - t "
        "times; over several levels"},
    MetricMeaning{"fraction outside", "the fraction of rows that do not look like the training samples"},
    MetricMeaning{"mean log-density", "mean of ln p(x) over the rows, in the units of the file: higher is more likely"},
    MetricMeaning{"mean log-density where finite", "mean of ln p(x) over the rows where it is finite"},
    MetricMeaning{"leave-one-out log-density",
                  "mean of ln p(x) over the rows, each without itself: what to expect of new ones"},
    MetricMeaning{"fraction at density 0", "the fraction of rows that the model holds to be impossible"},
    MetricMeaning{"fraction at infinite density",
                  "the fraction of rows where the density is infinite: too many equal rows"},
};

}  // namespace

std::vector<OutputScores> model_scores(const FittedModel& model, const Predictions& predictions) {
  return model_scores({.task = model.task(),
                       .outputs = output_headings(model),
                       .classes = model.classes(),
                       .decision = model.head().decision},
                      predictions);
}

std::vector<OutputScores> model_scores(const PredictorFacts& predictor, const Predictions& predictions) {
  switch (predictor.task) {
    case Task::classification:
      return class_scores(predictor, predictions);
    case Task::novelty:
      return novelty_scores(predictions);
    case Task::regression:
    case Task::features:
    case Task::clustering:
    case Task::density:
      break;
  }
  return regression_scores(predictor, predictions);
}

std::vector<double> coverage_limits() {
  std::vector<double> levels;
  for (const double level : coverage_levels) {
    levels.push_back((1 - level) / 2);
    levels.push_back((1 + level) / 2);
  }
  std::sort(levels.begin(), levels.end());
  return levels;
}

std::string metric_meaning(const std::string& name) {
  if (name.starts_with("below quantile")) {
    return "the fraction of targets at or below the quantile of that level";
  }
  if (name.starts_with("coverage")) {
    return "the fraction of targets inside the model's central interval of that probability";
  }
  const auto at = std::ranges::find(meanings, name, &MetricMeaning::name);
  return at == meanings.end() ? "" : at->text;
}

}  // namespace mercer
