// TwoClassMachine: a fitted two-class support vector machine as the estimates without refitting see it. It is the
// solution of
//
//   min ½αᵀ(yKy)α − Σα,   0 ≤ α_i ≤ C_i,  Σ y_iα_i = 0,        f(x) = Σ_j α_j y_j k(x_j, x) + b
//
// A support vector is free where 0 < α_i < C_i (then y_i f(x_i) = 1) and bound where α_i = C_i. A machine with squared
// slacks is one without bounds on the kernel k + diag(1/2C_i), whose values on its own rows are f(x_i) + y_iα_i/(2C_i): of
// leaving a row out that machine tells, of the margin and of errors f itself. One with ν has the bounds w_i/ρ, and holds
// Σ₊α and Σ₋α apart.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/select/estimates/held_sums.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

struct TwoClassMachine {
  std::vector<double> signs;           ///< y_i = ±1
  std::vector<double> bounds;          ///< C_i, infinite for a hard margin
  std::vector<double> alpha;           ///< α_i ≥ 0
  std::vector<double> values;          ///< of the machine at its rows, the offset included
  double gap = 0;                      ///< how far the KKT conditions may be violated, in units of f
  std::vector<double> ridge = {};      ///< 1/(2C_i) of squared slacks; empty: the values are f(x_i)
  HeldSums held_sums = HeldSums::all;  ///< each_sign: of ν-SVC

  Index size() const { return static_cast<Index>(signs.size()); }
  bool is_support(Index i) const { return alpha[i] > 0; }
  bool is_bound(Index i) const;
  /// Rows with 0 < α_i < C_i, and rows with α_i = C_i, ascending.
  std::vector<Index> free_rows() const;
  std::vector<Index> bound_rows() const;
  std::vector<double> coefficients() const;  ///< β_i = y_iα_i
  double decision(Index i) const;            ///< f(x_i)
  /// ξ_i = max(0, 1 − y_i f(x_i)), and the machine's own, of its values.
  double slack(Index i) const;
  double own_slack(Index i) const;
  /// ‖w‖² = Σ_i α_i y_i (f(x_i) − b), and the machine's own, of its values; with Σ y_iα_i = 0 the offset does not matter.
  double squared_norm() const;
  double own_squared_norm() const;
  Index training_errors() const;  ///< rows with y_i f(x_i) ≤ 0

  /// InvalidArgument for vectors of different lengths, signs that are not ±1, α outside its box, or values that are
  /// not finite.
  void validate() const;
};

/// From the solution of a C-SVC.
TwoClassMachine two_class_machine(const SvmDual& dual, std::span<const double> signs, std::span<const double> bounds);

/// A count of rows that a machine fitted without them may misclassify.
struct LeaveOneOutCount {
  Index errors = 0;
  Index rows = 0;
  std::vector<char> is_error;  ///< per row
  double fraction() const { return rows > 0 ? static_cast<double>(errors) / static_cast<double>(rows) : 0; }
};

}  // namespace mercer
