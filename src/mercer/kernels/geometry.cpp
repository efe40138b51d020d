#include "mercer/kernels/geometry.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/simd.h"
#include "mercer/kernels/fitting_kernels.h"
#include "mercer/kernels/sparse_products.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

void require_real_vectors(const Samples& samples) {
  if (!samples.is_numeric()) {
    throw InvalidArgument("this kernel compares real vectors, but the samples are " +
                          std::string(to_string(samples.kind())) +
                          "; kernels for these: " + std::string(fitting_kernels(samples.kind())) +
                          ". Numeric columns of a table are chosen with a subscript, such as rbf()[age, bmi]");
  }
}

constexpr Index row_block = 1024;

// Σ (x − x_0) and Σ (x − x_0)² per column, x_0 the first row.
struct ColumnSums {
  std::vector<double> first;
  std::vector<double> squares;
};

template <class T>
ColumnSums column_sums(const DenseRows<T>& rows, const GeometryFrame& frame, const Run& run) {
  const auto d = static_cast<std::size_t>(frame.dimension());
  const Index blocks = block_count(rows.rows, row_block);
  std::vector<ColumnSums> sums(blocks, {std::vector<double>(d, 0.0), std::vector<double>(d, 0.0)});
  parallel_for(run, blocks, [&](Index b) {
    const IndexRange range = block_range(rows.rows, row_block, b);
    ColumnSums& sum = sums[b];
    for (Index i = range.begin; i < range.end; ++i) {
      for (std::size_t k = 0; k < d; ++k) {
        const Index column = frame.column(static_cast<Index>(k));
        const double difference = static_cast<double>(rows(i, column)) - static_cast<double>(rows(0, column));
        sum.first[k] += difference;
        sum.squares[k] += difference * difference;
      }
    }
  });
  ColumnSums total{std::vector<double>(d, 0.0), std::vector<double>(d, 0.0)};
  for (const ColumnSums& sum : sums) {
    for (std::size_t k = 0; k < d; ++k) {
      total.first[k] += sum.first[k];
      total.squares[k] += sum.squares[k];
    }
  }
  return total;
}

// The mean, to a multiple of a power of two near the deviation; 0 where it is no larger than that.
double center_of(double origin, double mean_difference, double mean_square) {
  const double mean = origin + mean_difference;
  const double deviation = std::sqrt(std::max(0.0, mean_square - mean_difference * mean_difference));
  if (!std::isfinite(mean) || !std::isfinite(deviation) || std::abs(mean) <= deviation) {
    return 0;  // rows that are not finite are refused; sums that overflowed cannot help
  }
  if (deviation == 0) {
    return origin;
  }
  const double step = std::ldexp(1.0, std::ilogb(deviation));
  const double rounded = std::round(mean / step) * step;
  return std::isfinite(rounded) ? rounded : mean;
}

template <class T>
std::vector<double> center_columns(const DenseRows<T>& rows, const GeometryFrame& frame, const Run& run) {
  const auto d = static_cast<std::size_t>(frame.dimension());
  std::vector<double> center(d, 0.0);
  if (rows.rows == 0) {
    return center;
  }
  const ColumnSums sums = column_sums(rows, frame, run);
  const auto n = static_cast<double>(rows.rows);
  for (std::size_t k = 0; k < d; ++k) {
    const double origin = static_cast<double>(rows(0, frame.column(static_cast<Index>(k))));
    center[k] = center_of(origin, sums.first[k] / n, sums.squares[k] / n);
  }
  return center;
}

template <class T>
std::vector<double> center_columns(const SparseRows<T>& /*rows*/, const GeometryFrame& /*frame*/, const Run& /*run*/) {
  return {};
}

[[noreturn]] void refuse_value(Index row, Index column, double value) {
  throw DataError("row " + std::to_string(row) + ", column " + std::to_string(column) + " is " +
                  (std::isnan(value) ? "NaN" : "infinite or too large for the chosen precision") +
                  " (counted from 0); kernels need finite numbers");
}

}  // namespace

GeometryFrame make_frame(const Samples& reference, const GeometryKey& key, GeometryUse use, const Run& run) {
  GeometryFrame frame;
  frame.key = key;
  frame.columns = reference.columns();
  if (!key.weights.empty() && static_cast<Index>(key.weights.size()) != frame.columns) {
    throw InvalidArgument("a list of " + std::to_string(key.weights.size()) + " length scales for " +
                          std::to_string(frame.columns) + " columns: give one number, or one per column");
  }
  for (std::size_t j = 0; j < key.weights.size(); ++j) {
    if (key.weights[j] != 0) {
      frame.kept_columns.push_back(static_cast<Index>(j));
    }
  }
  if (use.distances && !key.exact) {
    require_real_vectors(reference);
    visit_numeric(reference, [&](const auto& rows) { frame.center = center_columns(rows, frame, run); });
  }
  return frame;
}

template <class T>
Geometry<T>::Geometry(const Samples& samples, std::shared_ptr<const GeometryFrame> frame, const Run& run)
    : frame_(std::move(frame)), size_(samples.size()) {
  if (samples.columns() != frame_->columns) {
    throw DataError("samples with " + std::to_string(samples.columns()) +
                    " columns where the kernel was prepared for " + std::to_string(frame_->columns));
  }
  require_real_vectors(samples);
  const auto n = static_cast<std::size_t>(size_);
  squared_norms_.resize(n);
  squared_lengths_.resize(n);
  if (!frame_->center.empty()) {
    product_shifts_.resize(n);
  }
  visit_numeric(samples, [&]<class Source>(const Source& source) {
    if constexpr (requires { source.offsets; }) {
      is_sparse_ = frame_->center.empty();
      if (is_sparse_) {
        fill_sparse(source);
        return;
      }
    }
    fill_dense(source, run);
  });
}

template <class T>
double Geometry<T>::weight_of(Index column) const {
  return frame_->key.weights.empty() ? 1.0 : frame_->key.weights[column];
}

template <class T>
void Geometry<T>::finish_row(Index i, double squared_norm, double center_product, double squared_length) {
  const auto at = static_cast<std::size_t>(i);
  if (!std::isfinite(static_cast<T>(squared_norm))) {
    throw DataError("row " + std::to_string(i) +
                    " (counted from 0) is so large that its squared length overflows; scale the data");
  }
  squared_norms_[at] = static_cast<T>(squared_norm);
  squared_lengths_[at] = squared_length;
  if (!product_shifts_.empty()) {
    product_shifts_[at] = static_cast<T>(center_product);
  }
}

template <class T>
template <class Source>
void Geometry<T>::fill_dense(const Source& source, const Run& run) {
  rows_ = Matrix<T>(size_, dimension());
  double center_length = 0;
  for (std::size_t k = 0; k < frame_->center.size(); ++k) {
    const double weighted = weight_of(frame_->column(static_cast<Index>(k))) * frame_->center[k];
    center_length += weighted * weighted;
  }
  parallel_for(run, block_count(size_, row_block), [&](Index b) {
    const IndexRange range = block_range(size_, row_block, b);
    std::vector<double> values(frame_->columns);
    for (Index i = range.begin; i < range.end; ++i) {
      fill_dense_row(source, i, center_length, values);
    }
  });
}

template <class T>
template <class Source>
void Geometry<T>::fill_dense_row(const Source& source, Index i, double center_length, std::span<double> values) {
  read_row(source, i, values);
  T* const row = rows_.view().row_data(i);
  double norm = 0;
  double product = 0;
  double length = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimension()); ++k) {
    const Index column = frame_->column(static_cast<Index>(k));
    const double weight = weight_of(column);
    const double value = weight * values[column];
    const double center = frame_->center.empty() ? 0.0 : weight * frame_->center[k];
    const T entry = static_cast<T>(value - center);
    if (!std::isfinite(entry)) {
      refuse_value(i, column, values[column]);
    }
    row[k] = entry;
    norm += static_cast<double>(entry) * static_cast<double>(entry);
    product += center * value;
    length += value * value;
  }
  finish_row(i, norm, product - center_length / 2, length);
}

template <class T>
template <class Source>
void Geometry<T>::fill_sparse(const Source& source) {
  // Without weights columns keep their numbers, and nothing here grows with how many a file claims to have.
  std::vector<std::int32_t> new_number(frame_->key.weights.size(), -1);
  for (std::size_t k = 0; k < frame_->kept_columns.size(); ++k) {
    new_number[frame_->kept_columns[k]] = static_cast<std::int32_t>(k);
  }
  const auto nonzeros = static_cast<std::size_t>(source.offsets[source.rows] - source.offsets[0]);
  values_.reserve(nonzeros);
  column_numbers_.reserve(nonzeros);
  offsets_.assign(1, 0);
  offsets_.reserve(static_cast<std::size_t>(size_) + 1);
  for (Index i = 0; i < size_; ++i) {
    double norm = 0;
    for (std::int64_t at = source.offsets[i]; at < source.offsets[i + 1]; ++at) {
      const Index column = source.column_numbers[at];
      const auto number = new_number.empty() ? static_cast<std::int32_t>(column) : new_number[column];
      if (number < 0) {
        continue;
      }
      const double value = static_cast<double>(source.values[at]);
      const T entry = static_cast<T>(weight_of(column) * value);
      if (!std::isfinite(entry)) {
        refuse_value(i, column, value);
      }
      values_.push_back(entry);
      column_numbers_.push_back(number);
      norm += static_cast<double>(entry) * static_cast<double>(entry);
    }
    offsets_.push_back(static_cast<std::int64_t>(values_.size()));
    finish_row(i, norm, 0, norm);
  }
}

template <class T>
SparseRows<T> Geometry<T>::sparse_rows() const {
  return {values_.data(), column_numbers_.data(), offsets_.data(), size_, dimension()};
}

template <class T>
void Geometry<T>::dense_row(Index i, std::span<T> out) const {
  if (is_sparse_) {
    read_row(sparse_rows(), i, out);
  } else {
    std::copy_n(rows_.view().row_data(i), dimension(), out.data());
  }
}

template <class T>
void inner_products(const Geometry<T>& x, IndexRange rows, const Geometry<T>& y, IndexRange columns,
                    Workspace& workspace, MatrixView<T> out) {
  if (x.is_sparse() || y.is_sparse()) {
    sparse_inner_products(x, rows, y, columns, workspace, out);
  } else if (x.dimension() == 0) {
    for (Index i = 0; i < out.rows(); ++i) {
      std::fill_n(out.row_data(i), out.columns(), T(0));
    }
  } else {
    gemm(T(1), x.rows().row_block(rows), Transpose::no, y.rows().row_block(columns), Transpose::yes, T(0), out);
  }
}

namespace {

// Σ (x_c − y_c)², sixteen sums side by side: vector instructions without a licence to reorder.
template <class T>
MERCER_INLINE T squared_difference_body(const T* x, const T* y, Index count) {
  constexpr Index lanes = 16;
  T sums[lanes] = {};
  Index c = 0;
  for (; c + lanes <= count; c += lanes) {
    for (Index lane = 0; lane < lanes; ++lane) {
      const T difference = x[c + lane] - y[c + lane];
      sums[lane] += difference * difference;
    }
  }
  for (; c < count; ++c) {
    const T difference = x[c] - y[c];
    sums[c % lanes] += difference * difference;
  }
  T total = 0;
  for (const T sum : sums) {
    total += sum;
  }
  return total;
}
MERCER_CLONES float dense_squared_difference(const float* x, const float* y, Index count) {
  return squared_difference_body(x, y, count);
}
MERCER_CLONES double dense_squared_difference(const double* x, const double* y, Index count) {
  return squared_difference_body(x, y, count);
}

// Both lists of columns ascend.
template <class T>
T sparse_squared_difference(const SparseRows<T>& x, Index i, const SparseRows<T>& y, Index j) {
  std::int64_t a = x.offsets[i];
  std::int64_t b = y.offsets[j];
  const std::int64_t a_end = x.offsets[i + 1];
  const std::int64_t b_end = y.offsets[j + 1];
  T total = 0;
  while (a < a_end || b < b_end) {
    T difference = 0;
    const bool in_x = a < a_end && (b == b_end || x.column_numbers[a] <= y.column_numbers[b]);
    const bool in_y = b < b_end && (a == a_end || y.column_numbers[b] <= x.column_numbers[a]);
    difference += in_x ? x.values[a] : T(0);
    difference -= in_y ? y.values[b] : T(0);
    a += in_x ? 1 : 0;
    b += in_y ? 1 : 0;
    total += difference * difference;
  }
  return total;
}

}  // namespace

template <class T>
T squared_difference(const Geometry<T>& x, Index i, const Geometry<T>& y, Index j) {
  if (!x.is_sparse() && !y.is_sparse()) {
    return dense_squared_difference(x.rows().row_data(i), y.rows().row_data(j), x.dimension());
  }
  if (x.is_sparse() && y.is_sparse()) {
    return sparse_squared_difference(x.sparse_rows(), i, y.sparse_rows(), j);
  }
  std::vector<T> x_row(x.dimension());
  std::vector<T> y_row(x_row.size());
  x.dense_row(i, x_row);
  y.dense_row(j, y_row);
  return dense_squared_difference(x_row.data(), y_row.data(), x.dimension());
}

template class Geometry<float>;
template class Geometry<double>;
template float squared_difference(const Geometry<float>&, Index, const Geometry<float>&, Index);
template double squared_difference(const Geometry<double>&, Index, const Geometry<double>&, Index);
template void inner_products(const Geometry<float>&, IndexRange, const Geometry<float>&, IndexRange, Workspace&,
                             MatrixView<float>);
template void inner_products(const Geometry<double>&, IndexRange, const Geometry<double>&, IndexRange, Workspace&,
                             MatrixView<double>);

}  // namespace mercer
