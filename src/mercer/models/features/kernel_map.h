// kernelmap: explicit features of a kernel from its values at landmarks z_1 … z_r,
//
//   empirical kernel map (whiten=no)      Φ(x) = (k(z_1, x), …, k(z_r, x))
//   kernel PCA map (whiten=yes)           Φ(x) = D^−½ Uᵀ (k(z_1, x), …, k(z_r, x)),   K(z, z) = U D Uᵀ
//
// The second is K(z, z)^−½ k(z, x) up to a rotation: ⟨Φ(x), Φ(x')⟩ = k(x, x') wherever one of x, x' lies in the span of
// the landmarks (all training samples, where all of them are landmarks) and an approximation elsewhere, Nyström's.
// Linear methods on these features are kernel methods. References: Schölkopf & Smola (2002), (2.56)-(2.60); Williams &
// Seeger (2001).
#pragma once

#include <array>
#include <memory>
#include <span>

#include "mercer/base/words.h"
#include "mercer/kernels/prepared.h"
#include "mercer/models/features/feature_model.h"

namespace mercer {

/// Rows one after the other, each what those before it leave most of, or drawn from all.
enum class KernelMapLandmarks { pivots, random };
constexpr auto words_of(KernelMapLandmarks) {
  return std::array{Word{KernelMapLandmarks::pivots, "pivots"}, Word{KernelMapLandmarks::random, "random"}};
}

struct KernelMapOptions {
  Index size = 100;
  bool whiten = true;
  KernelMapLandmarks landmarks = KernelMapLandmarks::pivots;
  double tolerance = 1e-10;
  Precision precision = Precision::double_precision;  ///< of kernel values in features
  void validate() const;
};

std::span<const Option<KernelMapOptions>> kernel_map_option_table();

/// Targets are not used; a weight of 0 leaves a row out, other weights change nothing. Pivots need a positive kernel:
/// otherwise landmarks are drawn at random (a note says so). Of an indefinite kernel the negative part is left out of
/// the kernel PCA map. The map not whitened takes any kernel.
std::unique_ptr<FeatureModel> fit_kernel_map(const Kernel& kernel, const KernelMapOptions& options,
                                             const TrainingData& data, const Run& run = {});

const ModelEntry& kernel_map_entry();

}  // namespace mercer
