// RelevanceBasis: the functions that a relevance vector machine chooses from, as columns of numbers: φ_j(x_i) = k(x_j, x_i)
// for the candidate rows j of a Gram matrix, and the constant 1. The kernel may be any: nothing here needs it to be
// positive. The columns are kept where the memory allows it, and computed in blocks again for every pass where not.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Whether the constant function is one of the columns: the last.
enum class ConstantColumn { none, last };

class RelevanceBasis {
 public:
  /// Candidates are rows of the Gram matrix, which must outlive this. Evaluates |candidates| · n kernel values if they
  /// fit in `memory_bytes`. InvalidArgument for rows out of range, NumericalError for kernel values that are not finite.
  RelevanceBasis(const Gram<double>& gram, std::vector<Index> candidates, ConstantColumn constant, double memory_bytes,
                 const Run& run);

  Index rows() const { return gram_.size(); }
  Index columns() const { return static_cast<Index>(candidates_.size()) + (has_constant() ? 1 : 0); }
  bool has_constant() const { return constant_ == ConstantColumn::last; }
  bool is_constant(Index column) const { return column == static_cast<Index>(candidates_.size()); }
  /// The row of the Gram matrix that a column belongs to; not for the constant.
  Index row_of(Index column) const { return candidates_[column]; }
  bool is_stored() const { return stored_.rows() > 0; }

  /// Writes φ_j(x_i) for all i.
  void column(Index j, std::span<double> out, const Run& run) const;

  /// products(k, j) = Σ_i φ_j(x_i) v(k, i) for the rows k of v, and norms[j] = Σ_i b_i φ_j(x_i)² unless norms is empty:
  /// one pass over all columns. 2·columns·n·(rows of v) operations. Any number of threads gives the same bits.
  void project(ConstMatrixView<double> v, MatrixView<double> products, std::span<const double> b,
               std::span<double> norms, const Run& run) const;

 private:
  Index block_size() const;

  const Gram<double>& gram_;
  std::vector<Index> candidates_;
  ConstantColumn constant_;
  Matrix<double> stored_;  // candidates × n, or nothing
};

}  // namespace mercer
