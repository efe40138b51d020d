// How far the inner products of a map are from its kernel, over all pairs of a few samples.
#pragma once

#include "mercer/features/feature_map.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct MapError {
  double rms = 0;      ///< root of the mean of (k(x, x') − z(x)·z(x'))², pairs of different samples
  double largest = 0;  ///< the largest |k(x, x') − z(x)·z(x')|, also with itself
  Index samples = 0;   ///< how many samples the pairs are of
};

/// Over `count` samples drawn from run.seed() without repetition, or all where there are not more. The kernel's widths
/// must be numbers. count² kernel values.
MapError estimate_map_error(const Kernel& kernel, const FeatureMap& map, const Samples& samples, Index count,
                            const Run& run);

}  // namespace mercer
