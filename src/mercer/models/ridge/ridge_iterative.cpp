// (K + λW⁻¹) α + Qγ = y, Qᵀα = 0 by preconditioned conjugate gradients (models/gp/iterative/iterative.h): with A = K + λW⁻¹ all
// columns of A⁻¹[y, Q] in one block, then γ and α as in ridge_dual.cpp.
//
// K is kept in double where it fits. Otherwise its products are made in single precision, from packed tiles where these
// fit (2n² bytes), and the residual is evaluated in double: what is left is solved for again, until it is as small as asked.
// An error δ of α with residual r changes the values at the rows by Kδ = r − λW⁻¹δ, which is no longer than r.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/single_precision_gram.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/gp/iterative/iterative.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/parametric_projection.h"
#include "mercer/models/ridge/residual_text.h"
#include "mercer/models/ridge/ridge_problem.h"

namespace mercer {

namespace {

std::vector<double> column_norms(ConstMatrixView<double> a) {
  std::vector<double> norms(a.columns(), 0.0);
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) {
      norms[j] += a(i, j) * a(i, j);
    }
  }
  for (double& norm : norms) {
    norm = std::sqrt(norm);
  }
  return norms;
}

// The matrix as memory allows, and whether its products need refinement.
struct IterativeMatrix {
  std::shared_ptr<const Gram<double>> gram;
  std::shared_ptr<const Gram<double>> exact;  // null: `gram` is as exact as is asked for
  std::string how;
};

IterativeMatrix iterative_matrix(const RidgeProblem& problem, Precision precision, double bytes, const Run& run) {
  const Index n = problem.samples.size();
  const auto full =
      std::make_shared<const PreparedKernel>(problem.kernel, problem.samples, Precision::double_precision, run);
  const bool refine = precision == Precision::double_precision;
  if (refine && static_cast<double>(n) * static_cast<double>(n) * sizeof(double) <= bytes) {
    return {std::make_shared<DenseGram<double>>(*full, run), nullptr,
            "the kernel matrix was stored in double precision"};
  }
  const auto exact = std::make_shared<const KernelGram<double>>(full);
  const auto half =
      std::make_shared<const PreparedKernel>(problem.kernel, problem.samples, Precision::single_precision, run);
  const bool stored = SinglePrecisionGram::packed_bytes(n) <= bytes;
  auto gram = std::make_shared<const SinglePrecisionGram>(
      exact, std::make_shared<const KernelGram<float>>(half),
      stored ? SinglePrecisionGram::Storage::packed : SinglePrecisionGram::Storage::none, run);
  return {std::move(gram), refine ? std::shared_ptr<const Gram<double>>(exact) : nullptr,
          std::string(stored ? "half of the kernel matrix was stored in single precision"
                             : "the kernel matrix was evaluated again in every product, in single precision") +
              (refine ? ", residuals were evaluated in double" : "")};
}

// y − (K + noise) x.
Matrix<double> exact_residual(const Gram<double>& gram, std::span<const double> noise, ConstMatrixView<double> y,
                              ConstMatrixView<double> x, const Run& run) {
  Matrix<double> r(y.rows(), y.columns());
  gram.multiply(x, r.view(), run);
  for (Index i = 0; i < y.rows(); ++i) {
    axpy(noise[i], x.row(i), r.view().row(i));
    for (Index j = 0; j < y.columns(); ++j) {
      r(i, j) = y(i, j) - r(i, j);
    }
  }
  return r;
}

struct IterativeProgress {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  double residual = 0;
  std::vector<double> history;
  std::vector<double> checked;
};

// X = A⁻¹Y, by corrections where the products of the system are not those of the exact matrix.
IterativeProgress refine_solution(const IterativeSystem& system, const Gram<double>* exact,
                                  std::span<const double> noise, ConstMatrixView<double> y, MatrixView<double> x,
                                  const RidgeSolverOptions& how, const Run& run) {
  IterativeProgress progress;
  const std::vector<double> norms = column_norms(y);
  auto r = Matrix<double>::copy_of(y);
  std::vector<double> lengths = norms;
  double worst = 1;
  while (worst > how.tolerance && progress.iterations < how.max_iterations) {
    // Columns of length 1, so that residuals compare and none leaves the range of floats; those that are done rest.
    for (Index i = 0; i < r.rows(); ++i) {
      for (Index j = 0; j < r.columns(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        r(i, j) = lengths[at] > how.tolerance * norms[at] ? r(i, j) / lengths[at] : 0.0;
      }
    }
    Matrix<double> d = Matrix<double>::filled(y.rows(), y.columns(), 0.0);
    const double inner_tolerance = std::max(0.3 * how.tolerance / worst, exact != nullptr ? 1e-5 : 0.0);
    IterativeSolution step = system.solve(r.view(), d.view(), exact != nullptr ? inner_tolerance : how.tolerance,
                                          how.max_iterations - progress.iterations, run);
    progress.iterations += step.iterations;
    for (const double residual : step.history) {
      progress.history.push_back(worst * residual);
    }
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.columns(); ++j) {
        x(i, j) += lengths[j] * d(i, j);
      }
    }
    progress.status = step.status;
    progress.residual = worst * step.residual;
    if (exact == nullptr || step.status == SolveStatus::stopped) {
      return progress;
    }
    Matrix<double> next = exact_residual(*exact, noise, y, x, run);
    lengths = column_norms(next.view());
    double now = 0;
    for (std::size_t j = 0; j < norms.size(); ++j) {
      now = std::max(now, norms[j] > 0 ? lengths[j] / norms[j] : 0.0);
    }
    progress.checked.push_back(now);
    progress.residual = now;
    if (now <= how.tolerance) {
      progress.status = SolveStatus::converged;
      return progress;
    }
    if (!(now < 0.5 * worst)) {
      progress.status = SolveStatus::stalled;
      return progress;
    }
    worst = now;
    r = std::move(next);
  }
  progress.status = worst <= how.tolerance ? SolveStatus::converged : SolveStatus::iteration_limit;
  return progress;
}

void report_progress(const RidgeProblem& problem, const RidgeSolverOptions& how, const IterativeSystem& system,
                     const IterativeProgress& progress, FitReport& report, const Run& run) {
  report.status = progress.status;
  report.iterations = progress.iterations;
  report.measures.push_back({"rank of the preconditioner", static_cast<double>(system.rank())});
  report.notes.push_back("relative residuals by iteration: " + residual_text(progress.history));
  if (!progress.checked.empty()) {
    report.notes.push_back("relative residuals evaluated anew: " + residual_text(progress.checked));
  }
  if (progress.status == SolveStatus::iteration_limit || progress.status == SolveStatus::stalled) {
    run.warn(std::string(problem.model) + ": the relative residual is " + residual_text({&progress.residual, 1}) +
             ", not " + residual_text({&how.tolerance, 1}) + " (" + std::string(to_string(progress.status)) +
             "): a larger penalty, more max_iterations or method=exact may help");
  }
}

}  // namespace

bool prefers_iteration(const RidgeProblem& problem, const RidgeSolverOptions& how) {
  // Beyond this the factorisation takes a minute, and the iteration a few seconds for penalties of use.
  constexpr Index exact_rows = 20000;
  const Index n = problem.samples.size();
  if (how.method != RidgeMethod::automatic || problem.lambda <= 0 || problem.loo == LeaveOneOut::compute ||
      how.indefinite == IndefiniteKernels::solve || !problem.kernel.definiteness().is_positive()) {
    return how.method == RidgeMethod::iterative;
  }
  const double bytes = static_cast<double>(n) * static_cast<double>(n) *
                       (how.precision == Precision::single_precision ? sizeof(float) : sizeof(double));
  return n > exact_rows || bytes > problem.memory_bytes;
}

namespace {

void require_iterable(const RidgeProblem& problem) {
  const std::string model = problem.model;
  if (!(problem.lambda > 0)) {
    throw InvalidArgument(model +
                          ": method = iterative needs a positive penalty, it is 0: the iteration would not end");
  }
  if (problem.loo == LeaveOneOut::compute) {
    throw InvalidArgument(
        model + ": method = iterative has no inverse, which leave-one-out values come from: use method=exact");
  }
  if (!problem.kernel.definiteness().is_positive()) {
    throw InvalidArgument(model + ": method = iterative needs a positive definite kernel, " + problem.kernel.spec() +
                          " is not one: use method=exact");
  }
}

// Targets and the columns of the basis, side by side.
Matrix<double> right_sides(ConstMatrixView<double> targets, ConstMatrixView<double> basis) {
  Matrix<double> right(targets.rows(), targets.columns() + basis.columns());
  for (Index i = 0; i < right.rows(); ++i) {
    std::copy_n(targets.row_data(i), targets.columns(), right.view().row_data(i));
    std::copy_n(basis.row_data(i), basis.columns(), right.view().row_data(i) + targets.columns());
  }
  return right;
}

}  // namespace

RidgeSolution solve_ridge_iterative(const RidgeProblem& problem, const RidgeSolverOptions& asked, FitReport& report,
                                    PhaseTimer& timer, const Run& run) {
  // Residuals in single precision say nothing below this.
  constexpr double least_single_tolerance = 2e-5;
  RidgeSolverOptions how = asked;
  if (how.precision == Precision::single_precision) {
    how.tolerance = std::max(how.tolerance, least_single_tolerance);
  }
  require_iterable(problem);
  const Index n = problem.samples.size();
  timer.start("prepare");
  const ParametricBasis basis(problem.samples, problem.part);
  const Index outputs = problem.targets.columns();
  const Index columns = outputs + basis.q().columns();
  auto centered = Matrix<double>::copy_of(problem.targets.view());
  std::vector<double> means;
  if (problem.part != ParametricPart::none) {
    means = center_targets(centered.view());
  }
  const Matrix<double> right = right_sides(centered.view(), basis.q());
  std::vector<double> noise;
  for (const double weight : problem.weights) {
    noise.push_back(problem.lambda / weight);
  }
  // A quarter of the memory at most for the preconditioner (its factor, and as much while it is made).
  const double bytes = problem.storage_bytes > 0 ? problem.storage_bytes : problem.memory_bytes;
  const auto rows = static_cast<double>(n);
  IterativeOptions options{.tolerance = how.tolerance, .max_iterations = how.max_iterations};
  options.rank = std::min(automatic_rank(n), static_cast<Index>(bytes / 4 / (16 * rows)));
  const double blocks = 12 * rows * static_cast<double>(columns) * sizeof(double);
  if (options.rank < 1 || blocks > bytes / 2) {
    require_memory(problem, std::max(64 * rows, 2 * blocks), "the iteration with " + std::to_string(n) + " rows",
                   "a larger memory_mb, or falkon");
    options.rank = std::max<Index>(options.rank, 1);
  }
  timer.start("kernel matrix");
  const IterativeMatrix matrix =
      iterative_matrix(problem, how.precision, bytes - blocks - 16 * rows * static_cast<double>(options.rank), run);
  report.notes.push_back("solved by conjugate gradients: " + matrix.how);
  timer.start("preconditioner");
  const IterativeSystem system(matrix.gram, noise, options, run);
  timer.start("conjugate gradients");
  Matrix<double> solved = Matrix<double>::filled(n, columns, 0.0);
  const IterativeProgress progress =
      refine_solution(system, matrix.exact.get(), noise, right.view(), solved.view(), how, run);
  report_progress(problem, how, system, progress, report, run);
  timer.stop();

  RidgeSolution solution;
  const ConstMatrixView<double> all = std::as_const(solved).view();
  solution.coefficients = Matrix<double>::copy_of(all.block(0, 0, n, outputs));
  const auto u = Matrix<double>::copy_of(all.block(0, outputs, n, columns - outputs));
  Matrix<double> gamma = inner(basis.q(), solution.coefficients.view());
  if (basis.q().columns() > 0) {
    const Run last{{.threads = run.threads()}};  // also after a stop
    Matrix<double> schur = inner(basis.q(), u.view());
    const CholeskyStatus status = try_cholesky<double>(schur.view(), last);
    if (!status.ok && progress.status == SolveStatus::stopped) {
      throw Stopped();
    }
    require_well_posed<double>(schur.view(), status, 0.0, problem.lambda);
    cholesky_solve<double>(schur.view(), gamma.view(), last);
    gemm(-1.0, u.view(), Transpose::no, gamma.view(), Transpose::no, 1.0, solution.coefficients.view());
  }
  solution.relative_residual = progress.residual;
  solution.dependence = basis.dependence();
  solution.parametric = basis.parametric_coefficients(gamma.view());
  for (std::size_t o = 0; o < means.size(); ++o) {
    solution.parametric(0, static_cast<Index>(o)) += means[o];
  }
  solution.centers = problem.samples;
  return solution;
}

}  // namespace mercer
