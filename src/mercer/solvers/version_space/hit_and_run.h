// Uniform draws of directions from a cone, by geodesic hit-and-run on the unit sphere: all v with ‖v‖ = 1 and ⟨n_i, v⟩ ≥ 0.
//
//   from v, a tangent direction u is drawn uniformly (‖u‖ = 1, ⟨u, v⟩ = 0), then t uniformly on the arc of the great circle
//   v cos t + u sin t that satisfies all constraints,
//
//     |t − φ_i| ≤ π/2,  φ_i = atan2(⟨n_i, u⟩, ⟨n_i, v⟩)   ⇒   t ∈ [max φ − π/2, min φ + π/2]
//
// one arc, because the cone is convex. The step is reversible: circle and arc are those of the way back, so that the uniform
// distribution is stationary. A step costs one product with the normals. Or the way goes on where it meets a plane:
//
//   from v, along a great circle in a direction drawn uniformly, for a length drawn from (π/4, 3π/4), as one that is
//   always the same may be in step with the cone; at a plane n_i the direction is reflected, u −= 2⟨u, n_i⟩n_i/‖n_i‖²
//
// which keeps the uniform distribution as well (the flow of a billiard keeps volume and can be run back; one of too many
// reflections is given up and leaves v where it was, as its way back would). In a cone so narrow that ways are given up
// before the first draw, a chain takes shorter ones from there on. A reflection costs one row of products of the normals. It goes far in cones in which the arcs of hit-and-run are short. How many steps one independent draw takes grows
// with the dimension and with how elongated the cone is: the diagnostics say it, and nothing else does.
// References: Smith (1984), Efficient Monte Carlo procedures for generating points uniformly distributed over bounded
// regions; Pakman & Paninski (2014), Exact Hamiltonian Monte Carlo for truncated multivariate Gaussians; Herbrich, Graepel & Campbell (2001), Bayes point machines.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class ConeWalk { reflect, hit_and_run };
constexpr auto words_of(ConeWalk) {
  return std::array{Word{ConeWalk::reflect, "reflect"}, Word{ConeWalk::hit_and_run, "hitandrun"}};
}

struct HitAndRunOptions {
  ConeWalk walk = ConeWalk::reflect;
  Index chains = 4;    ///< each with random numbers of its own, from the same start
  Index draws = 250;   ///< that are kept, per chain; even, 4 at least
  Index thin = 1;      ///< steps from one to the next
  Index burn_in = 50;  ///< steps before the first, per chain
  Index stream = 0;    ///< of the random numbers: that of chain c is stream + c
};

struct ConeDraws {
  Matrix<double> directions;  ///< one row of length 1 per draw, chain after chain
  std::vector<double> mean;   ///< of them, no longer than 1
  double split_r_hat = 1;  ///< the largest, of distances from constraints and of coordinates (a hundred each at most)
  double effective_size = 0;  ///< the smallest
  Index given_up = 0;         ///< steps of too many reflections, of those after the burn-in
};

/// Memory: a copy of the normals and, for reflections, the products of all pairs. `normals`: one row per constraint; rows of 0 constrain nothing. `start`: satisfies them, of any length but 0. Chains run on
/// threads of their own; the same seed gives the same bits for any number. InvalidArgument for sizes that do not fit, too
/// few draws or a start outside of the cone; Stopped.
ConeDraws draw_from_cone(ConstMatrixView<double> normals, std::span<const double> start,
                         const HitAndRunOptions& options, const Run& run);

}  // namespace mercer
