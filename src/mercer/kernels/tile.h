// Tiles: the unit of evaluation. A TileContext names a block of rows of one prepared sample set and a block of rows
// (the tile's columns) of another, lends scratch memory, and computes the inner products of a geometry once, however
// many kernels of the expression ask for them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "mercer/kernels/prepared.h"
#include "mercer/linalg/scratch_matrix.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// Rows and columns of a full tile. 256 × 256 floats (256 KB) stay in a second-level cache with what feeds them.
inline constexpr Index tile_size = 256;

template <class T>
class TileContext {
 public:
  TileContext(const Prepared& x, IndexRange rows, const Prepared& y, IndexRange columns, Workspace& workspace);

  const Prepared& x() const { return *x_; }
  const Prepared& y() const { return *y_; }
  IndexRange rows() const { return rows_; }
  IndexRange columns() const { return columns_; }
  Index row_count() const { return rows_.size(); }
  Index column_count() const { return columns_.size(); }
  Workspace& workspace() const { return *workspace_; }
  ScratchMatrix<T> scratch() const { return {*workspace_, row_count(), column_count()}; }

  /// The inner products of the geometry's (centred, weighted) rows; computed at the first call, then shared.
  ConstMatrixView<T> inner_products(const GeometryKey& key);

  /// The same tile seen through a scope (a column subscript or a warp).
  TileContext enter(std::string_view scope) const;
  /// The same tile with its sides exchanged.
  TileContext transposed() const;

  /// Calls f(i, j), tile coordinates, for every pair that is the same sample on both sides.
  void for_same_samples(const std::function<void(Index i, Index j)>& f) const;

 private:
  struct Shared {
    GeometryKey key;
    const Prepared* x = nullptr;
    const Prepared* y = nullptr;
    std::unique_ptr<ScratchMatrix<T>> products;
  };
  using Cache = std::vector<Shared>;
  TileContext(const TileContext& outer, const Prepared& x, const Prepared& y);

  const Prepared* x_;
  const Prepared* y_;
  IndexRange rows_;
  IndexRange columns_;
  Workspace* workspace_;
  std::shared_ptr<Cache> cache_;
};

}  // namespace mercer
