// The basis functions that a relevance vector machine has in use while it is fitted: their columns of numbers, their
// precisions, and what both kinds of machine (regression, classification) do with them.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/relevance/relevance_basis.h"

namespace mercer {

struct RelevanceFit;

/// A matrix that grows by rows at its end and loses any.
class GrowingRows {
 public:
  explicit GrowingRows(Index columns) : columns_(columns), content_(0, columns) {}

  Index size() const { return size_; }
  ConstMatrixView<double> view() const { return {content_.data(), size_, columns_}; }
  /// A new row, not initialised; what other rows were seen through before may have moved.
  std::span<double> append();
  void drop_last() { --size_; }
  /// Keeps the listed rows, ascending.
  void keep(std::span<const Index> numbers);

 private:
  Index columns_;
  Index size_ = 0;
  Matrix<double> content_;
};

class RelevanceActive {
 public:
  explicit RelevanceActive(const RelevanceBasis& basis)
      : basis_(basis), in_use_(static_cast<std::size_t>(basis.columns()), 0), values_(basis.rows()) {}

  Index size() const { return static_cast<Index>(columns_.size()); }
  bool contains(Index column) const { return in_use_[column] != 0; }
  const std::vector<Index>& columns() const { return columns_; }
  const std::vector<double>& precisions() const { return precisions_; }
  /// M × n: the functions at the rows.
  ConstMatrixView<double> values() const { return values_.view(); }

  void add(Index column, double precision, const Run& run);
  void drop_last();
  /// One new precision per function in use; those of infinite precision go.
  void keep(const std::vector<double>& precisions);

  /// Writes the functions in use in ascending order of their columns, with weights and the root of Σ = (L Lᵀ)⁻¹.
  void store(const std::vector<double>& weights, ConstMatrixView<double> factor, RelevanceFit& fit) const;

 private:
  const RelevanceBasis& basis_;
  std::vector<Index> columns_;
  std::vector<double> precisions_;
  std::vector<char> in_use_;
  GrowingRows values_;
};

/// The numbers of the finite ones.
std::vector<Index> finite_numbers(const std::vector<double>& precisions);

/// What the functions in use say of all columns. `products` is M × c: p_ij = φ_iᵀBφ_j up to `product_scale`.
struct ColumnProducts {
  ConstMatrixView<double> products;
  double product_scale = 1;
  std::span<const double> norms;  ///< φ_jᵀBφ_j, with the scale in it
};

/// s of every column: norms_j − ‖L⁻¹p_j‖² with the factor L of H, what the functions in use leave of it. 0 where that is
/// nothing but rounding, and for columns that are in use or nearly parallel to one that is (sin² of their angle below
/// 1e-6): taking both would gain nothing and make H singular. c·M² operations.
std::vector<double> unexplained_norms(const ColumnProducts& columns, ConstMatrixView<double> factor,
                                      const RelevanceActive& active, const Run& run);

/// H⁻¹ from L, both triangles.
Matrix<double> inverse_from_factor(ConstMatrixView<double> factor, const Run& run);

}  // namespace mercer
