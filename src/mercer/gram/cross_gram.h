// CrossGram: the matrix k(x_i, z_j) between two sample sets; z are the reference (training) samples. Prediction,
// Nyström features, prototypes and reduced sets use it. Nothing is stored.
#pragma once

#include <memory>

#include "mercer/base/run.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/view.h"

namespace mercer {

template <class T>
class CrossGram {
 public:
  CrossGram(std::shared_ptr<const PreparedKernel> kernel, const Samples& samples, const Run& run);

  const PreparedKernel& kernel() const { return *kernel_; }
  /// The x side, prepared.
  const Prepared& samples() const { return *samples_; }

  Index rows() const { return samples_->size(); }
  Index columns() const { return kernel_->reference().size(); }

  /// Writes k(x_i, z_j) for a block of any shape.
  void tile(IndexRange rows, IndexRange columns, MatrixView<T> out) const;
  /// k(x_i, x_i).
  void diagonal(std::span<double> out) const;

  /// out = K v, with v of columns() rows.
  void multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const;
  /// The same with products and sums in double, whatever the precision of the entries.
  void multiply_in_double(ConstMatrixView<double> v, MatrixView<double> out, const Run& run) const;
  /// out = Kᵀ v, with v of rows() rows.
  void multiply_transposed(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const;
  /// out = Kᵀ(K v) with one evaluation of every entry.
  void multiply_normal(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const;

  /// Writes all of K, tile by tile in parallel.
  void evaluate(MatrixView<T> out, const Run& run) const;

 private:
  std::shared_ptr<const PreparedKernel> kernel_;
  std::shared_ptr<const Prepared> samples_;
};

}  // namespace mercer
