// The preconditioner of Nyström least squares: two triangular factors in one array of M × (M + 1) numbers.
//
//   K_MM + ε1 = TᵀT                         T upper triangular; c = T a are the coordinates in which ‖f‖² = |c|²
//   S + λ1    = L Lᵀ                        S ≈ Σ_i w_i b_i b_iᵀ, b_i = T⁻ᵀ k(z, x_i), estimated from a few rows
//
// With an offset, S and L have one more row and column, for the constant function, that are not penalised. The rows are
// the landmarks themselves (then S = (n/M) T W Tᵀ costs nothing but the product: Rudi, Carratino & Rosasco 2017, Falkon)
// or a sample of others (Díaz, Epperly, Frangella, Tropp & Webber 2023), which is right for landmarks that were not drawn
// uniformly. ε is 1e-13 M times the largest k(z, z), or more where that does not suffice: functions whose
// norm is known to no digit are left out by it.
#pragma once

#include <span>
#include <vector>

#include "mercer/gram/falkon_rows.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class FalkonFactor {
 public:
  /// T: M³/3 flops. NumericalError where K_MM is not positive definite even with 1e-6 of its diagonal added.
  FalkonFactor(const FalkonRows& rows, const Run& run) : FalkonFactor(rows, 0.0, run) {}
  /// For products in single precision and this λ: ε is at least 1e-7 of the smaller of λ and the largest k(z, z). The
  /// function hardly changes by it, and functions that single precision cannot tell from 0 are left out.
  FalkonFactor(const FalkonRows& rows, double lambda, const Run& run);

  /// c and, with an offset, one more.
  Index size() const { return size_; }
  Index landmarks() const { return factors_.columns(); }
  /// ε.
  double shift() const { return shift_; }
  /// The largest k(z, z).
  double largest_kernel_value() const { return largest_; }

  /// L from the landmarks: `weights` has one positive number each, which sum to what all rows weigh. 2M³/3 flops.
  void build_from_landmarks(std::span<const double> weights, double lambda, const Run& run);
  /// L from listed rows with such weights. 2sM² flops for s rows, and M × 2048 numbers for a while.
  void build_from_rows(const FalkonRows& rows, std::span<const Index> list, std::span<const double> weights,
                       double lambda, const Run& run);

  /// The first M rows of X become T⁻¹X (coefficients from coordinates), or T⁻ᵀX. Any further row stays.
  void to_coefficients(MatrixView<double> x, const Run& run) const;
  void to_coordinates_transposed(MatrixView<double> x, const Run& run) const;
  /// X (size() rows) becomes L⁻ᵀX, or L⁻¹X.
  void precondition(MatrixView<double> x, const Run& run) const;
  void precondition_transposed(MatrixView<double> x, const Run& run) const;

  static double bytes(Index landmarks) {
    return static_cast<double>(landmarks) * static_cast<double>(landmarks + 1) * sizeof(double);
  }

 private:
  // T stands in the upper triangle of the first M rows, L (and S before it) in the lower triangle of the last M rows.
  MatrixView<double> upper() { return factors_.view().block(0, 0, landmarks(), landmarks()); }
  ConstMatrixView<double> upper() const { return factors_.view().block(0, 0, landmarks(), landmarks()); }
  MatrixView<double> lower() { return factors_.view().block(1, 0, landmarks(), landmarks()); }
  ConstMatrixView<double> lower() const { return factors_.view().block(1, 0, landmarks(), landmarks()); }

  void solve_upper(Transpose transpose, MatrixView<double> x, const Run& run) const;
  void fill_square(std::span<const double> weights, const Run& run);
  void factor_square(double lambda, double total, const Run& run);

  Index size_ = 0;
  Matrix<double> factors_;
  double shift_ = 0;
  double largest_ = 0;
  // The row of the constant function: S before, L after the factorisation.
  std::vector<double> border_;
  double border_diagonal_ = 0;
};

}  // namespace mercer
