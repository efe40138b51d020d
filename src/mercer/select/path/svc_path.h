// The regularisation path of a C-SVC: its solutions for every C at once. With λ = 1/C and α_i = C a_i,
//
//   f(x) = (Σ_i a_i y_i k(x_i, x) + a_0)/λ,   0 ≤ a_i ≤ w_i,  Σ y_i a_i = 0
//
// (a, a_0) is piecewise linear in λ. It changes direction only where a row arrives at the margin y f = 1 or leaves it:
// rows with y f > 1 have a = 0, rows with y f < 1 have a = w, and for those on the margin, E,
//
//   K_EE dβ + da_0 e = y_E dλ,   eᵀdβ = 0,     β_i = y_i a_i
//
// The path starts at C = 0, where the smaller class is at its bound and the larger one is as close to it as it can be,
// and ends at the largest C asked for or where no row is left to move. E is kept independent: of rows that others on the
// margin can express (equal rows, more of them than the kernel has dimensions) some rest at 0 or at their bound, and
// move in when a row that they depend on moves out.
// Reference: Hastie, Rosset, Tibshirani & Zhu, "The entire regularization path for the support vector machine" (2004).
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"

namespace mercer {

enum class PathEventKind {
  to_margin,  ///< a row arrives at the margin
  to_zero,    ///< a row leaves it and is no support vector any more
  to_bound    ///< a row leaves it with its coefficient at its bound
};
std::string_view to_string(PathEventKind kind);

struct PathEvent {
  double C = 0;
  Index row = 0;
  PathEventKind kind = PathEventKind::to_margin;
};

/// The machine at one C.
struct SvcPathPoint {
  double C = 0;
  double offset = 0;
  Index free = 0;   ///< rows on the margin (of dependent ones, those that move)
  Index bound = 0;  ///< rows at their bound
  double squared_norm = 0;
  double objective = 0;  ///< Σα − ½‖w‖² = ½‖w‖² + Σ C_i ξ_i
  Index training_errors = 0;
};

struct SvcPathSolution {
  std::vector<double> coefficients;  ///< β_i = y_i α_i of f(x) = Σ β_i k(x_i, x) + b
  double offset = 0;
};

struct SvcPathOptions {
  double max_C = std::numeric_limits<double>::infinity();
  Index max_events = 0;  ///< 0: 100 n + 1000
};

/// One stretch of the path: a and a_0 of E are linear in λ between begin and end.
struct SvcPathSegment {
  double lambda_begin = 0;    ///< where it starts; the first holds for every larger λ too
  std::vector<Index> rows;    ///< E
  std::vector<double> alpha;  ///< a at lambda_begin
  std::vector<double> slope;  ///< da/dλ
  double offset = 0;          ///< a_0 at lambda_begin
  double offset_slope = 0;
  std::size_t events_before = 0;  ///< how many events come before it
};

class SvcPath {
 public:
  /// What the walk hands over.
  struct Parts {
    std::vector<double> signs;
    std::vector<double> weights;
    std::vector<double> start;  ///< a as C goes to 0
    std::vector<SvcPathSegment> segments;
    std::vector<PathEvent> events;
    std::vector<SvcPathPoint> points;
    double lambda_end = 0;  ///< 0: holds for every C
  };
  explicit SvcPath(Parts parts) : parts_(std::move(parts)) {}

  /// The machine at every C where the direction changes, and at the end; C ascending.
  const std::vector<SvcPathPoint>& points() const { return parts_.points; }
  const std::vector<PathEvent>& events() const { return parts_.events; }
  /// Up to which C the path is known; infinite where no row is left to move.
  double end() const;
  /// The solution for this C, 0 < C ≤ end(); InvalidArgument otherwise. O(n + events before it).
  SvcPathSolution solution_at(double c) const;

 private:
  Parts parts_;
};

/// The bound of row i is C w_i, w_i > 0. Stores K: 8n² bytes. Every event costs O(n |E| + |E|²), and there are a few
/// times n of them. Coefficients satisfy the KKT conditions to about 1e-9 for moderate C. InvalidArgument for vectors
/// that do not fit, weights that are not positive and finite, one class only; NumericalError where max_events is
/// reached or the kernel is not positive.
SvcPath svc_path(const Gram<double>& gram, std::span<const double> signs, std::span<const double> weights,
                 const SvcPathOptions& options, const Run& run);

}  // namespace mercer
