// The dual of a convex risk as a convex programme: of the regularised risk (risk_dual.h), with the kernel matrix as its quadratic
// term, and of the one with a price on coefficients (risk_sparse.h), with another term and ranges.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/diagonal_quadratic.h"
#include "mercer/solvers/convex/program/low_rank_quadratic.h"
#include "mercer/solvers/risk/risk_problem.h"

namespace mercer {

/// min ½aᵀHa + Σ p_i c*(u_i) − Σ y_ia_i, Qᵀa = 0 in one variable per row, or with a tube in two, a = a⁺ − a⁻. The multipliers of
/// the equations are −γ.
struct RiskDualProgram {
  Index rows = 0;
  ConvexProgram program;
  Matrix<double> equations;  // what the programme sees

  /// a of the programme's variables.
  std::vector<double> signed_multipliers(std::span<const double> x) const;
};

/// The problem and the loss must outlive it; the term H is of as many variables as there are rows.
RiskDualProgram risk_dual_program(const RiskProblem& problem, const LossConjugate& form,
                                  std::shared_ptr<const QuadraticTerm> quadratic);

/// Σ p_i c*(u_i) − Σ y_ia_i; multipliers outside of the domain of c* count as at its end.
double conjugate_sum(const RiskProblem& problem, std::span<const double> a);

}  // namespace mercer
