#include "mercer/gram/kernel_gram.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"

namespace mercer {

namespace {

// Copies the entries below the diagonal of a block to their mirror places, in squares that stay in cache.
template <class T>
void mirror(MatrixView<T> k, IndexRange rows, IndexRange columns) {
  constexpr Index square = 16;
  for (Index i0 = rows.begin; i0 < rows.end; i0 += square) {
    for (Index j0 = columns.begin; j0 < columns.end; j0 += square) {
      for (Index i = i0; i < std::min(i0 + square, rows.end); ++i) {
        for (Index j = j0; j < std::min({j0 + square, columns.end, i}); ++j) {
          k(j, i) = k(i, j);
        }
      }
    }
  }
}

// The b-th pair (row block, column block) on or below the diagonal, row by row.
struct BlockPair {
  Index row;
  Index column;
};
BlockPair block_pair(Index b) {
  auto row = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(b) + 1.0) - 1.0) / 2.0);
  while (row * (row + 1) / 2 > b) {
    --row;
  }
  while ((row + 1) * (row + 2) / 2 <= b) {
    ++row;
  }
  return {row, b - row * (row + 1) / 2};
}

}  // namespace

template <class T>
KernelGram<T>::KernelGram(std::shared_ptr<const PreparedKernel> kernel) : kernel_(std::move(kernel)) {
  require_precision<T>(*kernel_);
}

template <class T>
Index KernelGram<T>::size() const {
  return kernel_->reference().size();
}

template <class T>
void KernelGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const {
  fill_block(kernel_->kernel(), kernel_->reference(), rows, kernel_->reference(), columns, out, workspace);
}

template <class T>
void KernelGram<T>::diagonal(std::span<double> out) const {
  kernel_->kernel().node().diagonal(kernel_->reference(), {0, size()}, out);
}

template <class T>
void KernelGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  const std::shared_ptr<const Prepared> listed = kernel_->prepare(kernel_->reference().all().select(list), run.quiet());
  evaluate_block(kernel_->kernel(), *listed, kernel_->reference(), out, run);
}

template <class T>
void KernelGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                  const Run& run) const {
  const Samples& all = kernel_->reference().all();
  const std::shared_ptr<const Prepared> listed = kernel_->prepare(all.select(rows), run.quiet());
  const std::shared_ptr<const Prepared> others = kernel_->prepare(all.select(columns), run.quiet());
  evaluate_block(kernel_->kernel(), *listed, *others, out, run);
}

template <class T>
void evaluate_gram(const PreparedKernel& kernel, Triangle triangle, MatrixView<T> out, const Run& run) {
  require_precision<T>(kernel);
  const Index n = kernel.reference().size();
  if (out.rows() != n || out.columns() != n) {
    throw InvalidArgument("a matrix of " + std::to_string(out.rows()) + " by " + std::to_string(out.columns()) +
                          " for the Gram matrix of " + std::to_string(n) + " samples");
  }
  const Index blocks = block_count(n, tile_size);
  std::vector<Workspace> workspaces(static_cast<std::size_t>(run.threads()));
  parallel_for_workers(
      run, blocks * (blocks + 1) / 2,
      [&](Index b, int worker) {
        const BlockPair pair = block_pair(b);
        const IndexRange rows = block_range(n, tile_size, pair.row);
        const IndexRange columns = block_range(n, tile_size, pair.column);
        fill_block(kernel.kernel(), kernel.reference(), rows, kernel.reference(), columns, out.block(rows, columns),
                   workspaces[static_cast<std::size_t>(worker)]);
        if (triangle == Triangle::both || pair.row == pair.column) {
          mirror(out, rows, columns);
        }
      },
      "kernel matrix");
}

template <class T>
DenseGram<T>::DenseGram(const PreparedKernel& kernel, const Run& run)
    : matrix_(kernel.reference().size(), kernel.reference().size()) {
  evaluate_gram<T>(kernel, Triangle::both, matrix_.view(), run);
}

template <class T>
DenseGram<T>::DenseGram(Matrix<T> matrix) : matrix_(std::move(matrix)) {
  if (matrix_.rows() != matrix_.columns()) {
    throw DataError("a precomputed kernel matrix must be square, this one is " + std::to_string(matrix_.rows()) +
                    " by " + std::to_string(matrix_.columns()));
  }
  T largest = 0;
  for (Index i = 0; i < size(); ++i) {
    for (Index j = 0; j < size(); ++j) {
      if (!std::isfinite(matrix_(i, j))) {
        throw DataError("the precomputed kernel matrix has no finite number in row " + std::to_string(i) + ", column " +
                        std::to_string(j) + " (counted from 0)");
      }
      largest = std::max(largest, std::abs(matrix_(i, j)));
    }
  }
  for (Index i = 0; i < size(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(matrix_(i, j) - matrix_(j, i)) > T(1e-6) * largest) {
        throw DataError("the precomputed kernel matrix is not symmetric: entries (" + std::to_string(i) + ", " +
                        std::to_string(j) + ") and (" + std::to_string(j) + ", " + std::to_string(i) + ") differ");
      }
      const T mean = matrix_(i, j) / 2 + matrix_(j, i) / 2;
      matrix_(i, j) = mean;
      matrix_(j, i) = mean;
    }
  }
}

template <class T>
void DenseGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& /*workspace*/) const {
  for (Index i = 0; i < rows.size(); ++i) {
    std::copy_n(matrix_.view().row_data(rows.begin + i) + columns.begin, columns.size(), out.row_data(i));
  }
}

template <class T>
void DenseGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                 const Run& /*run*/) const {
  for (Index a = 0; a < out.rows(); ++a) {
    const T* const from = matrix_.view().row_data(rows[static_cast<std::size_t>(a)]);
    for (Index b = 0; b < out.columns(); ++b) {
      out(a, b) = from[columns[static_cast<std::size_t>(b)]];
    }
  }
}

template <class T>
void DenseGram<T>::diagonal(std::span<double> out) const {
  for (Index i = 0; i < size(); ++i) {
    out[static_cast<std::size_t>(i)] = static_cast<double>(matrix_(i, i));
  }
}

template class KernelGram<float>;
template class KernelGram<double>;
template class DenseGram<float>;
template class DenseGram<double>;
template void evaluate_gram(const PreparedKernel&, Triangle, MatrixView<float>, const Run&);
template void evaluate_gram(const PreparedKernel&, Triangle, MatrixView<double>, const Run&);

}  // namespace mercer
