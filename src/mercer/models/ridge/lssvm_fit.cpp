// fit_lssvm: class codes as targets of one ridge problem, C from a path, sigmoids from leave-one-out values.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/ridge/lssvm.h"
#include "mercer/models/ridge/ridge_path.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

RidgeProblem make_class_problem(const Kernel& kernel, const LssvmOptions& options, const TrainingData& data,
                                const LabeledRows& labeled, const ClassCode& code, const Run& run) {
  const auto n = static_cast<Index>(labeled.rows.size());
  RidgeProblem problem{.model = "lssvm",
                       .kernel = kernel,
                       .samples = counted_samples(data.samples, labeled.rows),
                       .targets = Matrix<double>(n, code.machines()),
                       .weights = labeled.weights};
  for (Index i = 0; i < n; ++i) {
    for (Index o = 0; o < code.machines(); ++o) {
      problem.targets(i, o) = code(o, labeled.classes[i]);
    }
  }
  problem.kernel = resolve_widths(kernel, problem.samples, labeled.rows, data, run);
  problem.lambda = 1 / options.C.value_or(1.0);
  problem.loo = options.probability ? LeaveOneOut::compute : LeaveOneOut::skip;
  problem.memory_bytes = allowed_memory(options.memory_mb, whole_machine);
  problem.storage_bytes = allowed_memory(options.memory_mb);
  return problem;
}

// The class that a row of values, or of targets, means.
Index class_of(ConstMatrixView<double> values, Index i) { return class_of_values(values.row(i)); }

// The weighted share of rows whose leave-one-out values y − e decide wrongly.
double error_rate(const RidgeProblem& problem, ConstMatrixView<double> loo_residuals) {
  Matrix<double> values(1, loo_residuals.columns());
  double wrong = 0;
  double total = 0;
  for (Index i = 0; i < loo_residuals.rows(); ++i) {
    for (Index o = 0; o < loo_residuals.columns(); ++o) {
      values(0, o) = problem.targets(i, o) - loo_residuals(i, o);
    }
    const double w = problem.weights[i];
    total += w;
    wrong += class_of(std::as_const(values).view(), 0) == class_of(problem.targets.view(), i) ? 0.0 : w;
  }
  return wrong / total;
}

Matrix<double> left_out_answers(const RidgeProblem& problem, const RidgeSpectrum::Point& point) {
  auto residuals = Matrix<double>::copy_of(point.residuals);
  for (Index i = 0; i < residuals.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    scale(1 / (std::sqrt(problem.weights[at]) * point.complements[at]), residuals.view().row(i));
  }
  return residuals;
}

// The least error rate; of equal ones the least squared error.
std::size_t fewest_errors(const SelectionRows& selection, const RidgeSpectrum& spectrum, const RidgePath& path,
                          std::span<const double> lambdas, FitReport& report, const Run& run) {
  std::vector<double> rates(lambdas.size());
  spectrum.visit(
      lambdas,
      [&](const RidgeSpectrum::Point& point) {
        rates[point.number] = error_rate(selection.problem, left_out_answers(selection.problem, point).view());
      },
      run);
  std::size_t best = 0;
  for (std::size_t l = 1; l < rates.size(); ++l) {
    if (rates[l] < rates[best] || (rates[l] == rates[best] && path.points[l].loo_rmse < path.points[best].loo_rmse)) {
      best = l;
    }
  }
  report.measures.emplace_back("path leave-one-out error rate", rates[best]);
  return best;
}

double chosen_cost(const RidgeProblem& problem, const LssvmOptions& options, FitReport& report, const Run& run) {
  if (options.C) {
    throw InvalidArgument("lssvm: select = " + std::string(word_of(options.select)) +
                          " chooses C, but it is given: leave out C, or set select=none");
  }
  PhaseTimer timer(report);
  const SelectionRows selection = selection_rows(problem, options.form, options.select_rows, run);
  const RidgeSpectrum spectrum = selection_spectrum(selection.problem, options.form, timer, run);
  timer.start("path");
  const std::vector<double> lambdas = penalty_path(spectrum);
  const RidgePath path = path_of(spectrum, lambdas, run);
  const bool by_gcv = options.select == PenaltyChoice::generalized_cross_validation;
  const bool by_errors = options.select == PenaltyChoice::leave_one_out_errors;
  if (!by_gcv) {
    // Says so where no row may be missing.
    best_of_path(std::vector<double>{path.points.front().loo_rmse});
  }
  std::size_t chosen = by_gcv ? path.best_gcv : path.best_loo;
  if (by_errors) {
    chosen = fewest_errors(selection, spectrum, path, lambdas, report, run);
  }
  timer.stop();
  report_choice(selection, path, chosen,
                by_gcv      ? "generalized cross-validation"
                : by_errors ? "leave-one-out errors"
                            : "leave-one-out",
                report);
  return path.points[chosen].lambda * selection.factor;
}

std::vector<PlattSigmoid> fit_sigmoids(const RidgeProblem& problem, const Matrix<double>& residuals) {
  std::vector<PlattSigmoid> sigmoids;
  for (Index o = 0; o < residuals.columns(); ++o) {
    std::vector<double> values;
    std::vector<double> labels;
    for (Index i = 0; i < residuals.rows(); ++i) {
      labels.push_back(problem.targets(i, o));
      values.push_back(problem.targets(i, o) - residuals(i, o));
    }
    sigmoids.push_back(fit_platt(values, labels, problem.weights).sigmoid);
  }
  return sigmoids;
}

}  // namespace

std::unique_ptr<LssvmModel> fit_lssvm(const Kernel& kernel, const LssvmOptions& options, const TrainingData& data,
                                      const Run& run) {
  options.validate();
  const LabeledRows labeled = read_labels("lssvm", data, LabelReading::classes, options.class_weight);
  const ClassCode code = ClassCode::one_vs_rest(static_cast<Index>(labeled.levels.size()));
  RidgeProblem problem = make_class_problem(kernel, options, data, labeled, code, run);
  const Definiteness definiteness = definiteness_on(kernel, problem.samples, run);
  if (!definiteness.is_conditional_up_to(1)) {
    throw InvalidArgument("lssvm: the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ": its offset allows conditionally positive kernels of order 1. Use a positive definite "
                          "kernel such as rbf, matern or poly");
  }

  FitReport report;
  report.objective_name = "relative residual";
  note_rows_left_out(data.samples.size() - static_cast<Index>(labeled.rows.size()), report);
  if (options.select != PenaltyChoice::none) {
    problem.lambda = chosen_cost(problem, options, report, run);
  }
  RidgeSolution solution = solve_ridge(problem,
                                       {.form = options.form,
                                        .precision = options.precision,
                                        .method = options.method,
                                        .tolerance = options.tolerance,
                                        .max_iterations = options.max_iterations},
                                       report, run);
  report.objective = solution.relative_residual;
  std::vector<PlattSigmoid> sigmoids;
  if (solution.loo_residuals) {
    sigmoids = fit_sigmoids(problem, *solution.loo_residuals);
    report.measures.push_back({"leave-one-out error rate", error_rate(problem, solution.loo_residuals->view())});
  }
  // What a stop left is still made into a model.
  const Run last = report.status == SolveStatus::stopped ? Run{{.threads = run.threads()}} : run;
  LssvmOptions used = options;
  if (!used.C) {
    used.C = 1 / problem.lambda;
  }
  ModelHead head{.name = "lssvm",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(lssvm_option_table(), used),
                 .output_names = {data.targets.columns().front().name},
                 .classes = labeled.levels,
                 .report = std::move(report)};
  return std::make_unique<LssvmModel>(
      std::move(head),
      LssvmModel::Parts{
          .options = std::move(used),
          .expansion = Expansion(problem.kernel, std::move(solution.centers), std::move(solution.coefficients),
                                 problem.part, std::move(solution.parametric), options.precision, last),
          .sigmoids = std::move(sigmoids)});
}

}  // namespace mercer
