// Geometry: one sample set as real vectors, the way the tiles of distance and dot-product kernels want them.
//
//   row i = W (x_i − c),   W = diag(weights), c near the column means of the reference samples
//
// Centring first keeps ‖x‖² + ‖y‖² − 2xᵀy from cancelling; it is left out for sparse samples (it would fill them), where
// only dot products are asked for, and for columns whose mean is within their deviation: there it would gain nothing,
// and an outlier would cost the digits of all other rows. c has few digits of its own, so that x − c is exact where x
// and c have much in common, and differences of centred rows are those of the rows. Then xᵀW²y = row_i·row_j + s_i + s_j with s_i = cᵀW²x_i − cᵀW²c/2.
// Columns of weight 0 are dropped, so that an infinite length scale is exact.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/buffer.h"
#include "mercer/base/run.h"
#include "mercer/base/workspace.h"
#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Weights of the columns, empty: all 1. An `exact` geometry is never centred: kernels that compare single coordinates
/// (is x_j = y_j? is x_j ≥ 0?) want the numbers as they are.
struct GeometryKey {
  std::vector<double> weights = {};
  bool exact = false;
  bool operator==(const GeometryKey&) const = default;
};

/// Of columns as they are: neither weighed nor centred.
inline const GeometryKey& exact_geometry() {
  static const GeometryKey key{.weights = {}, .exact = true};
  return key;
}

/// What tiles ask of a geometry; a union over the kernels that share it.
struct GeometryUse {
  bool distances = false;
  bool products = false;
};

/// The transformation that both sides of a tile share; it comes from the reference (training) samples.
struct GeometryFrame {
  GeometryKey key;
  std::vector<Index> kept_columns;  ///< those of non-zero weight; empty where there are no weights and all are kept
  std::vector<double> center;       ///< per kept column; empty: not centred
  Index columns = 0;                ///< of the samples

  Index dimension() const { return key.weights.empty() ? columns : static_cast<Index>(kept_columns.size()); }
  /// The column of the samples that is coordinate c.
  Index column(Index c) const { return key.weights.empty() ? c : kept_columns[c]; }
};

/// Moments of columns are sums over fixed blocks of rows, added in order.
GeometryFrame make_frame(const Samples& reference, const GeometryKey& key, GeometryUse use, const Run& run);

/// Refuses samples whose number of columns is not the frame's, and values that are not finite.
template <class T>
class Geometry {
 public:
  Geometry(const Samples& samples, std::shared_ptr<const GeometryFrame> frame, const Run& run);

  const std::shared_ptr<const GeometryFrame>& frame() const { return frame_; }
  Index size() const { return size_; }
  Index dimension() const { return frame_->dimension(); }
  bool is_sparse() const { return is_sparse_; }

  /// Dense geometries only.
  ConstMatrixView<T> rows() const { return rows_.view(); }
  /// Sparse geometries only.
  SparseRows<T> sparse_rows() const;

  /// ‖row_i‖² rounded to T, the sum in double.
  std::span<const T> squared_norms() const { return squared_norms_; }
  /// s_i above; empty where not centred.
  std::span<const T> product_shifts() const { return product_shifts_; }
  /// x_iᵀW²x_i in double, whatever the centring.
  double squared_length(Index i) const { return squared_lengths_[i]; }

  /// Row i in weighted, centred coordinates, written densely (length dimension()).
  void dense_row(Index i, std::span<T> out) const;

 private:
  template <class Source>
  void fill_dense(const Source& source, const Run& run);
  template <class Source>
  void fill_dense_row(const Source& source, Index i, double center_length, std::span<double> values);
  template <class Source>
  void fill_sparse(const Source& source);
  void finish_row(Index i, double squared_norm, double center_product, double squared_length);
  double weight_of(Index column) const;

  std::shared_ptr<const GeometryFrame> frame_;
  Index size_ = 0;
  bool is_sparse_ = false;
  Matrix<T> rows_;
  std::vector<T> values_;
  std::vector<std::int32_t> column_numbers_;
  std::vector<std::int64_t> offsets_;
  std::vector<T> squared_norms_;
  std::vector<T> product_shifts_;
  std::vector<double> squared_lengths_;
};

/// ‖row_i − row_j‖² summed from differences: no cancellation, symmetric to the bit, 0 for equal rows. O(dimension).
template <class T>
T squared_difference(const Geometry<T>& x, Index i, const Geometry<T>& y, Index j);

/// out(i, j) = row_{x.begin+i} · row_{y.begin+j}: one GEMM for dense rows, blocks of scattered rows for sparse ones.
template <class T>
void inner_products(const Geometry<T>& x, IndexRange rows, const Geometry<T>& y, IndexRange columns,
                    Workspace& workspace, MatrixView<T> out);

}  // namespace mercer
