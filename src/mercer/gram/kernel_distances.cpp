#include "mercer/gram/kernel_distances.h"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/kernel_node.h"

namespace mercer {

template <class T>
DistanceGram<T>::DistanceGram(std::shared_ptr<const Gram<T>> gram, DistancePower power)
    : gram_(std::move(gram)), power_(power), diagonal_(static_cast<std::size_t>(gram_->size())) {
  gram_->diagonal(diagonal_);
}

template <class T>
T DistanceGram<T>::distance(Index i, Index j, T kernel_value) const {
  if (i == j) {
    return T(0);
  }
  const double squared = std::max(0.0, diagonal_[i] + diagonal_[j] - 2 * static_cast<double>(kernel_value));
  return static_cast<T>(power_ == DistancePower::squared ? squared : std::sqrt(squared));
}

template <class T>
void DistanceGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const {
  gram_->fill(rows, columns, out, workspace);
  for (Index i = rows.begin; i < rows.end; ++i) {
    T* values = out.row_data(i - rows.begin);
    for (Index j = columns.begin; j < columns.end; ++j) {
      values[j - columns.begin] = distance(i, j, values[j - columns.begin]);
    }
  }
}

template <class T>
void DistanceGram<T>::diagonal(std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
}

template <class T>
void DistanceGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  gram_->rows(list, out, run);
  for (Index a = 0; a < out.rows(); ++a) {
    for (Index j = 0; j < out.columns(); ++j) {
      out(a, j) = distance(list[a], j, out(a, j));
    }
  }
}

template <class T>
void DistanceGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                    const Run& run) const {
  gram_->gather(rows, columns, out, run);
  for (Index a = 0; a < out.rows(); ++a) {
    for (Index b = 0; b < out.columns(); ++b) {
      out(a, b) = distance(rows[a], columns[b], out(a, b));
    }
  }
}

std::vector<double> kernel_diagonal(const PreparedKernel& kernel, const Samples& samples, const Run& run) {
  constexpr Index rows_at_once = 8192;
  std::vector<double> values(samples.size());
  for (Index b = 0; b < block_count(samples.size(), rows_at_once); ++b) {
    const IndexRange range = block_range(samples.size(), rows_at_once, b);
    const std::shared_ptr<const Prepared> rows = kernel.prepare(samples.slice(range), run);
    kernel.kernel().node().diagonal(
        *rows, {0, range.size()},
        std::span(values).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())));
  }
  return values;
}

template class DistanceGram<float>;
template class DistanceGram<double>;

}  // namespace mercer
