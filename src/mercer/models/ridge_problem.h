// The two ways to solve a ridge problem, behind models/ridge.h: the inputs they share and what they give.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/model.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

enum class LeaveOneOut { skip, compute };

/// All rows count: those of weight 0 were left out before.
struct RidgeProblem {
  Kernel kernel;  ///< resolved
  Samples samples;
  Matrix<double> targets;       ///< n × outputs
  std::vector<double> weights;  ///< n positive numbers
  double lambda = 0;
  ParametricPart part = ParametricPart::constant;
  LeaveOneOut loo = LeaveOneOut::skip;
  Index memory_bytes = 0;
};

struct RidgeSolution {
  Samples centres;
  Matrix<double> coefficients;
  Matrix<double> parametric;
  double relative_residual = 0;  ///< of the linear system that was solved
  std::optional<Matrix<double>> loo_residuals = {};
};

/// Kernel matrix and factorisation in T.
template <class T>
RidgeSolution solve_ridge_dual(const RidgeProblem& problem, PhaseTimer& timer, const Run& run);

/// For k = factor·xᵀx', parametric part none or constant. The centres are the weight vectors themselves.
RidgeSolution solve_ridge_primal(const RidgeProblem& problem, double factor, PhaseTimer& timer, const Run& run);

/// Throws InvalidArgument where `bytes` is more than the problem may use; `what` names the thing, `advice` what to do.
void require_memory(const RidgeProblem& problem, double bytes, const std::string& what, const std::string& advice);

/// ‖a‖ over all entries.
double frobenius_norm(ConstMatrixView<double> a);

/// Throws NumericalError where a Cholesky factor has pivots at the level of rounding, or none at all.
template <class T>
void require_well_posed(ConstMatrixView<T> factor, const CholeskyStatus& status, double largest_diagonal,
                        double lambda);

}  // namespace mercer
