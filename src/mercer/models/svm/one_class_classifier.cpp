#include "mercer/models/svm/one_class_classifier.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_distances.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr const char* classifier_name = "oneclassc";
constexpr Index undecided_class = -1;

OneClassOptions options_of_machine(const OneClassClassifierOptions& options) {
  OneClassOptions result;
  static_cast<SvmSolverOptions&>(result) = options;
  result.nu = options.nu;
  result.outlier_rate = options.outlier_rate;
  return result;
}

// A machine, and its rows among those that count.
struct ClassMachine {
  std::unique_ptr<OneClassModel> model;
  std::vector<Index> rows;  // of the support vectors
};

ClassMachine fit_class(const Kernel& kernel, const OneClassClassifierOptions& options, const Samples& samples,
                       const LabeledRows& labeled, std::int32_t c, const Run& run) {
  std::vector<Index> members;
  std::vector<double> weights;
  for (std::size_t i = 0; i < labeled.classes.size(); ++i) {
    if (labeled.classes[i] == c) {
      members.push_back(static_cast<Index>(i));
      weights.push_back(labeled.weights[i]);
    }
  }
  const TrainingData data{samples.select(members), {}, std::move(weights)};
  const auto fit = options.shape == OneClassShape::ball ? fit_svdd : fit_one_class;
  ClassMachine machine{.model = fit(kernel, options_of_machine(options), data, run), .rows = {}};
  for (const Index row : machine.model->support_rows()) {
    machine.rows.push_back(members[row]);
  }
  return machine;
}

// ‖w‖ of a plane; R² = offset + ‖c‖² of a ball, whose coefficients are 2β.
double size_of(const OneClassModel& machine, OneClassShape shape, const Run& run) {
  const double squared = squared_norm(machine.expansion(), run).front();
  return shape == OneClassShape::plane ? std::sqrt(squared)
                                       : machine.expansion().parametric_coefficients()(0, 0) + squared / 4;
}

// √ with its sign: a ball that outlier_rate made smaller than a point has R² < 0.
double signed_root(double value) { return std::copysign(std::sqrt(std::abs(value)), value); }

double distance_inside(double value, double size, OneClassShape shape) {
  if (shape == OneClassShape::plane) {
    return size > 0 ? value / size : value;
  }
  return signed_root(size) - std::sqrt(std::max(0.0, size - value));
}

void add_machine(const OneClassModel& machine, const std::string& label, FitReport& report) {
  const FitReport& own = machine.report();
  report.iterations += own.iterations;
  if (own.status != SolveStatus::converged) {
    report.status = own.status;
  }
  for (const FitReport::Measure& measure : own.measures) {
    report.measures.push_back({measure.name + " (" + label + ")", measure.value});
  }
  for (const Note& note : own.notes) {
    report.notes.push_back(label + ": " + note.text);
  }
}

Expansion joined(const Kernel& kernel, const Samples& samples, const std::vector<ClassMachine>& machines,
                 std::vector<Index>& support_rows, const Run& run) {
  std::vector<MachineCoefficients> coefficients;
  std::vector<std::vector<double>> values;
  values.reserve(machines.size());  // views stay
  Matrix<double> offsets(1, static_cast<Index>(machines.size()));
  Precision precision = Precision::single_precision;
  for (std::size_t c = 0; c < machines.size(); ++c) {
    const Expansion& own = machines[c].model->expansion();
    values.emplace_back(own.coefficients().data(), own.coefficients().data() + own.coefficients().rows());
    coefficients.push_back({machines[c].rows, values.back()});
    offsets(0, static_cast<Index>(c)) = own.parametric_coefficients()(0, 0);
    if (own.precision() == Precision::double_precision) {
      precision = Precision::double_precision;
    }
  }
  SupportSet support = support_set(kernel, coefficients, samples.size());
  support_rows = support.rows;
  return Expansion(kernel, packed_for_svm(samples, support.rows), std::move(support.coefficients),
                   ParametricPart::constant, std::move(offsets), precision, run);
}

}  // namespace

void OneClassClassifierOptions::validate() const {
  check_options<OneClassClassifierOptions>(classifier_name, one_class_classifier_option_table(), *this);
}

std::span<const Option<OneClassClassifierOptions>> one_class_classifier_option_table() {
  static const std::vector<Option<OneClassClassifierOptions>> table = [] {
    using Options = OneClassClassifierOptions;
    std::vector<Option<Options>> lines = {
        {"nu", &Options::nu, "at most this fraction of the rows of a class are outside of its machine",
         Limits::above_to(0, 1), SearchRange{"0.01..0.5"}},
        {"outlier_rate", &Options::outlier_rate,
         "move every boundary after the fit, so that this fraction of the rows of the class (of their weight) is "
         "outside",
         Limits::from_to(0, 1)},
        {"shape", &Options::shape, "what a class is inside of: a plane away from the origin, or the smallest ball"},
        {"outside", &Options::outside,
         "the answer for a sample outside of all classes: the nearest class, or none of them"},
    };
    const std::vector<Option<Options>> solver = SvmSolverOptions::table<Options>();
    lines.insert(lines.end(), solver.begin(), solver.end());
    return lines;
  }();
  return table;
}

std::unique_ptr<OneClassClassifier> fit_one_class_classifier(const Kernel& kernel,
                                                             const OneClassClassifierOptions& options,
                                                             const TrainingData& given, const Run& run) {
  options.validate();
  const MergedRows merged = merged_rows(classifier_name, &kernel, given);
  const TrainingData& data = merged.data;
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const LabeledRows labeled = read_labels(classifier_name, data, LabelReading::classes, {});
  const Samples samples = counted_samples(data.samples, labeled.rows);
  const Kernel resolved = resolve_widths(kernel, samples, labeled.rows, data, run);
  if (resolved.node().depends_on_reference()) {
    throw InvalidArgument("oneclassc: the kernel " + resolved.spec() +
                          " depends on the rows of the fit as a set, which are others for every class: take the kernel "
                          "without centering");
  }
  timer.start("solve");
  std::vector<ClassMachine> machines;
  OneClassClassifier::Parts parts{.options = options};
  for (std::size_t c = 0; c < labeled.levels.size(); ++c) {
    machines.push_back(fit_class(resolved, options, samples, labeled, static_cast<std::int32_t>(c), run));
    parts.sizes.push_back(size_of(*machines.back().model, options.shape, run));
    add_machine(*machines.back().model, labeled.levels[c], report);
  }
  timer.start("model");
  parts.expansion = joined(resolved, samples, machines, parts.support_rows, run);
  report.measure(Fact::support_vectors, static_cast<double>(parts.support_rows.size()));
  for (Index& row : parts.support_rows) {
    row = labeled.rows[row];
  }
  parts.support_rows = merged.given(std::move(parts.support_rows));
  timer.stop();
  return std::make_unique<OneClassClassifier>(
      ModelHead{.name = classifier_name,
                .requested_kernel = kernel.spec(),
                .settings = settings_of(one_class_classifier_option_table(), options),
                .output_names = {data.targets.columns().front().name},
                .classes = labeled.levels,
                .report = std::move(report)},
      std::move(parts));
}

void OneClassClassifier::Parts::fields(Fields& visit) {
  visit.options(options, one_class_classifier_option_table());
  visit.expansion(expansion, {.outputs = visit.classes(), .precision_before = options.precision()});
  visit.column("sizes", sizes, visit.classes());
  visit.indices("support_rows", support_rows, expansion.centers().size(), any_index);
}

std::vector<std::string> OneClassClassifier::decision_names() const {
  return ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
}

Matrix<double> OneClassClassifier::distances(const Samples& samples, const Run& run) const {
  const OneClassShape shape = parts_.options.shape;
  Matrix<double> values = parts_.expansion.values(samples, run);
  std::vector<double> diagonal(samples.size(), 0.0);  // that a ball's values are less
  if (shape == OneClassShape::ball) {
    const PreparedKernel prepared(kernel(), parts_.expansion.centers(), Precision::double_precision, run.quiet());
    diagonal = kernel_diagonal(prepared, samples, run.quiet());
  }
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index c = 0; c < values.columns(); ++c) {
      values(i, c) = distance_inside(values(i, c) - diagonal[i], parts_.sizes[c], shape);
    }
  }
  return values;
}

Answers OneClassClassifier::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Matrix<double> inside = distances(samples, run);
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = Matrix<double>(samples.size(), 1);
    for (Index i = 0; i < samples.size(); ++i) {
      const std::span<const double> row = inside.view().row(i);
      const bool rejects = parts_.options.outside == OutsideAnswer::none && std::ranges::none_of(row, is_positive_side);
      // Of two equal values the second class, as everywhere.
      const Index answer = row.size() == 2 ? class_of_value(row[1] - row[0]) : class_of_values(row);
      answers.predictions(i, 0) = static_cast<double>(rejects ? undecided_class : answer);
    }
  }
  if (inside.columns() == 2) {
    answers.decisions = Matrix<double>(samples.size(), 1);
    for (Index i = 0; i < samples.size(); ++i) {
      answers.decisions(i, 0) = inside(i, 1) - inside(i, 0);
    }
  } else {
    answers.decisions = std::move(inside);
  }
  return answers;
}

const ModelEntry& one_class_classifier_entry() {
  static const ModelEntry entry = make_entry<OneClassClassifier>(
      {.name = classifier_name,
       .aliases = {"one-class-classifier"},
       .summary = "classification by one one-class machine per class, which may answer with none of them",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "svr"},
      one_class_classifier_option_table(), fit_one_class_classifier);
  return entry;
}

}  // namespace mercer
