// RowCacheGram: the rows of a Gram matrix that were used last, within a budget of memory. Solvers that walk over rows
// (sequential minimal optimisation, coordinate descent) ask for several at a time: those that are missing are computed
// together, as one block of tiles.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "mercer/base/buffer.h"
#include "mercer/gram/gram.h"

namespace mercer {

/// One row of a Gram matrix: shares in its memory, so it stays valid as long as it is held, whatever the cache drops.
template <class T>
class CachedRow {
 public:
  explicit CachedRow(std::shared_ptr<const Buffer<T>> content) : content_(std::move(content)) {}
  std::span<const T> values() const { return {content_->data(), static_cast<std::size_t>(content_->size())}; }
  T operator[](Index j) const { return content_->data()[j]; }

 private:
  std::shared_ptr<const Buffer<T>> content_;
};

/// Least recently used rows are dropped first. Rows that callers still hold count beyond the budget.
/// Threads: fetch() and row_at() change the cache, so one thread at a time may call them (they use run's threads
/// inside); fill(), diagonal() and multiply() go past the cache and may be called from any thread at any time.
template <class T>
class RowCacheGram final : public Gram<T> {
 public:
  /// The budget holds at least two rows, however small it is. Throws InvalidArgument unless it is a positive number.
  RowCacheGram(std::shared_ptr<const Gram<T>> gram, double cache_mb);

  Index size() const override { return gram_->size(); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override { gram_->diagonal(out); }
  void multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const override;
  double work_per_entry() const override { return gram_->work_per_entry(); }

  /// The listed rows (repetitions allowed), in that order.
  std::vector<CachedRow<T>> fetch(std::span<const Index> list, const Run& run);
  CachedRow<T> row_at(Index i, const Run& run);

  /// How many rows the budget holds.
  Index capacity() const { return capacity_; }
  Index cached_rows() const { return static_cast<Index>(entries_.size()); }
  bool is_cached(Index i) const { return entries_.contains(i); }
  /// Rows asked for that were there, and that had to be computed.
  Index hits() const { return hits_; }
  Index misses() const { return misses_; }

 protected:
  void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const override;
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;

 private:
  using Content = std::shared_ptr<Buffer<T>>;
  struct Entry {
    Content content;
    std::list<Index>::iterator place;
  };
  Content new_content();
  void compute(std::span<const Index> missing, std::unordered_map<Index, Content>& computed, const Run& run);
  void keep(Index i, Content content);

  std::shared_ptr<const Gram<T>> gram_;
  Index capacity_;
  std::list<Index> order_;  // most recently used first
  std::unordered_map<Index, Entry> entries_;
  std::vector<Content> spare_;  // dropped rows whose memory nobody else holds
  Index hits_ = 0;
  Index misses_ = 0;
};

}  // namespace mercer
