#include "mercer/report/make_report.h"

#include <chrono>
#include <filesystem>

#include "mercer/base/error.h"
#include "mercer/base/version.h"
#include "mercer/models/prior.h"
#include "mercer/report/sections/baselines.h"
#include "mercer/report/sections/calibration.h"
#include "mercer/report/sections/class_scores.h"
#include "mercer/report/sections/classification_curves.h"
#include "mercer/report/sections/clusters_section.h"
#include "mercer/report/sections/decision_regions.h"
#include "mercer/report/sections/density_scores.h"
#include "mercer/report/sections/density_section.h"
#include "mercer/report/sections/error_reject_section.h"
#include "mercer/report/sections/features_section.h"
#include "mercer/report/sections/gram_picture.h"
#include "mercer/report/sections/influence.h"
#include "mercer/report/sections/learning_curve.h"
#include "mercer/report/sections/loss_section.h"
#include "mercer/report/sections/model_facts.h"
#include "mercer/report/sections/model_scores.h"
#include "mercer/report/sections/novelty_section.h"
#include "mercer/report/sections/relevance.h"
#include "mercer/report/sections/residuals.h"
#include "mercer/report/sections/support_vectors.h"
#include "mercer/report/warnings.h"

namespace mercer {

namespace {

// Runs the sections one after the other: books their time, and turns the failure of one into a warning.
class Sections {
 public:
  explicit Sections(Report& report) : report_(report) {}

  template <class Work>
  void run(const char* name, Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    std::forward<Work>(work)();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_.cost.phases.push_back({name, seconds});
    report_.cost.seconds += seconds;
  }

  template <class Work>
  void attempt(const char* name, Work&& work) {
    run(name, [&] {
      try {
        work();
      } catch (const Stopped&) {
        throw;
      } catch (const Error& error) {
        failures_.push_back("No " + std::string(name) + " here: " + error.what() + ".");
      }
    });
  }

  const std::vector<std::string>& failures() const { return failures_; }

 private:
  Report& report_;
  std::vector<std::string> failures_;
};

DataFacts data_facts(const ReportInput& input) {
  DataFacts facts;
  facts.file = input.file;
  facts.rows = input.rows();
  const Schema& schema = input.stored->preparation.schema;
  facts.columns = schema.columns.empty() ? input.samples.columns() : static_cast<Index>(schema.columns.size());
  facts.part = input.part;
  facts.hash = input.data_hash;
  if (input.training) {
    facts.train_rows = input.training->samples.size();
  }
  constexpr std::size_t most_names = 200;
  for (const SchemaColumn& column : schema.columns) {
    if (facts.names.size() < most_names) {
      facts.names.push_back(column.name);
    }
  }
  return facts;
}

ClassificationSection classification_section(const FittedModel& model, const Predictions& predictions,
                                             const OutputScores& scores) {
  ClassificationSection section;
  section.classes = scores.classes;
  const auto known = static_cast<Index>(scores.classes.size());
  Index others = 0;
  for (Index c = 0; c < known; ++c) {
    others += scores.confusion(known, c);
  }
  // Labels that the model does not know have a row of their own only where there are any.
  const Index rows = others > 0 ? known + 1 : known;
  section.confusion = Matrix<Index>(rows, known);
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < known; ++c) {
      section.confusion(i, c) = scores.confusion(i, c);
    }
  }
  const Matrix<double> by_class = scores_by_class(model, predictions);
  const bool probable = predictions.probabilities.columns() > 0;
  section.curves = class_curves(scores.classes, predictions.classes, probable ? predictions.probabilities : by_class);
  if (probable) {
    section.calibration = calibration_curves(scores.classes, predictions.classes, predictions.probabilities);
  }
  if (scores.error_reject && scores.error_reject->rejected.size() > 1) {
    section.error_reject = thinned_curve(*scores.error_reject);
  }
  section.margins = margin_histogram(scores.classes, predictions.classes, class_margins(model, predictions, by_class));
  return section;
}

void add_metrics(const std::vector<OutputScores>& scores, Report& report) {
  for (const OutputScores& output : scores) {
    for (const Metric& metric : output.metrics) {
      ReportMetric entry{metric, metric_meaning(metric.name)};
      if (scores.size() > 1) {
        entry.metric.name += " of " + output.target;
      }
      report.metrics.push_back(std::move(entry));
    }
  }
}

std::string title_of(const ReportInput& input) {
  const std::string name(input.model().name());
  const std::string file = std::filesystem::path(input.file).filename().string();
  return file.empty() ? name : name + " on " + file;
}

const Targets* targets_of(const ReportInput& input) { return input.targets ? &*input.targets : nullptr; }

void add_results(const ReportInput& input, const Predictions& predictions, Sections& sections, Report& report,
                 const Run& run) {
  const FittedModel& model = input.model();
  std::vector<OutputScores> scores;
  if (is_scored(model.task())) {
    scores = model_scores(model, predictions);
    add_metrics(scores, report);
  }
  switch (model.task()) {
    case Task::classification:
      report.classification = classification_section(model, predictions, scores.front());
      break;
    case Task::regression:
      sections.attempt("fitted curve", [&] { report.regression = regression_section(input, predictions, run); });
      break;
    case Task::novelty:
      report.novelty = novelty_section(predictions);
      break;
    case Task::density:
      for (const Metric& metric : density_scores(input, predictions, run)) {
        report.metrics.push_back({metric, metric_meaning(metric.name)});
      }
      sections.attempt("density curves", [&] { report.density = density_section(input, predictions, run); });
      break;
    case Task::features:
      report.features = features_section(input, predictions, run);
      break;
    case Task::clustering:
      report.clusters = clusters_section(input, predictions);
      break;
  }
}

// What is about right and wrong answers, and so about tasks that have them.
void add_comparisons(const ReportInput& input, const std::optional<SupportVectors>& support, Sections& sections,
                     Report& report, const Run& run) {
  if (!is_scored(input.model().task())) {
    return;
  }
  sections.attempt("influential rows", [&] { report.influence = influence_section(input, support, run.quiet()); });
  sections.attempt("relevances", [&] { report.relevance = relevance_section(*input.stored, input.samples); });
  sections.attempt("learning curve", [&] { report.learning = learning_section(input, run); });
}

}  // namespace

Report make_report(const ReportInput& input, const Run& run) {
  if (input.rows() == 0) {
    throw DataError("there are no rows to report on");
  }
  if (input.training && match_training_rows(input.model(), input.training->samples) == RowMatch::different) {
    throw DataError(
        "the training data are not those that the model was fitted to: its support vectors are not found there");
  }
  const FittedModel& model = input.model();
  Report report;
  report.title = title_of(input);
  report.data = data_facts(input);
  Sections sections(report);
  Predictions predictions;
  std::optional<SupportVectors> support;
  // What the model learned: the targets less what a prior function says of them.
  const std::optional<TrainingData> learned = input.training && input.training->targets.outputs() > 0
                                                  ? std::optional(beyond_offsets(*input.training))
                                                  : std::nullopt;
  const Targets* const training_targets = learned ? &learned->targets : nullptr;
  sections.run("predictions", [&] {
    predictions = predict_all(model, input.samples, targets_of(input), report_quantile_levels(), run);
    support = support_vectors(model, training_targets, run);
  });
  sections.run("metrics and curves", [&] { add_results(input, predictions, sections, report, run); });
  sections.attempt("baselines", [&] {
    report.baselines = model.task() == Task::density ? density_baselines(report.metrics)
                                                     : baseline_facts(input, predictions, run.quiet());
  });
  report.loss = loss_section(model, report.regression ? &*report.regression : nullptr);
  const auto regions = [&] { report.regions = decision_regions(input, predictions, support, run); };
  if (input.axes.empty()) {
    sections.attempt("decision regions", regions);
  } else {
    sections.run("decision regions", regions);
  }
  sections.attempt("Gram matrix", [&] { report.gram = gram_section(input, run); });
  add_comparisons(input, support, sections, report, run);
  report.model = model_facts(*input.stored, support, report.gram);
  report.warnings = report_warnings(input, report);
  report.warnings.insert(report.warnings.end(), sections.failures().begin(), sections.failures().end());
  report.provenance.spec = model.has_kernel() ? model.kernel().spec() : "";
  report.provenance.seed = run.seed();
  report.provenance.version = library_version;
  report.provenance.data_hash = input.data_hash;
  return report;
}

}  // namespace mercer
