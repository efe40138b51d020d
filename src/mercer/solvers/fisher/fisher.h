// Fisher discriminants as regression on classes. With N the scatter of functions inside the classes, M between them and R
// a penalty, the discriminant directions maximise
//
//   J(α) = α'Mα / α'(N + λR)α      N = Φ'(W − Σ_q W1_q1_q'W/m_q)Φ,   M = Σ_q m_q (μ_q − μ)(μ_q − μ)',   μ_q = Φ'W1_q/m_q
//
// Φ (n × r) are the values of r functions on the rows (kernel functions k(x_i, ·), all or some of them, or the columns of
// a low-rank factor), W the weights of the rows, m_q those of the classes. N is never formed. As T = N + M is the scatter
// of all rows, J is largest where α'Mα / α'(T + λR)α is, and (T + λR)A = Φ'WHY (H centres, Y are the indicators of the
// classes) is a regression with an offset; a k × k eigenproblem gives the directions α = AD^(-1/2)z:
//
//   D^(-1/2) Y'WHΦA D^(-1/2) z = θ z,   θ = J/(1 + J),   D = diag(m_q)
//
// Two classes: α is parallel to the regression on labels. References: Schölkopf & Smola (2002), chapter 15 and problem
// 15.8; Mika, Rätsch, Weston, Schölkopf & Müller (1999); Hastie, Buja & Tibshirani (1995) for several classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Rows with their classes 0, 1, …, k − 1 and weights.
class ClassRows {
 public:
  /// InvalidArgument unless there are two classes at least, each with a row, and all weights are positive numbers.
  ClassRows(std::vector<std::int32_t> classes, std::vector<double> weights);

  Index size() const { return static_cast<Index>(classes_.size()); }
  Index class_count() const { return static_cast<Index>(totals_.size()); }
  Index class_of(Index i) const { return classes_[i]; }
  double weight(Index i) const { return weights_[i]; }
  std::span<const double> weights() const { return weights_; }
  /// m_q, and their sum m.
  double total(Index q) const { return totals_[q]; }
  double total() const { return total_; }
  /// Σ_q m_q (m − m_q)/(k m): m_+ m_-/m of two classes.
  double contrast() const;

  /// n × k: 1 where the row is of the class, else 0.
  Matrix<double> indicators() const;
  /// Weighted means of the columns: of all rows, and k × columns of the classes.
  std::vector<double> means(ConstMatrixView<double> values) const;
  Matrix<double> class_means(ConstMatrixView<double> values) const;
  /// √w_i (values_ij − mean_j): what scatters are products of.
  Matrix<double> centered(ConstMatrixView<double> values, const Run& run) const;

 private:
  std::vector<std::int32_t> classes_;
  std::vector<double> weights_;
  std::vector<double> totals_;
  double total_ = 0;
};

enum class Leverages { skip, compute };

/// The regression of the indicators on functions, offsets free.
struct ClassRegression {
  Matrix<double> coefficients;    ///< A, r × k
  Matrix<double> fitted;          ///< H'ΦA, n × k: without the offsets, of weighted mean 0
  std::vector<double> leverages;  ///< S_ii of the hat matrix, offset included; empty where skipped
};

/// Solves (T + λR)A = Φ'WHY by Cholesky: n r² + r³/3 flops, as much again for the leverages, n r + r² numbers. `penalty`
/// is R, r × r, its lower triangle; empty: the identity. InvalidArgument for a negative λ, NumericalError where the
/// matrix is numerically singular.
ClassRegression regress_on_functions(ConstMatrixView<double> functions, ConstMatrixView<double> penalty,
                                     const ClassRows& rows, double lambda, Leverages leverages, const Run& run);

/// What the regression without row i says of row i: y_io − (y_io − f_io)/(1 − S_ii), less the class shares, so that it
/// compares with `fitted`. A row that the regression cannot do without keeps its value.
Matrix<double> left_out_values(ConstMatrixView<double> fitted, std::span<const double> leverages,
                               const ClassRows& rows);

struct FisherDirections {
  Matrix<double> combination;  ///< k × p: directions are A·combination, their values on the rows fitted·combination
  std::vector<double> shares;  ///< θ, descending, in (0, 1]
};

/// The discriminant directions, p ≤ k − 1 (fewer where classes are not told apart, to rounding). Two classes: the mean of
/// the second class exceeds that of the first by 2. More: α'(N + λR)α = m − k, so that distances are in units of the
/// (penalised) spread inside the classes. `noise` is the size of rounding errors in `fitted`. NumericalError where all
/// class means are the same up to that.
FisherDirections fisher_directions(ConstMatrixView<double> fitted, const ClassRows& rows, double noise, const Run& run);

/// The objective of two classes, ½(‖ξ‖² + λ α'Rα) with class means at ±1, of a share θ: 2 (m_+ m_-/m)(1 − θ)/θ.
double fisher_objective(const ClassRows& rows, double share);

}  // namespace mercer
