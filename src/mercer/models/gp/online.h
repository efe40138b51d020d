// OnlineGp: exact Gaussian process regression that learns and forgets samples one by one (or in batches) with a fixed
// kernel and fixed noise. The Cholesky factor of K + noise is updated (linalg/cholesky_update.h), so a change costs
// O(n²) where a new fit would cost n³/3; the answers are those of that fit.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/cholesky_update.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class OnlineGp {
 public:
  /// No samples yet: the prior. The kernel is positive definite on dense rows of `columns` numbers, its widths are
  /// numbers, and it does not depend on the whole of its samples (`center` does); InvalidArgument otherwise.
  OnlineGp(Kernel kernel, double noise, Index columns, Index outputs = 1);

  const Kernel& kernel() const { return kernel_; }
  double noise() const { return noise_; }
  Index size() const { return factor_.size(); }
  Index columns() const { return columns_; }
  Index outputs() const { return outputs_; }

  /// Learns rows (k × columns) with targets (k × outputs). `noises`: a variance for each instead of the common one.
  /// O(k n² + k² n). All or nothing: NumericalError where K + noise is not numerically positive definite any more
  /// (equal rows with almost no noise), InvalidArgument for values that are not finite, Stopped.
  void add(ConstMatrixView<double> rows, ConstMatrixView<double> targets, const Run& run,
           std::span<const double> noises = {});
  /// Forgets sample i (in the order of learning); those after it move up. O(n²).
  void remove(Index i);

  /// Inputs, targets and coefficients (K + noise)^-1 Y of the samples, in the order of learning.
  ConstMatrixView<double> inputs() const { return {inputs_.data(), size(), columns_}; }
  ConstMatrixView<double> targets() const { return {targets_.data(), size(), outputs_}; }
  ConstMatrixView<double> coefficients() const { return {coefficients_.data(), size(), outputs_}; }
  /// Lower factor of K + noise.
  ConstMatrixView<double> factor() const { return factor_.factor(); }
  /// ln p(Y), all outputs together.
  double log_evidence() const;

  /// means: k × outputs. variances: of the function, k of them, or empty where they are not wanted. O(k n) and O(k n²).
  void predict(ConstMatrixView<double> rows, MatrixView<double> means, std::span<double> variances,
               const Run& run) const;

 private:
  void solve();

  Kernel kernel_;
  double noise_;
  Index columns_, outputs_;
  std::vector<double> inputs_, targets_, coefficients_;
  GrowingCholesky factor_;
};

}  // namespace mercer
