// The metrics of a model on data with known answers, per output: what `mercer score` prints and a report shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/report/predictions.h"
#include "mercer/select/error_reject.h"
#include "mercer/select/metrics.h"

namespace mercer {

struct OutputScores {
  std::string target;
  std::vector<Metric> metrics;
  std::vector<std::string> classes = {};  ///< of the confusion matrix
  Matrix<Index> confusion = {};           ///< true classes × predicted ones; a last row for labels unknown to the model
  std::optional<ErrorRejectCurve> error_reject = {};  ///< of classes, where it is known how sure answers are
};

/// Classification: accuracy, balanced accuracy (labels that the model does not know are classes of recall 0), the
/// fraction without an answer (rows without one count neither way; where none has one the first two are NaN),
/// what answers cost where the rule of decisions has costs (rows without an answer aside; labels that the model does not know
/// cost the most that the answer can), AUC for two classes, log-loss and Brier score where there are probabilities. Regression: RMSE, MAE, R²; SMSE, MSLL,
/// NLPD and the coverage at coverage_levels where there is a distribution (predictions.levels must hold their limits:
/// coverage_limits()). Novelty: the fraction outside, AUC where there are two labels. InvalidArgument without rows.
std::vector<OutputScores> model_scores(const FittedModel& model, const Predictions& predictions);

/// What the metrics must know of whatever gave the predictions.
struct PredictorFacts {
  Task task = Task::regression;
  std::vector<std::string> outputs;       ///< output_headings()
  std::vector<std::string> classes = {};  ///< which the codes of the predictions number
  DecisionRule decision = {};             ///< where it has costs, answers are priced by them
};
std::vector<OutputScores> model_scores(const PredictorFacts& predictor, const Predictions& predictions);

/// The quantile levels that model_scores() needs.
std::vector<double> coverage_limits();

/// One line for people who have not met the metric.
std::string metric_meaning(const std::string& name);

}  // namespace mercer
