#include "mercer/models/ridge/ridge_problem.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/linalg/blas.h"

namespace mercer {

std::optional<double> primal_factor(const RidgeProblem& problem, RidgeForm form) {
  if (form == RidgeForm::dual) {
    return {};
  }
  const auto factor = linear_factor(problem.kernel);
  const Samples numeric = default_columns(problem.samples);
  const bool possible = factor && *factor > 0 && numeric.is_numeric() && !problem.part.uses_columns();
  if (form == RidgeForm::primal && !possible) {
    throw InvalidArgument(
        std::string(problem.model) +
        ": form = primal: needs a linear kernel on numeric columns and parametric = none or constant, the kernel is " +
        problem.kernel.spec());
  }
  return form == RidgeForm::primal || (possible && numeric.columns() < problem.samples.size()) ? factor : std::nullopt;
}

RidgeSolution solve_ridge(const RidgeProblem& problem, const RidgeSolverOptions& how, FitReport& report,
                          const Run& run) {
  PhaseTimer timer(report);
  if (const auto factor = primal_factor(problem, how.form)) {
    report.notes.emplace_back(
        "solved in the primal: " + std::to_string(default_columns(problem.samples).columns()) + " weights per output",
        NoteKind::primal_form);
    return solve_ridge_primal(problem, *factor, timer, run);
  }
  if (prefers_iteration(problem, how)) {
    return solve_ridge_iterative(problem, how, report, timer, run);
  }
  if (definiteness_on(problem.kernel, problem.samples, run).kind == DefinitenessKind::indefinite) {
    return solve_ridge_indefinite(problem, report, timer, run);
  }
  try {
    return how.precision == Precision::single_precision ? solve_ridge_dual<float>(problem, timer, run)
                                                        : solve_ridge_dual<double>(problem, timer, run);
  } catch (const NumericalError& error) {
    // A given matrix, or a kernel that is definite in exact arithmetic only.
    if (how.indefinite != IndefiniteKernels::solve || problem.loo == LeaveOneOut::compute ||
        problem.part.uses_columns()) {
      throw;
    }
    run.warn(std::string(error.what()) + ". Solved by eigenvalues in the least-squares sense instead");
    return solve_ridge_indefinite(problem, report, timer, run);
  }
}

std::vector<double> center_targets(MatrixView<double> y) {
  std::vector<double> means(y.columns(), 0.0);
  for (Index o = 0; o < y.columns(); ++o) {
    double& mean = means[o];
    for (Index i = 0; i < y.rows(); ++i) {
      mean += y(i, o) / static_cast<double>(y.rows());
    }
    for (Index i = 0; i < y.rows(); ++i) {
      y(i, o) -= mean;
    }
  }
  return means;
}

double weighted_rmse(const Matrix<double>& residuals, std::span<const double> weights) {
  double sum = 0;
  double total = 0;
  for (Index i = 0; i < residuals.rows(); ++i) {
    const double weight = weights[i];
    total += weight * static_cast<double>(residuals.columns());
    for (Index o = 0; o < residuals.columns(); ++o) {
      sum += weight * residuals(i, o) * residuals(i, o);
    }
  }
  return std::sqrt(sum / total);
}

double frobenius_norm(ConstMatrixView<double> a) {
  double norm = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    norm = std::hypot(norm, nrm2(a.row(i)));
  }
  return norm;
}

void require_memory(const RidgeProblem& problem, double bytes, const std::string& what, const std::string& advice) {
  if (bytes > problem.memory_bytes) {
    throw InvalidArgument(std::string(problem.model) + ": " + what + " needs " +
                          std::to_string(std::llround(bytes / bytes_per_megabyte)) + " MB, the fit may use " +
                          std::to_string(std::llround(problem.memory_bytes / bytes_per_megabyte)) + " MB; try " +
                          advice);
  }
}

}  // namespace mercer
