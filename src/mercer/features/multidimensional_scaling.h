// Multidimensional scaling: points whose distances are given dissimilarities δ_ij. Classical scaling is centred kernel
// PCA of the conditionally positive matrix −½δ²,
//
//   B = −½ H Δ² H,   B u = κ u,   points √κ u   (the leading ones)
//
// exact where δ are Euclidean distances of that dimension. With a power, δ^μ takes the place of δ: μ ≤ 1 keeps
// Euclidean distances Euclidean, μ > 1 need not, and B then has negative eigenvalues. Metric scaling is kernel PCA of
// any other similarity φ(δ), such as exp(−γδ²). References: Torgerson (1952); Williams (2001); Schölkopf & Smola
// (2002), 14.2.3.
#pragma once

#include <functional>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct ScaledPoints {
  Matrix<double> points;       ///< n × dimensions, about their mean, the longest axis first
  std::vector<double> values;  ///< κ of every axis
  double total = 0;            ///< Σκ over all that are not negative: tr B where none is
  Index negative = 0;          ///< eigenvalues below 0 (beyond rounding): what no points in real space have
  double most_negative = 0;
};

/// At most `dimensions` axes (0: all with κ > 0). Dissimilarities are symmetric to 1e-6, finite, not negative and 0 on
/// the diagonal: InvalidArgument otherwise, and for a power that is not positive. O(n³).
ScaledPoints classical_scaling(ConstMatrixView<double> dissimilarities, Index dimensions, double power, const Run& run);

/// The same for the similarities φ(δ_ij), centred.
ScaledPoints metric_scaling(ConstMatrixView<double> dissimilarities, const std::function<double(double)>& similarity,
                            Index dimensions, const Run& run);

}  // namespace mercer
