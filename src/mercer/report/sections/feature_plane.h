// FeaturePlane: the plane of the kernel's feature space that goes through the mean of some rows along their two leading
// principal axes (kernel PCA), and what a model is on it.
//
//   centred Gram  H K H = Σ λ_k v_k v_kᵀ,   axis u_k = Σ_j v_jk (Φ(x_j) − Φ̄) / √λ_k,   row j stands at √λ_k v_jk
//
// A function of the kernel's space, f(x) = ⟨w, Φ(x)⟩ + b, is linear there. So on the plane it is exactly
//
//   f(Φ̄ + a u_1 + c u_2) = f̄ + a g_1 + c g_2,     f̄ = mean_j f(x_j),   g_k = Σ_j v_jk f(x_j) / √λ_k
//
// and a boundary is a straight line, whatever it looks like in input space. Rows are projected onto the plane: a row far
// from it may stand on the other side of a line than the model puts it. Reference: Schölkopf, Smola & Müller (1998).
#pragma once

#include <array>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct FeaturePlane {
  std::array<std::vector<double>, 2> positions;   ///< of the rows along both axes
  std::array<std::vector<double>, 2> directions;  ///< v_jk / √λ_k: sums of f over the rows with these weights are g_k
  std::array<double, 2> shares = {0, 0};          ///< of the variance in feature space

  Samples rows;
  Kernel kernel;
  std::vector<double> means;  ///< of the rows of K

  /// f̄, g_1, g_2 of one function by its values at the rows.
  std::array<double, 3> affine(const std::vector<double>& values) const;
  /// Positions of other samples: Σ_j (v_jk / √λ_k)(k(x_j, z) − mean_l k(x_j, x_l)).
  std::array<std::vector<double>, 2> project(const Samples& others, const Run& run) const;
};

/// O(n³) for n rows. NumericalError where the rows span no plane (all alike, or fewer than three). The sign of an axis
/// is such that its largest entry is positive.
FeaturePlane feature_plane(const Kernel& kernel, const Samples& rows, const Run& run);

}  // namespace mercer
