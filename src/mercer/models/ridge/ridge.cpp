#include "mercer/models/ridge/ridge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/ridge/ridge_path.h"
#include "mercer/models/ridge/ridge_problem.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

RidgeProblem make_problem(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data,
                          const Matrix<double>& targets, std::span<const Index> rows, const Run& run) {
  RidgeProblem problem{.kernel = kernel,
                       .samples = counted_samples(data.samples, rows),
                       .targets = Matrix<double>(static_cast<Index>(rows.size()), targets.columns()),
                       .weights = weights_or_ones(data.weights, rows)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(targets.view().row_data(rows[i]), targets.columns(),
                problem.targets.view().row_data(static_cast<Index>(i)));
  }
  const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
  problem.kernel = resolve_widths(kernel, problem.samples, rows, data, run);
  problem.lambda = options.mean_lambda ? *options.mean_lambda * total : options.lambda.value_or(1.0);
  problem.part = options.parametric;
  problem.loo = options.loo ? LeaveOneOut::compute : LeaveOneOut::skip;
  problem.memory_bytes = allowed_memory(options.memory_mb, whole_machine);
  problem.storage_bytes = allowed_memory(options.memory_mb);
  return problem;
}

// Rows that were left out of the fit are predicted by all the others: their residual is that of the fit.
Matrix<double> all_residuals(const Matrix<double>& counted, std::span<const Index> rows, const TrainingData& data,
                             const Matrix<double>& targets, const Expansion& expansion, const Run& run) {
  if (counted.rows() == targets.rows()) {
    return Matrix<double>::copy_of(counted.view());
  }
  Matrix<double> residuals(targets.rows(), targets.columns());
  expansion.evaluate(data.samples, residuals.view(), run);
  for (Index i = 0; i < residuals.rows(); ++i) {
    for (Index o = 0; o < residuals.columns(); ++o) {
      residuals(i, o) = targets(i, o) - residuals(i, o);
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::copy_n(counted.view().row_data(static_cast<Index>(k)), counted.columns(), residuals.view().row_data(rows[k]));
  }
  return residuals;
}

}  // namespace

void RidgeOptions::validate() const {
  check_options<RidgeOptions>("ridge", ridge_option_table(), *this);
  if (lambda && mean_lambda) {
    throw InvalidArgument("ridge: lambda = " + shortest(*lambda) + " and mean_lambda = " + shortest(*mean_lambda) +
                          ": give one of them, they are two scales of the same penalty");
  }
}

namespace {

// `intercept` and `linear_part` were options of their own before `parametric`.
void read_intercept(bool intercept, RidgeOptions& options) {
  if (options.parametric.is_none() || !intercept) {
    options.parametric = intercept ? ParametricPart::constant : ParametricPart::none;
  }
}

void read_linear_part(bool linear_part, RidgeOptions& options) {
  if (linear_part) {
    options.parametric = ParametricPart::linear;
  }
}

}  // namespace

std::span<const Option<RidgeOptions>> ridge_option_table() {
  static const std::array<Option<RidgeOptions>, 15> table{{
      {"lambda", &RidgeOptions::lambda,
       "penalty: K + lambda I (scikit-learn's alpha); 1 if neither it nor mean_lambda is given",
       Constraint::nonnegative, SearchRange{"2^-20..2^10", RangeUnit::absolute, "mean_lambda select"}},
      {"mean_lambda", &RidgeOptions::mean_lambda, "the same on the scale of the mean loss: K + n lambda I",
       Constraint::nonnegative},
      {"parametric", &RidgeOptions::parametric, parametric_meaning},
      Option<RidgeOptions>::earlier("intercept", read_intercept),
      Option<RidgeOptions>::earlier("linear_part", read_linear_part),
      {"form", &RidgeOptions::form,
       "dual: one coefficient per row; primal: one weight per column, for linear kernels; automatic: the smaller"},
      {"select",
       &RidgeOptions::select,
       "how lambda is chosen where it is not given: loo by the leave-one-out error, gcv by generalized "
       "cross-validation, lcurve by the corner of the L-curve, over 66 values from one eigendecomposition",
       {PenaltyChoice::none, PenaltyChoice::leave_one_out, PenaltyChoice::generalized_cross_validation,
        PenaltyChoice::l_curve}},
      {"select_rows", &RidgeOptions::select_rows,
       "rows, drawn at random, that select looks at (its work grows with their cube); 0: all", Constraint::nonnegative},
      {"indefinite", &RidgeOptions::indefinite,
       "kernels that are not positive definite: refuse, or solve the same equations by eigenvalues (a stationary "
       "point)"},
      {"loo", &RidgeOptions::loo, "compute the leave-one-out residuals (three times the work)"},
      {"precision",
       &RidgeOptions::precision,
       "of kernel values and of the factorization",
       {Precision::double_precision, Precision::single_precision}},
      {"method", &RidgeOptions::method,
       "of the dual: exact factorizes the matrix, iterative runs conjugate gradients; auto: exact up to 20000 rows "
       "that fit memory_mb"},
      {"tolerance", &RidgeOptions::tolerance, "of the iteration: the relative residual at which it ends",
       Limits::between(0, 1)},
      {"max_iterations", &RidgeOptions::max_iterations, "of the iteration", Constraint::positive},
      {"memory_mb", &RidgeOptions::memory_mb, "what the matrix may take; 0: the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

void RidgeModel::Parts::fields(Fields& visit) {
  visit.options(options, ridge_option_table());
  visit.expansion(expansion,
                  {.outputs = visit.outputs(), .part = options.parametric, .precision_before = options.precision});
  if (visit.present("leave_one_out_residuals", leave_one_out_residuals.has_value())) {
    if (visit.loading()) {
      leave_one_out_residuals.emplace();
    }
    visit.matrix("leave_one_out_residuals", *leave_one_out_residuals, {any_count, visit.outputs()});
  }
}

Answers RidgeModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = parts_.expansion.values(samples, run)};
}

std::unique_ptr<FittedModel> RidgeModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  const Expansion& own = parts_.expansion;
  require_same_form(*this, own, expansion);
  ModelHead changed = head();
  changed.report = compressed_report(report(), own.centers().size(), expansion.centers().size());
  // Residuals are those of the fit itself, not of what stands in for it.
  return std::make_unique<RidgeModel>(std::move(changed),
                                      Parts{.expansion = std::move(expansion), .options = parts_.options});
}

// An iteration has no inverse; its solution is that of the factorisation, within its tolerance.
std::optional<std::vector<OptionSetting>> RidgeModel::leave_one_out_settings() const {
  RidgeOptions exact = parts_.options;
  exact.select = PenaltyChoice::none;
  exact.method = RidgeMethod::exact;
  exact.loo = true;
  return settings_of(ridge_option_table(), exact);
}

std::optional<Matrix<double>> RidgeModel::left_out_predictions(ConstMatrixView<double> truth) const {
  const std::optional<Matrix<double>>& residuals = parts_.leave_one_out_residuals;
  if (!residuals || residuals->rows() != truth.rows()) {
    return std::nullopt;  // rows of weight 0 are not among them
  }
  Matrix<double> predictions(truth.rows(), truth.columns());
  for (Index i = 0; i < truth.rows(); ++i) {
    for (Index o = 0; o < truth.columns(); ++o) {
      predictions(i, o) = truth(i, o) - (*residuals)(i, o);
    }
  }
  return predictions;
}

namespace {

// What a fit and a path begin with.
struct CheckedData {
  std::vector<Index> rows;
  Matrix<double> targets;  // of all rows
  RidgeProblem problem;
};

CheckedData check(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data, const Run& run) {
  options.validate();
  require_targets(data);
  std::vector<Index> rows = weighted_rows(data, "ridge");
  const Samples samples = counted_samples(data.samples, rows);
  require_columns("ridge", kernel, options.parametric);
  if (options.indefinite != IndefiniteKernels::solve ||
      definiteness_on(kernel, samples, run).kind != DefinitenessKind::indefinite) {
    require_definite("ridge", kernel, samples, options.parametric, NormRemedies::ridge_options, run);
  } else if (options.select != PenaltyChoice::none) {
    throw InvalidArgument("ridge: select = " + std::string(word_of(options.select)) +
                          ": a penalty cannot be chosen for the kernel " + kernel.spec() + ", which is indefinite");
  }
  // Rows of weight 0 have residuals, too.
  std::vector<Index> all(data.targets.size());
  std::iota(all.begin(), all.end(), Index{0});
  Matrix<double> targets = data.targets.finite_values(all);
  RidgeProblem problem = make_problem(kernel, options, data, targets, rows, run);
  return {std::move(rows), std::move(targets), std::move(problem)};
}

double chosen_penalty(const RidgeProblem& problem, const RidgeOptions& options, FitReport& report, const Run& run) {
  if (options.lambda || options.mean_lambda) {
    throw InvalidArgument("ridge: select = " + std::string(word_of(options.select)) +
                          " chooses lambda, but it is given: leave out lambda and mean_lambda, or set select=none");
  }
  PhaseTimer timer(report);
  const SelectionRows selection = selection_rows(problem, options.form, options.select_rows, run);
  const RidgeSpectrum spectrum = selection_spectrum(selection.problem, options.form, timer, run);
  timer.start("path");
  const RidgePath path = path_of(spectrum, penalty_path(spectrum), run);
  timer.stop();
  if (options.select == PenaltyChoice::l_curve) {
    if (path.corner) {
      report_corner(selection, path, report);
      return path.corner->lambda * selection.factor;
    }
    report.notes.push_back(
        "the L-curve has no corner for these targets: lambda is chosen by generalized "
        "cross-validation instead");
  }
  const bool by_loo = options.select == PenaltyChoice::leave_one_out;
  if (by_loo) {
    // Says so where no row may be missing.
    best_of_path(std::vector<double>{path.points.front().loo_rmse});
  }
  const std::size_t chosen = by_loo ? path.best_loo : path.best_gcv;
  report_choice(selection, path, chosen, by_loo ? "leave-one-out" : "generalized cross-validation", report);
  return path.points[chosen].lambda * selection.factor;
}

RidgePath checked_path(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data,
                       const std::optional<std::vector<double>>& lambdas, const Run& run) {
  const CheckedData checked = check(kernel, options, data, run);
  FitReport report;
  PhaseTimer timer(report);
  const RidgeSpectrum spectrum = selection_spectrum(checked.problem, options.form, timer, run);
  return path_of(spectrum, lambdas ? *lambdas : penalty_path(spectrum), run);
}

}  // namespace

RidgePath ridge_path(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data, const Run& run) {
  return checked_path(kernel, options, data, {}, run);
}

RidgePath ridge_path(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data,
                     std::span<const double> lambdas, const Run& run) {
  std::vector<double> sorted(lambdas.begin(), lambdas.end());
  for (const double lambda : sorted) {
    if (!(lambda > 0 && std::isfinite(lambda))) {
      reject_argument("ridge_path: lambda", lambda, "finite and positive");
    }
  }
  if (sorted.empty()) {
    throw InvalidArgument("ridge_path: no lambda was given");
  }
  std::sort(sorted.begin(), sorted.end());
  return checked_path(kernel, options, data, std::move(sorted), run);
}

std::unique_ptr<RidgeModel> fit_ridge(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data,
                                      const Run& run) {
  CheckedData checked = check(kernel, options, data, run);
  RidgeProblem& problem = checked.problem;
  const std::vector<Index>& rows = checked.rows;

  FitReport report;
  report.objective_name = "relative residual";
  note_rows_left_out(data.samples.size() - static_cast<Index>(rows.size()), report);
  if (options.select != PenaltyChoice::none) {
    problem.lambda = chosen_penalty(problem, options, report, run);
  }
  RidgeSolution solution = solve_ridge(
      problem,
      {options.form, options.precision, options.indefinite, options.method, options.tolerance, options.max_iterations},
      report, run);
  report.objective = solution.relative_residual;
  if (!solution.dependence.empty()) {
    report.notes.push_back(solution.dependence);
  }

  // What a stop left is still made into a model.
  const Run last = report.status == SolveStatus::stopped ? Run{{.threads = run.threads()}} : run;
  Expansion expansion(problem.kernel, std::move(solution.centers), std::move(solution.coefficients), problem.part,
                      std::move(solution.parametric), options.precision, last);
  std::optional<Matrix<double>> residuals;
  if (solution.loo_residuals) {
    report.measures.push_back({"leave-one-out RMSE", weighted_rmse(*solution.loo_residuals, problem.weights)});
    residuals = all_residuals(*solution.loo_residuals, rows, data, checked.targets, expansion, run);
  }
  RidgeOptions used = options;
  if (!used.mean_lambda) {
    used.lambda = problem.lambda;
  }
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  ModelHead head{.name = "ridge",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(ridge_option_table(), used),
                 .output_names = std::move(names),
                 .report = std::move(report)};
  return std::make_unique<RidgeModel>(
      std::move(head),
      RidgeModel::Parts{
          .expansion = std::move(expansion), .options = used, .leave_one_out_residuals = std::move(residuals)});
}

const ModelEntry& ridge_entry() {
  static const ModelEntry entry =
      make_entry<RidgeModel>({.name = "ridge",
                              .aliases = {"krr"},
                              .summary = "kernel ridge regression: squared loss plus lambda times the squared norm",
                              .task = Task::regression,
                              .default_kernel = "rbf(gamma=scale)",
                              .counterpart = "klr",
                              .takes_prior = true,
                              .folds_share = FoldSharing::ridge},
                             ridge_option_table(), fit_ridge);
  return entry;
}

}  // namespace mercer
