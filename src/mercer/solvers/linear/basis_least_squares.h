// Least squares in a given basis: min_β Σ_i w_i (y_i − Σ_p β_p F_ip)², of any rank.
//
//   √W F S = Q R Pᵀ     pivoted QR of columns of unit length; its rank r is that of the functions on these rows
//   r = k               β = V Qᵀ√W y, V = S P R⁻¹
//   r < k               β of least norm among all solutions: V = Z T⁻ᵀ, (R₁PᵀS⁻¹)ᵀ = Z T, r × k
//
// β is V times r numbers of uncorrelated errors of the same variance σ², so that var(Fβ) = σ² ‖FV‖² by rows. Not by the
// normal equations, which square the condition number.
// References: Schölkopf & Smola (2002), (3.15)-(3.17) with F_ij = f_j(x_i); Golub & Van Loan (2013), 5.5.
#pragma once

#include <span>

#include "mercer/linalg/matrix.h"

namespace mercer {

struct BasisLeastSquares {
  Matrix<double> coefficients;  ///< functions × outputs
  Matrix<double> spread;        ///< V: functions × rank
  Index rank = 0;
  double condition = 1;  ///< the largest singular value of R by the smallest of those that count
};

/// functions: rows × functions, at least one of each; weights: positive, one per row. 4 n k² flops and two n × k matrices.
BasisLeastSquares least_squares_in_basis(ConstMatrixView<double> functions, ConstMatrixView<double> targets,
                                         std::span<const double> weights);

}  // namespace mercer
