#include "mercer/models/falkon/falkon_classifier.h"

#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/prototypes/expansion_classifier.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/ridge/residual_text.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/falkon/falkon_logistic.h"

namespace mercer {

void FalkonClassOptions::validate() const {
  check_options<FalkonClassOptions>("falkonc", falkonc_option_table(), *this);
  require_one_lambda("falkonc");
}

std::span<const Option<FalkonClassOptions>> falkonc_option_table() {
  static const std::vector<Option<FalkonClassOptions>> table = [] {
    std::vector<Option<FalkonClassOptions>> rows = {
        {"loss", &FalkonClassOptions::loss,
         "squared: regression on class codes; logistic: likelihood, with probabilities"},
        {"class_weight", &FalkonClassOptions::class_weight,
         "balanced (the rarer the class, the heavier), or label:weight,label:weight"},
    };
    for (Option<FalkonClassOptions>& option : falkon_machine_table<FalkonClassOptions>()) {
      rows.push_back(std::move(option));
    }
    return rows;
  }();
  return table;
}

void FalkonClassifier::Parts::fields(Fields& visit) {
  visit.options(options, falkonc_option_table());
  visit.expansion(expansion, {.outputs = functions_for_classes(visit.classes())});
}

std::vector<std::string> FalkonClassifier::decision_names() const {
  return ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
}

Answers FalkonClassifier::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = parts_.expansion.values(samples, run)};
  const auto k = static_cast<Index>(classes().size());
  if (wanted.predictions) {
    answers.predictions = ClassCode::one_vs_rest(k).decode_rows(answers.decisions.view());
  }
  if (wanted.probabilities) {
    answers.probabilities = Matrix<double>(samples.size(), k);
    for (Index i = 0; i < samples.size(); ++i) {
      logistic_probabilities(answers.decisions.view().row(i), answers.probabilities.view().row(i));
    }
  }
  return answers;
}

std::unique_ptr<FittedModel> FalkonClassifier::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  ModelHead next = head();
  next.report = compressed_report(report(), parts_.expansion.centers().size(), expansion.centers().size());
  return std::make_unique<FalkonClassifier>(std::move(next), Parts{parts_.options, std::move(expansion)});
}

namespace {

struct FalkonFunctions {
  Matrix<double> coefficients;
  std::vector<double> offsets;
};

FalkonFunctions fit_squared(const FalkonMachine& machine, const LabeledRows& labeled, FitReport& report,
                            const Run& run) {
  const ClassCode code = ClassCode::one_vs_rest(static_cast<Index>(labeled.levels.size()));
  Matrix<double> targets(static_cast<Index>(labeled.rows.size()), code.machines());
  for (Index i = 0; i < targets.rows(); ++i) {
    for (Index o = 0; o < targets.columns(); ++o) {
      targets(i, o) = code(o, labeled.classes[i]);
    }
  }
  FalkonSolution solution = solve_falkon(*machine.rows, *machine.factor, machine.sample, targets.view(),
                                         labeled.weights, machine.options, run);
  report.status = solution.status;
  report.iterations = solution.iterations;
  report.objective_name = "relative residual";
  report.objective = solution.residual;
  report.measures.push_back({"passes over the rows", static_cast<double>(solution.passes)});
  report.measures.push_back({"iterations in double precision", static_cast<double>(solution.double_iterations)});
  report.notes.push_back("relative residuals by iteration: " + residual_text(solution.history));
  report.notes.push_back("relative residuals evaluated anew: " + residual_text(solution.checked));
  return {std::move(solution.coefficients), std::move(solution.offsets)};
}

FalkonFunctions fit_logistic(const FalkonMachine& machine, const LabeledRows& labeled, FitReport& report,
                             const Run& run) {
  FalkonLogisticSolution solution =
      solve_falkon_logistic(*machine.rows, *machine.factor, machine.sample, labeled.classes,
                            static_cast<Index>(labeled.levels.size()), labeled.weights, machine.options, run);
  report.status = solution.status;
  report.iterations = solution.iterations;
  report.objective_name = "penalised log loss";
  report.objective = solution.objective;
  report.measures.push_back({"newton steps", static_cast<double>(solution.newton_steps)});
  report.measures.push_back({"passes over the rows", static_cast<double>(solution.passes)});
  report.measures.push_back({"share of the objective left", solution.decrement});
  std::vector<double> left;
  for (const FalkonLogisticSolution::Step& step : solution.history) {
    left.push_back(step.decrement);
  }
  report.notes.push_back("share of the objective left by newton step: " + residual_text(left));
  return {std::move(solution.coefficients), std::move(solution.offsets)};
}

}  // namespace

std::unique_ptr<FalkonClassifier> fit_falkonc(const Kernel& kernel, const FalkonClassOptions& options,
                                              const TrainingData& data, const Run& run) {
  options.validate();
  const LabeledRows labeled = read_labels("falkonc", data, LabelReading::classes, options.class_weight);
  const Samples samples = counted_samples(data.samples, labeled.rows);
  FitReport report;
  PhaseTimer timer(report);
  const Kernel resolved = resolve_widths(kernel, samples, labeled.rows, data, run);
  const bool logistic = options.loss == FalkonLoss::logistic;
  const FalkonTask task{.model = "falkonc",
                        .kernel = resolved,
                        .samples = samples,
                        .total_weight = std::accumulate(labeled.weights.begin(), labeled.weights.end(), 0.0),
                        .outputs = functions_for_classes(static_cast<Index>(labeled.levels.size())),
                        .row_blocks = logistic ? 2 : 1};
  FalkonMachine machine = make_falkon_machine(task, options, timer, report, run);
  timer.start(logistic ? "newton steps" : "conjugate gradients");
  const Run solving = run.on_at_most(machine.threads);
  FalkonFunctions functions =
      logistic ? fit_logistic(machine, labeled, report, solving) : fit_squared(machine, labeled, report, solving);
  timer.stop();
  note_rows_left_out(data.samples.size() - samples.size(), report);
  if (report.status == SolveStatus::iteration_limit || report.status == SolveStatus::stalled) {
    run.warn("falkonc: the iteration ended before the tolerance was met (" + std::string(to_string(report.status)) +
             "): a larger lambda, more max_iterations or choice=pivoted may help");
  }
  // What a stop left is still made into a model.
  const Run last = report.status == SolveStatus::stopped ? Run{{.threads = run.threads()}} : run;
  Matrix<double> parametric(1, functions.coefficients.columns());
  std::copy(functions.offsets.begin(), functions.offsets.end(), parametric.data());
  Expansion expansion(resolved, machine.landmarks, std::move(functions.coefficients), ParametricPart::constant,
                      std::move(parametric), Precision::double_precision, last);
  return std::make_unique<FalkonClassifier>(ModelHead{.name = "falkonc",
                                                      .requested_kernel = kernel.spec(),
                                                      .settings = settings_of(falkonc_option_table(), options),
                                                      .output_names = {data.targets.columns().front().name},
                                                      .classes = labeled.levels,
                                                      .report = std::move(report)},
                                            FalkonClassifier::Parts{options, std::move(expansion)});
}

const ModelEntry& falkonc_entry() {
  static const ModelEntry entry =
      make_entry<FalkonClassifier>({.name = "falkonc",
                                    .aliases = {},
                                    .summary = "kernel classification on landmarks, for many rows: squared or logistic "
                                               "loss by preconditioned conjugate gradients",
                                    .task = Task::classification,
                                    .default_kernel = "rbf(gamma=scale)",
                                    .counterpart = "falkon"},
                                   falkonc_option_table(), fit_falkonc);
  return entry;
}

}  // namespace mercer
