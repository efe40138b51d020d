// fit_riskr and fit_riskc: one kernel matrix, projected beside the parametric part where the kernel is only conditionally
// positive, and one problem (solvers/risk) per output or class.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "mercer/base/power_of_two.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/kernel_machine/machine_problem.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/parametric_projection.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/risk/risk_machine.h"
#include "mercer/models/svm/svr_targets.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/risk/risk_solver.h"

namespace mercer {

namespace {

/// The kernel on the rows that count, and the parametric part on them.
class RiskGround {
 public:
  RiskGround(const char* model, const Kernel& kernel, Samples samples, const RiskMachineOptions& options,
             const Run& run)
      : kernel_(kernel),
        samples_(std::move(samples)),
        options_(options),
        run_(run),
        basis_(samples_, options.parametric) {
    const auto n = static_cast<double>(samples_.size());
    require_machine_memory(model, 8 * 4 * n * n, options.memory_mb, "fewer rows");
    require_definite(model, kernel_, samples_, options.parametric, NormRemedies::parametric, run);
    const PreparedKernel prepared(kernel_, samples_, Precision::double_precision, run);
    k_ = Matrix<double>(samples_.size(), samples_.size());
    evaluate_gram<double>(prepared, Triangle::both, k_.view(), run);
    if (!kernel_.definiteness().is_positive()) {
      kernel_times_basis_ = project_out<double>(k_.view(), basis_.q(), PositionOfBasis::inside, run).kernel_times_basis;
      mirror_lower<double>(k_.view(), run);
    }
    take_unit_out();
  }

  /// The problem in units in which kernel values are about 1: K = uK', α = α'/u, and u times the prices give u times the
  /// objective. u is a power of two, so that nothing is rounded.
  RiskSolution solve(const Loss& loss, std::span<const double> targets, std::span<const double> prices) const {
    std::vector<double> scaled(prices.begin(), prices.end());
    scale(kernel_unit_, scaled);
    RiskSolution solution =
        solve_risk({.kernel = k_.view(), .basis = basis_.q(), .targets = targets, .prices = scaled, .loss = loss},
                   {.largest_gap = options_.tolerance, .max_iterations = options_.max_iterations}, run_);
    scale(1 / kernel_unit_, solution.alpha);
    for (double* const value : {&solution.squared_norm, &solution.risk, &solution.objective, &solution.lower_bound}) {
      *value /= kernel_unit_;
    }
    return solution;
  }

  /// A sentence where functions of the parametric part depend on others.
  std::string dependence() const { return basis_.dependence(); }

  /// Of solutions as columns; an output o was shifted by offsets[o] and divided by units[o].
  Expansion expansion(const std::vector<RiskSolution>& solutions, std::span<const double> offsets,
                      std::span<const double> units) const {
    const auto outputs = static_cast<Index>(solutions.size());
    const Index n = samples_.size();
    Matrix<double> alpha(n, outputs);
    Matrix<double> gamma(basis_.q().columns(), outputs);
    for (Index o = 0; o < outputs; ++o) {
      const RiskSolution& solution = solutions[static_cast<std::size_t>(o)];
      const double unit = units[static_cast<std::size_t>(o)];
      for (Index i = 0; i < n; ++i) {
        alpha(i, o) = unit * solution.alpha[static_cast<std::size_t>(i)];
      }
      for (Index j = 0; j < gamma.rows(); ++j) {
        gamma(j, o) = unit * solution.gamma[static_cast<std::size_t>(j)];
      }
    }
    if (kernel_times_basis_.rows() > 0) {
      gemm(-1.0, kernel_times_basis_.view(), Transpose::yes, alpha.view(), Transpose::no, 1.0, gamma.view());
    }
    Matrix<double> parametric = basis_.parametric_coefficients(gamma.view());
    for (Index o = 0; o < outputs && parametric.rows() > 0; ++o) {
      parametric(0, o) += offsets[static_cast<std::size_t>(o)];
    }
    return Expansion(kernel_, samples_, std::move(alpha), options_.parametric, std::move(parametric),
                     Precision::double_precision, run_)
        .pruned(run_);
  }

 private:
  void take_unit_out() {
    double mean = 0;
    for (Index i = 0; i < k_.rows(); ++i) {
      mean += std::abs(k_(i, i)) / static_cast<double>(k_.rows());
    }
    kernel_unit_ = power_of_two_near(mean);
    for (Index i = 0; i < k_.rows(); ++i) {
      scale(1 / kernel_unit_, k_.view().row(i));
    }
  }

  Kernel kernel_;
  Samples samples_;
  const RiskMachineOptions& options_;
  const Run& run_;
  ParametricBasis basis_;
  Matrix<double> k_;
  double kernel_unit_ = 1;
  Matrix<double> kernel_times_basis_;  // of the kernel before its projection; empty: it was positive
};

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

void report_solutions(const std::vector<RiskSolution>& solutions, const Loss& loss, const Expansion& expansion,
                      FitReport& report) {
  report.objective_name = "objective";
  double risk = 0;
  double norm = 0;
  double gap = 0;
  for (const RiskSolution& solution : solutions) {
    risk += solution.risk;
    norm += solution.squared_norm;
    gap = std::max(gap, std::abs(solution.relative_gap));
  }
  report.measure(Fact::support_vectors, static_cast<double>(expansion.centers().size()));
  report.measures.push_back({"training loss", risk});
  report.measures.push_back({"squared norm", norm});
  if (loss.conjugate_form()) {
    report.measure(Fact::relative_gap, gap);
  }
}

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
  std::vector<RiskSolution> solutions;
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
      scale(std::pow(unit, options.degree() - 2), prices);
    }
    loss = options.make_loss(unit, usual_unit);
    RiskSolution solution = ground.solve(*loss, values, prices);
    if (!options.standardize) {
      for (double* const value : {&solution.squared_norm, &solution.risk, &solution.objective, &solution.lower_bound}) {
        *value *= unit * unit;
      }
    }
    offsets.push_back(offset);
    working_units.push_back(unit);
    units.push_back(usual_unit);
    solutions.push_back(std::move(solution));
    names.push_back(column.name);
    add_to_report(solutions.back(), is_several ? column.name : "", report);
  }
  timer.start("model");
  Expansion expansion = ground.expansion(solutions, offsets, working_units);
  report_solutions(solutions, *loss, expansion, report);
  if (!ground.dependence().empty()) {
    report.notes.push_back(ground.dependence());
  }
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
  std::vector<RiskSolution> solutions;
  for (Index m = 0; m < code.machines(); ++m) {
    std::vector<double> signs;
    for (const std::int32_t c : labeled.classes) {
      signs.push_back(code(m, c));
    }
    solutions.push_back(ground.solve(*loss, signs, prices));
    add_to_report(solutions.back(), code.machines() > 1 ? machines[static_cast<std::size_t>(m)] : "", report);
  }
  timer.start("model");
  const std::vector<double> offsets(solutions.size(), 0.0);
  const std::vector<double> units(solutions.size(), 1.0);
  Expansion expansion = ground.expansion(solutions, offsets, units);
  report_solutions(solutions, *loss, expansion, report);
  if (!ground.dependence().empty()) {
    report.notes.push_back(ground.dependence());
  }
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
