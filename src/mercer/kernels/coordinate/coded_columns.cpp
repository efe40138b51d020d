#include "mercer/kernels/coordinate/coded_columns.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// A level that is unknown where it is stored has another code in a row that asks who is equal to it: nothing is.
constexpr std::uint32_t unknown_asking = 1;
static_assert(unknown_asking != ColumnLevels::unknown_level && unknown_asking < ColumnLevels::first_level);

enum class CodeWidth { byte, half, word };

template <class Code>
bool can_hold(Index levels) {
  return levels <= static_cast<Index>(std::numeric_limits<Code>::max()) - Index{ColumnLevels::first_level} + 1;
}

CodeWidth width_of(const ColumnLevels& levels) {
  return can_hold<std::uint8_t>(levels.count())    ? CodeWidth::byte
         : can_hold<std::uint16_t>(levels.count()) ? CodeWidth::half
                                                   : CodeWidth::word;
}

// Calls use(c) for all columns, those of few rows many at a time.
template <class Use>
void for_columns(const Run& run, Index columns, Index rows, Use use) {
  constexpr Index least_values = 32768;
  const Index together = std::max<Index>(1, least_values / std::max<Index>(rows, 1));
  parallel_for(run, block_count(columns, together), [&](Index b) {
    const IndexRange range = block_range(columns, together, b);
    for (Index c = range.begin; c < range.end; ++c) {
      use(c);
    }
  });
}

}  // namespace

// Where the codes of a column of the reference stand.
struct CodedColumns::Coding {
  struct Place {
    int width = 0;  // a CodeWidth
    Index among = 0;
  };
  std::vector<ColumnLevels> levels;
  std::vector<Place> places;
  std::array<Index, 3> of_width{};  // how many columns

  Coding(const std::vector<ComparedColumn>& given, Index rows, const Run& run) : levels(given.size()) {
    for_columns(run, static_cast<Index>(given.size()), rows, [&](Index c) { levels[c] = ColumnLevels(given[c]); });
    for (const ColumnLevels& of_column : levels) {
      const int width = static_cast<int>(width_of(of_column));
      places.push_back({width, of_width[width]++});
    }
  }
};

CodedColumns::CodedColumns(const KernelEntry& entry, const Samples& samples, const CodedColumns* reference,
                           const Run& run) {
  const std::vector<ComparedColumn> given = compared_columns(entry, samples);
  columns_ = static_cast<Index>(given.size());
  if (reference != nullptr && reference->columns_ != columns_) {
    throw DataError(entry.name + ": samples with " + std::to_string(columns_) +
                    " columns where the kernel was prepared for " + std::to_string(reference->columns_));
  }
  const Index rows = samples.size();
  coding_ = reference != nullptr ? reference->coding_ : std::make_shared<const Coding>(given, rows, run);
  bytes_.allocate(coding_->of_width[0], rows);
  halves_.allocate(coding_->of_width[1], rows);
  words_.allocate(coding_->of_width[2], rows);
  std::vector<std::vector<ColumnLevels::NewNumber>> news(given.size());
  for_columns(run, columns_, rows, [&](Index c) {
    const ColumnLevels& levels = coding_->levels[c];
    if (given[c].is_category() != levels.is_category()) {
      throw DataError(entry.name + ": column " + std::to_string(c) + " (counted from 0) holds " +
                      (levels.is_category() ? "numbers where the kernel was prepared for categories"
                                            : "categories where the kernel was prepared for numbers"));
    }
    ColumnLevels::Codes coded = levels.code(given[c]);
    store(c, coded.codes);
    news[c] = std::move(coded.new_numbers);
  });
  if (std::ranges::any_of(news, [](const auto& of_column) { return !of_column.empty(); })) {
    news_ = std::move(news);
  }
}

// An odd number of cache lines lies between two columns, so that they do not all fall into the same sets of a cache.
template <class Code>
void CodedColumns::Block<Code>::allocate(Index count, Index rows) {
  columns = count;
  constexpr Index line = 64 / static_cast<Index>(sizeof(Code));
  stride = (block_count(rows, line) | 1) * line;
  codes = Buffer<Code>(columns == 0 ? 0 : columns * stride + rows_per_step);
  std::fill_n(codes.data(), codes.size(), static_cast<Code>(ColumnLevels::unknown_level));
}

template <class Code>
void CodedColumns::Block<Code>::store(Index column, std::span<const std::uint32_t> values) {
  std::transform(values.begin(), values.end(), codes.data() + column * stride,
                 [](std::uint32_t value) { return static_cast<Code>(value); });
}

void CodedColumns::store(Index column, std::span<const std::uint32_t> values) {
  const Coding::Place place = coding_->places[column];
  switch (static_cast<CodeWidth>(place.width)) {
    case CodeWidth::byte:
      return bytes_.store(place.among, values);
    case CodeWidth::half:
      return halves_.store(place.among, values);
    case CodeWidth::word:
      return words_.store(place.among, values);
  }
}

template <class Code>
void CodedColumns::Block<Code>::count(Index i, const Block& y, Index first, std::span<std::int32_t> counts) const {
  std::array<Code, most_columns_at_once> asked{};
  for (Index c = 0; c < columns; c += most_columns_at_once) {
    const Index count = std::min(most_columns_at_once, columns - c);
    for (Index k = 0; k < count; ++k) {
      const Code code = codes.data()[(c + k) * stride + i];
      asked[k] = code == ColumnLevels::unknown_level ? static_cast<Code>(unknown_asking) : code;
    }
    add_differences(std::span<const Code>(asked.data(), static_cast<std::size_t>(count)),
                    y.codes.data() + c * y.stride + first, y.stride, counts);
  }
}

template <class Code>
Index CodedColumns::Block<Code>::unknown_levels(Index i) const {
  Index count = 0;
  for (Index c = 0; c < columns; ++c) {
    count += codes.data()[c * stride + i] == ColumnLevels::unknown_level ? 1 : 0;
  }
  return count;
}

void CodedColumns::count_differences(Index i, const CodedColumns& y, Index first,
                                     std::span<std::int32_t> counts) const {
  std::ranges::fill(counts, 0);
  bytes_.count(i, y.bytes_, first, counts);
  halves_.count(i, y.halves_, first, counts);
  words_.count(i, y.words_, first, counts);
  if (!news_.empty() && !y.news_.empty()) {
    take_off_equal_news(i, y, first, counts);
  }
}

// Two numbers that the reference does not have are stored as unknown, and may be equal.
void CodedColumns::take_off_equal_news(Index i, const CodedColumns& y, Index first,
                                       std::span<std::int32_t> counts) const {
  const auto by_row = [](const ColumnLevels::NewNumber& number, Index row) { return number.row < row; };
  const Index end = first + static_cast<Index>(counts.size());
  for (std::size_t c = 0; c < news_.size(); ++c) {
    const auto mine = std::lower_bound(news_[c].begin(), news_[c].end(), i, by_row);
    if (mine == news_[c].end() || mine->row != i) {
      continue;
    }
    const auto& others = y.news_[c];
    for (auto other = std::lower_bound(others.begin(), others.end(), first, by_row);
         other != others.end() && other->row < end; ++other) {
      counts[other->row - first] -= other->value == mine->value ? 1 : 0;
    }
  }
}

Index CodedColumns::differences_from_itself(Index i) const {
  Index count = bytes_.unknown_levels(i) + halves_.unknown_levels(i) + words_.unknown_levels(i);
  for (const auto& news : news_) {
    count -= std::ranges::binary_search(news, i, {}, &ColumnLevels::NewNumber::row) ? 1 : 0;
  }
  return count;
}

}  // namespace mercer
