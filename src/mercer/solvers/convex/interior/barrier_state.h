// Where an interior point method stands (interior_point.h, log_barrier.h): x and the values w of the ranges strictly
// inside of their bounds, with a slack and a multiplier for every finite bound, and multipliers y of the rows,
//
//   Qx + c + q' − Bᵀy − z_l + z_u = 0,   y − z_l + z_u = 0 (ranges),   Bx = value or w,   slack · multiplier = μ.
//
// Slacks are kept beside x: towards the end they are far smaller than its rounding.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mercer/solvers/convex/interior/bound_side.h"
#include "mercer/solvers/convex/interior/newton_system.h"
#include "mercer/solvers/convex/program/program_units.h"

namespace mercer {

struct BarrierResiduals {
  double feasibility = 0;   ///< as in OptimalityReport
  double stationarity = 0;  ///< likewise
  double gap = 0;           ///< Σ slack · multiplier, relative to the objective
  double violation = 0;     ///< the first two before they are divided by anything
  double slope = 0;
  double worst() const;
};

class BarrierState {
 public:
  /// All must outlive this.
  BarrierState(const ConvexProgram& program, const QuadraticTerm& quadratic, const ProgramRows& rows);

  /// A start inside of all bounds (starting_point.cpp).
  void start(NewtonSystem& system, const Run& run);

  Index pairs() const { return static_cast<Index>(lower_.at.size() + upper_.at.size()); }
  double mean_product() const { return pairs() > 0 ? products() / static_cast<double>(pairs()) : 0.0; }
  BarrierResiduals residuals() const;
  double objective() const { return objective_; }
  double mean_of_barrier(double mu) const;  ///< Σ ln slack, times −μ

  /// D and E of the point, given to the system.
  void factorize(NewtonSystem& system, const Run& run);
  /// What the products of slacks and multipliers are to be: `mean` everywhere, with the second-order term of the last
  /// step taken off (1) or not (0).
  void aim_at(double mean, double second_order);
  /// Aims so that products far from `mean` after the last step, taken so far, come nearer to it.
  void aim_at_centre(double primal, double dual, double mean);
  /// The Newton step to the products that are aimed at, for the last factorize().
  void find_step(NewtonSystem& system, NewtonSystem::Refinement refinement, const Run& run);
  struct Step {
    std::vector<double> x, y, lower_slack, lower_multiplier, upper_slack, upper_multiplier, lower_aim, upper_aim;
  };
  Step last_step() const;
  void restore(Step step);
  /// How far the step goes before a slack (first) or a multiplier (second) is 0; at most `bound`.
  std::pair<double, double> reach(double bound) const;
  double products_after(double primal, double dual) const;
  /// Goes along the step and brings everything up to date. One product with Q.
  void advance(double primal, double dual, const Run& run);
  /// multiplier = μ/slack: the barrier's own.
  void set_multipliers(double mu);

  const std::vector<double>& x() const { return x_; }
  std::span<const double> x_step() const { return std::span<const double>(step_).first(n_); }
  /// The largest |x_j| in units of the data.
  double relative_distance() const { return scaled_size(x_) / length_; }
  bool is_finite() const;
  /// In the programme's own terms; multipliers of bounds are what stationarity asks for, where that is no worse.
  ConvexPoint point() const;
  /// The multipliers of rows alone, the largest 1.
  FarkasCertificate certificate() const;

 private:
  double products() const { return lower_.products() + upper_.products(); }
  void place(std::size_t variable, double value, double lower, double upper, double inside);
  void place_all(const std::vector<double>& x, double inside);
  void start_multipliers(double least, double inside);
  std::pair<double, double> bounds_of(std::size_t variable) const;
  void settle_at_bounds();
  void refresh(const Run& run);
  void find_row_sizes();
  void find_units();
  double scaled_size(std::span<const double> x) const;

  const ConvexProgram& program_;
  const QuadraticTerm& quadratic_;
  const ProgramRows& rows_;
  ProgramUnits units_;
  std::size_t n_;
  std::size_t equalities_;
  std::vector<double> x_;
  std::vector<double> w_;
  std::vector<double> y_;
  BoundSide lower_;
  BoundSide upper_;
  std::vector<bool> fixed_;
  std::vector<double> gradient_;   // Qx + c + q'
  std::vector<double> pull_;       // Bᵀy
  std::vector<double> reached_;    // Bx
  std::vector<double> row_sizes_;  // Σ_j |b_ij x_j|: what rounding of Bx is relative to
  std::vector<double> softness_;   // E
  double length_ = 1;              // the unit of x of the data, and a typical curvature, in the units of the columns
  double curvature_ = 0;
  double objective_ = 0;
  double terms_ = 0;          // of the objective: Σ of the sizes
  std::vector<double> step_;  // of (x, w)
  std::vector<double> y_step_;
};

}  // namespace mercer
