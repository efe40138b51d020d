// C-SVC in the coefficients of its function themselves,
//
//   min_{α,ξ≥0, b}  ½ Σ_ij α_i α_j y_i y_j K_ij + Σ C_i ξ_i     y_i (Σ_j α_j y_j K_ij + b) ≥ 1 − ξ_i
//
// a quadratic programme without upper bounds on α, solved by the interior point method (interior/interior_point.h). The optimum and
// w are those of C-SVC, whose dual solution is one of the solutions here; where the kernel matrix is singular there are
// others, and α may be above C_i. No sparsity is promised: the method ends in the middle of the solutions.
// Reference: Schölkopf & Smola (2002), (18.45)-(18.46).
#pragma once

#include <span>

#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

/// signs ±1; bounds C_i ≥ 0 finite: a row of 0 has no influence and no coefficient. objective: minus what the
/// multipliers prove, so that primal and dual value are as far apart as they are; gap: that of the function itself, relative;
/// stalled where it is more than 100 times the tolerance. Memory: (2n + 1)² numbers twice beside n (2n + 1);
/// their cube of operations, a few dozen times. InvalidArgument for sizes, one class only, bounds that are not allowed;
/// NumericalError for a kernel matrix that is not positive.
template <class T>
SvmDual solve_primal_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                         double tolerance, const Run& run);

}  // namespace mercer
