#include "mercer/kernels/keyed_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/parallel.h"
#include "mercer/base/simd.h"
#include "mercer/base/text.h"
#include "mercer/kernels/radix_sort.h"

namespace mercer {

namespace {

// The part of a block of rows that starts at `first` which `range` covers, within the block.
IndexRange covered(IndexRange range, Index first, Index length) {
  return {std::max<Index>(range.begin - first, 0), std::min<Index>(range.end - first, length)};
}

MERCER_CLONES void add_frequent(double value, const double* y, double* row, Index count) {
  for (Index j = 0; j < count; ++j) {
    row[j] += value * y[j];
  }
}

// More than this many multiplications pass between two questions whether to go on.
constexpr Index work_between_stops = Index{1} << 24U;

// Row by row, block by block, and while they are made; a feature of its own in every block at the worst.
constexpr double bytes_per_feature = 64;

[[noreturn]] void refuse_features(double features, Index rows) {
  throw InvalidArgument("the explicit features of " + std::to_string(rows) + " samples would fill more than " +
                        shortest(std::round(features * bytes_per_feature / 1e8) / 10) +
                        " GB, half of the machine's memory; take fewer samples or a kernel with fewer features, or a "
                        "linear model (linearsvc, linearsvr), which needs less for each");
}

}  // namespace

KeyedRows::KeyedRows(Index rows, const std::function<void(Index i, FeatureList& out)>& append, const Run& run)
    : stop_(run.stop_only()) {
  // Made a few rows at a time, so that some long strings or large graphs keep all threads busy.
  constexpr Index rows_made_together = 8;
  static_assert(block_rows % rows_made_together == 0);
  constexpr Index parts_of_block = block_rows / rows_made_together;
  const double most_features = allowed_memory(0) / bytes_per_feature;
  std::atomic<std::int64_t> total = 0;
  std::vector<std::vector<KeyedFeature>> made(static_cast<std::size_t>(mercer::block_count(rows, rows_made_together)));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(rows));
  parallel_for(run, static_cast<Index>(made.size()), [&](Index part) {
    FeatureList row(run);
    std::vector<KeyedFeature>& all = made[static_cast<std::size_t>(part)];
    const IndexRange range = block_range(rows, rows_made_together, part);
    for (Index i = range.begin; i < range.end; ++i) {
      run.check_stop();
      row.clear();
      append(i, row);
      const std::span<const KeyedFeature> features = row.merged();
      counts[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(features.size());
      all.insert(all.end(), features.begin(), features.end());
    }
    const auto own = static_cast<std::int64_t>(all.size());
    const auto so_far = static_cast<double>(total.fetch_add(own) + own);
    if (so_far > most_features) {
      refuse_features(so_far, rows);
    }
  });
  for (const std::int64_t count : counts) {
    offsets_.push_back(offsets_.back() + count);
  }
  keys_.resize(static_cast<std::size_t>(offsets_.back()));
  values_.resize(keys_.size());
  squared_lengths_.resize(static_cast<std::size_t>(rows));
  blocks_.resize(static_cast<std::size_t>(mercer::block_count(rows, block_rows)));
  parallel_for(run, static_cast<Index>(blocks_.size()), [&](Index b) {
    const IndexRange range = block_range(rows, block_rows, b);
    auto at = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(range.begin)]);
    for (auto part = static_cast<std::size_t>(b * parts_of_block);
         part < std::min(made.size(), static_cast<std::size_t>((b + 1) * parts_of_block)); ++part) {
      for (const KeyedFeature& feature : made[part]) {
        keys_[at] = feature.key;
        values_[at++] = feature.value;
      }
      std::vector<KeyedFeature>().swap(made[part]);
    }
    for (Index i = range.begin; i < range.end; ++i) {
      double sum = 0;
      for (const double value : values(i)) {
        sum += value * value;
      }
      squared_lengths_[static_cast<std::size_t>(i)] = sum;
    }
    blocks_[static_cast<std::size_t>(b)] = make_block(range);
  });
}

KeyedRows::Block KeyedRows::make_block(IndexRange range) const {
  struct Entry {
    std::uint64_t key;
    double value;
    std::uint8_t row;
  };
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(offsets_[static_cast<std::size_t>(range.end)] -
                                           offsets_[static_cast<std::size_t>(range.begin)]));
  for (Index i = range.begin; i < range.end; ++i) {
    const auto keys_of_row = keys(i);
    const auto values_of_row = values(i);
    for (std::size_t f = 0; f < keys_of_row.size(); ++f) {
      entries.push_back({keys_of_row[f], values_of_row[f], static_cast<std::uint8_t>(i - range.begin)});
    }
  }
  sort_by_key(entries);  // rows of one feature stay ascending
  Block block;
  block.rows.reserve(entries.size());
  block.values.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (block.keys.empty() || block.keys.back() != entry.key) {
      block.keys.push_back(entry.key);
      block.starts.push_back(static_cast<std::int64_t>(block.rows.size()));
    }
    block.rows.push_back(entry.row);
    block.values.push_back(entry.value);
  }
  block.starts.push_back(static_cast<std::int64_t>(block.rows.size()));
  find_frequent(block, static_cast<std::size_t>(range.size()));
  return block;
}

void KeyedRows::find_frequent(Block& block, std::size_t rows) {
  constexpr std::size_t fewest = 32;
  block.frequent.assign(block.keys.size(), -1);
  for (std::size_t f = 0; f < block.keys.size(); ++f) {
    const auto begin = static_cast<std::size_t>(block.starts[f]);
    const auto end = static_cast<std::size_t>(block.starts[f + 1]);
    if (end - begin < fewest || 3 * (end - begin) < rows) {
      continue;
    }
    const std::size_t first = block.frequent_values.size();
    block.frequent[f] = static_cast<std::int64_t>(first);
    block.frequent_values.resize(first + rows, 0.0);
    for (std::size_t at = begin; at < end; ++at) {
      block.frequent_values[first + block.rows[at]] = block.values[at];
    }
  }
}

KeyedRows::Part KeyedRows::part_inside(const Block& block, std::size_t feature, IndexRange columns) {
  if (block.frequent[feature] >= 0) {
    return {.frequent = block.frequent_values.data() + block.frequent[feature]};
  }
  // The rows of a feature are ascending, so that those inside of the tile stand together.
  auto begin = static_cast<std::size_t>(block.starts[feature]);
  auto end = static_cast<std::size_t>(block.starts[feature + 1]);
  while (begin < end && block.rows[begin] < columns.begin) {
    ++begin;
  }
  while (begin < end && block.rows[end - 1] >= columns.end) {
    --end;
  }
  return {.rows = block.rows.data() + begin,
          .values = block.values.data() + begin,
          .count = static_cast<Index>(end - begin)};
}

void KeyedRows::add_part(double value, const Part& part, IndexRange columns, double* row) {
  if (part.frequent != nullptr) {
    add_frequent(value, part.frequent + columns.begin, row + columns.begin, columns.size());
    return;
  }
  for (Index at = 0; at < part.count; ++at) {
    row[part.rows[at]] += value * part.values[at];
  }
}

void KeyedRows::add_outer(const Block& x, std::size_t fx, IndexRange rows, const Block& y, std::size_t fy,
                          IndexRange columns, MatrixView<double> out, Index first_row, Index first_column) {
  const Part part = part_inside(y, fy, columns);
  for (auto at = static_cast<std::size_t>(x.starts[fx]); at < static_cast<std::size_t>(x.starts[fx + 1]); ++at) {
    const Index i = x.rows[at];
    if (i >= rows.begin && i < rows.end) {
      add_part(x.values[at], part, columns, out.row_data(i + first_row) + first_column);
    }
  }
}

void KeyedRows::add_blocks(const Block& x, IndexRange rows, const Block& y, IndexRange columns, MatrixView<double> out,
                           Index first_row, Index first_column) const {
  Index work = 0;
  std::size_t fx = 0;
  std::size_t fy = 0;
  while (fx < x.keys.size() && fy < y.keys.size()) {
    if (x.keys[fx] < y.keys[fy]) {
      ++fx;
    } else if (y.keys[fy] < x.keys[fx]) {
      ++fy;
    } else {
      work += (x.starts[fx + 1] - x.starts[fx]) * (y.starts[fy + 1] - y.starts[fy]);
      if (work > work_between_stops) {
        stop_.check_stop();
        work = 0;
      }
      add_outer(x, fx++, rows, y, fy++, columns, out, first_row, first_column);
    }
  }
}

void KeyedRows::add_row(Index i, const Block& y, IndexRange columns, std::span<double> out, Index first_column) const {
  const auto keys_of_row = keys(i);
  const auto values_of_row = values(i);
  auto at = y.keys.begin();
  for (std::size_t f = 0; f < keys_of_row.size(); ++f) {
    at = std::lower_bound(at, y.keys.end(), keys_of_row[f]);
    if (at == y.keys.end()) {
      return;
    }
    if (*at != keys_of_row[f]) {
      continue;
    }
    const auto fy = static_cast<std::size_t>(at - y.keys.begin());
    add_part(values_of_row[f], part_inside(y, fy, columns), columns, out.data() + first_column);
  }
}

void KeyedRows::inner_products(const KeyedRows& x, IndexRange rows, const KeyedRows& y, IndexRange columns,
                               MatrixView<double> out) {
  // Few rows look their features up; from about eight on, one merge of the lists serves all rows at once.
  constexpr Index few = 8;
  for (Index i = 0; i < out.rows(); ++i) {
    std::fill_n(out.row_data(i), out.columns(), 0.0);
  }
  if (rows.size() == 0 || columns.size() == 0) {
    return;
  }
  for (Index by = columns.begin / block_rows; by * block_rows < columns.end; ++by) {
    const Block& block_y = y.blocks_[static_cast<std::size_t>(by)];
    const IndexRange inside_y = covered(columns, by * block_rows, block_rows);
    const Index first_column = by * block_rows - columns.begin;
    if (rows.size() <= few) {
      for (Index i = rows.begin; i < rows.end; ++i) {
        x.add_row(i, block_y, inside_y, out.row(i - rows.begin), first_column);
      }
      continue;
    }
    for (Index bx = rows.begin / block_rows; bx * block_rows < rows.end; ++bx) {
      x.add_blocks(x.blocks_[static_cast<std::size_t>(bx)], covered(rows, bx * block_rows, block_rows), block_y,
                   inside_y, out, bx * block_rows - rows.begin, first_column);
    }
  }
}

}  // namespace mercer
