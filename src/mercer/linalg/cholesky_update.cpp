#include "mercer/linalg/cholesky_update.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

MatrixView<double> GrowingCholesky::grown(Index size) {
  if (size > storage_.rows()) {
    // Small ones double; large ones grow by a quarter, which is still O(n²) per row and wastes half of n² at most.
    const Index capacity = std::max(
        {size, storage_.rows() + std::max(std::min(storage_.rows(), Index{512}), storage_.rows() / 4), Index{16}});
    Matrix<double> larger(capacity, capacity);
    for (Index i = 0; i < size_; ++i) {
      std::copy_n(row_data(i), i + 1, larger.view().row_data(i));
    }
    storage_ = std::move(larger);
  }
  return storage_.view();
}

CholeskyStatus GrowingCholesky::append(std::span<const double> row, double diagonal) {
  assert(static_cast<Index>(row.size()) == size_);
  const MatrixView<double> storage = grown(size_ + 1);
  const std::span<double> solved(storage.row_data(size_), row.size());
  std::copy(row.begin(), row.end(), solved.begin());
  substitute(Transpose::no, solved);
  const double pivot = diagonal - dot(solved, solved);
  if (!(pivot > 0) || !std::isfinite(pivot)) {
    return {.ok = false, .failed_at = size_};
  }
  storage(size_, size_) = std::sqrt(pivot);
  ++size_;
  return {};
}

CholeskyStatus GrowingCholesky::append(ConstMatrixView<double> rows, ConstMatrixView<double> square, const Run& run) {
  const Index count = rows.rows();
  assert(rows.columns() == size_ && square.rows() == count && square.columns() == count);
  if (count == 0) {
    return {};
  }
  const MatrixView<double> storage = grown(size_ + count);
  const MatrixView<double> low = storage.block(size_, 0, count, size_);
  Matrix<double> columns(size_, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < size_; ++j) {
      columns(j, i) = rows(i, j);
    }
  }
  solve_lower<double>(factor(), Transpose::no, columns.view(), run);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < size_; ++j) {
      low(i, j) = columns(j, i);
    }
  }
  const MatrixView<double> corner = storage.block(size_, size_, count, count);
  for (Index i = 0; i < count; ++i) {
    std::copy_n(square.row_data(i), i + 1, corner.row_data(i));
  }
  parallel_syrk<double>(-1.0, low, Transpose::no, 1.0, corner, run);
  CholeskyStatus status = try_cholesky<double>(corner, run);
  if (!status.ok) {
    status.failed_at += size_;
    return status;
  }
  size_ += count;
  return {};
}

void GrowingCholesky::append_factored(std::span<const double> row, double pivot) {
  assert(static_cast<Index>(row.size()) == size_ && pivot > 0);
  const MatrixView<double> storage = grown(size_ + 1);
  std::copy(row.begin(), row.end(), storage.row_data(size_));
  storage(size_, size_) = pivot;
  ++size_;
}

void GrowingCholesky::remove(Index i) {
  assert(i >= 0 && i < size_);
  std::vector<double> below;
  for (Index k = i + 1; k < size_; ++k) {
    double* const row = row_data(k);
    below.push_back(row[i]);
    std::copy(row + i + 1, row + k + 1, row + i);
    std::copy_n(row, k, row_data(k - 1));
  }
  --size_;
  add_outer_product(i, below);
}

// L(begin:, begin:) becomes the factor of L L' + x x'. Row by row, because rows are contiguous: all rotations so far
// pass over the row, then its diagonal gives the next one.
void GrowingCholesky::add_outer_product(Index begin, std::span<double> x) {
  std::vector<double> cosines(x.size());
  std::vector<double> sines(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    double* const row = row_data(begin + static_cast<Index>(k)) + begin;
    double rest = x[k];
    for (std::size_t j = 0; j < k; ++j) {
      const double entry = row[j];
      row[j] = cosines[j] * entry + sines[j] * rest;
      rest = cosines[j] * rest - sines[j] * entry;
    }
    const double length = std::hypot(row[k], rest);
    cosines[k] = row[k] / length;
    sines[k] = rest / length;
    row[k] = length;
  }
}

void GrowingCholesky::substitute(Transpose transpose, std::span<double> x) const {
  assert(static_cast<Index>(x.size()) == size_);
  trsv(Uplo::lower, transpose, factor(), x);
}

}  // namespace mercer
