// ActiveGram: the rows of a Gram matrix as a solver with shrinking wants them: restricted to the columns that are still
// active, and kept in memory where computing them again would cost more than reading them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/buffer.h"
#include "mercer/base/run.h"
#include "mercer/gram/gram.h"

namespace mercer {

/// Row numbers are those of the whole matrix. One thread at a time; `run`'s threads are used inside.
template <class T>
class ActiveGram {
 public:
  /// Rows that are kept take at most `memory_mb`.
  ActiveGram(const Gram<T>& gram, double memory_mb, const Run& run);

  Index size() const { return gram_.size(); }
  std::span<const Index> active() const { return active_; }
  bool is_whole() const { return static_cast<Index>(active_.size()) == gram_.size(); }
  bool keeps_rows() const { return keeps_rows_; }
  /// The most rows that one call of for_blocks() or accumulate() may name, for rows to be kept at all.
  Index most_rows() const { return capacity_; }

  /// Makes the listed rows and columns (ascending) the active ones. Where they are among those active before, kept rows
  /// are cut to them; otherwise they are dropped.
  void activate(std::vector<Index> rows);

  /// Calls use(first, values) for one piece of the listed rows after the other: values(a, b) = K(rows[first + a], columns[b]),
  /// all of them active. Rows are kept on the way, if rows are kept; their pieces stay in cache.
  using UseBlock = std::function<void(Index first, ConstMatrixView<T> values)>;
  void for_blocks(std::span<const Index> rows, std::span<const Index> columns, const UseBlock& use);

  /// out(a, b) = K(rows[a], columns[b]), all of them active. Only where rows are not kept.
  void block(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out) const;

  /// All of K, past the rows that are kept. Only while all rows are active.
  void evaluate(MatrixView<T> out) const;

  /// values[j] += Σ_a coefficients[a] K(rows[a], j) for every active j; the rows are active. Sums in double.
  void accumulate(std::span<const Index> rows, std::span<const double> coefficients, std::span<double> values);

  /// Whether all memory for rows is in use: cutting rows short would make room.
  bool is_full() const { return keeps_rows_ && static_cast<Index>(slots_.size()) == capacity_ && capacity_ < size(); }

  /// values[j] = Σ_a coefficients[a] K(rows[a], j) for all j, from nothing: sums in double over the kernel values.
  void recompute(std::span<const Index> rows, std::span<const double> coefficients, std::span<double> values) const;

 private:
  struct Slot {
    Index row = -1;
    Index last_use = 0;
  };
  std::vector<Index> positions(std::span<const Index> rows) const;
  void use_rows(std::span<const Index> rows);
  std::vector<Index> slots_for(Index count);
  const T* kept(Index row) const;
  void add_kept(std::span<const Index> rows, std::span<const double> coefficients, std::span<double> sums) const;
  void make_room();
  void cut_kept_rows(const std::vector<Index>& rows);

  const Gram<T>& gram_;
  Run run_;
  Index memory_bytes_;
  bool keeps_rows_;
  std::vector<Index> active_;
  std::vector<Index> position_;  // of a row among the active ones
  std::shared_ptr<const Gram<T>> restricted_;

  Index capacity_ = 0;  // in rows
  Index time_ = 0;
  Buffer<T> memory_;
  std::vector<Slot> slots_;
  std::vector<Index> slot_of_;  // −1: not kept
};

}  // namespace mercer
