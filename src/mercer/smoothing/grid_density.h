// A density on a regular grid of up to three dimensions by linear binning and fast Fourier transforms: every point shares
// its weight among the 2^d nodes around it, and the weights of the nodes are convolved with the kernel,
//
//   p(g) ≈ Σ_k b_k K_H(g − k),    O(2^d n + N ln N).
//
// The shares interpolate the kernel linearly, so that one point costs at most the smallest of what the kernel varies by
// over the cells around it, Σ_j δ_j/2 sup |∂_j K_H| and Σ_j δ_j²/8 sup |∂²_j K_H|. The second convolution, with that bound in place of the kernel,
// costs nothing beside the first and gives the error bound of every node. References: Silverman (1982), Algorithm AS 176;
// Wand (1994), Fast computation of multivariate kernel estimators.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/bandwidth.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

/// count nodes first, first + step, …
struct GridAxis {
  double first = 0;
  double step = 1;
  Index count = 0;
};

/// Values at all nodes, the last axis running fastest.
struct GridDensity {
  std::vector<double> values;
  /// What each value may be off by (binning, truncation at 1e-17 κ(0), rounding); empty: evaluated node by node.
  std::vector<double> error_bounds;
};

/// InvalidArgument for axes without nodes, with steps that are not positive, or more than 2^26 nodes in all.
void require_valid(std::span<const GridAxis> axes, Index dimension);

/// Whether binning is possible: up to three dimensions, transforms of at most 2^26 nodes.
bool can_bin(std::span<const GridAxis> axes, const SmoothingKernel& kernel, const Bandwidth& bandwidth);

/// Weights: one per point (≥ 0), or none. They are divided by `total`. Points anywhere; only those that the kernel
/// carries onto the grid count. The same bits for any number of threads. Requires can_bin().
GridDensity binned_density(ConstMatrixView<double> points, std::span<const double> weights, double total,
                           const SmoothingKernel& kernel, const Bandwidth& bandwidth, std::span<const GridAxis> axes,
                           const Run& run);

}  // namespace mercer
