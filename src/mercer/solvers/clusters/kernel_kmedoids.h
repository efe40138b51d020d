// k-medoids: the k samples of n (medoids) with the least sum of distances from every sample to the nearest of them,
//
//   J = Σ_i w_i min_c D(i, m_c)
//
// for any symmetric matrix D of distances with a diagonal of 0. Alternation: every sample to its nearest medoid, every
// medoid to the member of its cluster with the least Σ_{j∈c} w_j D_ij; all restarts share one product with D per step.
// Then, for the best of them, swaps: a sample takes the place of a medoid where that lowers J; the gains of all k
// places come from one row of D. J never rises.
// References: Murphy (2012), algorithm 14.1; Kaufman & Rousseeuw (1990) for the swaps; Schubert & Rousseeuw (2021),
// Fast and eager k-medoids clustering, for their cost.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

enum class MedoidSwaps { skip, search };

struct KernelKmedoidsOptions {
  Index clusters = 8;
  Index restarts = 10;
  Index max_iterations = 300;  ///< alternations per restart, and swaps
  MedoidSwaps swaps = MedoidSwaps::search;
  std::vector<Index> start = {};  ///< distinct rows: the only start, where given

  void validate() const;
};

struct KernelKmedoidsSolution {
  SolveStatus status = SolveStatus::converged;
  std::vector<Index> medoids;  ///< rows, ascending; fewer than asked for where there are fewer distinct samples
  std::vector<Index> assignment;
  std::vector<double> cluster_weights;
  double objective = 0;
  std::vector<double> objectives;        ///< J of the best restart: alternations, then swaps
  std::vector<double> final_objectives;  ///< J where the alternation of each restart ended
  Index swaps = 0;
};

/// `weights`: positive, one per sample, empty: all 1; a weight w is the sample w times. Cost: one product of D with
/// clusters · restarts columns per alternation; a round of swaps looks at every entry of D once. Random numbers come
/// from run.seed(). Throws Stopped; NumericalError where D is not finite.
KernelKmedoidsSolution kernel_kmedoids(const Gram<double>& distances, std::span<const double> weights,
                                       const KernelKmedoidsOptions& options, const Run& run);

}  // namespace mercer
