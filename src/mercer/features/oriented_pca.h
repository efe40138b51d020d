// Oriented PCA: directions of feature space in which samples differ, but not by what is noise,
//
//   max_v  v'Cv / v'(T + ε1)v,   C the covariance of Φ(x), T = (1/t) Σ_j δ_j δ_j'
//
// δ_j are changes that mean nothing: tangents Φ(L x) − Φ(x) of a transformation L, or what samples of one group differ by.
// With T = 0 (L the identity) this is kernel PCA; with large ε too.
// References: Diamantaras & Kung (1996), Principal component neural networks; Schölkopf & Smola (2002), section 11.4.2
// and problems 14.11 and 14.12.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct OrientedPcaOptions {
  Index components = 10;
  /// ε relative to tr C, the variance of all directions together; above 0.
  double regularization = 0.01;

  void validate() const;
};

/// Directions of length 1, from covariance matrices in an orthonormal basis (r × r each, both triangles).
struct OrientedDirections {
  std::vector<double> ratios;  ///< v'Cv / v'(T + ε1)v, falling
  Matrix<double> vectors;      ///< r × components; orthogonal in C and in T + ε1, not in general to each other
  std::vector<double> signal;  ///< v'Cv
  std::vector<double> noise;   ///< v'Tv
};
/// O(r³). Components without signal (relative 1e-12) are left out.
OrientedDirections oriented_directions(ConstMatrixView<double> covariance, ConstMatrixView<double> noise,
                                       const OrientedPcaOptions& options, const Run& run);

/// The same from inner products alone: `gram` = ⟨Φ(x_i), Φ(x_j)⟩ (n × n, not centred), `cross` = ⟨Φ(x_i), δ_j⟩ (n × t),
/// `tangents` = ⟨δ_i, δ_j⟩ (t × t). v_c = Σ_i sample(i, c)(Φ(x_i) − mean) + Σ_j tangent(j, c) δ_j. O((n + t)³).
struct OrientedPca {
  std::vector<double> ratios;
  Matrix<double> sample_coefficients;   ///< n × components, columns of sum 0
  Matrix<double> tangent_coefficients;  ///< t × components
};
OrientedPca oriented_pca(ConstMatrixView<double> gram, ConstMatrixView<double> cross, ConstMatrixView<double> tangents,
                         const OrientedPcaOptions& options, const Run& run);

/// The covariance within groups, Σ_i p_i (f_i − mean of i's group)(…)' with p the weights scaled to sum 1: half of what
/// two random samples of one group differ by. Groups are numbered from 0.
Matrix<double> within_groups(ConstMatrixView<double> values, std::span<const double> weights,
                             std::span<const Index> groups, const Run& run);

}  // namespace mercer
