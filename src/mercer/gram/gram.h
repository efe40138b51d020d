// Gram: the symmetric matrix K_ij = k(x_i, x_j) as an operator. Solvers see this, never a kernel or a file: a stored
// matrix, tiles computed on the fly, a cache of rows, a low-rank factor, or a wrapper around one of these.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/run.h"
#include "mercer/base/workspace.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// T is the precision of the entries (float or double); diagonals are always double. Everything but diagonal() and
/// multiply() may differ in the last bits between blocks of different shapes, never between numbers of threads.
template <class T>
class Gram {
 public:
  Gram() = default;
  virtual ~Gram() = default;
  Gram(const Gram&) = delete;
  Gram& operator=(const Gram&) = delete;
  Gram(Gram&&) = delete;
  Gram& operator=(Gram&&) = delete;

  virtual Index size() const = 0;

  /// Writes K(rows, columns), of any shape, with the calling thread's scratch memory. Safe to call from several
  /// threads at once, each with a workspace of its own.
  virtual void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const = 0;
  /// The same without a workspace at hand.
  void tile(IndexRange rows, IndexRange columns, MatrixView<T> out) const;
  /// Writes row i (= column i).
  void row(Index i, std::span<T> out) const;

  virtual void diagonal(std::span<double> out) const = 0;

  /// out = K v for a block of vectors (n × c each). Sums over tiles are in double and in a fixed order. The default
  /// walks the tiles on and below the diagonal and uses each twice.
  virtual void multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const;

  /// out(a, :) = K(list[a], :), all rows in one pass; repetitions are allowed. Rows out of range throw InvalidArgument.
  void rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const;
  /// out(a, b) = K(rows[a], columns[b]).
  void gather(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out, const Run& run) const;

  /// out[j] += Σ_a coefficients[a] K(list[a], j) for all j: sums in double over entries in T, nothing stored. Solvers
  /// keep their gradients up to date with it.
  void accumulate(std::span<const Index> list, std::span<const double> coefficients, std::span<double> out,
                  const Run& run) const;

  /// The same matrix on the listed rows and columns, in that order: a pair of classes, a fold, what is left after
  /// shrinking. The default refers to this matrix, which must outlive it.
  std::shared_ptr<const Gram<T>> subset(std::span<const Index> list, const Run& run) const;

  /// About how many multiply-adds one entry costs; 0: it is stored. Solvers weigh keeping rows against computing them
  /// again with it.
  virtual double work_per_entry() const = 0;

 protected:
  /// What rows() and gather() call once the arguments are checked. The defaults fill row by row.
  virtual void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const;
  virtual void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                             const Run& run) const;
  virtual void add_rows(std::span<const Index> list, std::span<const double> coefficients, std::span<double> out,
                        const Run& run) const;
  virtual std::shared_ptr<const Gram<T>> make_subset(std::span<const Index> list, const Run& run) const;
};

/// A handle that does not own: the caller keeps `gram` alive as long as whatever is built on the handle.
template <class T>
std::shared_ptr<const Gram<T>> borrowed(const Gram<T>& gram) {
  return {std::shared_ptr<const void>(), &gram};
}

}  // namespace mercer
