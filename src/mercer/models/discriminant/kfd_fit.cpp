// fit_kfd: the penalty, the functions, what their values say of the classes, the threshold.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/discriminant/kfd.h"
#include "mercer/models/discriminant/kfd_functions.h"
#include "mercer/models/discriminant/kfd_select.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr Index most_exact_discriminant_rows = 10000;

// Which form is solved, and whether the kernel, the classes and the threshold go with it.
KfdForm discriminant_form(const RidgeProblem& problem, const KfdOptions& options, const ClassRows& rows,
                          const Run& run) {
  const bool norm = options.penalty == FisherPenalty::norm;
  KfdForm form = options.form;
  if (form == KfdForm::automatic) {
    const bool small = rows.size() <= most_exact_discriminant_rows;
    const bool primal = norm && primal_factor(problem, RidgeForm::automatic).has_value();
    form = small || primal ? KfdForm::exact : norm ? KfdForm::low_rank : KfdForm::greedy;
  }
  if (form == KfdForm::exact && norm) {
    require_definite("kfd", problem.kernel, problem.samples, ParametricPart::constant, NormRemedies::none, run);
  } else if (form == KfdForm::low_rank || (form == KfdForm::greedy && norm)) {
    require_definite("kfd", problem.kernel, problem.samples, ParametricPart::none, NormRemedies::none, run);
  }
  if (rows.class_count() > 2 && form == KfdForm::sparse) {
    throw InvalidArgument("kfd: form = sparse tells two classes apart, there are " +
                          std::to_string(rows.class_count()) + ": use form=greedy");
  }
  if (rows.class_count() > 2 &&
      (options.threshold == KfdThreshold::least_squares || options.threshold == KfdThreshold::svm)) {
    throw InvalidArgument("kfd: threshold = " + std::string(word_of(options.threshold)) +
                          " cuts one value of two classes, there are " + std::to_string(rows.class_count()) +
                          ": use midpoint (the nearest class mean) or bayes");
  }
  return form;
}

std::vector<double> class_shares(const ClassRows& rows) {
  std::vector<double> shares;
  for (Index q = 0; q < rows.class_count(); ++q) {
    shares.push_back(rows.total(q) / rows.total());
  }
  return shares;
}

// Whether class means of the left-out values lie in the directions in which those of the values do.
bool left_out_values_agree(const DiscriminantFunctions& functions, const ClassRows& rows) {
  const Matrix<double> means = rows.class_means(functions.values.view());
  const Matrix<double> others = rows.class_means(functions.left_out.view());
  const std::vector<double> mean = rows.means(functions.values.view());
  double sum = 0;
  for (Index q = 0; q < rows.class_count(); ++q) {
    for (Index c = 0; c < means.columns(); ++c) {
      sum += rows.total(q) * (means(q, c) - mean[c]) * others(q, c);
    }
  }
  return sum > 0;
}

// What thresholds and densities are fitted to.
const Matrix<double>& calibration_values(const DiscriminantFunctions& functions, const ClassRows& rows,
                                         FitReport& report) {
  if (functions.left_out.rows() == 0) {
    return functions.values;
  }
  if (left_out_values_agree(functions, rows)) {
    return functions.left_out;
  }
  report.notes.push_back(
      "the values of left-out rows do not tell the classes apart: threshold and probabilities come from training "
      "values, and say more than is known");
  return functions.values;
}

// f = q − threshold: values, densities and the function itself.
void move_cut_to_zero(double threshold, DiscriminantFunctions& functions, ClassDensities& densities) {
  functions.offsets.front() -= threshold;
  for (Matrix<double>* values : {&functions.values, &functions.left_out}) {
    for (Index i = 0; i < values->rows(); ++i) {
      (*values)(i, 0) -= threshold;
    }
  }
  auto means = Matrix<double>::copy_of(densities.means().view());
  means(0, 0) -= threshold;
  means(1, 0) -= threshold;
  densities = ClassDensities(std::move(means), Matrix<double>::copy_of(densities.spread().view()),
                             {densities.log_priors().begin(), densities.log_priors().end()});
}

double discriminant_error_rate(const KfdOptions& options, ConstMatrixView<double> values,
                               const ClassDensities& densities, const ClassRows& rows) {
  double wrong = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    const Index decided = discriminant_class(options.threshold, values.row(i), densities);
    wrong += decided == rows.class_of(i) ? 0.0 : rows.weight(i);
  }
  return wrong / rows.total();
}

Expansion discriminant_expansion(const RidgeProblem& problem, DiscriminantFunctions& functions, KfdForm form,
                                 const Run& run) {
  Matrix<double> offsets(1, static_cast<Index>(functions.offsets.size()));
  std::ranges::copy(functions.offsets, offsets.data());
  const Expansion all(problem.kernel, std::move(functions.centers), std::move(functions.coefficients),
                      ParametricPart::constant, std::move(offsets), Precision::double_precision, run);
  return form == KfdForm::exact ? all : all.pruned(run);
}

}  // namespace

std::unique_ptr<KfdModel> fit_kfd(const Kernel& kernel, const KfdOptions& options, const TrainingData& data,
                                  const Run& run) {
  options.validate();
  LabeledRows labeled = read_labels("kfd", data, LabelReading::classes, options.class_weight);
  const auto n = static_cast<Index>(labeled.rows.size());
  const ClassRows rows(labeled.classes, labeled.weights);
  RidgeProblem problem{.model = "kfd",
                       .kernel = kernel,
                       .samples = counted_samples(data.samples, labeled.rows),
                       .targets = rows.indicators(),
                       .weights = labeled.weights};
  problem.kernel = resolve_widths(kernel, problem.samples, labeled.rows, data, run);
  problem.loo = options.calibration == KfdCalibration::left_out ? LeaveOneOut::compute : LeaveOneOut::skip;
  problem.memory_bytes = allowed_memory(options.memory_mb, whole_machine);

  FitReport report;
  note_rows_left_out(data.samples.size() - n, report);
  const KfdForm form = discriminant_form(problem, options, rows, run);
  KfdOptions used = options;
  if (form != KfdForm::sparse) {
    problem.lambda = options.lambda ? *options.lambda : choose_discriminant_penalty(problem, options, report, run);
    used.lambda = problem.lambda;
  }
  DiscriminantFunctions functions = discriminant_functions(problem, options, form, rows, report, run);

  const Matrix<double>& calibration = calibration_values(functions, rows, report);
  ClassDensities densities =
      ClassDensities::fit(calibration.view(), rows, options.priors.of_levels(labeled.levels, class_shares(rows)), run);
  if (rows.class_count() == 2) {
    const std::span<const double> values(calibration.data(), static_cast<std::size_t>(n));
    move_cut_to_zero(discriminant_threshold(options.threshold, values, rows, densities), functions, densities);
  }
  report.measures.push_back(
      {"training error rate", discriminant_error_rate(options, functions.values.view(), densities, rows)});
  if (&calibration == &functions.left_out) {
    report.measures.push_back({form == KfdForm::sparse ? "cross-validated error rate" : "leave-one-out error rate",
                               discriminant_error_rate(options, functions.left_out.view(), densities, rows)});
  }
  ModelHead head{.name = "kfd",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(kfd_option_table(), used),
                 .output_names = {data.targets.columns().front().name},
                 .classes = std::move(labeled.levels),
                 .report = std::move(report)};
  return std::make_unique<KfdModel>(std::move(head),
                                    KfdModel::Parts{.options = std::move(used),
                                                    .expansion = discriminant_expansion(problem, functions, form, run),
                                                    .densities = std::move(densities)});
}

}  // namespace mercer
