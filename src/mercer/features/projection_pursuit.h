// Projection pursuit: directions of length 1 along which a sample is most interesting,
//
//   max_β Q(Fβ),   ‖β‖ ≤ 1,   orthogonal to the directions found before
//
// with the rows of F the samples in kernel PCA coordinates, so that ‖β‖ is the norm of the function in feature space.
// For convex contrasts the step β ← Fᵀ∇Q(Fβ), scaled to length 1, is the maximum of a linear lower bound that touches Q at
// the old β: it never lowers Q. Others climb along the gradient with a step that is halved until Q rises. Both end in a
// local maximum; the best of several starts is taken.
// References: Schölkopf & Smola (2002), (14.30)-(14.33); contrasts: features/projection_contrast.h.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/features/projection_contrast.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

struct ProjectionPursuitOptions {
  Index components = 5;
  Contrast contrast = Contrast::fourth;
  Index restarts = 10;
  Index max_iterations = 1000;  ///< per direction
  double tolerance = 1e-7;      ///< on the length of a step
  Index density_rows = 500;     ///< random rows that entropy and fisher look at, at most

  void validate() const;
};

struct ProjectionPursuit {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;           ///< over all starts and directions
  std::vector<double> contrasts;  ///< Q of every direction, in the order they were found
  Matrix<double> directions;      ///< r × components, orthonormal; components ≤ r
};

/// `coordinates`: n × r, centred; `weights` (empty: all 1) positive. O(n r) per step and start. Random starts come from
/// run.seed().
ProjectionPursuit projection_pursuit(ConstMatrixView<double> coordinates, std::span<const double> weights,
                                     const ProjectionPursuitOptions& options, const Run& run);

}  // namespace mercer
