// The linear system of an interior point step (linear_program_interior.h),
//
//   (ΦDΦᵀ + E) x = r     D, E diagonal, of entries that differ by twenty orders of magnitude towards the end.
//
// With more rows than columns, u = DΦᵀx is kept as unknown, and the rows of large E are eliminated by
// it: x = E⁻¹(r − Φu). That would lose all digits for the rows of small E, which at a corner are at most as many as
// the columns: those stay unknowns (S) and get a factor of their own,
//
//   H = D⁻¹ + Φ_Lᵀ E_L⁻¹ Φ_L,    (E_S + Φ_S H⁻¹ Φ_Sᵀ) x_S = r_S − Φ_S H⁻¹ Φ_Lᵀ E_L⁻¹ r_L.
//
// With no more rows than columns S is all rows and H is diagonal.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class ProgramSystem {
 public:
  /// Refers to the features (n × M).
  explicit ProgramSystem(ConstMatrixView<double> features);

  /// D (columns) and E (rows), all positive; referred to until the next call. False where a matrix is not positive
  /// definite within rounding. With k = min(n, M): n M k + k³/3 operations, about three times that where n > M.
  [[nodiscard]] bool factorize(std::span<const double> columns, std::span<const double> rows, const Run& run);

  /// x = the solution, refined while that makes the residual smaller. O(nM) per refinement, four at most.
  void solve(std::span<const double> right, std::vector<double>& x, const Run& run);

 private:
  bool factorize_rows(const Run& run);
  bool factorize_columns(const Run& run);
  template <class WriteRow>
  void copy_scaled(const Run& run, WriteRow write_row);
  double row(Index i) const { return rows_[i]; }
  void apply_inverse(const std::vector<double>& right, std::vector<double>& x, const Run& run);
  void multiply(const std::vector<double>& x, std::vector<double>& out);

  ConstMatrixView<double> features_;
  bool by_rows_;
  Index kept_;  // rows in S
  std::vector<Index> order_;
  Matrix<double> scaled_;
  Matrix<double> columns_factor_;  // of H
  Matrix<double> held_;            // of the rows in S
  std::vector<double> inner_;
  std::span<const double> columns_;
  std::span<const double> rows_;
};

}  // namespace mercer
