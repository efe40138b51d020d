#include "mercer/models/discriminant/kfd_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/split.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/low_rank.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"
#include "mercer/models/phase_timer.h"
#include "mercer/solvers/fisher/fisher_greedy.h"
#include "mercer/solvers/fisher/fisher_sparse.h"

namespace mercer {

namespace {

constexpr Index low_rank_size = 1000;
constexpr double low_rank_tolerance = 1e-8;  // of the trace
constexpr Index greedy_size = 200;
constexpr Index sparse_folds = 5;
constexpr double least_sparse_penalty = 1e-9;

bool wants_left_out(const KfdOptions& options) { return options.calibration == KfdCalibration::left_out; }

Matrix<double> discriminant_product(ConstMatrixView<double> a, ConstMatrixView<double> b, const Run& run) {
  Matrix<double> result(a.rows(), b.columns());
  parallel_gemm<double>(1.0, a, Transpose::no, b, Transpose::no, 0.0, result.view(), run);
  return result;
}

// The size of rounding errors in sums Σ_j coefficients_jo values_ij.
double rounding_noise(ConstMatrixView<double> coefficients, double largest_value) {
  std::vector<double> sums(coefficients.columns(), 0.0);
  for (Index j = 0; j < coefficients.rows(); ++j) {
    for (std::size_t o = 0; o < sums.size(); ++o) {
      sums[o] += std::abs(coefficients(j, static_cast<Index>(o)));
    }
  }
  return 64 * std::numeric_limits<double>::epsilon() * largest_value * *std::ranges::max_element(sums);
}

double largest_function_value(ConstMatrixView<double> values) {
  double largest = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    for (const double value : values.row(i)) {
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

double largest_kernel_diagonal(const Gram<double>& gram) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  return std::ranges::max(diagonal, {}, [](double value) { return std::abs(value); });
}

// The regression on the indicators of the classes, n × k.
struct IndicatorFit {
  Samples centers;
  Matrix<double> coefficients;  // of the centres
  Matrix<double> fitted;        // of weighted mean 0
  Matrix<double> left_out;      // or empty
  std::vector<double> means;    // of the kernel sums on the rows: what `fitted` lacks
  double noise = 0;             // of `fitted`
};

// The coefficients are those of the functions.
IndicatorFit fit_on_functions(ConstMatrixView<double> functions, ConstMatrixView<double> penalty,
                              const RidgeProblem& problem, const KfdOptions& options, const ClassRows& rows,
                              const Run& run) {
  ClassRegression regression = regress_on_functions(
      functions, penalty, rows, problem.lambda, wants_left_out(options) ? Leverages::compute : Leverages::skip, run);
  IndicatorFit fit;
  fit.noise = rounding_noise(regression.coefficients.view(), largest_function_value(functions));
  fit.means.assign(rows.class_count(), 0.0);
  const std::vector<double> means = rows.means(functions);
  for (Index j = 0; j < functions.columns(); ++j) {
    axpy(means[j], std::as_const(regression.coefficients).view().row(j), std::span(fit.means));
  }
  if (wants_left_out(options)) {
    fit.left_out = left_out_values(regression.fitted.view(), regression.leverages, rows);
  }
  fit.centers = problem.samples;
  fit.coefficients = std::move(regression.coefficients);
  fit.fitted = std::move(regression.fitted);
  return fit;
}

DiscriminantFunctions directions_of(IndicatorFit fit, const ClassRows& rows, FitReport& report, const Run& run) {
  FisherDirections directions = fisher_directions(fit.fitted.view(), rows, fit.noise, run);
  const ConstMatrixView<double> combination = std::as_const(directions.combination).view();
  DiscriminantFunctions result;
  result.centers = std::move(fit.centers);
  result.coefficients = discriminant_product(fit.coefficients.view(), combination, run);
  result.values = discriminant_product(fit.fitted.view(), combination, run);
  if (fit.left_out.rows() > 0) {
    result.left_out = discriminant_product(fit.left_out.view(), combination, run);
  }
  for (Index c = 0; c < combination.columns(); ++c) {
    double mean = 0;
    for (Index q = 0; q < combination.rows(); ++q) {
      mean += fit.means[q] * combination(q, c);
    }
    result.offsets.push_back(-mean);
  }
  const double share = directions.shares.front();
  report.objective_name = rows.class_count() == 2 ? "objective" : "discriminant ratio";
  report.objective = rows.class_count() == 2 ? fisher_objective(rows, share) : share / std::max(1 - share, 1e-300);
  return result;
}

IndicatorFit by_ridge(const RidgeProblem& problem, const KfdOptions& options, const ClassRows& rows, FitReport& report,
                      const Run& run) {
  RidgeSolution solution = solve_ridge(problem, {}, report, run);
  PhaseTimer timer(report);
  timer.start("directions");
  const Index k = rows.class_count();
  const auto prepared =
      std::make_shared<const PreparedKernel>(problem.kernel, problem.samples, Precision::double_precision, run);
  IndicatorFit fit;
  fit.noise = rounding_noise(solution.coefficients.view(), largest_kernel_diagonal(KernelGram<double>(prepared)));
  // Without the offsets, which would drown small values.
  const Expansion functions(problem.kernel, solution.centers, Matrix<double>::copy_of(solution.coefficients.view()),
                            ParametricPart::constant, Matrix<double>::filled(1, k, 0.0), Precision::double_precision,
                            run);
  fit.fitted = Matrix<double>(rows.size(), k);
  functions.evaluate(problem.samples, fit.fitted.view(), run);
  fit.means = rows.means(fit.fitted.view());
  for (Index i = 0; i < rows.size(); ++i) {
    axpy(-1.0, std::span<const double>(fit.means), fit.fitted.view().row(i));
  }
  if (wants_left_out(options)) {
    fit.left_out = rows.indicators();
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index q = 0; q < k; ++q) {
        fit.left_out(i, q) -= (*solution.loo_residuals)(i, q) + rows.total(q) / rows.total();
      }
    }
  }
  timer.stop();
  fit.centers = std::move(solution.centers);
  fit.coefficients = std::move(solution.coefficients);
  return fit;
}

// ‖α‖²: weights are repetitions, and w copies of a row share its coefficient, so that α_i²/w_i is what counts.
IndicatorFit by_coefficients(const RidgeProblem& problem, const KfdOptions& options, const ClassRows& rows,
                             FitReport& report, const Run& run) {
  const Index n = rows.size();
  require_memory(problem, 3.0 * 8.0 * static_cast<double>(n) * static_cast<double>(n),
                 "penalty=coefficients with " + std::to_string(n) + " rows",
                 "penalty=norm (a third of it), form=greedy, fewer rows, or a larger memory_mb");
  PhaseTimer timer(report);
  timer.start("kernel matrix");
  const PreparedKernel prepared(problem.kernel, problem.samples, Precision::double_precision, run);
  Matrix<double> k(n, n);
  evaluate_gram<double>(prepared, Triangle::both, k.view(), run);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      k(i, j) *= std::sqrt(rows.weight(j));
    }
  }
  timer.start("solve");
  IndicatorFit fit = fit_on_functions(k.view(), {}, problem, options, rows, run);
  timer.stop();
  for (Index i = 0; i < n; ++i) {
    scale(std::sqrt(rows.weight(i)), fit.coefficients.view().row(i));
  }
  return fit;
}

// Coefficients of some rows as those of all: kernels that are centred by their reference samples need them all.
Matrix<double> spread_to_rows(ConstMatrixView<double> coefficients, std::span<const Index> list, Index n) {
  Matrix<double> result = Matrix<double>::filled(n, coefficients.columns(), 0.0);
  for (std::size_t a = 0; a < list.size(); ++a) {
    std::ranges::copy(coefficients.row(static_cast<Index>(a)), result.view().row_data(list[a]));
  }
  return result;
}

IndicatorFit by_low_rank(const RidgeProblem& problem, const KfdOptions& options, const ClassRows& rows,
                         FitReport& report, const Run& run) {
  const Index n = rows.size();
  const Index size = std::min(n, options.size > 0 ? options.size : low_rank_size);
  require_memory(problem, 2.0 * 8.0 * static_cast<double>(n) * static_cast<double>(size),
                 "a factor of " + std::to_string(n) + " rows and " + std::to_string(size) + " columns",
                 "a smaller size, fewer rows, or a larger memory_mb");
  PhaseTimer timer(report);
  timer.start("factor");
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(problem.kernel, problem.samples, Precision::double_precision, run));
  const auto low_rank = LowRankGram<double>::pivoted(gram, {.max_rank = size, .tolerance = low_rank_tolerance}, run);
  const std::vector<Index>& pivots = low_rank.pivots();
  const Index r = low_rank.rank();
  timer.start("solve");
  IndicatorFit fit = fit_on_functions(low_rank.factor(), {}, problem, options, rows, run);
  // F = K(:, pivots) L⁻ᵀ with L = F(pivots, :), so that α = L⁻ᵀ v.
  Matrix<double> corner(r, r);
  for (Index a = 0; a < r; ++a) {
    std::ranges::copy(low_rank.factor().row(pivots[a]), corner.view().row_data(a));
  }
  solve_lower<double>(corner.view(), Transpose::yes, fit.coefficients.view(), run);
  timer.stop();
  fit.coefficients = spread_to_rows(fit.coefficients.view(), pivots, n);
  report.notes.push_back("low rank: " + std::to_string(r) + " of " + std::to_string(n) +
                         " kernel functions; what they leave out of the trace of the kernel matrix is " +
                         shortest(low_rank.trace_errors().back() / low_rank.trace_errors().front()));
  return fit;
}

// n × functions from the listed rows of K.
Matrix<double> chosen_kernel_functions(const Gram<double>& gram, const std::vector<Index>& list, const Run& run) {
  const auto r = static_cast<Index>(list.size());
  Matrix<double> wide(r, gram.size());
  gram.rows(list, wide.view(), run);
  Matrix<double> tall(gram.size(), r);
  for (Index a = 0; a < r; ++a) {
    for (Index i = 0; i < gram.size(); ++i) {
      tall(i, a) = wide(a, i);
    }
  }
  return tall;
}

IndicatorFit by_greedy(const RidgeProblem& problem, const KfdOptions& options, const ClassRows& rows, FitReport& report,
                       const Run& run) {
  const Index n = rows.size();
  const Index size = std::min(n, options.size > 0 ? options.size : greedy_size);
  require_memory(problem, 3.0 * 8.0 * static_cast<double>(n) * static_cast<double>(size + options.candidates),
                 "a greedy fit of " + std::to_string(n) + " rows and " + std::to_string(size) + " functions",
                 "a smaller size, fewer rows, or a larger memory_mb");
  PhaseTimer timer(report);
  timer.start("greedy");
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(problem.kernel, problem.samples, Precision::double_precision, run));
  const FisherGreedy path = fisher_greedy(gram, rows,
                                          {.lambda = problem.lambda,
                                           .penalty = options.penalty,
                                           .size = size,
                                           .candidates = options.candidates,
                                           .tolerance = options.tolerance},
                                          run);
  run.check_stop();
  if (path.rows.empty()) {
    throw NumericalError("kfd: no row has a kernel function that tells the classes apart");
  }
  timer.start("solve");
  const Matrix<double> functions = chosen_kernel_functions(gram, path.rows, run);
  Matrix<double> penalty;
  if (options.penalty == FisherPenalty::norm) {
    penalty = Matrix<double>(functions.columns(), functions.columns());
    for (Index a = 0; a < penalty.rows(); ++a) {
      std::ranges::copy(functions.view().row(path.rows[a]), penalty.view().row_data(a));
    }
  }
  IndicatorFit fit = fit_on_functions(functions.view(), penalty.view(), problem, options, rows, run);
  timer.stop();
  fit.coefficients = spread_to_rows(fit.coefficients.view(), path.rows, n);
  report.iterations = static_cast<Index>(path.rows.size());
  report.notes.push_back("greedy: " + std::to_string(path.rows.size()) + " of " + std::to_string(n) +
                         " kernel functions");
  return fit;
}

// Values of rows by functions found without them and their fold. The closed form that keeps functions and signs is of no
// use here: a function that only one row holds up is undetermined without it, where the penalty would make it 0. Empty
// where a class is too small.
Matrix<double> sparse_held_out_values(const Matrix<double>& k, const ClassRows& rows, double c, const Run& run) {
  std::vector<std::int32_t> classes;
  std::vector<Index> counts(rows.class_count(), 0);
  for (Index i = 0; i < rows.size(); ++i) {
    classes.push_back(static_cast<std::int32_t>(rows.class_of(i)));
    ++counts[rows.class_of(i)];
  }
  const Index folds = std::min(sparse_folds, *std::ranges::min_element(counts));
  if (folds < 2) {
    return {};
  }
  const Folds assignment = stratified_k_fold(classes, folds, run.seed());
  Matrix<double> values(rows.size(), 1);
  for (Index f = 0; f < folds; ++f) {
    const Split split = assignment.split(f);
    const auto n = static_cast<Index>(split.train.size());
    Matrix<double> part(n, n);
    std::vector<std::int32_t> part_classes;
    std::vector<double> part_weights;
    for (Index a = 0; a < n; ++a) {
      const Index row = split.train[a];
      part_classes.push_back(classes[row]);
      part_weights.push_back(rows.weight(row));
      for (Index b = 0; b < n; ++b) {
        part(a, b) = k(row, split.train[b]);
      }
    }
    const ClassRows kept(part_classes, part_weights);
    const FisherSparse solved = fisher_sparse(part.view(), kept, {.c = c * kept.total() / rows.total()}, run);
    run.check_stop();
    for (const Index row : split.test) {
      values(row, 0) = solved.offset;
      for (std::size_t a = 0; a < solved.rows.size(); ++a) {
        values(row, 0) += solved.coefficients[a] * k(split.train[solved.rows[a]], row);
      }
    }
  }
  return values;
}

DiscriminantFunctions by_absolute_penalty(const RidgeProblem& problem, const KfdOptions& options, const ClassRows& rows,
                                          FitReport& report, const Run& run) {
  const Index n = rows.size();
  require_memory(problem, 2.0 * 8.0 * static_cast<double>(n) * static_cast<double>(n),
                 "the kernel matrix of " + std::to_string(n) + " rows and a copy",
                 "form=greedy, fewer rows, or a larger memory_mb");
  PhaseTimer timer(report);
  timer.start("kernel matrix");
  const PreparedKernel prepared(problem.kernel, problem.samples, Precision::double_precision, run);
  Matrix<double> k(n, n);
  evaluate_gram<double>(prepared, Triangle::both, k.view(), run);
  timer.start("path");
  auto copy = Matrix<double>::copy_of(k.view());
  FisherSparse solved = fisher_sparse(copy.view(), rows, {.c = options.lambda, .size = options.size}, run);
  run.check_stop();
  DiscriminantFunctions result;
  result.centers = problem.samples;
  const ConstMatrixView<double> column(solved.coefficients.data(), static_cast<Index>(solved.coefficients.size()), 1);
  result.coefficients = spread_to_rows(column, solved.rows, n);
  result.offsets = {solved.offset};
  result.values = std::move(solved.values);
  if (wants_left_out(options)) {
    timer.start("held-out values");
    // C = 0, the end of the path, is no penalty of a fold; C Σ|α| is of the objective's kind.
    double size = 0;
    for (const double coefficient : solved.coefficients) {
      size += std::abs(coefficient);
    }
    result.left_out =
        sparse_held_out_values(k, rows, std::max(solved.c, least_sparse_penalty * solved.objective / size), run);
  }
  timer.stop();
  report.status = solved.status;
  report.iterations = solved.steps;
  report.objective_name = "objective";
  report.objective = solved.objective;
  report.measure(Fact::lambda, solved.c);
  report.measures.push_back({"violation of optimality", solved.violation});
  report.notes.push_back("sparse: " + std::to_string(solved.rows.size()) + " of " + std::to_string(n) +
                         " kernel functions at lambda = " + shortest(solved.c) +
                         (options.lambda ? "" : ", chosen by generalized cross-validation"));
  if (solved.status == SolveStatus::iteration_limit) {
    report.notes.push_back("the path reached size = " + std::to_string(options.size) +
                           " functions before lambda: this is the solution for " + shortest(solved.c));
  }
  return result;
}

}  // namespace

DiscriminantFunctions discriminant_functions(const RidgeProblem& problem, const KfdOptions& options, KfdForm form,
                                             const ClassRows& rows, FitReport& report, const Run& run) {
  IndicatorFit fit;
  switch (form) {
    case KfdForm::sparse:
      return by_absolute_penalty(problem, options, rows, report, run);
    case KfdForm::greedy:
      fit = by_greedy(problem, options, rows, report, run);
      break;
    case KfdForm::low_rank:
      fit = by_low_rank(problem, options, rows, report, run);
      break;
    case KfdForm::automatic:
    case KfdForm::exact:
      fit = options.penalty == FisherPenalty::norm ? by_ridge(problem, options, rows, report, run)
                                                   : by_coefficients(problem, options, rows, report, run);
      break;
  }
  return directions_of(std::move(fit), rows, report, run);
}

}  // namespace mercer
