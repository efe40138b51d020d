// The programme of a classifier with one slack per group (grouped_slack.h) on rows whose kernel matrix is stored: what a
// point of it is worth (grouped_program.cpp), and Newton's method on its active rows (grouped_active_rows.cpp).
#pragma once

#include <limits>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

struct GroupedPoint {
  std::vector<double> alpha;
  double offset = 0;
};

/// What a point is worth, made feasible where it was so within rounding.
struct GroupedJudgement {
  GroupedPoint point;
  std::vector<double> values;  ///< Kβ
  std::vector<double> slacks;  ///< ξ_g
  double primal = 0;
  double dual = 0;
  double relative_gap = std::numeric_limits<double>::infinity();
  double violation = std::numeric_limits<double>::infinity();
};

class GroupedProgram {
 public:
  /// `gram`: K, both triangles; it is centred, which Σβ = 0 makes a change of b alone.
  GroupedProgram(Matrix<double> gram, std::vector<double> signs, std::vector<Index> groups, std::vector<double> bounds,
                 const Run& run);

  /// C_g.
  GroupedJudgement solve();
  /// w_g; the bounds are w_g/ρ afterwards. NumericalError where no ρ is left. `total`: νΣw.
  GroupedJudgement solve_nu(double total);

  double rho() const { return rho_; }
  Index iterations() const { return iterations_; }
  /// Groups whose sum is at its bound.
  std::vector<bool> full_groups(const std::vector<double>& alpha) const;

 private:
  struct Active {
    std::vector<bool> rows;    // α > 0
    std::vector<bool> groups;  // Σα = C_g
    bool operator==(const Active&) const = default;
  };

  Index size() const { return static_cast<Index>(signs_.size()); }
  ConvexSolution interior_point(double linear, const std::vector<double>& totals) const;
  GroupedJudgement refined(GroupedPoint point) const;
  GroupedPoint on_bounds(GroupedPoint point, const Active& active) const;
  static bool is_better(const GroupedJudgement& candidate, const GroupedJudgement& best);
  std::vector<double> group_sums(const std::vector<double>& alpha) const;
  void make_feasible(std::vector<double>& alpha) const;
  std::vector<double> values_of(const std::vector<double>& alpha) const;
  GroupedJudgement judged(GroupedPoint point) const;
  Active active(const GroupedJudgement& judgement) const;
  bool newton(const Active& active, GroupedPoint& point, std::vector<double>& slacks) const;
  bool correct(Active& active, const GroupedPoint& point, const std::vector<double>& slacks) const;
  bool release(Active& active, const GroupedJudgement& judgement) const;

  Matrix<double> gram_;
  std::vector<double> column_means_;
  std::vector<double> signs_;
  std::vector<Index> groups_;
  std::vector<double> bounds_;
  double rho_ = 1;
  Index iterations_ = 0;
  const Run& run_;
};

}  // namespace mercer
