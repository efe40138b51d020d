#include "mercer/gram/kernel_gram.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/gram/tile_walk.h"
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

double mean_nonzeros(const Samples& samples) {
  return std::visit(
      [](const auto& rows) -> double {
        if constexpr (requires {
                        rows.offsets[0];
                        rows.values;
                      }) {
          return rows.rows == 0
                     ? 0.0
                     : static_cast<double>(rows.offsets[rows.rows] - rows.offsets[0]) / static_cast<double>(rows.rows);
        } else {
          return 0;
        }
      },
      samples.rows());
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

// Multiply-adds of one inner product and of a profile such as exp; a guess for what is not a vector.
double entry_work(const Samples& samples) {
  constexpr double profile = 16;
  constexpr double not_a_vector = 4096;
  constexpr double per_nonzero = 2;  // scattered rows reach about half the rate of dense ones
  if (!samples.is_numeric()) {
    return not_a_vector;
  }
  if (samples.kind() == SampleKind::sparse) {
    return profile + per_nonzero * mean_nonzeros(samples);
  }
  return profile + static_cast<double>(samples.columns());
}

}  // namespace

template <class T>
KernelGram<T>::KernelGram(std::shared_ptr<const PreparedKernel> kernel)
    : KernelGram(kernel, kernel->shared_reference()) {}

template <class T>
KernelGram<T>::KernelGram(std::shared_ptr<const PreparedKernel> kernel, std::shared_ptr<const Prepared> samples)
    : kernel_(std::move(kernel)), samples_(std::move(samples)) {
  require_precision<T>(*kernel_);
}

template <class T>
Index KernelGram<T>::size() const {
  return samples_->size();
}

template <class T>
void KernelGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const {
  fill_block(kernel_->kernel(), *samples_, rows, *samples_, columns, out, workspace);
}

template <class T>
void KernelGram<T>::diagonal(std::span<double> out) const {
  kernel_->kernel().node().diagonal(*samples_, {0, size()}, out);
}

template <class T>
std::shared_ptr<const Prepared> KernelGram<T>::listed(std::span<const Index> list, const Run& run) const {
  return kernel_->prepare(samples_->all().select(list), run.quiet());
}

template <class T>
std::shared_ptr<const Gram<T>> KernelGram<T>::make_subset(std::span<const Index> list, const Run& run) const {
  return std::make_shared<KernelGram<T>>(kernel_, listed(list, run));
}

template <class T>
double KernelGram<T>::work_per_entry() const {
  return entry_work(samples_->samples());
}

template <class T>
void KernelGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  evaluate_block(kernel_->kernel(), *listed(list, run), *samples_, out, run);
}

template <class T>
void KernelGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                  const Run& run) const {
  if (std::ranges::equal(rows, columns)) {
    evaluate_gram(kernel_->kernel(), *listed(rows, run), Triangle::both, out, run.quiet());
    return;
  }
  evaluate_block(kernel_->kernel(), *listed(rows, run), *listed(columns, run), out, run);
}

template <class T>
void KernelGram<T>::add_rows(std::span<const Index> list, std::span<const double> coefficients, std::span<double> out,
                             const Run& run) const {
  const std::shared_ptr<const Prepared> rows = listed(list, run);
  const auto filler = [&](IndexRange part, IndexRange columns, MatrixView<T> k, Workspace& workspace) {
    fill_block(kernel_->kernel(), *rows, part, *samples_, columns, k, workspace);
  };
  add_weighted_rows<T>(rows->size(), size(), filler, coefficients, out, run);
}

template <class T>
void evaluate_gram(const PreparedKernel& kernel, Triangle triangle, MatrixView<T> out, const Run& run) {
  require_precision<T>(kernel);
  evaluate_gram(kernel.kernel(), kernel.reference(), triangle, out, run);
}

template <class T>
void evaluate_gram(const Kernel& kernel, const Prepared& samples, Triangle triangle, MatrixView<T> out,
                   const Run& run) {
  const Index n = samples.size();
  if (out.rows() != n || out.columns() != n) {
    throw InvalidArgument("a matrix of " + std::to_string(out.rows()) + " by " + std::to_string(out.columns()) +
                          " for the Gram matrix of " + std::to_string(n) + " samples");
  }
  const Index edge = tile_edge(kernel);
  const Index blocks = block_count(n, edge);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(
      run, blocks * (blocks + 1) / 2,
      [&](Index b, int worker) {
        const BlockPair pair = block_pair(b);
        const IndexRange rows = block_range(n, edge, pair.row);
        const IndexRange columns = block_range(n, edge, pair.column);
        fill_block(kernel, samples, rows, samples, columns, out.block(rows, columns), workspaces[worker]);
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
    const T* const from = matrix_.view().row_data(rows[a]);
    for (Index b = 0; b < out.columns(); ++b) {
      out(a, b) = from[columns[b]];
    }
  }
}

template <class T>
void DenseGram<T>::diagonal(std::span<double> out) const {
  for (Index i = 0; i < size(); ++i) {
    out[i] = static_cast<double>(matrix_(i, i));
  }
}

template class KernelGram<float>;
template class KernelGram<double>;
template class DenseGram<float>;
template class DenseGram<double>;
template void evaluate_gram(const PreparedKernel&, Triangle, MatrixView<float>, const Run&);
template void evaluate_gram(const PreparedKernel&, Triangle, MatrixView<double>, const Run&);
template void evaluate_gram(const Kernel&, const Prepared&, Triangle, MatrixView<float>, const Run&);
template void evaluate_gram(const Kernel&, const Prepared&, Triangle, MatrixView<double>, const Run&);

}  // namespace mercer
