// fit_riskr and fit_riskc: one ground (risk_ground.h), and one problem (solvers/risk) per output or class.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "mercer/base/power_of_two.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/risk/risk_ground.h"
#include "mercer/models/risk/risk_machine.h"
#include "mercer/models/svm/svr_targets.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

void add_to_report(const RiskSolution& solution, const std::string& machine, FitReport& report) {
  report.iterations += solution.iterations;
  report.objective += solution.objective;
  const auto rank = [](SolveStatus status) {
    return status == SolveStatus::converged ? 0 : status == SolveStatus::stalled ? 1 : 2;
  };
  if (rank(solution.status) > rank(report.status)) {
    report.status = solution.status;
  }
  const std::string subject = machine.empty() ? "" : machine + ": ";
  if (!solution.message.empty()) {
    report.notes.push_back(subject + solution.message);
  } else if (solution.optimality == Optimality::local_minimum || solution.optimality == Optimality::stationary_point) {
    report.notes.push_back(subject + "the loss is not convex: a " + std::string(word_of(solution.optimality)) +
                           ", the better one of two starts, where other starts may end lower");
  }
}

void report_solutions(const std::vector<SparseRiskSolution>& solutions, const Loss& loss, RiskNorm priced,
                      const Expansion& expansion, FitReport& report) {
  report.objective_name = "objective";
  double risk = 0;
  double norm = 0;
  double gap = 0;
  double sum = 0;
  for (const SparseRiskSolution& solution : solutions) {
    risk += solution.risk.risk;
    norm += solution.risk.squared_norm;
    sum += solution.absolute_sum;
    gap = std::max(gap, std::abs(solution.risk.relative_gap));
  }
  report.measure(Fact::support_vectors, static_cast<double>(expansion.centers().size()));
  report.measures.push_back({"training loss", risk});
  if (priced == RiskNorm::function) {
    report.measures.push_back({"squared norm", norm});
  } else {
    report.measures.push_back({"sum of absolute coefficients", sum});
  }
  if (loss.conjugate_form()) {
    report.measure(Fact::relative_gap, gap);
  }
}

// By what power of a factor the norm of f grows.
double norm_degree(const RiskMachineOptions& options) { return options.norm == RiskNorm::function ? 2 : 1; }

std::vector<double> priced(std::span<const double> weights, double price) {
  std::vector<double> prices(weights.begin(), weights.end());
  scale(price, prices);
  return prices;
}

}  // namespace

std::unique_ptr<RiskMachine> fit_riskr(const Kernel& kernel, const RiskrOptions& options, const TrainingData& data,
                                       const Run& run) {
  options.validate();
  require_target_numbers(data, "riskr");
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const CountedRows rows = counted_rows("riskr", data);
  note_rows_left_out(data.samples.size() - rows.samples.size(), report);
  const Kernel resolved = resolve_widths(kernel, rows.samples, rows.rows, data, run);
  const RiskGround ground("riskr", resolved, rows.samples, options, run);
  const std::vector<double> weights = weights_or_ones(data.weights, rows.rows);

  timer.start("solve");
  std::vector<SparseRiskSolution> solutions;
  std::vector<double> offsets;
  std::vector<double> working_units;
  std::vector<double> units;
  std::vector<std::string> names;
  const bool has_constant = !options.parametric.is_none();
  const bool is_several = data.targets.outputs() > 1;
  LossPointer loss;
  for (const TargetColumn& column : data.targets.columns()) {
    std::vector<double> values = column.finite_values(rows.rows);
    const SvrTargets y = svr_targets(values, weights, Standardization::each);
    const double usual_unit = options.standardize ? y.deviation : 1.0;
    // As they are, targets have a unit too: a power of two of about their deviation is taken out of the problem, and the
    // mean, which the constant gives back. Without a constant nothing would.
    const double unit = options.standardize ? y.deviation : power_of_two_near(y.deviation);
    const double offset = has_constant ? y.mean : 0.0;
    for (double& value : values) {
      value = (value - offset) / unit;
    }
    std::vector<double> prices = priced(weights, options.C);
    if (!options.standardize) {
      scale(std::pow(unit, options.degree() - norm_degree(options)), prices);
    }
    loss = options.make_loss(unit, usual_unit);
    SparseRiskSolution solution = ground.solve(*loss, values, prices, options.standardize ? 1.0 : unit);
    if (!options.standardize) {
      const double factor = std::pow(unit, norm_degree(options));
      RiskSolution& risk = solution.risk;
      for (double* const value :
           {&risk.squared_norm, &risk.risk, &risk.objective, &risk.lower_bound, &solution.absolute_sum}) {
        *value *= factor;
      }
    }
    offsets.push_back(offset);
    working_units.push_back(unit);
    units.push_back(usual_unit);
    solutions.push_back(std::move(solution));
    names.push_back(column.name);
    add_to_report(solutions.back().risk, is_several ? column.name : "", report);
  }
  timer.start("model");
  Expansion expansion = ground.expansion(solutions, offsets, working_units);
  report_solutions(solutions, *loss, options.norm, expansion, report);
  ground.add_to_report(report);
  timer.stop();
  return std::make_unique<RiskMachine>(
      ModelHead{.name = "riskr",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(riskr_option_table(), options),
                .output_names = std::move(names),
                .report = std::move(report)},
      RiskMachine::Parts{.options = options, .expansion = std::move(expansion), .units = std::move(units)});
}

std::unique_ptr<RiskMachine> fit_riskc(const Kernel& kernel, const RiskcOptions& options, const TrainingData& data,
                                       const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const LabeledRows labeled = read_labels("riskc", data, LabelReading::classes, options.class_weight);
  const Samples samples = counted_samples(data.samples, labeled.rows);
  note_rows_left_out(data.samples.size() - samples.size(), report);
  const Kernel resolved = resolve_widths(kernel, samples, labeled.rows, data, run);
  const RiskGround ground("riskc", resolved, samples, options, run);
  const std::vector<double> prices = priced(labeled.weights, options.C);

  timer.start("solve");
  const ClassCode code = ClassCode::one_vs_rest(static_cast<Index>(labeled.levels.size()));
  const LossPointer loss = options.make_loss();
  const std::vector<std::string> machines = code.names(labeled.levels);
  std::vector<SparseRiskSolution> solutions;
  for (Index m = 0; m < code.machines(); ++m) {
    std::vector<double> signs;
    for (const std::int32_t c : labeled.classes) {
      signs.push_back(code(m, c));
    }
    solutions.push_back(ground.solve(*loss, signs, prices, 1.0));
    add_to_report(solutions.back().risk, code.machines() > 1 ? machines[static_cast<std::size_t>(m)] : "", report);
  }
  timer.start("model");
  const std::vector<double> offsets(solutions.size(), 0.0);
  const std::vector<double> units(solutions.size(), 1.0);
  Expansion expansion = ground.expansion(solutions, offsets, units);
  report_solutions(solutions, *loss, options.norm, expansion, report);
  ground.add_to_report(report);
  timer.stop();
  return std::make_unique<RiskMachine>(
      ModelHead{.name = "riskc",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(riskc_option_table(), options),
                .output_names = {data.targets.columns().front().name},
                .classes = labeled.levels,
                .report = std::move(report)},
      RiskMachine::Parts{.options = options, .expansion = std::move(expansion), .units = units});
}

}  // namespace mercer
