// The swaps of k-medoids: one sample becomes a medoid in place of another. With the distances of every sample to its
// nearest and second nearest medoid at hand, the change of J for all k places of a candidate x takes one row of D
// (Schubert & Rousseeuw 2021, FastPAM),
//
//   ΔJ(c, x) = Σ_i w_i min(D_ix − near_i, 0) + Σ_{i: nearest = c} w_i (min(max(D_ix, near_i), second_i) − near_i)
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"

namespace mercer {

/// Every sample's nearest and second nearest medoid.
class MedoidDistances {
 public:
  MedoidDistances(const Gram<double>& distances, std::span<const double> weights, std::vector<Index> medoids,
                  const Run& run);

  const std::vector<Index>& medoids() const { return medoids_; }
  const std::vector<Index>& nearest() const { return nearest_; }
  double objective() const { return objective_; }

  struct Swap {
    double change = 0;  ///< of J
    Index place = -1;   ///< of the medoid that leaves
    Index row = -1;     ///< that takes its place
  };
  /// The best swap with this candidate, whose distances to all samples are given.
  Swap best_swap(Index candidate, std::span<const double> distances) const;

 private:
  std::span<const double> weights_;
  std::vector<Index> medoids_;
  std::vector<Index> nearest_;
  std::vector<double> near_;
  std::vector<double> second_;
  std::vector<double> removal_;  // Σ w (second − near) per medoid: what J rises by without it
  double objective_ = 0;
};

/// Swaps until a whole round over all samples finds none that lowers J by more than rounding, or `limit` were made;
/// the best of a block of candidates is made at once. Appends J after every swap to `objectives`.
MedoidDistances swap_medoids(const Gram<double>& distances, std::span<const double> weights, MedoidDistances start,
                             Index limit, std::vector<double>& objectives, const Run& run);

}  // namespace mercer
