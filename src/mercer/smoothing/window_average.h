// Averages in a window around a query: the estimator of Nadaraya (1964) and Watson (1964),
//
//   f(x) = Σ_i l_i(x) c_i,   l_i(x) = w_i κ(‖x − x_i‖) / Σ_j w_j κ(‖x − x_j‖)
//
// for points in units of the bandwidth. Far from all points the sum of the windows may be 0: where κ has no end the
// ratio is taken in logarithms, where it has one the nearest points take the place of a window. Weights always sum to 1.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/copies_left.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

class WindowAverage {
 public:
  /// None yet: only to be assigned to.
  WindowAverage() = default;
  /// Points n × d in units of the bandwidth; weights > 0, one per point. InvalidArgument where there are no points.
  WindowAverage(const Matrix<double>& points, std::vector<double> weights, SmoothingShape shape);

  Index size() const { return static_cast<Index>(weights_.size()); }
  Index dimension() const { return coordinates_.rows(); }

  struct Averages {
    Matrix<double> values;        ///< queries × columns: Σ_i l_i c_i
    std::vector<double> squares;  ///< Σ_i l_i² / w_i
  };
  /// Of columns n × m, at queries in units of the bandwidth. O(n (d + m)) per query.
  Averages averages(ConstMatrixView<double> queries, ConstMatrixView<double> columns, const Run& run) const;
  /// At the points themselves, each without one copy of itself. One point alone: its own columns.
  Averages leave_one_out(ConstMatrixView<double> columns, const Run& run) const;
  /// l(x), queries × n.
  Matrix<double> kernels(ConstMatrixView<double> queries, const Run& run) const;

 private:
  // Writes l(x) to `kernel`; `left_out` < 0: no point is.
  void find_kernel(std::span<const double> query, Index left_out, std::span<double> kernel) const;
  // Of a point when one copy of `left_out` is not there.
  double weight_without(std::size_t point, Index left_out) const {
    return static_cast<Index>(point) == left_out ? copies_left(weights_[point]) : weights_[point];
  }
  void far_kernel(Index left_out, std::span<double> squares) const;
  template <class Query, class Visit>
  void for_each_kernel(Index queries, Query query, Visit visit, const Run& run) const;
  template <class Query>
  Averages sums(Index queries, Query query, ConstMatrixView<double> columns, const Run& run) const;

  Matrix<double> coordinates_;  // d × n
  std::vector<double> weights_;
  SmoothingKernel window_;
};

/// The mean squared error of leave-one-out averages with a Gaussian window, Σ_i w_i ‖y_i − f_−i(x_i)‖² / Σ w_i, and its
/// derivatives by the logarithms of the bandwidths of every column. O(n² d).
struct WindowError {
  double value = 0;
  std::vector<double> gradient;
};
WindowError leave_one_out_error(ConstMatrixView<double> points, std::span<const double> weights,
                                ConstMatrixView<double> targets, std::span<const double> bandwidths, const Run& run);

}  // namespace mercer
