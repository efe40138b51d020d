#include "mercer/solvers/svm/active_gram.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

// An entry that costs less is computed again: reading it from memory takes as long (docs/internals/performance.md).
constexpr double cheap_entry = 64;
// Rows of so few columns stay in a cache of the processor, where they are read ten times faster than computed.
constexpr Index short_row = 4096;
// With room for fewer rows than this, keeping them is of no use.
constexpr Index fewest_kept = 64;
// Of a working set: 64 rows of 8192 columns are 2 MB.
constexpr Index rows_in_cache = 64;

std::vector<Index> all_rows(Index n) {
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

}  // namespace

template <class T>
ActiveGram<T>::ActiveGram(const Gram<T>& gram, double memory_mb, const Run& run)
    : gram_(gram),
      run_(run),
      memory_bytes_(static_cast<Index>(memory_mb * 1048576.0)),
      keeps_rows_(gram.work_per_entry() > cheap_entry || gram.size() <= short_row),
      position_(static_cast<std::size_t>(gram.size()), 0),
      slot_of_(static_cast<std::size_t>(gram.size()), -1) {
  activate(all_rows(gram.size()));
}

template <class T>
void ActiveGram<T>::activate(std::vector<Index> rows) {
  if (std::ranges::includes(active_, rows)) {
    cut_kept_rows(rows);
  } else {
    slots_.clear();
    std::fill(slot_of_.begin(), slot_of_.end(), Index{-1});
  }
  active_ = std::move(rows);
  for (std::size_t a = 0; a < active_.size(); ++a) {
    position_[active_[a]] = static_cast<Index>(a);
  }
  restricted_ = is_whole() ? borrowed(gram_) : gram_.subset(active_, run_);
  make_room();
}

// The memory is that of all rows, or the budget: pages are touched when a slot is first used, not before.
template <class T>
void ActiveGram<T>::make_room() {
  const Index row_bytes = std::max<Index>(1, static_cast<Index>(active_.size() * sizeof(T)));
  capacity_ = std::min<Index>(memory_bytes_ / row_bytes, static_cast<Index>(active_.size()));
  if (capacity_ < std::min(fewest_kept, static_cast<Index>(active_.size()))) {
    keeps_rows_ = false;
  }
  const Index needed = keeps_rows_ ? capacity_ * static_cast<Index>(active_.size()) : 0;
  if (memory_.size() == 0) {
    memory_ = Buffer<T>(needed);  // of all rows, which are the first to be active: more than any part of them needs
  }
  capacity_ = std::min(capacity_, active_.empty() ? 0 : memory_.size() / static_cast<Index>(active_.size()));
}

template <class T>
std::vector<Index> ActiveGram<T>::positions(std::span<const Index> rows) const {
  std::vector<Index> result(rows.size());
  std::transform(rows.begin(), rows.end(), result.begin(), [&](Index row) { return position_[row]; });
  return result;
}

template <class T>
void ActiveGram<T>::cut_kept_rows(const std::vector<Index>& rows) {
  const std::vector<Index> columns = positions(rows);
  const auto old_length = static_cast<Index>(active_.size());
  const auto new_length = static_cast<Index>(rows.size());
  // Rows move towards the front: the place of row s, new_length · s, is never ahead of where it is read.
  std::vector<Slot> slots;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const Index row = slots_[s].row;
    const bool stays = std::binary_search(rows.begin(), rows.end(), row);
    slot_of_[row] = stays ? static_cast<Index>(slots.size()) : -1;
    if (!stays) {
      continue;
    }
    const T* const from = memory_.data() + static_cast<Index>(s) * old_length;
    T* const to = memory_.data() + static_cast<Index>(slots.size()) * new_length;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      to[j] = from[columns[j]];
    }
    slots.push_back(slots_[s]);
  }
  slots_ = std::move(slots);
}

template <class T>
const T* ActiveGram<T>::kept(Index row) const {
  return memory_.data() + slot_of_[row] * static_cast<Index>(active_.size());
}

// New slots, or those that were used least recently (never those of this call).
template <class T>
std::vector<Index> ActiveGram<T>::slots_for(Index count) {
  std::vector<Index> result;
  while (static_cast<Index>(result.size()) < count && static_cast<Index>(slots_.size()) < capacity_) {
    result.push_back(static_cast<Index>(slots_.size()));
    slots_.push_back({});
  }
  const auto missing = static_cast<std::size_t>(count) - result.size();
  if (missing > 0) {
    std::vector<Index> old;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].row >= 0 && slots_[s].last_use < time_) {
        old.push_back(static_cast<Index>(s));
      }
    }
    assert(old.size() >= missing);
    const auto less = [&](Index a, Index b) {
      const Index first = slots_[a].last_use;
      const Index second = slots_[b].last_use;
      return first != second ? first < second : a < b;
    };
    std::partial_sort(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(missing), old.end(), less);
    result.insert(result.end(), old.begin(), old.begin() + static_cast<std::ptrdiff_t>(missing));
  }
  return result;
}

// Afterwards every listed row is kept; those that were missing are computed together.
template <class T>
void ActiveGram<T>::use_rows(std::span<const Index> rows) {
  ++time_;
  std::vector<Index> missing;
  for (const Index row : rows) {
    const Index slot = slot_of_[row];
    if (slot >= 0) {
      slots_[slot].last_use = time_;
    } else {
      missing.push_back(row);
    }
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (missing.empty()) {
    return;
  }
  std::vector<Index> places = slots_for(static_cast<Index>(missing.size()));
  std::sort(places.begin(), places.end());
  const auto length = static_cast<Index>(active_.size());
  const std::vector<Index> numbers = positions(missing);
  // Neighbouring slots are filled in place, as one block.
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1) {
      ++end;
    }
    const MatrixView<T> block(memory_.data() + places[begin] * length, static_cast<Index>(end - begin), length);
    restricted_->rows(std::span(numbers).subspan(begin, end - begin), block, run_);
    begin = end;
  }
  for (std::size_t a = 0; a < places.size(); ++a) {
    Slot& slot = slots_[places[a]];
    if (slot.row >= 0) {
      slot_of_[slot.row] = -1;
    }
    slot = {missing[a], time_};
    slot_of_[missing[a]] = places[a];
  }
}

template <class T>
void ActiveGram<T>::block(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out) const {
  restricted_->gather(positions(rows), positions(columns), out, run_);
}

template <class T>
void ActiveGram<T>::for_blocks(std::span<const Index> rows, std::span<const Index> columns, const UseBlock& use) {
  const std::vector<Index> at = positions(columns);
  const auto count = static_cast<Index>(rows.size());
  if (!keeps_rows_) {
    Matrix<T> values(count, static_cast<Index>(at.size()));
    block(rows, columns, values.view());
    use(0, values.view());
    return;
  }
  use_rows(rows);
  Matrix<T> values(std::min(count, rows_in_cache), static_cast<Index>(at.size()));
  for (Index b = 0; b < block_count(count, rows_in_cache); ++b) {
    const IndexRange range = block_range(count, rows_in_cache, b);
    const MatrixView<T> part = values.view().row_block({0, range.size()});
    parallel_for(run_, range.size(), [&](Index a) {
      const T* const from = kept(rows[range.begin + a]);
      T* const to = part.row_data(a);
      for (std::size_t c = 0; c < at.size(); ++c) {
        to[c] = from[at[c]];
      }
    });
    use(range.begin, part);
  }
}

template <class T>
void ActiveGram<T>::evaluate(MatrixView<T> out) const {
  gram_.gather(active_, active_, out, run_);
}

template <class T>
void ActiveGram<T>::add_kept(std::span<const Index> rows, std::span<const double> coefficients,
                             std::span<double> sums) const {
  std::vector<const T*> sources(rows.size());
  std::transform(rows.begin(), rows.end(), sources.begin(), [&](Index row) { return kept(row); });
  add_weighted_rows<T>(sources, coefficients, sums, run_);
}

template <class T>
void ActiveGram<T>::accumulate(std::span<const Index> rows, std::span<const double> coefficients,
                               std::span<double> values) {
  std::vector<double> part;
  std::span<double> sums = values;
  if (!is_whole()) {
    part.assign(active_.size(), 0.0);
    sums = part;
  }
  if (keeps_rows_) {
    use_rows(rows);
    add_kept(rows, coefficients, sums);
  } else {
    restricted_->accumulate(positions(rows), coefficients, sums, run_);
  }
  for (std::size_t a = 0; a < part.size(); ++a) {
    values[active_[a]] += part[a];
  }
}

template <class T>
void ActiveGram<T>::recompute(std::span<const Index> rows, std::span<const double> coefficients,
                              std::span<double> values) const {
  std::vector<Index> kept_rows;
  std::vector<double> kept_coefficients;
  std::vector<Index> others;
  std::vector<double> other_coefficients;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const bool is_kept = is_whole() && slot_of_[rows[a]] >= 0;
    (is_kept ? kept_rows : others).push_back(rows[a]);
    (is_kept ? kept_coefficients : other_coefficients).push_back(coefficients[a]);
  }
  std::fill(values.begin(), values.end(), 0.0);
  add_kept(kept_rows, kept_coefficients, values);
  gram_.accumulate(others, other_coefficients, values, run_);
}

template class ActiveGram<float>;
template class ActiveGram<double>;

}  // namespace mercer
