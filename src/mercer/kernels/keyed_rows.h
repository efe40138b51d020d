// KeyedRows: sparse feature vectors Φ(x_i) whose features are named by 64-bit keys instead of column numbers, and their
// inner products by tiles.
//
// Rows are kept twice: row by row, and in blocks of 256 rows feature by feature. For a tile of inner products the lists
// of features of two blocks are merged once; then every row of the one adds, for each feature that the other has too,
// the feature's short list of rows there. The cost is what the blocks hold plus one multiply-add for every pair of rows
// and feature that they share, so rare features (long words, deep subtrees) are nearly free. Features that most rows of
// a block have are also kept with their zeros, row after row: adding the zeros too is faster than leaving them out, and
// changes no bit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/run.h"
#include "mercer/kernels/feature_list.h"
#include "mercer/linalg/view.h"

namespace mercer {

class KeyedRows {
 public:
  KeyedRows() = default;
  /// `append(i, out)` adds the features of row i to `out`, in any order; values of equal keys are added up (in the order
  /// of appending) and zeros dropped. Rows are made in parallel, so `append` is called from several threads.
  /// InvalidArgument where the features would fill more than half of the machine's memory. Throws Stopped.
  KeyedRows(Index rows, const std::function<void(Index i, FeatureList& out)>& append, const Run& run);

  Index size() const { return static_cast<Index>(squared_lengths_.size()); }
  double squared_length(Index i) const { return squared_lengths_[i]; }

  /// out(i, j) = Φ(x_{rows.begin+i}) · Φ(y_{columns.begin+j}). Each sum runs over the shared features in the order of
  /// their keys, whatever the tile: the same bits for every cut into tiles. Throws Stopped.
  static void inner_products(const KeyedRows& x, IndexRange rows, const KeyedRows& y, IndexRange columns,
                             MatrixView<double> out);

 private:
  static constexpr Index block_rows = 256;

  // The rows of one block, feature by feature: feature f stands in rows[starts[f]] … rows[starts[f + 1] - 1].
  struct Block {
    std::vector<std::uint64_t> keys;  // ascending
    std::vector<std::int64_t> starts;
    std::vector<std::uint8_t> rows;  // within the block
    std::vector<double> values;
    // Frequent features: the values of all rows stand in frequent_values[frequent[f]] …; -1 for all others.
    std::vector<std::int64_t> frequent;
    std::vector<double> frequent_values;
  };

  template <class V>
  std::span<const V> part(const std::vector<V>& all, Index i) const {
    const auto begin = static_cast<std::size_t>(offsets_[i]);
    const auto end = static_cast<std::size_t>(offsets_[i + 1]);
    return std::span<const V>(all).subspan(begin, end - begin);
  }
  Block make_block(IndexRange range, std::span<std::vector<KeyedFeature>> made);
  static void find_frequent(Block& block, std::size_t rows);
  // One feature of a block, in the columns of a tile.
  struct Part {
    const double* frequent = nullptr;  // the values of all columns, of a frequent feature
    const std::uint8_t* rows = nullptr;
    const double* values = nullptr;
    Index count = 0;
  };
  static Part part_inside(const Block& block, std::size_t feature, IndexRange columns);
  /// row[j] += value · (the feature's value in column j); row begins at the block's first column.
  static void add_part(double value, const Part& part, IndexRange columns, double* row);
  // What block x shares with the columns of a tile.
  struct Shared {
    std::vector<std::uint32_t> place;  // of every feature of x: its place among the parts, or no_feature
    std::vector<Part> parts;
  };
  static Shared shared_features(const Block& x, const Block& y, IndexRange columns);
  /// `rows` stand in block x of this set; `out` has one row for each.
  void add_blocks(const Block& x, IndexRange rows, const Block& y, IndexRange columns, MatrixView<double> out,
                  Index first_column) const;
  void add_row(Index i, const Block& y, IndexRange columns, std::span<double> out, Index first_column) const;

  static constexpr std::uint32_t no_feature = 0xffffffffU;

  // Row by row, ascending by key: the place of each feature in the list of its block, and its value.
  std::vector<std::uint32_t> features_;
  std::vector<double> values_;
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<double> squared_lengths_;
  std::vector<Block> blocks_;
  Run stop_ = Run().stop_only();  // what inner_products() asks whether to go on
};

}  // namespace mercer
