// The compiled loops of dual coordinate descent: steps over a piece of the visiting order, and passes over all rows.
#pragma once

#include <cstdint>

#include "mercer/solvers/linear/linear_loss.h"
#include "mercer/solvers/linear/linear_rows.h"

namespace mercer::linear {

/// State of one pass over the visiting order. Decision values are f_i = w·x_i + offset + intercept_square Σ β_i.
struct DualPass {
  LinearSample* samples = nullptr;
  std::uint32_t* order = nullptr;  ///< [0, kept) is what stays active, [.., active) is still to be visited
  double* w = nullptr;
  Index active = 0;
  Index kept = 0;
  LinearLoss loss = LinearLoss::hinge;
  double epsilon = 0;
  double offset = 0;
  double intercept_square = 0;
  double beta_sum = 0;
  /// Samples at β = 0 (at |β| = C) whose derivative along |β| pushes them there by more than this leave the order.
  double shrink_zero = 0;
  double shrink_top = 0;

  double decrease = 0;  ///< the largest derivative met that asks for a smaller |β|
  double increase = 0;  ///< the largest one that asks for a greater |β|
  double gap = 0;       ///< sum of the Fenchel-Young gaps met, each before its step
  double gain = 0;      ///< of the dual objective
  Index changed = 0;    ///< steps that moved β
};

/// Visits order[range.begin .. range.end): one exact minimisation of the dual per sample.
void descend(const DenseAccess<float>& rows, DualPass& pass, IndexRange range);
void descend(const DenseAccess<double>& rows, DualPass& pass, IndexRange range);
void descend(const SparseAccess<float>& rows, DualPass& pass, IndexRange range);
void descend(const SparseAccess<double>& rows, DualPass& pass, IndexRange range);

/// Rows [range) with w: decisions[i] = w·x_i, and positive / negative += β_i x_i by the sign of β_i.
struct RowSums {
  const LinearSample* samples = nullptr;
  const double* w = nullptr;
  double* decisions = nullptr;
  double* positive = nullptr;
  double* negative = nullptr;
};
void sum_rows(const DenseAccess<float>& rows, const RowSums& sums, IndexRange range);
void sum_rows(const DenseAccess<double>& rows, const RowSums& sums, IndexRange range);
void sum_rows(const SparseAccess<float>& rows, const RowSums& sums, IndexRange range);
void sum_rows(const SparseAccess<double>& rows, const RowSums& sums, IndexRange range);

/// samples[i].curvature = |x_i|^2.
void set_norms(const DenseAccess<float>& rows, LinearSample* samples, IndexRange range);
void set_norms(const DenseAccess<double>& rows, LinearSample* samples, IndexRange range);
void set_norms(const SparseAccess<float>& rows, LinearSample* samples, IndexRange range);
void set_norms(const SparseAccess<double>& rows, LinearSample* samples, IndexRange range);

}  // namespace mercer::linear
