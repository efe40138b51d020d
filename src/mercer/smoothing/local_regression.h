// Local regression: at every query x a polynomial is fitted by weighted least squares to the points around it, and its
// value at x is the answer (Cleveland 1979; Cleveland & Devlin 1988),
//
//   min_b Σ_i v_i κ(‖x_i − x‖ / h(x)) (y_i − b·p(x_i − x))²,   f(x) = b_0 = Σ_i l_i(x) y_i
//
// with weights v of the points and monomials p up to a degree. l(x) is the equivalent kernel. The width h(x) is that of the
// neighbourhood of a fraction `span` of the points, or 1 where the points are given in units of a fixed bandwidth.
// Degree 0 is the estimator of Nadaraya and Watson.
//
// Singular neighbourhoods (fewer distinct points than monomials) get the solution of least norm, after every column was
// scaled to length 1; singular values below 100 ε of the largest, or below what the rounding of coordinates makes of 0,
// count as 0. But for the last this is what R's loess does.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/least_norm.h"
#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

struct LocalFitOptions {
  Index degree = 2;  ///< 0, 1 or 2
  /// The fraction of the points in a neighbourhood; above 1 all of them, with a width √span times as large as to the
  /// farthest. 0: the width is 1.
  double span = 0.75;
  SmoothingShape shape = SmoothingShape::tricube;

  void validate() const;
};

/// 1, d and d·(d + 1)/2 more for the degrees 0, 1, 2.
Index local_monomials(Index degree, Index d);

class LocalRegression {
 public:
  /// None yet: only to be assigned to.
  LocalRegression() = default;
  /// Points n × d, in the units of distances. InvalidArgument for options out of range or no points.
  LocalRegression(Matrix<double> points, const LocalFitOptions& options);

  Index size() const { return points_.rows(); }
  Index dimension() const { return points_.columns(); }
  ConstMatrixView<double> points() const { return points_.view(); }
  const LocalFitOptions& options() const { return options_; }

  /// f(x) for queries × outputs of targets (n × outputs). `weights` of the points: n, or empty for 1. Cost per query n·d
  /// and a least-squares problem of its neighbourhood; parallel over queries. A query without any point of weight in
  /// reach gets the mean of its nearest points of weight (several where they are as far).
  Matrix<double> values(ConstMatrixView<double> queries, std::span<const double> weights,
                        ConstMatrixView<double> targets, const Run& run) const;

  /// Rows [range.begin, range.end) of queries: l(x), range × n.
  void equivalent_kernels(ConstMatrixView<double> queries, IndexRange range, std::span<const double> weights,
                          MatrixView<double> out, const Run& run) const;

 private:
  struct Workspace;
  /// h² of the neighbourhood, from the squared distances to all points; `scratch` gets their number of places.
  double squared_width_around(std::span<const double> squares, std::vector<double>& scratch) const;
  void find_neighbors(std::span<const double> query, std::span<const double> weights, Workspace& workspace) const;
  void take_nearest(double squared_distance, std::span<const double> weights, Workspace& workspace) const;
  /// Fills the spread of the neighbours in every column; returns the tolerance of singular values.
  double measure_spread(std::span<const double> query, Workspace& workspace) const;
  void solve(std::span<const double> query, Workspace& workspace) const;

  Matrix<double> points_;
  std::vector<double> largest_;  // |coordinate| of every column
  LocalFitOptions options_;
  SmoothingKernel window_;
};

}  // namespace mercer
