// Baselines: what a constant answer and a linear model reach on the same rows. A kernel that does not beat them is not
// worth its cost.
#pragma once

#include <vector>

#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// The constant: most frequent class or mean, of the training targets where they are known. The linear model
/// (linearsvc, or ridge with a linear kernel) is fitted to the training rows and scored on the data; where the data are
/// the training rows, or these are not known, by 5-fold cross-validation on the data. None for novelty; no linear model
/// for samples that are no vectors. Metrics: accuracy, or RMSE per output.
std::vector<BaselineFact> baseline_facts(const ReportInput& input, const Predictions& predictions, const Run& run);

/// The metric of that name of predictions, for one output.
double main_metric(Task task, const Predictions& predictions, Index output);
/// "accuracy" or "rmse".
std::string main_metric_name(Task task);

}  // namespace mercer
