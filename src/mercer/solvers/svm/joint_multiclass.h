// Joint multi-class support vector machines: one function per class, all found together.
//
//   min ½Σ_c‖w_c‖² + Σ_i C_i ξ_i,   f_c(x) = ⟨w_c, x⟩ + b_c,   t_ir = 2 + f_r(x_i) − f_{y_i}(x_i),
//   Weston-Watkins: ξ_i = Σ_{r≠y_i} max(0, t_ir)          Crammer-Singer: ξ_i = max(0, max_{r≠y_i} t_ir)
//
// in the dual, with w_c = Σ_i B_ic Φ(x_i) and rows of B that add up to 0 (joint_row.h has their bounds):
//
//   min ½ Σ_c B_cᵀKB_c − 2 Σ_i B_{i,y_i},    with offsets also Σ_i B_ic = 0 for every class c
//
// Two classes give the two-class machine with the same C_i (w = w_2 = −w_1). Crammer & Singer write a margin of 1:
// their cost C (LIBLINEAR's -s 4 -c) is 2C here.
//
// Coordinate descent on rows of B, each solved exactly, the worst first, within working sets of rows whose kernel
// values are at hand; the function values of all samples follow after each set, in double sums over cached rows.
// Offsets are exact by the method of multipliers: K + μ11ᵀ and offsets that move by μΣ_i B_i until the sums vanish.
// References: Weston & Watkins (1999); Crammer & Singer (2001); Schölkopf & Smola (2002), (7.59); Bertsekas (1982).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/svm/joint_row.h"

namespace mercer {

/// none: f_c(x) = ⟨w_c, x⟩. exact: b is not penalised, Σ_c b_c = 0.
enum class JointOffsets { none, exact };

struct JointOptions {
  JointLoss loss = JointLoss::weston_watkins;
  JointOffsets offsets = JointOffsets::exact;
  double tolerance = 1e-3;  ///< of the KKT conditions, in the units of function values
  Index max_steps = 0;      ///< rows solved; 0: max(10⁷, 100 n)
  double memory_mb = 1000;  ///< for kernel values
};

/// Views: the caller keeps the memory.
struct JointProblem {
  std::span<const std::int32_t> classes;  ///< per sample, 0 … class_count − 1
  Index class_count = 0;
  std::span<const double> bounds;  ///< C_i >= 0, finite; a sample with C_i = 0 has no influence
  /// Feasible rows and offsets to start from, of an earlier solve; empty: 0.
  ConstMatrixView<double> start = {};
  std::span<const double> start_offsets = {};
};

struct JointResult {
  Matrix<double> coefficients;  ///< B: n × classes
  std::vector<double> offsets;  ///< b, one per class
  Matrix<double> values;        ///< f_c(x_i) − b_c, in double sums
  double objective = 0;         ///< of the dual, as minimised
  double primal = 0;
  double slack = 0;         ///< Σ ξ_i, of the samples that count
  Index margin_errors = 0;  ///< of them with ξ_i beyond the gap
  double gap = 0;           ///< the largest violation of a KKT condition, recomputed
  double largest_sum = 0;   ///< |Σ_i B_ic|; exact offsets: at most tolerance · min(1 / mean K_ii, mean C_i)
  Index bounded = 0;        ///< samples with a coefficient at its bound
  Index steps = 0;
  Index rounds = 0;
  SolveStatus status = SolveStatus::converged;
  Precision kernel_precision = Precision::double_precision;  ///< in which f is to be evaluated
};

/// InvalidArgument where the parts do not fit together or a start breaks its bounds.
void require_valid(const JointProblem& problem, const JointOptions& options, Index samples);

/// Memory: 2 n k doubles and the kernel rows. Same bits for any number of threads. `stalled` means that no row can be
/// improved in double precision although the gap exceeds the tolerance. Throws InvalidArgument (shapes, options, a
/// class without samples that count), NumericalError (kernel values that are not finite), Stopped.
template <class T>
JointResult solve_joint_multiclass(const Gram<T>& gram, const JointProblem& problem, const JointOptions& options,
                                   const Run& run);

}  // namespace mercer
