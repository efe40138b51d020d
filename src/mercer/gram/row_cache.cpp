#include "mercer/gram/row_cache.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

Index rows_within(double cache_mb, Index size, Index element_size) {
  if (!(cache_mb > 0) || !std::isfinite(cache_mb)) {
    reject_argument("cache_mb", cache_mb, "a positive number of megabytes");
  }
  const double row_bytes = static_cast<double>(std::max<Index>(size, 1) * element_size);
  const double rows = std::min(cache_mb * 1048576.0 / row_bytes, static_cast<double>(size));
  return std::max<Index>(2, static_cast<Index>(rows));
}

}  // namespace

template <class T>
RowCacheGram<T>::RowCacheGram(std::shared_ptr<const Gram<T>> gram, double cache_mb)
    : gram_(std::move(gram)), capacity_(rows_within(cache_mb, gram_->size(), static_cast<Index>(sizeof(T)))) {}

template <class T>
void RowCacheGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const {
  gram_->fill(rows, columns, out, workspace);
}

template <class T>
void RowCacheGram<T>::multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  gram_->multiply(v, out, run);
}

template <class T>
void RowCacheGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  gram_->rows(list, out, run);
}

template <class T>
void RowCacheGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                    const Run& run) const {
  gram_->gather(rows, columns, out, run);
}

template <class T>
std::vector<CachedRow<T>> RowCacheGram<T>::fetch(std::span<const Index> list, const Run& run) {
  std::unordered_map<Index, Content> wanted;
  std::vector<Index> missing;
  Index found_count = 0;
  for (const Index i : list) {
    const auto found = entries_.find(i);
    if (found != entries_.end()) {
      ++found_count;
      wanted.emplace(i, found->second.content);
    } else if (std::find(missing.begin(), missing.end(), i) == missing.end()) {
      missing.push_back(i);
    } else {
      ++found_count;
    }
  }
  compute(missing, wanted, run);
  hits_ += found_count;
  misses_ += static_cast<Index>(missing.size());
  std::vector<CachedRow<T>> rows;
  rows.reserve(list.size());
  for (const Index i : list) {
    const Content& content = wanted.at(i);
    keep(i, content);
    rows.emplace_back(content);
  }
  return rows;
}

template <class T>
CachedRow<T> RowCacheGram<T>::row_at(Index i, const Run& run) {
  const Index list[1] = {i};
  return fetch(list, run)[0];
}

template <class T>
void RowCacheGram<T>::compute(std::span<const Index> missing, std::unordered_map<Index, Content>& computed,
                              const Run& run) {
  if (missing.empty()) {
    return;
  }
  Matrix<T> block(static_cast<Index>(missing.size()), size());
  gram_->rows(missing, block.view(), run);
  for (std::size_t a = 0; a < missing.size(); ++a) {
    Content content = new_content();
    std::copy_n(block.view().row_data(static_cast<Index>(a)), size(), content->data());
    computed.emplace(missing[a], std::move(content));
  }
}

template <class T>
typename RowCacheGram<T>::Content RowCacheGram<T>::new_content() {
  // Fresh pages cost more than the copy into them.
  while (!spare_.empty()) {
    Content content = std::move(spare_.back());
    spare_.pop_back();
    if (content.use_count() == 1) {
      return content;
    }
  }
  return std::make_shared<Buffer<T>>(size());
}

template <class T>
void RowCacheGram<T>::keep(Index i, Content content) {
  const auto found = entries_.find(i);
  if (found != entries_.end()) {
    order_.splice(order_.begin(), order_, found->second.place);
    return;
  }
  if (static_cast<Index>(entries_.size()) == capacity_) {
    const auto last = entries_.find(order_.back());
    if (last->second.content.use_count() == 1 && spare_.size() < 2) {
      spare_.push_back(std::move(last->second.content));
    }
    entries_.erase(last);
    order_.pop_back();
  }
  order_.push_front(i);
  entries_.emplace(i, Entry{std::move(content), order_.begin()});
}

template class RowCacheGram<float>;
template class RowCacheGram<double>;

}  // namespace mercer
