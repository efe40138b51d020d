// A ridge problem as the models of it share it (ridge, lssvm): its inputs, the two ways to solve it and what they give.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/model.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/ridge/ridge_solver_options.h"

namespace mercer {

enum class LeaveOneOut { skip, compute };

/// All rows count: those of weight 0 were left out before.
struct RidgeProblem {
  const char* model = "ridge";  ///< named in messages
  Kernel kernel;                ///< resolved
  Samples samples;
  Matrix<double> targets;       ///< n × outputs
  std::vector<double> weights;  ///< n positive numbers
  double lambda = 0;
  ParametricPart part = ParametricPart::constant;
  LeaveOneOut loo = LeaveOneOut::skip;
  double memory_bytes = 0;
  double storage_bytes = 0;  ///< what the iterative method may take; 0: memory_bytes
};

struct RidgeSolution {
  Samples centers;
  Matrix<double> coefficients;
  Matrix<double> parametric;
  double relative_residual = 0;  ///< of the linear system that was solved
  std::string dependence = {};   ///< of the parametric functions (parametric_basis.h)
  std::optional<Matrix<double>> loo_residuals = {};
};

/// The primal where `form` says so, or where it is automatic, possible, and the smaller; a note says so.
RidgeSolution solve_ridge(const RidgeProblem& problem, const RidgeSolverOptions& how, FitReport& report,
                          const Run& run);

/// The factor c of k = c·xᵀx' where the primal is to be solved. InvalidArgument where it is asked for in vain.
std::optional<double> primal_factor(const RidgeProblem& problem, RidgeForm form);

/// √(Σ w e² / Σ w) over all outputs.
double weighted_rmse(const Matrix<double>& residuals, std::span<const double> weights);

/// Kernel matrix and factorisation in T.
template <class T>
RidgeSolution solve_ridge_dual(const RidgeProblem& problem, PhaseTimer& timer, const Run& run);

/// For k = factor·xᵀx', parametric part none or constant. The centres are the weight vectors themselves.
RidgeSolution solve_ridge_primal(const RidgeProblem& problem, double factor, PhaseTimer& timer, const Run& run);

/// By conjugate gradients (ridge_iterative.cpp): products of n² entries, n · rank numbers for the preconditioner, and what
/// of the matrix fits storage_bytes. Sets status, iterations and the history of residuals in the report; a stop gives the
/// best so far. InvalidArgument for λ = 0, leave-one-out values, and kernels that are not positive definite.
RidgeSolution solve_ridge_iterative(const RidgeProblem& problem, const RidgeSolverOptions& how, FitReport& report,
                                    PhaseTimer& timer, const Run& run);
/// Whether the dual is to be solved so: where it is asked for, or left open and the factor would not fit, or would take
/// minutes.
bool prefers_iteration(const RidgeProblem& problem, const RidgeSolverOptions& how);

/// For kernels that are not positive definite, parametric part none or constant: (K + λW⁻¹)α + Qγ = y by eigenvalues,
/// those at the level of rounding left out. About 9n³ flops. How many are negative is said in the report, and in a
/// warning where there are any. InvalidArgument for leave-one-out residuals and a linear part.
RidgeSolution solve_ridge_indefinite(const RidgeProblem& problem, FitReport& report, PhaseTimer& timer, const Run& run);

/// Takes the mean of every output out and gives them: what is left is small where the intercept is large.
std::vector<double> center_targets(MatrixView<double> y);

/// Throws InvalidArgument where `bytes` is more than the problem may use; `what` names the thing, `advice` what to do.
void require_memory(const RidgeProblem& problem, double bytes, const std::string& what, const std::string& advice);

/// ‖a‖ over all entries.
double frobenius_norm(ConstMatrixView<double> a);

/// Throws NumericalError where a Cholesky factor has pivots at the level of rounding, or none at all.
template <class T>
void require_well_posed(ConstMatrixView<T> factor, const CholeskyStatus& status, double largest_diagonal,
                        double lambda);

}  // namespace mercer
