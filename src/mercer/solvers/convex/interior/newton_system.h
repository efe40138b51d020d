// The linear system of a step of an interior point method (interior_point.h, log_barrier.h):
//
//   (Q + D) Δx − Bᵀ Δy = r,     B Δx + E Δy = s,     D ≥ 0 per variable, E > 0 per range, 0 for equalities.
//
// Δy first, from S = B M⁻¹ Bᵀ + E with M = Q + D; where there are more ranges than variables, these are eliminated first
// and M has GᵀE⁻¹G in it. M and S get a little more on their diagonals, so that free variables of a flat objective and
// rows that depend on each other do no harm. The first is a term ½δ‖x − x_now‖² of the objective (a proximal point): it
// shortens steps and moves no solution; likewise the second for multipliers. Where asked, the step is refined against
// the system without them. References: Schölkopf & Smola (2002), 10.3.1; Friedlander & Orban (2012), A primal-dual
// regularized interior-point method for convex quadratic programs.
#pragma once

#include <memory>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/program_rows.h"

namespace mercer {

class NewtonSystem {
 public:
  /// Both must outlive this.
  NewtonSystem(const QuadraticTerm& quadratic, const ProgramRows& rows);

  /// D with infinite entries for fixed variables; E per range, positive. `unit`: a typical entry of Q + D in
  /// the units of the columns (ProgramRows), what small is relative to. Adds more to the diagonal where a factorisation fails. NumericalError where Q is not positive
  /// semidefinite.
  void factorize(std::span<const double> diagonal, std::span<const double> range_softness, double unit, const Run& run);
  enum class Refinement { none, one, three };
  void solve(std::span<const double> r, std::span<const double> s, std::span<double> x, std::span<double> y,
             Refinement refinement, const Run& run);

 private:
  bool try_factorize(const Run& run);
  void solve_once(std::span<const double> r, std::span<const double> s, std::span<double> x, std::span<double> y,
                  const Run& run);
  double find_residual(std::span<const double> r, std::span<const double> s, std::span<const double> x,
                       std::span<const double> y, const Run& run);

  const QuadraticTerm& quadratic_;
  const ProgramRows& rows_;
  bool eliminates_ranges_;
  Index kept_;  // rows in S
  std::unique_ptr<QuadraticFactor> factor_;
  std::vector<double> given_;      // D
  std::vector<double> diagonal_;   // D and what is added
  std::vector<double> softness_;   // E, per range
  std::vector<double> stiffness_;  // 1/E, where ranges are eliminated
  double added_ = 0;
  double relative_shift_ = 0;
  Matrix<double> schur_;
  std::vector<double> x_residual_;
  std::vector<double> y_residual_;
};

}  // namespace mercer
