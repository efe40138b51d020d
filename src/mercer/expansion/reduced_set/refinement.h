// Phase II of a reduced set's construction: all points move at once. With the coefficients at their best the error is a
// function of the points alone,
//
//   E(Z) = Σ_o ‖Ψ_o‖² − b_oᵀ(K^z + ρI)⁻¹b_o,   b_o = K^zx a_o,      β_o = (K^z + ρI)⁻¹b_o
//   ∂E/∂z_j = 2 Σ_o β_jo (Σ_l β_lo ∂k(z_j, z_l)/∂z_j − Σ_i a_io ∂k(z_j, x_i)/∂z_j),
//
// (ρ at the level of rounding keeps it smooth where points meet), lowered by limited-memory BFGS steps on all n·d
// coordinates. Kernel values and derivatives come from one pass that shares the inner products; Schölkopf & Smola (2002),
// 18.5.2.
#pragma once

#include "mercer/expansion/reduced_set/target.h"

namespace mercer {

struct RefinementOptions {
  Index max_evaluations = 300;
  double tolerance = 1e-6;  ///< ends where a step lowers E by less than this fraction of Σ‖Ψ‖²

  void validate() const;
};

struct RefinedSet {
  ReducedSet set;
  double first_squared_error = 0;  ///< E of the points that were given
  Index evaluations = 0;
};

/// Starts at `points` (numbers, like the target's centres). Never worse than them. About 4 n(m + n)d operations an
/// evaluation, 2·n·m numbers. InvalidArgument where the kernel has no input derivatives or samples are not numbers.
RefinedSet refine(const ReductionTarget& target, ConstMatrixView<double> points, const RefinementOptions& options,
                  const Run& run);

/// E and ∂E/∂Z (n × d) at `points`.
double refinement_objective(const ReductionTarget& target, ConstMatrixView<double> points, MatrixView<double> gradient,
                            const Run& run);

}  // namespace mercer
