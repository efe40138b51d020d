#include "mercer/kernels/sparse_products.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "mercer/base/simd.h"

namespace mercer {

namespace {

constexpr Index lanes = 32;

// Vectors of the compiler; the loops over them have fixed lengths and vanish, so that the sums live in registers.
constexpr Index vector_bytes = 32;
template <class T>
struct Vector;
template <>
struct Vector<float> {
  using Type = float __attribute__((vector_size(vector_bytes)));
};
template <>
struct Vector<double> {
  using Type = double __attribute__((vector_size(vector_bytes)));
};

template <class T>
MERCER_INLINE void add_entry(T value, const T* column, typename Vector<T>::Type* total) {
  constexpr Index width = vector_bytes / static_cast<Index>(sizeof(T));
#pragma GCC unroll 8
  for (Index k = 0; k < lanes / width; ++k) {
    typename Vector<T>::Type entries;
    std::memcpy(&entries, column + k * width, sizeof(entries));
    total[k] += value * entries;
  }
}

// sums[lane] = Σ value · scattered[column][lane] over one row's nonzeros; the first `kept` of the sums are stored.
template <class T>
MERCER_INLINE void row_products_body(const T* values, const std::int32_t* columns, Index count, const T* scattered,
                                     Index kept, T* sums) {
  using V = typename Vector<T>::Type;
  constexpr Index width = vector_bytes / static_cast<Index>(sizeof(T));
  constexpr Index vectors = lanes / width;
  // Two sums per vector: one alone would wait for the last multiply-add all the time.
  V total[vectors] = {};
  V other[vectors] = {};
  Index at = 0;
  for (; at + 2 <= count; at += 2) {
    add_entry<T>(values[at], scattered + static_cast<Index>(columns[at]) * lanes, total);
    add_entry<T>(values[at + 1], scattered + static_cast<Index>(columns[at + 1]) * lanes, other);
  }
  if (at < count) {
    add_entry<T>(values[at], scattered + static_cast<Index>(columns[at]) * lanes, total);
  }
#pragma GCC unroll 8
  for (Index k = 0; k < vectors; ++k) {
    total[k] += other[k];
  }
  if (kept == lanes) {
    std::memcpy(sums, total, lanes * sizeof(T));
  } else {
    std::memcpy(sums, total, static_cast<std::size_t>(kept) * sizeof(T));
  }
}

// A sparse row of x against a group of scattered rows of y: what one call of the compiled loops works on.
template <class T>
struct SparseSide {
  const T* values;
  const std::int32_t* columns;
  const std::int64_t* offsets;
};

template <class T>
MERCER_INLINE void group_products_body(const SparseSide<T>& x, IndexRange rows, const T* scattered, Index kept, T* out,
                                       Index stride) {
  for (Index i = rows.begin; i < rows.end; ++i) {
    const auto begin = x.offsets[i];
    row_products_body(x.values + begin, x.columns + begin, x.offsets[i + 1] - begin, scattered, kept,
                      out + (i - rows.begin) * stride);
  }
}
MERCER_CLONES void group_products(const SparseSide<float>& x, IndexRange rows, const float* scattered, Index kept,
                                  float* out, Index stride) {
  group_products_body(x, rows, scattered, kept, out, stride);
}
MERCER_CLONES void group_products(const SparseSide<double>& x, IndexRange rows, const double* scattered, Index kept,
                                  double* out, Index stride) {
  group_products_body(x, rows, scattered, kept, out, stride);
}
MERCER_CLONES void row_products(const float* values, const std::int32_t* columns, Index count, const float* scattered,
                                Index kept, float* sums) {
  row_products_body(values, columns, count, scattered, kept, sums);
}
MERCER_CLONES void row_products(const double* values, const std::int32_t* columns, Index count, const double* scattered,
                                Index kept, double* sums) {
  row_products_body(values, columns, count, scattered, kept, sums);
}

// The entries of row i as (columns, values), all columns where the side is dense.
template <class T>
struct RowEntries {
  std::span<const T> values;
  std::span<const std::int32_t> columns;
};

template <class T>
class RowReader {
 public:
  explicit RowReader(const Geometry<T>& side) : side_(side) {
    if (!side.is_sparse()) {
      all_columns_.resize(side.dimension());
      for (std::size_t c = 0; c < all_columns_.size(); ++c) {
        all_columns_[c] = static_cast<std::int32_t>(c);
      }
    }
  }
  RowEntries<T> operator()(Index i) const {
    if (!side_.is_sparse()) {
      return {side_.rows().row(i), all_columns_};
    }
    const SparseRows<T> rows = side_.sparse_rows();
    const auto begin = rows.offsets[i];
    const auto count = static_cast<std::size_t>(rows.offsets[i + 1] - begin);
    return {{rows.values + begin, count}, {rows.column_numbers + begin, count}};
  }

 private:
  const Geometry<T>& side_;
  std::vector<std::int32_t> all_columns_;
};

// Rows with so many columns that scattering would need more than this are compared entry by entry.
constexpr Index scatter_bytes = Index{256} << 20;

template <class T>
T merged_product(const RowEntries<T>& a, const RowEntries<T>& b) {
  T sum = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.columns.size() && j < b.columns.size()) {
    if (a.columns[i] == b.columns[j]) {
      sum += a.values[i++] * b.values[j++];
    } else if (a.columns[i] < b.columns[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

}  // namespace

bool worth_densifying(const Samples& samples) {
  constexpr double dense_part = 0.4;  // measured: up to there scattered products take less time than dense ones
  constexpr Index widest = 4096;
  if (samples.kind() != SampleKind::sparse || samples.columns() > widest) {
    return false;
  }
  const double stored = visit_numeric(samples, [](const auto& rows) -> double {
    if constexpr (requires { rows.column_numbers; }) {
      return static_cast<double>(rows.offsets[rows.rows] - rows.offsets[0]);
    } else {
      return 0;
    }
  });
  const double all = static_cast<double>(samples.size()) * static_cast<double>(samples.columns());
  return stored / std::max(1.0, all) > dense_part;
}

template <class T>
void sparse_inner_products(const Geometry<T>& x, IndexRange rows, const Geometry<T>& y, IndexRange columns,
                           Workspace& workspace, MatrixView<T> out) {
  const RowReader<T> x_row(x);
  const RowReader<T> y_row(y);
  if (x.dimension() * lanes * static_cast<Index>(sizeof(T)) > scatter_bytes) {
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index j = 0; j < columns.size(); ++j) {
        out(i, j) = merged_product(x_row(rows.begin + i), y_row(columns.begin + j));
      }
    }
    return;
  }
  std::vector<T>& scattered = workspace.zeros<T>(y.dimension() * lanes);
  for (Index first = columns.begin; first < columns.end; first += lanes) {
    const Index count = std::min(lanes, columns.end - first);
    for (Index lane = 0; lane < count; ++lane) {
      const RowEntries<T> entries = y_row(first + lane);
      for (std::size_t at = 0; at < entries.values.size(); ++at) {
        scattered[entries.columns[at] * lanes + lane] = entries.values[at];
      }
    }
    T* const sums = out.data() + (first - columns.begin);
    if (x.is_sparse()) {
      const SparseRows<T> source = x.sparse_rows();
      group_products({source.values, source.column_numbers, source.offsets}, rows, scattered.data(), count, sums,
                     out.stride());
    } else {
      for (Index i = 0; i < rows.size(); ++i) {
        const RowEntries<T> entries = x_row(rows.begin + i);
        row_products(entries.values.data(), entries.columns.data(), static_cast<Index>(entries.values.size()),
                     scattered.data(), count, sums + i * out.stride());
      }
    }
    for (Index lane = 0; lane < count; ++lane) {
      for (const std::int32_t column : y_row(first + lane).columns) {
        scattered[column * lanes + lane] = T(0);
      }
    }
  }
}

template void sparse_inner_products(const Geometry<float>&, IndexRange, const Geometry<float>&, IndexRange, Workspace&,
                                    MatrixView<float>);
template void sparse_inner_products(const Geometry<double>&, IndexRange, const Geometry<double>&, IndexRange,
                                    Workspace&, MatrixView<double>);

}  // namespace mercer
