#include "mercer/solvers/risk/separation.h"

#include <algorithm>
#include <limits>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/diagonal_quadratic.h"

namespace mercer {

// min ½‖γ‖² with y_i(Qγ)_i ≥ 0 and Σ_i y_i(Qγ)_i = n, the margins' mean as 1: feasible exactly where some γ separates.
bool basis_separates(const RiskProblem& problem, const Run& run) {
  const Index n = problem.size();
  const Index q = problem.basis.columns();
  if (problem.is_residual() || q == 0) {
    return false;
  }
  Matrix<double> margins(n, q);
  Matrix<double> sum = Matrix<double>::filled(1, q, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < q; ++j) {
      margins(i, j) = problem.sign(i) * problem.basis(i, j);
      sum(0, j) += margins(i, j);
    }
  }
  const auto columns = static_cast<std::size_t>(q);
  const auto rows = static_cast<std::size_t>(n);
  const ConvexProgram program{.quadratic = std::make_shared<DiagonalQuadratic>(std::vector<double>(columns, 1.0)),
                              .linear = std::vector<double>(columns, 0.0),
                              .equality = sum.view(),
                              .equality_values = {static_cast<double>(n)},
                              .range = margins.view(),
                              .range_lower = std::vector<double>(rows, 0.0),
                              .range_upper = std::vector<double>(rows, std::numeric_limits<double>::infinity())};
  return solve_convex_program(program, {.certificates = Certificates::off}, run).status == ProgramStatus::converged;
}

RiskSolution unless_separated(const RiskProblem& problem, RiskSolution solution, const Run& run) {
  if (problem.loss.has_minimum() || problem.basis.columns() < 2 || !basis_separates(problem, run)) {
    return solution;
  }
  solution.status = SolveStatus::stalled;
  solution.optimality = Optimality::none;
  solution.message =
      "functions beside the kernel, which nothing penalizes, separate the classes by themselves: the loss falls for "
      "ever as they grow, and there is no minimum. Take fewer of them (parametric), or loss = hinge or squared_hinge, "
      "which end where all margins are 1";
  return solution;
}

}  // namespace mercer
