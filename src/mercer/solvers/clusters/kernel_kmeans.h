// Kernel k-means: the partition of n samples into k clusters with the least sum of squared distances to the means of
// their clusters, in the kernel's feature space,
//
//   J = Σ_i w_i d²(i, c_i),   d²(i, c) = K_ii − (2/W_c) Σ_{j∈c} w_j K_ij + (1/W_c²) Σ_{j,l∈c} w_j w_l K_jl
//
// with W_c = Σ_{j∈c} w_j, by moving every sample to its nearest mean until nothing moves. All restarts run side by
// side: one product of K with their indicator columns is one step of each, so that K is evaluated once per step and
// never stored; where few samples moved, their rows of K are enough. J never rises for positive and conditionally
// positive (order 1) kernels; with an indefinite one a restart ends where it would. An empty cluster takes the sample
// that costs most. Reference: Dhillon, Guan & Kulis (2004), Kernel k-means, spectral clustering and normalized cuts.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

struct KernelKmeansOptions {
  Index clusters = 8;
  Index restarts = 10;  ///< k-means++ starts; the best result is kept
  Index max_iterations = 300;
  /// A restart ends where J falls by less than this fraction; 0: where nothing moves.
  double tolerance = 0;
  std::vector<Index> start = {};  ///< a cluster per sample: the only start, where given

  void validate() const;
};

struct KernelKmeansSolution {
  SolveStatus status = SolveStatus::converged;
  Index clusters = 0;                    ///< fewer than asked for where there are fewer distinct samples
  std::vector<Index> assignment;         ///< per sample; clusters are numbered by their first samples
  std::vector<double> cluster_weights;   ///< W_c
  std::vector<double> squared_norms;     ///< ‖μ_c‖²
  double objective = 0;                  ///< J
  std::vector<double> objectives;        ///< J of the best restart, step by step
  std::vector<double> final_objectives;  ///< J where each restart ended
  Index reseeded = 0;                    ///< empty clusters that were filled, in the best restart
};

/// `weights`: positive, one per sample, empty: all 1; a weight w is the sample w times. Cost per step: one product of
/// K with clusters · restarts columns at most; memory four such blocks of n rows, of at most about 256 MB together
/// unless one restart needs more. Random numbers come from run.seed(). Throws Stopped; NumericalError where K is not
/// finite.
KernelKmeansSolution kernel_kmeans(const Gram<double>& gram, std::span<const double> weights,
                                   const KernelKmeansOptions& options, const Run& run);

}  // namespace mercer
