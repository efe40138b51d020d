#include "mercer/models/density/kde_classifier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/smoothing/bandwidth_rules.h"

namespace mercer {

namespace {

std::string class_prefix(std::size_t c) { return "class_" + std::to_string(c) + "_"; }

// Widths for every column where a class has no spread in one, from scott's rule where that is asked for and the normal
// rule else: of its own spread where it has one, else of that of all rows, and 1 where nothing varies.
std::vector<double> fallback_widths(const KdeOptions& options, const DensityRows& rows,
                                    const std::vector<double>& overall) {
  const WeightedSpread spread = weighted_spread(rows.points.view(), rows.weights);
  const Index d = rows.points.columns();
  const double constant = options.bandwidth.rule() == BandwidthRule::scott ? 1.0 : 4.0 / static_cast<double>(d + 2);
  const double power = std::pow(constant / spread.count, 1.0 / static_cast<double>(d + 4));
  const double shape = SmoothingKernel(options.shape, d).canonical_bandwidth() /
                       SmoothingKernel(SmoothingShape::gaussian, d).canonical_bandwidth();
  std::vector<double> widths;
  for (std::size_t j = 0; j < overall.size(); ++j) {
    const double deviation = spread.deviation[j] > 0 ? spread.deviation[j] : overall[j];
    widths.push_back(deviation > 0 ? deviation * power * shape : 1.0);
  }
  return widths;
}

bool varies_everywhere(const DensityRows& rows) {
  const std::vector<double> deviation = weighted_spread(rows.points.view(), rows.weights).deviation;
  return std::all_of(deviation.begin(), deviation.end(), [](double value) { return value > 0; });
}

KernelDensity class_density(const KdeOptions& asked, DensityRows rows, const LeftOutColumns& left_out,
                            const std::vector<double>& overall, const std::string& level, FitReport& report,
                            const Run& run) {
  KdeOptions options = asked;
  const std::string of_class = "class '" + level + "'";
  if (options.bandwidth.rule() && !varies_everywhere(rows)) {
    options.bandwidth = fallback_widths(options, rows, overall);
    report.notes.push_back(of_class + " has columns without spread: widths there are those of all rows");
  }
  FitReport own;
  KernelDensity density = fit_kernel_density(options, std::move(rows), left_out, own, run);
  const std::string opening = of_class + ": ";
  for (const std::string& note : own.notes) {
    report.notes.push_back(opening + note);
  }
  double log_width = 0;
  for (Index j = 0; j < density.dimension(); ++j) {
    log_width += std::log(density.parts().bandwidth.width(j)) / static_cast<double>(density.dimension());
  }
  report.measures.push_back({"mean bandwidth of " + of_class, std::exp(log_width)});
  return density;
}

}  // namespace

void KdeClassifierOptions::validate() const {
  check_options<KdeClassifierOptions>("kdec", kde_classifier_option_table(), *this);
}

std::span<const Option<KdeClassifierOptions>> kde_classifier_option_table() {
  static const std::vector<Option<KdeClassifierOptions>> table = [] {
    const std::span<const Option<KdeOptions>> base = kde_option_table();
    std::vector<Option<KdeClassifierOptions>> lines(base.begin(), base.end());
    lines.push_back({"priors", &KdeClassifierOptions::priors, "shares of the classes in the data, or all alike"});
    return lines;
  }();
  return table;
}

std::unique_ptr<KdeClassifier> fit_kde_classifier(const KdeClassifierOptions& options, const TrainingData& data,
                                                  const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("bandwidth");
  const LabeledRows labeled = read_labels("kdec", data, LabelReading::classes, {});
  DensityRows all = density_rows(data, "kdec");
  LeftOutColumns left_out = options.bandwidth.rule() ? constant_columns(all.points.view()) : LeftOutColumns();
  if (!left_out.columns.empty()) {
    report.notes.push_back(note_of(left_out));
    const Index kept = all.points.columns() - static_cast<Index>(left_out.columns.size());
    all.points = left_out.removed_from(std::move(all.points), kept);
  }
  const std::vector<double> overall = weighted_spread(all.points.view(), all.weights).deviation;
  KdeClassifier::Parts parts;
  for (std::size_t c = 0; c < labeled.levels.size(); ++c) {
    std::vector<Index> members;  // among the rows that count
    for (std::size_t i = 0; i < labeled.rows.size(); ++i) {
      if (labeled.classes[i] == static_cast<std::int32_t>(c)) {
        members.push_back(static_cast<Index>(i));
      }
    }
    DensityRows rows{Matrix<double>(static_cast<Index>(members.size()), all.points.columns()), {}};
    double weight = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto member = static_cast<std::size_t>(members[i]);
      std::copy_n(all.points.view().row_data(members[i]), all.points.columns(),
                  rows.points.view().row_data(static_cast<Index>(i)));
      weight += labeled.weights[member];
      if (!all.weights.empty()) {
        rows.weights.push_back(labeled.weights[member]);
      }
    }
    parts.densities.push_back(
        class_density(options, std::move(rows), left_out, overall, labeled.levels[c], report, run));
    parts.priors.push_back(options.priors == DensityPriors::equal ? 1.0 : weight);
  }
  const double total = std::accumulate(parts.priors.begin(), parts.priors.end(), 0.0);
  for (double& prior : parts.priors) {
    prior /= total;
  }
  timer.stop();
  parts.left_out = std::move(left_out);
  return std::make_unique<KdeClassifier>(ModelHead{.name = "kdec",
                                                   .settings = settings_of(kde_classifier_option_table(), options),
                                                   .output_names = {data.targets.columns().front().name},
                                                   .classes = labeled.levels,
                                                   .report = std::move(report)},
                                         std::move(parts));
}

Matrix<double> KdeClassifier::log_densities(const Samples& samples, const Run& run) const {
  const Matrix<double> points =
      parts_.left_out.removed_from(density_points(samples, "kdec"), parts_.densities.front().dimension());
  Matrix<double> result(points.rows(), static_cast<Index>(parts_.densities.size()));
  for (std::size_t c = 0; c < parts_.densities.size(); ++c) {
    const std::vector<double> values = parts_.densities[c].log_density(points.view(), run);
    for (Index i = 0; i < points.rows(); ++i) {
      result(i, static_cast<Index>(c)) = values[i];
    }
  }
  return result;
}

Matrix<double> KdeClassifier::shares(const Samples& samples, const Run& run) const {
  Matrix<double> result = log_densities(samples, run);
  for (Index i = 0; i < result.rows(); ++i) {
    const std::span<double> row = result.view().row(i);
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] += std::log(parts_.priors[c]);
    }
    const double largest = *std::max_element(row.begin(), row.end());
    if (std::isinf(largest)) {
      std::copy(parts_.priors.begin(), parts_.priors.end(), row.begin());
      continue;
    }
    double sum = 0;
    for (double& value : row) {
      value = std::exp(value - largest);
      sum += value;
    }
    for (double& value : row) {
      value /= sum;
    }
  }
  return result;
}

Answers KdeClassifier::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.probabilities = shares(samples, run)};
  if (wanted.predictions) {
    answers.predictions = classes_of_shares(answers.probabilities.view());
  }
  return answers;
}

void KdeClassifier::Parts::fields(Fields& visit) {
  KdeClassifierOptions options;
  visit.options(options, kde_classifier_option_table());
  visit.column("priors", priors, visit.classes(), Constraint::positive);
  left_out.fields(visit);
  densities.resize(priors.size());
  for (std::size_t c = 0; c < densities.size(); ++c) {
    density_fields(visit, class_prefix(c), options, left_out, densities[c]);
    visit.require(densities[c].dimension() == densities[0].dimension(), "classes of different columns");
  }
}

const ModelEntry& kde_classifier_entry() {
  static const ModelEntry entry =
      make_entry<KdeClassifier>({.name = "kdec",
                                 .aliases = {},
                                 .summary = "classification by one kernel density per class and Bayes' rule",
                                 .task = Task::classification,
                                 .counterpart = "nw"},
                                kde_classifier_option_table(), fit_kde_classifier);
  return entry;
}

}  // namespace mercer
