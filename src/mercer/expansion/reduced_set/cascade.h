// Sequential evaluation of one function that tells rare positives from many negatives: the points of a reduced set are
// looked at one by one, and a sample leaves as soon as what has been seen says that it is negative,
//
//   f_n(x) = Σ_{j≤n} β_j^(n) k(z_j, x) + b,      leaves at stage n where f_n(x) < t_n;  survivors of the last are positive
//
// β^(n) are the best coefficients for the first n points: all of them change from stage to stage, so that kernel values
// are kept, not partial sums. Most samples cost a few kernel values. Schölkopf & Smola (2002), 18.6; Romdhani, Torr,
// Schölkopf & Blake (2001).
#pragma once

#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/expansion/reduced_set/target.h"

namespace mercer {

struct CascadeResult {
  std::vector<char> positive;      ///< 1: survived every stage
  std::vector<Index> evaluations;  ///< kernel values that were needed, per sample
  double mean_evaluations() const;
};

class Cascade {
 public:
  /// One function. The points are put into the order in which they help most (greedy); `offset` is b. Thresholds are −∞
  /// until calibrate(), so that the last stage decides by f_N(x) ≥ 0. N³/3 + N m d operations.
  Cascade(const ReductionTarget& target, const Samples& points, double offset, const Run& run);

  Index stages() const { return coefficients_.rows(); }
  const Samples& points() const { return points_; }
  /// Row n − 1: β^(n), then zeros.
  ConstMatrixView<double> coefficients() const { return coefficients_.view(); }
  /// ‖Ψ − Ψ_n‖² after every stage; never rises.
  const std::vector<double>& squared_errors() const { return squared_errors_; }
  const std::vector<double>& thresholds() const { return thresholds_; }

  /// Sets the thresholds of all stages so that at most this fraction of `positives` is lost in all, spent evenly over
  /// the stages; the last stage keeps the threshold 0 or a lower one. InvalidArgument unless 0 ≤ fraction < 1.
  void calibrate(const Samples& positives, double lost_fraction, const Run& run);

  CascadeResult evaluate(const Samples& samples, const Run& run) const;

 private:
  Matrix<double> kernel_values(const Samples& samples, IndexRange points, const Run& run) const;

  Kernel kernel_;
  Samples points_;
  double offset_;
  Matrix<double> coefficients_;
  std::vector<double> squared_errors_;
  std::vector<double> thresholds_;
};

}  // namespace mercer
