#include "mercer/models/prototypes/class_mean.h"

#include <array>

#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/prototypes/training_gram.h"

namespace mercer {

namespace {

// Rows are evaluated once: K is never worth storing.
constexpr double class_mean_memory_mb = 64;

// n × classes: w_i / W_c in the column of the own class.
Matrix<double> mean_coefficients(const LabeledRows& labeled) {
  std::vector<double> totals(labeled.levels.size(), 0.0);
  for (std::size_t i = 0; i < labeled.classes.size(); ++i) {
    totals[labeled.classes[i]] += labeled.weights[i];
  }
  Matrix<double> means =
      Matrix<double>::filled(static_cast<Index>(labeled.rows.size()), static_cast<Index>(labeled.levels.size()), 0.0);
  for (std::size_t i = 0; i < labeled.classes.size(); ++i) {
    const Index c = labeled.classes[i];
    means(static_cast<Index>(i), c) = labeled.weights[i] / totals[c];
  }
  return means;
}

// What 2b_c is minus of: ‖μ_c‖², or the mean of k(x_i, x_i).
std::vector<double> twice_offsets(const Gram<double>& gram, const Matrix<double>& means, ClassMeanRule rule,
                                  const Run& run) {
  std::vector<double> result(means.columns(), 0.0);
  Matrix<double> products(means.rows(), means.columns());
  switch (rule) {
    case ClassMeanRule::parzen:
      return result;
    case ClassMeanRule::distance: {
      std::vector<double> diagonal(means.rows());
      gram.diagonal(diagonal);
      for (Index i = 0; i < means.rows(); ++i) {
        for (Index c = 0; c < means.columns(); ++c) {
          products(i, c) = diagonal[i];
        }
      }
      break;
    }
    case ClassMeanRule::mean:
      gram.multiply(means.view(), products.view(), run);
      break;
  }
  for (Index i = 0; i < means.rows(); ++i) {
    for (Index c = 0; c < means.columns(); ++c) {
      result[c] += means(i, c) * products(i, c);
    }
  }
  return result;
}

}  // namespace

void ClassMeanOptions::validate() const {
  check_options<ClassMeanOptions>("classmean", class_mean_option_table(), *this);
}

std::span<const Option<ClassMeanOptions>> class_mean_option_table() {
  static const std::array<Option<ClassMeanOptions>, 1> table{{
      {"rule", &ClassMeanOptions::rule,
       "which class is nearest: that of the nearest mean, that of the least mean squared distance, or that of the "
       "largest mean kernel value"},
  }};
  return table;
}

std::unique_ptr<ExpansionClassifier> fit_class_mean(const Kernel& kernel, const ClassMeanOptions& options,
                                                    const TrainingData& data, const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("solve");
  const LabeledRows labeled = read_labels("classmean", data, LabelReading::classes, {});
  const DistanceRows counted = distance_rows("classmean", kernel, data, run);
  const auto gram = training_gram(counted.kernel, counted.samples, class_mean_memory_mb, run);
  Matrix<double> means = mean_coefficients(labeled);
  const std::vector<double> twice = twice_offsets(*gram, means, options.rule, run);
  timer.start("model");
  std::vector<double> offsets;
  Matrix<double> coefficients(means.rows(), functions_for_classes(means.columns()));
  if (means.columns() == 2) {
    offsets = {(twice[0] - twice[1]) / 2};
    for (Index i = 0; i < means.rows(); ++i) {
      coefficients(i, 0) = means(i, 1) - means(i, 0);
    }
  } else {
    coefficients = std::move(means);
    for (const double value : twice) {
      offsets.push_back(-value / 2);
    }
  }
  Expansion expansion = compact_expansion(counted.kernel, counted.samples, std::move(coefficients), offsets, run);
  timer.stop();
  report.measures = {{"centers", static_cast<double>(expansion.centers().size())}};
  return std::make_unique<ExpansionClassifier>(ModelHead{.name = "classmean",
                                                         .requested_kernel = kernel.spec(),
                                                         .settings = settings_of(class_mean_option_table(), options),
                                                         .output_names = {data.targets.columns().front().name},
                                                         .classes = labeled.levels,
                                                         .report = std::move(report)},
                                               ExpansionClassifier::Parts{std::move(expansion)});
}

const ModelEntry& class_mean_entry() {
  static const ModelEntry entry =
      make_entry<ExpansionClassifier>({.name = "classmean",
                                       .aliases = {"class-mean", "nearest-mean"},
                                       .summary = "class means: the class whose mean in feature space is nearest",
                                       .task = Task::classification,
                                       .default_kernel = "rbf(gamma=scale)",
                                       .counterpart = "knnr"},
                                      class_mean_option_table(), fit_class_mean);
  return entry;
}

}  // namespace mercer
