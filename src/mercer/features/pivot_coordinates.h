// Coordinates of samples in feature space: what oriented PCA, projection pursuit and canonical correlation compute with.
// Pivoted Cholesky chooses samples z_1 … z_r that span what the others lie in, K ≈ FFᵀ with
//
//   F_ic = ⟨e_c, Φ(x_i)⟩,   e = G⁻¹ (Φ(z_1), …, Φ(z_r)),   GGᵀ = K(z, z), G lower triangular
//
// so that a method of linear algebra on the rows of F is its kernel form, exactly where the rank is that of K and with
// a known error otherwise. A direction Σ_c b_c e_c is a function of r kernel values, with coefficients G⁻ᵀ b.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct PivotCoordinates {
  Matrix<double> values;      ///< F, n × r
  std::vector<Index> pivots;  ///< rows of the sample
  Matrix<double> triangle;    ///< G, r × r
  double left_out = 0;        ///< (tr K − tr FFᵀ) / tr K

  Index rank() const { return values.columns(); }
  /// G⁻ᵀ B: directions (r × c, in the basis e) as coefficients of the kernel functions of the pivots.
  Matrix<double> coefficients(ConstMatrixView<double> directions) const;
};

struct CoordinateOptions {
  Index max_rank = 1000;
  double tolerance = 1e-11;  ///< stop where this share of the trace is left
};

/// Evaluates r·n entries of K; O(n r²) operations, n r numbers. The Gram matrix must be positive semidefinite:
/// InvalidArgument where its diagonal has a negative entry or a value is not finite. Pivots are the same for any seed.
PivotCoordinates pivot_coordinates(const Gram<double>& gram, const CoordinateOptions& options, const Run& run);

/// Rows √p_i (f_i − mean), p the weights scaled to sum 1: XᵀX is the covariance matrix.
struct CenteredRows {
  Matrix<double> rows;
  std::vector<double> mean;
};
/// Weights (empty: all 1) are not negative and not all 0.
CenteredRows centered_rows(ConstMatrixView<double> values, std::span<const double> weights);

/// AᵀB and its symmetric case AᵀA (both triangles).
Matrix<double> cross_product(ConstMatrixView<double> a, ConstMatrixView<double> b, const Run& run);
Matrix<double> cross_product(ConstMatrixView<double> a, const Run& run);

/// Turns every column so that its entry of largest size is positive (the first of equal ones).
void fix_signs(MatrixView<double> directions);

/// max v'Av / v'Bv: the `count` largest ratios with their v (columns, v'Bv = 1), in falling order. B positive definite:
/// NumericalError where it is not. O(r³).
struct GeneralizedEigen {
  std::vector<double> values;
  Matrix<double> vectors;
};
GeneralizedEigen generalized_eigen(ConstMatrixView<double> a, ConstMatrixView<double> b, Index count, const Run& run);

}  // namespace mercer
