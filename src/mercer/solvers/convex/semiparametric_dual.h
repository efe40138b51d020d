// A semiparametric machine (semiparametric.h) in its signed coefficients, whatever variables the programme has: what a point is
// worth (semiparametric.cpp), and Newton's method on its active rows (semiparametric_active_rows.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mercer/solvers/convex/program/convex_program.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/semiparametric.h"

namespace mercer::semiparametric {

enum class Loss { hinge, tube };

// Where a coefficient is: 0, between the bounds, at C.
enum class RowState { zero, free, bound };

struct Point {
  std::vector<double> beta;    ///< β
  std::vector<double> free;    ///< γ
  std::vector<double> priced;  ///< δ
};

class Machine {
 public:
  Machine(const SemiparametricRows& rows, const SemiparametricTargets& targets, Loss loss, double epsilon,
          const Run& run)
      : rows_(rows), y_(targets.values), bounds_(targets.bounds), loss_(loss), epsilon_(epsilon), run_(run) {
    for (const double y : y_) {
      unit_ = std::max(unit_, std::abs(y));
    }
  }

  SemiparametricSolution solve(double tolerance) const;

 private:
  Index size() const { return static_cast<Index>(y_.size()); }
  ConvexSolution interior_point(const std::shared_ptr<const DenseQuadratic>& gram) const;
  std::vector<double> signed_coefficients(std::span<const double> x) const;
  double lowest(Index i) const { return loss_ == Loss::tube || y_[i] < 0 ? -bounds_[i] : 0.0; }
  double highest(Index i) const { return loss_ == Loss::tube || y_[i] > 0 ? bounds_[i] : 0.0; }
  bool is_free(Index i, double beta) const { return beta != 0 && beta > lowest(i) && beta < highest(i); }
  std::vector<double> active(std::vector<double> priced, std::span<const double> beta) const;
  double edge(Index i, double side) const;
  double side_of(Index i, double beta, double f) const;
  std::vector<RowState> states_of(std::vector<double>& beta, std::span<const double> values) const;
  bool walk(std::vector<RowState>& states, Point& point, const Point& target) const;
  bool release(std::vector<RowState>& states, std::vector<double>& beta, std::span<const double> values) const;
  struct ActiveSystem;
  double function_at(Index i, Index column) const;
  std::optional<ActiveSystem> active_system(std::span<const RowState> states, const Point& point) const;
  bool add_schur(ActiveSystem& system) const;
  bool polish(std::span<const RowState> states, Point& point, const DenseQuadratic& gram) const;
  std::vector<double> function_values(const Point& point, const DenseQuadratic& gram) const;
  std::vector<double> constraint_sums(std::span<const double> beta, std::span<const double> priced) const;
  void meet_constraints(std::vector<double>& beta, std::span<const double> priced) const;
  SemiparametricSolution judged(const Point& point, const DenseQuadratic& gram) const;
  double row_loss(Index i, double f) const;
  double outside(Index i, double beta, double f) const;
  double violation(Index i, double beta, double f) const;
  double range_excess(std::span<const double> beta) const;

  const SemiparametricRows& rows_;
  std::span<const double> y_;
  std::span<const double> bounds_;
  Loss loss_;
  double epsilon_;
  double unit_ = std::numeric_limits<double>::min();  // of f
  const Run& run_;
};

std::vector<double> negative(std::span<const double> values);

}  // namespace mercer::semiparametric
