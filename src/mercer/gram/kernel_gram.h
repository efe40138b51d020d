// KernelGram: K computed tile by tile, never stored. DenseGram: K stored.
#pragma once

#include <memory>

#include "mercer/gram/gram.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// K of one sample set, on the fly: memory O(n·d), every product evaluates n²/2 entries.
template <class T>
class KernelGram final : public Gram<T> {
 public:
  /// The samples are the prepared kernel's reference.
  explicit KernelGram(std::shared_ptr<const PreparedKernel> kernel);
  /// Other samples, prepared against the kernel's reference.
  KernelGram(std::shared_ptr<const PreparedKernel> kernel, std::shared_ptr<const Prepared> samples);

  Index size() const override;
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override;

  double work_per_entry() const override;

  const PreparedKernel& kernel() const { return *kernel_; }

 protected:
  // The listed samples are prepared once as a small set of their own (they stay the same samples), so that the rows
  // come out of full tiles. Kernels with kernel means (center) pay O(n) more per row for it.
  void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const override;
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;
  void add_rows(std::span<const Index> list, std::span<const double> coefficients, std::span<double> out,
                const Run& run) const override;
  // Owns what it needs; the entries are those of this matrix (centred by the same reference).
  std::shared_ptr<const Gram<T>> make_subset(std::span<const Index> list, const Run& run) const override;

 private:
  std::shared_ptr<const Prepared> listed(std::span<const Index> list, const Run& run) const;

  std::shared_ptr<const PreparedKernel> kernel_;
  std::shared_ptr<const Prepared> samples_;
};

/// Which entries of a symmetric matrix are written.
enum class Triangle { lower, both };

/// Writes the Gram matrix of the reference samples; only n(n+1)/2 entries are computed. `lower` leaves the tiles above
/// the diagonal untouched (a Cholesky factorisation reads the lower triangle only). `out` must be n × n.
template <class T>
void evaluate_gram(const PreparedKernel& kernel, Triangle triangle, MatrixView<T> out, const Run& run);

/// The same of samples prepared against any reference.
template <class T>
void evaluate_gram(const Kernel& kernel, const Prepared& samples, Triangle triangle, MatrixView<T> out, const Run& run);

/// A stored Gram matrix, evaluated or given (a precomputed kernel).
template <class T>
class DenseGram final : public Gram<T> {
 public:
  DenseGram(const PreparedKernel& kernel, const Run& run);
  /// Takes a matrix that must be square, finite and symmetric to 1e-6 relative (it is then made exactly symmetric).
  explicit DenseGram(Matrix<T> matrix);

  Index size() const override { return matrix_.rows(); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override;
  double work_per_entry() const override { return 0; }

  ConstMatrixView<T> view() const { return matrix_.view(); }

 protected:
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;

 private:
  Matrix<T> matrix_;
};

}  // namespace mercer
