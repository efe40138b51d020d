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
  std::vector<std::vector<KeyedFeature>> made(mercer::block_count(rows, rows_made_together));
  std::vector<std::int64_t> counts(rows);
  parallel_for(run, static_cast<Index>(made.size()), [&](Index part) {
    FeatureList row(run);
    std::vector<KeyedFeature>& all = made[part];
    const IndexRange range = block_range(rows, rows_made_together, part);
    for (Index i = range.begin; i < range.end; ++i) {
      run.check_stop();
      row.clear();
      append(i, row);
      const std::span<const KeyedFeature> features = row.merged();
      counts[i] = static_cast<std::int64_t>(features.size());
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
  features_.resize(offsets_.back());
  values_.resize(features_.size());
  squared_lengths_.resize(rows);
  blocks_.resize(mercer::block_count(rows, block_rows));
  parallel_for(run, static_cast<Index>(blocks_.size()), [&](Index b) {
    run.check_stop();
    const IndexRange range = block_range(rows, block_rows, b);
    const auto first_part = static_cast<std::size_t>(b * parts_of_block);
    const auto parts =
        std::span(made).subspan(first_part, std::min<std::size_t>(parts_of_block, made.size() - first_part));
    blocks_[b] = make_block(range, parts);
  });
}

KeyedRows::Block KeyedRows::make_block(IndexRange range, std::span<std::vector<KeyedFeature>> made) {
  struct Entry {
    std::uint64_t key;
    double value;
    std::uint8_t row;
  };
  std::vector<Entry> entries;
  entries.reserve(offsets_[range.end] - offsets_[range.begin]);
  std::vector<std::size_t> next;  // of every row: where its next feature goes
  for (Index i = range.begin; i < range.end; ++i) {
    next.push_back(static_cast<std::size_t>(offsets_[i]));
  }
  std::size_t row = 0;
  std::size_t at = next.empty() ? 0 : next.front();
  for (std::vector<KeyedFeature>& part : made) {
    for (const KeyedFeature& feature : part) {
      while (at == static_cast<std::size_t>(offsets_[static_cast<std::size_t>(range.begin) + row + 1])) {
        ++row;
      }
      entries.push_back({feature.key, feature.value, static_cast<std::uint8_t>(row)});
      squared_lengths_[static_cast<std::size_t>(range.begin) + row] += feature.value * feature.value;
      ++at;
    }
    std::vector<KeyedFeature>().swap(part);
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
    const std::size_t place = next[entry.row]++;
    features_[place] = static_cast<std::uint32_t>(block.keys.size() - 1);
    values_[place] = entry.value;
  }
  block.starts.push_back(static_cast<std::int64_t>(block.rows.size()));
  if (block.keys.size() >= no_feature) {
    throw InvalidArgument("more than 4294967294 different explicit features in " + std::to_string(range.size()) +
                          " samples; take a kernel with fewer");
  }
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

// Where both lists of keys are long, one merge finds all features that the blocks share; a single row looks its own up.
KeyedRows::Shared KeyedRows::shared_features(const Block& x, const Block& y, IndexRange columns) {
  Shared shared{std::vector<std::uint32_t>(x.keys.size(), no_feature), {}};
  std::size_t fy = 0;
  for (std::size_t fx = 0; fx < x.keys.size() && fy < y.keys.size(); ++fx) {
    while (fy < y.keys.size() && y.keys[fy] < x.keys[fx]) {
      ++fy;
    }
    if (fy < y.keys.size() && y.keys[fy] == x.keys[fx]) {
      shared.place[fx] = static_cast<std::uint32_t>(shared.parts.size());
      shared.parts.push_back(part_inside(y, fy, columns));
    }
  }
  return shared;
}

// Row by row: what is added to stays in the first-level cache.
void KeyedRows::add_blocks(const Block& x, IndexRange rows, const Block& y, IndexRange columns, MatrixView<double> out,
                           Index first_column) const {
  const Shared shared = shared_features(x, y, columns);
  Index work = 0;
  for (Index i = 0; i < rows.size(); ++i) {
    const auto features = part(features_, rows.begin + i);
    const auto values_of_row = part(values_, rows.begin + i);
    double* const row = out.row_data(i) + first_column;
    for (std::size_t f = 0; f < features.size(); ++f) {
      const std::uint32_t place = shared.place[features[f]];
      if (place != no_feature) {
        add_part(values_of_row[f], shared.parts[place], columns, row);
      }
    }
    work += static_cast<Index>(features.size()) * columns.size();
    if (work > work_between_stops) {
      stop_.check_stop();
      work = 0;
    }
  }
}

void KeyedRows::add_row(Index i, const Block& y, IndexRange columns, std::span<double> out, Index first_column) const {
  const std::vector<std::uint64_t>& keys = blocks_[i / block_rows].keys;
  const auto features = part(features_, i);
  const auto values_of_row = part(values_, i);
  auto at = y.keys.begin();
  for (std::size_t f = 0; f < features.size(); ++f) {
    const std::uint64_t key = keys[features[f]];
    at = std::lower_bound(at, y.keys.end(), key);
    if (at == y.keys.end()) {
      return;
    }
    if (*at == key) {
      const auto fy = static_cast<std::size_t>(at - y.keys.begin());
      add_part(values_of_row[f], part_inside(y, fy, columns), columns, out.data() + first_column);
    }
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
    const Block& block_y = y.blocks_[by];
    const IndexRange inside_y = covered(columns, by * block_rows, block_rows);
    const Index first_column = by * block_rows - columns.begin;
    if (rows.size() <= few) {
      for (Index i = rows.begin; i < rows.end; ++i) {
        x.add_row(i, block_y, inside_y, out.row(i - rows.begin), first_column);
      }
      continue;
    }
    for (Index bx = rows.begin / block_rows; bx * block_rows < rows.end; ++bx) {
      const IndexRange inside_x{std::max(rows.begin, bx * block_rows), std::min(rows.end, (bx + 1) * block_rows)};
      x.add_blocks(x.blocks_[bx], inside_x, block_y, inside_y,
                   out.row_block({inside_x.begin - rows.begin, inside_x.end - rows.begin}), first_column);
    }
  }
}

}  // namespace mercer
