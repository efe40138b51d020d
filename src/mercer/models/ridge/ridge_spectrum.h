// One eigendecomposition, every λ: the residuals and leverages of a ridge problem for any number of penalties.
//
// With K̃ = √W K √W, ỹ = √W y, P an orthonormal basis of √W times the parametric functions and
// (I − PPᵀ) K̃ (I − PPᵀ) = Σ_j s_j u_j u_jᵀ (u_j ⊥ P), the hat matrix S of λ, in the scaled coordinates, has
//
//   I − S = Σ_j λ/(s_j + λ) u_j u_jᵀ + R          R: what is orthogonal to P and to all u_j
//
// so that residuals √w_i e_i, leverages S_ii and tr(I − S) cost one product per λ. The leave-one-out residual of row i
// is e_i / (1 − S_ii). References: Golub, Heath & Wahba (1979), Generalized cross-validation as a method for choosing a
// good ridge parameter; Wahba (1990), 4.3.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/ridge/ridge_problem.h"

namespace mercer {

struct RidgeSpectrum {
  std::vector<double> values;   ///< s_j ≥ 0
  Matrix<double> vectors;       ///< n × values, column j is u_j
  std::vector<double> rest;     ///< R_ii
  double rest_trace = 0;        ///< tr R
  Matrix<double> rest_targets;  ///< Rỹ
  Matrix<double> coefficients;  ///< values × outputs: u_jᵀỹ
  std::vector<double> weights;  ///< w_i
  double scale = 1;             ///< the largest s_j; 1 where all are 0 to rounding

  Index rows() const { return vectors.rows(); }
  Index outputs() const { return coefficients.columns(); }

  /// What a λ gives: √w_i e_io (n × outputs), 1 − S_ii, tr(I − S).
  struct Point {
    std::size_t number = 0;  ///< of λ in the list
    ConstMatrixView<double> residuals;
    std::span<const double> complements;
    double trace = 0;
  };
  /// Calls `visit` once per λ, in order. 2 n · values · (1 + outputs) flops each.
  void visit(std::span<const double> lambdas, const std::function<void(const Point&)>& visit, const Run& run) const;

  /// Rows that leave-one-out can do without; false: without that row the parametric part is not determined.
  bool is_determined(Index i) const;
};

/// Of the kernel matrix: 9 n³ flops on one thread (that cannot be stopped) and 4 n² numbers. NumericalError where
/// the matrix has negative eigenvalues, InvalidArgument where it does not fit into memory.
RidgeSpectrum ridge_spectrum_dual(const RidgeProblem& problem, PhaseTimer& timer, const Run& run);

/// Of the columns, for k = factor·xᵀx' and d columns: n d² + 9 d³ flops and n d + 3 d² numbers.
RidgeSpectrum ridge_spectrum_primal(const RidgeProblem& problem, double factor, PhaseTimer& timer, const Run& run);

}  // namespace mercer
