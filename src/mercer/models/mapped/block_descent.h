// Linear models on explicit features by passes over blocks of rows: minimises
//
//   Σ_i w_i loss_i(Wᵀz_i + b) + λ/2 ‖W‖²
//
// for smooth convex losses of one row whose second derivative is at most c. With S = Σ w z̃z̃ᵀ (z̃ = z and a constant 1),
// the matrix M = cS + λ1 (0 for the constant) is at least the Hessian everywhere (Böhning 1992 for the softmax), so that
// in the coordinates u = RW, RᵀR = M, the curvature is at most 1 and the quasi-Newton steps need few passes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/models/mapped/mapped_blocks.h"

namespace mercer {

struct RowLoss {
  Index functions = 1;
  double curvature = 1;  ///< c, of a row of weight 1
  /// The loss of a row of weight 1 at these values of the functions; writes its derivative by them. Called by several
  /// threads.
  std::function<double(Index row, std::span<const double> values, std::span<double> derivative)> evaluate;
};

struct DescentOptions {
  double lambda = 1;
  double tolerance = 1e-10;  ///< ends where a step lowers the objective by less than this share of it
  Index max_passes = 500;
};

struct DescentResult {
  Matrix<double> weights;  ///< features × functions
  Matrix<double> offsets;  ///< 1 × functions
  SolveStatus status = SolveStatus::converged;
  Index passes = 0;
  double objective = 0;
  double decrease = 0;  ///< ½ gᵀM⁻¹g at the end: what one more step would gain at least
};

/// `weights` per row, empty: all 1. A pass costs 4 n q operations per function, and the features anew where they are not
/// kept; the matrix once n q². Memory 2 q² numbers beside the blocks. Throws Stopped.
DescentResult minimize_over_blocks(MappedBlocks& blocks, std::span<const double> weights, const RowLoss& loss,
                                   const DescentOptions& options, const Run& run);

}  // namespace mercer
