#include "mercer/gram/single_precision_gram.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mercer/base/parallel.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

constexpr Index packed_tile_entries = tile_size * tile_size;

Index packed_tile_number(Index block_row, Index block_column) { return block_row * (block_row + 1) / 2 + block_column; }

}  // namespace

double SinglePrecisionGram::packed_bytes(Index n) {
  const auto blocks = static_cast<double>(block_count(n, tile_size));
  return blocks * (blocks + 1) / 2 * static_cast<double>(packed_tile_entries) * sizeof(float);
}

SinglePrecisionGram::SinglePrecisionGram(std::shared_ptr<const Gram<double>> exact,
                                         std::shared_ptr<const Gram<float>> single, Storage storage, const Run& run)
    : exact_(std::move(exact)), single_(std::move(single)) {
  if (storage == Storage::none) {
    return;
  }
  const Index n = size();
  const Index blocks = block_count(n, tile_size);
  tiles_ = Buffer<float>(blocks * (blocks + 1) / 2 * packed_tile_entries);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(
      run, blocks,
      [&](Index task, int worker) {
        const Index b = blocks - 1 - task;  // the longest first
        const IndexRange rows = block_range(n, tile_size, b);
        for (Index c = 0; c <= b; ++c) {
          run.check_stop();
          const IndexRange columns = block_range(n, tile_size, c);
          float* const to = tiles_.data() + packed_tile_number(b, c) * packed_tile_entries;
          single_->fill(rows, columns, {to, rows.size(), columns.size()}, workspaces[worker]);
        }
      },
      "kernel matrix");
}

const float* SinglePrecisionGram::tile_data(Index block_row, Index block_column) const {
  return tiles_.data() + packed_tile_number(block_row, block_column) * packed_tile_entries;
}

void SinglePrecisionGram::multiply(ConstMatrixView<double> v, MatrixView<double> out, const Run& run) const {
  Matrix<float> rounded(v.rows(), v.columns());
  for (Index i = 0; i < v.rows(); ++i) {
    std::transform(v.row_data(i), v.row_data(i) + v.columns(), rounded.view().row_data(i),
                   [](double value) { return static_cast<float>(value); });
  }
  Matrix<float> product(out.rows(), out.columns());
  if (tiles_.size() > 0) {
    // Only tiles on and below the diagonal are asked for where the sums of several threads fit their memory; the others
    // are the transposed ones.
    const TileFiller<float> copy = [this](IndexRange rows, IndexRange columns, MatrixView<float> to, Workspace&) {
      const bool below = rows.begin >= columns.begin;
      const float* const from = below ? tile_data(rows.begin / tile_size, columns.begin / tile_size)
                                      : tile_data(columns.begin / tile_size, rows.begin / tile_size);
      if (below) {
        for (Index i = 0; i < rows.size(); ++i) {
          std::copy_n(from + i * columns.size(), columns.size(), to.row_data(i));
        }
        return;
      }
      for (Index i = 0; i < rows.size(); ++i) {
        for (Index j = 0; j < columns.size(); ++j) {
          to(i, j) = from[j * rows.size() + i];
        }
      }
    };
    multiply_symmetric<float>(size(), copy, rounded.view(), product.view(), run);
  } else {
    single_->multiply(rounded.view(), product.view(), run);
  }
  for (Index i = 0; i < out.rows(); ++i) {
    std::copy_n(product.view().row_data(i), out.columns(), out.row_data(i));
  }
}

}  // namespace mercer
