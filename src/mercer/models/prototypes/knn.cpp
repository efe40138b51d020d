#include "mercer/models/prototypes/knn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/training_gram.h"
#include "mercer/models/training_rows.h"

namespace mercer {

void KnnOptions::validate(std::string_view model) const { check_options<KnnOptions>(model, knn_option_table(), *this); }

std::span<const Option<KnnOptions>> knn_option_table() {
  static const std::array<Option<KnnOptions>, 3> table{{
      {"neighbors", &KnnOptions::neighbors, "how many neighbors answer", Constraint::positive, SearchRange{"1..50"}},
      {"weighting", &KnnOptions::weighting,
       "how much each counts: all the same, or the inverse of its distance (those at distance 0 alone, if any)"},
      {"loo", &KnnOptions::loo, "report the leave-one-out error (one pass over all pairs of rows)"},
  }};
  return table;
}

void KnnModel::Parts::fields(Fields& visit) {
  visit.options(options, knn_option_table());
  visit.kernel(kernel);
  visit.samples("samples", samples);
  visit.column("weights", weights, samples.size(), Constraint::positive);
  if (task == Task::classification) {
    visit.indices("values", sample_classes, samples.size(), visit.classes());
  } else {
    visit.matrix("values", values, {samples.size(), visit.outputs()});
  }
}

namespace {

PreparedKernel prepared_rows(const KnnModel::Parts& parts, const Run& run) {
  return {parts.kernel, parts.samples, Precision::double_precision, run};
}

// What the distances of the neighbors, nearest first, say about how much each counts.
double nearness(const NearRow& row, const NearRow& nearest, const KnnOptions& options) {
  if (options.weighting == NeighborWeighting::uniform) {
    return 1;
  }
  if (nearest.squared_distance == 0) {
    return row.squared_distance == 0 ? 1 : 0;
  }
  return 1 / std::sqrt(row.squared_distance);
}

// Regression: mean targets. Classification: shares of the votes for each of `classes`.
Matrix<double> averages(const KnnModel::Parts& parts, std::size_t classes,
                        const std::vector<std::vector<NearRow>>& found, OwnRow own) {
  const bool classifies = parts.task == Task::classification;
  const Index columns = classifies ? static_cast<Index>(classes) : parts.values.columns();
  Matrix<double> result = Matrix<double>::filled(static_cast<Index>(found.size()), columns, 0.0);
  for (Index i = 0; i < result.rows(); ++i) {
    const std::vector<NearRow>& rows = found[i];
    double total = 0;
    auto left = static_cast<double>(parts.options.neighbors);
    for (const NearRow& row : rows) {
      const auto at = static_cast<std::size_t>(row.row);
      const double weight = parts.weights[at];
      const double share = std::min(left, own == OwnRow::leave_out && row.row == i ? weight - 1 : weight);
      left -= share;
      const double votes = share * nearness(row, rows.front(), parts.options);
      total += votes;
      if (classifies) {
        result(i, parts.sample_classes[at]) += votes;
      }
      for (Index o = 0; o < parts.values.columns(); ++o) {
        result(i, o) += votes * parts.values(row.row, o);
      }
    }
    for (Index o = 0; o < columns; ++o) {
      result(i, o) /= total;
    }
  }
  return result;
}

Index most_votes(std::span<const double> shares) {
  return std::max_element(shares.begin(), shares.end()) - shares.begin();
}

FitReport::Measure left_out_error(const ModelHead& head, const KnnModel::Parts& parts, const Run& run) {
  if (parts.samples.size() < 2) {
    throw InvalidArgument(head.name + ": loo = yes needs two rows at least");
  }
  // The own row comes with what its weight has beyond 1.
  const Matrix<double> answers =
      averages(parts, head.classes.size(),
               nearest_rows(prepared_rows(parts, run), parts.weights, parts.samples,
                            static_cast<double>(parts.options.neighbors), OwnRow::leave_out, run),
               OwnRow::leave_out);
  double total = 0;
  double sum = 0;
  for (Index i = 0; i < answers.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double weight = parts.weights[at];
    if (parts.task == Task::classification) {
      sum += most_votes(answers.view().row(i)) == parts.sample_classes[at] ? 0.0 : weight;
      total += weight;
    }
    for (Index o = 0; o < parts.values.columns(); ++o) {
      const double error = answers(i, o) - parts.values(i, o);
      sum += weight * (error * error);
      total += weight;
    }
  }
  return parts.task == Task::classification ? FitReport::Measure{"leave-one-out error rate", sum / total}
                                            : FitReport::Measure{"leave-one-out RMSE", std::sqrt(sum / total)};
}

// With the notes and the measures that the options ask for.
std::unique_ptr<KnnModel> fitted_knn(ModelHead head, KnnModel::Parts parts, const Run& run) {
  const double total = std::accumulate(parts.weights.begin(), parts.weights.end(), 0.0);
  if (total < static_cast<double>(parts.options.neighbors)) {
    head.report.notes.push_back(std::to_string(parts.options.neighbors) +
                                " neighbors were asked for, all rows together are fewer: all of them answer");
  }
  if (parts.options.loo) {
    PhaseTimer timer(head.report);
    timer.start("leave-one-out");
    head.report.measures.push_back(left_out_error(head, parts, run));
    timer.stop();
  }
  return std::make_unique<KnnModel>(std::move(head), std::move(parts), run);
}

}  // namespace

KnnModel::KnnModel(ModelHead head, Parts parts, const Run& run)
    : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const Index n = parts_.samples.size();
  const bool classifies = task() == Task::classification;
  const bool fits = classifies ? classes().size() >= 2 && static_cast<Index>(parts_.sample_classes.size()) == n
                               : classes().empty() && parts_.values.rows() == n &&
                                     parts_.values.columns() == static_cast<Index>(output_names().size());
  if (n == 0 || static_cast<Index>(parts_.weights.size()) != n || !fits) {
    throw InvalidArgument(name() + ": " + std::to_string(n) + " samples with " + std::to_string(parts_.weights.size()) +
                          " weights, " + std::to_string(parts_.sample_classes.size()) + " classes and targets of " +
                          std::to_string(parts_.values.rows()) + " by " + std::to_string(parts_.values.columns()));
  }
  prepared_ = std::make_shared<const PreparedKernel>(prepared_rows(parts_, run));
}

std::vector<std::vector<NearRow>> KnnModel::neighbors(const Samples& samples, const Run& run) const {
  return nearest_rows(*prepared_, parts_.weights, samples, static_cast<double>(parts_.options.neighbors), OwnRow::keep,
                      run);
}

Answers KnnModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Matrix<double> averaged = averages(parts_, classes().size(), neighbors(samples, run), OwnRow::keep);
  if (task() == Task::regression) {
    return {.predictions = std::move(averaged)};
  }
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = Matrix<double>(averaged.rows(), 1);
    for (Index i = 0; i < averaged.rows(); ++i) {
      answers.predictions(i, 0) = static_cast<double>(most_votes(std::as_const(averaged).view().row(i)));
    }
  }
  answers.probabilities = std::move(averaged);
  return answers;
}

std::unique_ptr<KnnModel> fit_knn_classifier(const Kernel& kernel, const KnnOptions& options, const TrainingData& data,
                                             const Run& run) {
  options.validate("knnc");
  const LabeledRows labeled = read_labels("knnc", data, LabelReading::classes, {});
  DistanceRows counted = distance_rows("knnc", kernel, data, run);
  return fitted_knn({.name = "knnc",
                     .requested_kernel = kernel.spec(),
                     .settings = settings_of(knn_option_table(), options),
                     .output_names = {data.targets.columns().front().name},
                     .classes = labeled.levels},
                    {.task = Task::classification,
                     .options = options,
                     .kernel = counted.kernel,
                     .samples = counted.samples,
                     .weights = std::move(counted.weights),
                     .sample_classes = {labeled.classes.begin(), labeled.classes.end()}},
                    run);
}

std::unique_ptr<KnnModel> fit_knn_regressor(const Kernel& kernel, const KnnOptions& options, const TrainingData& data,
                                            const Run& run) {
  options.validate("knnr");
  require_targets(data);
  DistanceRows counted = distance_rows("knnr", kernel, data, run);
  Matrix<double> values = data.targets.finite_values(counted.rows);
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  return fitted_knn({.name = "knnr",
                     .requested_kernel = kernel.spec(),
                     .settings = settings_of(knn_option_table(), options),
                     .output_names = std::move(names)},
                    {.task = Task::regression,
                     .options = options,
                     .kernel = counted.kernel,
                     .samples = counted.samples,
                     .weights = std::move(counted.weights),
                     .values = std::move(values)},
                    run);
}

const ModelEntry& knn_classifier_entry() {
  static const ModelEntry entry = make_entry<KnnModel>(
      {.name = "knnc",
       .aliases = {"knn"},
       .summary = "kernel k nearest neighbors: the class of most neighbors in feature space",
       .task = Task::classification,
       .default_kernel = "linear()",
       .counterpart = "knnr"},
      knn_option_table(), fit_knn_classifier, [] { return KnnModel::Parts{.task = Task::classification}; });
  return entry;
}

const ModelEntry& knn_regressor_entry() {
  static const ModelEntry entry =
      make_entry<KnnModel>({.name = "knnr",
                            .aliases = {},
                            .summary = "kernel k nearest neighbors: the mean target of the neighbors in feature space",
                            .task = Task::regression,
                            .default_kernel = "linear()",
                            .counterpart = "knnc"},
                           knn_option_table(), fit_knn_regressor);
  return entry;
}

}  // namespace mercer
