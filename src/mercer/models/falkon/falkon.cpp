#include "mercer/models/falkon/falkon.h"

#include <numeric>

#include "mercer/base/text.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/ridge/residual_text.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

// The targets of the counted rows, less their weighted means: what is left is what the kernel has to explain, and
// offsets of any size cost no digits.
struct FalkonTargets {
  Matrix<double> values;
  std::vector<double> means;
  std::vector<double> weights = {};
  double total = 0;
};

FalkonTargets falkon_targets(const TrainingData& data, std::span<const Index> rows, FalkonOffset offset) {
  FalkonTargets targets{.values = data.targets.finite_values(rows),
                        .means = std::vector<double>(data.targets.outputs(), 0.0),
                        .weights = weights_or_ones(data.weights, rows)};
  targets.total = std::accumulate(targets.weights.begin(), targets.weights.end(), 0.0);
  for (Index o = 0; offset == FalkonOffset::constant && o < targets.values.columns(); ++o) {
    double& mean = targets.means[o];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      mean += targets.weights[i] / targets.total * targets.values(static_cast<Index>(i), o);
    }
    for (Index i = 0; i < targets.values.rows(); ++i) {
      targets.values(i, o) -= mean;
    }
  }
  return targets;
}

}  // namespace

void FalkonRegressionOptions::validate() const {
  check_options<FalkonRegressionOptions>("falkon", falkon_option_table(), *this);
  require_one_lambda("falkon");
}

std::span<const Option<FalkonRegressionOptions>> falkon_option_table() {
  static const std::vector<Option<FalkonRegressionOptions>> table = falkon_machine_table<FalkonRegressionOptions>();
  return table;
}

void FalkonModel::Parts::fields(Fields& visit) { visit.expansion(expansion, {.outputs = visit.outputs()}); }

Answers FalkonModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = parts_.expansion.values(samples, run)};
}

std::unique_ptr<FittedModel> FalkonModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  ModelHead next = head();
  next.report = compressed_report(report(), parts_.expansion.centers().size(), expansion.centers().size());
  return std::make_unique<FalkonModel>(std::move(next), Parts{std::move(expansion)});
}

std::unique_ptr<FalkonModel> fit_falkon(const Kernel& kernel, const FalkonRegressionOptions& options,
                                        const TrainingData& data, const Run& run) {
  options.validate();
  require_target_numbers(data, "falkon");
  const std::vector<Index> rows = weighted_rows(data, "falkon");
  const FalkonTargets targets = falkon_targets(data, rows, options.offset());
  const Samples samples = counted_samples(data.samples, rows);
  FitReport report;
  report.objective_name = "relative residual";
  PhaseTimer timer(report);
  const Kernel resolved = resolve_widths(kernel, samples, rows, data, run);
  const FalkonTask task{.model = "falkon",
                        .kernel = resolved,
                        .samples = samples,
                        .total_weight = targets.total,
                        .outputs = targets.values.columns(),
                        .row_blocks = 2};
  FalkonMachine machine = make_falkon_machine(task, options, timer, report, run);
  timer.start("conjugate gradients");
  FalkonSolution solution = solve_falkon(*machine.rows, *machine.factor, machine.sample, targets.values.view(),
                                         targets.weights, machine.options, run.on_at_most(machine.threads));
  timer.stop();
  report.status = solution.status;
  report.iterations = solution.iterations;
  report.objective = solution.residual;
  report.measures.push_back({"passes over the rows", static_cast<double>(solution.passes)});
  report.measures.push_back({"iterations in double precision", static_cast<double>(solution.double_iterations)});
  report.measures.push_back({"squared norm", solution.norm_squared});
  report.notes.push_back("relative residuals by iteration: " + residual_text(solution.history));
  report.notes.push_back("relative residuals evaluated anew: " + residual_text(solution.checked));
  note_rows_left_out(data.samples.size() - samples.size(), report);
  if (solution.status == SolveStatus::iteration_limit || solution.status == SolveStatus::stalled) {
    run.warn("falkon: the relative residual is " + shortest(solution.residual) + ", not " +
             shortest(options.tolerance) + " (" + std::string(to_string(solution.status)) +
             "): a larger lambda, more max_iterations or choice=pivoted may help");
  }
  Matrix<double> parametric(1, targets.values.columns());
  for (std::size_t o = 0; o < targets.means.size(); ++o) {
    parametric(0, static_cast<Index>(o)) = targets.means[o] + solution.offsets[o];
  }
  // What a stop left is still made into a model.
  const Run last = solution.status == SolveStatus::stopped ? Run{{.threads = run.threads()}} : run;
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  Expansion expansion(resolved, machine.landmarks, std::move(solution.coefficients), ParametricPart::constant,
                      std::move(parametric), Precision::double_precision, last);
  return std::make_unique<FalkonModel>(ModelHead{.name = "falkon",
                                                 .requested_kernel = kernel.spec(),
                                                 .settings = settings_of(falkon_option_table(), options),
                                                 .output_names = std::move(names),
                                                 .report = std::move(report)},
                                       FalkonModel::Parts{std::move(expansion)});
}

const ModelEntry& falkon_entry() {
  static const ModelEntry entry = make_entry<FalkonModel>(
      {.name = "falkon",
       .aliases = {},
       .summary = "kernel ridge regression on landmarks, for many rows: preconditioned conjugate gradients",
       .task = Task::regression,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "falkonc",
       .takes_prior = true},
      falkon_option_table(), fit_falkon);
  return entry;
}

}  // namespace mercer
