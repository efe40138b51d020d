// Locally linear embedding as kernel PCA. Every sample is written as an average of its neighbours, by least squares in
// feature space (the linear kernel: in input space),
//
//   min ‖Φ(x_i) − Σ_j W_ij Φ(x_j)‖²,  Σ_j W_ij = 1, j a neighbour of i
//   M = (1 − W)ᵀ(1 − W),   K = λ1 − M,  λ = λ_max(M)
//
// and coordinates that keep the weights are the leading eigenvectors of the positive matrix K but its first, which is
// constant (its eigenvalue is λ because the rows of W sum to 1): components of centred kernel PCA, the last ones of M.
// References: Roweis & Saul (2000); Schölkopf & Smola (2002), problem 14.17; Ham, Lee, Mika & Schölkopf (2004).
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct LocallyLinearOptions {
  Index neighbors = 10;
  Index dimensions = 2;
  /// Added to the diagonal of every local Gram matrix, times its trace: weights are not unique where there are more
  /// neighbours than dimensions.
  double regularization = 1e-3;

  void validate() const;
};

struct LocallyLinear {
  Matrix<double> weights;      ///< W, n × n
  Matrix<double> kernel;       ///< K, n × n
  double largest = 0;          ///< λ
  Matrix<double> points;       ///< n × dimensions: eigenvectors, orthonormal and orthogonal to 1
  std::vector<double> values;  ///< their eigenvalues of K, falling; λ minus them are those of M
};

/// The Gram matrix is positive, or conditional of order 1. Neighbours are the nearest in feature space, of equal ones
/// the lower row. O(n²) memory, O(n³) operations: for some thousand rows. InvalidArgument where there are fewer rows
/// than neighbours or dimensions ask for.
LocallyLinear locally_linear(const Gram<double>& gram, const LocallyLinearOptions& options, const Run& run);

}  // namespace mercer
