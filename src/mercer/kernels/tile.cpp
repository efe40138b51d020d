#include "mercer/kernels/tile.h"

#include <algorithm>

namespace mercer {

template <class T>
TileContext<T>::TileContext(const Prepared& x, IndexRange rows, const Prepared& y, IndexRange columns,
                            Workspace& workspace)
    : x_(&x), y_(&y), rows_(rows), columns_(columns), workspace_(&workspace), cache_(std::make_shared<Cache>()) {}

template <class T>
TileContext<T>::TileContext(const TileContext& outer, const Prepared& x, const Prepared& y)
    : x_(&x),
      y_(&y),
      rows_(outer.rows_),
      columns_(outer.columns_),
      workspace_(outer.workspace_),
      cache_(outer.cache_) {}

template <class T>
ConstMatrixView<T> TileContext<T>::inner_products(const GeometryKey& key) {
  for (Shared& shared : *cache_) {
    if (shared.x == x_ && shared.y == y_ && shared.key == key) {
      return shared.products->view();
    }
  }
  auto products = std::make_unique<ScratchMatrix<T>>(*workspace_, row_count(), column_count());
  mercer::inner_products(x_->geometry<T>(key), rows_, y_->geometry<T>(key), columns_, *workspace_, products->view());
  cache_->push_back({key, x_, y_, std::move(products)});
  return cache_->back().products->view();
}

template <class T>
TileContext<T> TileContext<T>::enter(std::string_view scope) const {
  return TileContext(*this, x_->scope(scope), y_->scope(scope));
}

template <class T>
TileContext<T> TileContext<T>::transposed() const {
  return TileContext(*y_, columns_, *x_, rows_, *workspace_);
}

template <class T>
void TileContext<T>::for_same_samples(const std::function<void(Index, Index)>& f) const {
  const Samples& x = x_->samples();
  const Samples& y = y_->samples();
  if (x.origin() != y.origin() || row_count() == 0 || column_count() == 0) {
    return;
  }
  if (x_ == y_ && x_->has_distinct_rows()) {
    // Tiles of one sample set are the common case: off the diagonal they must not cost anything.
    for (Index i = std::max(rows_.begin, columns_.begin); i < std::min(rows_.end, columns_.end); ++i) {
      f(i - rows_.begin, i - columns_.begin);
    }
    return;
  }
  for (Index i = 0; i < row_count(); ++i) {
    y_->for_rows_with_id(x.row_id(rows_.begin + i), columns_, [&](Index j) { f(i, j - columns_.begin); });
  }
}

template class TileContext<float>;
template class TileContext<double>;

}  // namespace mercer
