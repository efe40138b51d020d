// Phase I of a reduced set's construction: points are made up one by one. The next point is the pre-image of what is
// still missing,
//
//   z_r = argmax_z Σ_o ⟨R_o, Φ(z)⟩²/k(z, z),   R_o = Ψ_o − Σ_{j<r} β_jo Φ(z_j)
//
// found from several starts (preimage.h); of these and the starts themselves the one is taken that lowers the error most
// once all coefficients are made the best again. Several outputs share the points. Points that lie in the span of the
// earlier ones are not taken. Schölkopf & Smola (2002), 18.5.1; Burges (1996).
#pragma once

#include "mercer/expansion/preimage.h"
#include "mercer/expansion/reduced_set/target.h"

namespace mercer {

struct ConstructionOptions {
  Index size = 1;        ///< of the reduced set
  double tolerance = 0;  ///< ends where Σ‖R‖² is at most this fraction of Σ‖Ψ‖²
  Index starts = 3;      ///< per point: the centres where most is missing
  PreimageOptions preimage = {
      .criterion = PreimageCriterion::direction, .max_iterations = 30, .max_evaluations = 60, .tolerance = 1e-3};

  void validate() const;
};

struct ConstructedSet {
  ReducedSet set;               ///< fewer points than asked for where nothing was missing any more
  Matrix<double> points;        ///< the same points as numbers, in the order in which they came
  std::vector<double> history;  ///< Σ‖R‖² with 0, 1, 2, … points; never rises
};

/// About 4·starts·(m + r)·d operations per step of the r-th pre-image. InvalidArgument where the kernel has no input
/// derivatives or samples are not numbers.
ConstructedSet construct(const ReductionTarget& target, const ConstructionOptions& options, const Run& run);

}  // namespace mercer
