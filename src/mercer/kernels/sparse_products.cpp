#include "mercer/kernels/sparse_products.h"

#include <vector>

#include "mercer/base/simd.h"

namespace mercer {

namespace {

constexpr Index lanes = 16;

// sums[lane] += Σ value · scattered[column][lane] over one row's nonzeros.
template <class T>
inline void add_row_body(const T* values, const std::int32_t* columns, Index count, const T* scattered, T* sums) {
  T total[lanes] = {};
  for (Index at = 0; at < count; ++at) {
    const T value = values[at];
    const T* const column = scattered + static_cast<Index>(columns[at]) * lanes;
    for (Index lane = 0; lane < lanes; ++lane) {
      total[lane] += value * column[lane];
    }
  }
  for (Index lane = 0; lane < lanes; ++lane) {
    sums[lane] = total[lane];
  }
}

MERCER_CLONES void add_row(const float* values, const std::int32_t* columns, Index count, const float* scattered,
                           float* sums) {
  add_row_body(values, columns, count, scattered, sums);
}
MERCER_CLONES void add_row(const double* values, const std::int32_t* columns, Index count, const double* scattered,
                           double* sums) {
  add_row_body(values, columns, count, scattered, sums);
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
      all_columns_.resize(static_cast<std::size_t>(side.dimension()));
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
  std::vector<T>& scattered = workspace.zeros<T>(x.dimension() * lanes);
  T sums[lanes];
  for (Index first = rows.begin; first < rows.end; first += lanes) {
    const Index count = std::min(lanes, rows.end - first);
    for (Index lane = 0; lane < count; ++lane) {
      const RowEntries<T> entries = x_row(first + lane);
      for (std::size_t at = 0; at < entries.values.size(); ++at) {
        scattered[static_cast<std::size_t>(entries.columns[at] * lanes + lane)] = entries.values[at];
      }
    }
    for (Index j = 0; j < columns.size(); ++j) {
      const RowEntries<T> entries = y_row(columns.begin + j);
      add_row(entries.values.data(), entries.columns.data(), static_cast<Index>(entries.values.size()),
              scattered.data(), sums);
      for (Index lane = 0; lane < count; ++lane) {
        out(first - rows.begin + lane, j) = sums[lane];
      }
    }
    for (Index lane = 0; lane < count; ++lane) {
      for (const std::int32_t column : x_row(first + lane).columns) {
        scattered[static_cast<std::size_t>(column * lanes + lane)] = T(0);
      }
    }
  }
}

template void sparse_inner_products(const Geometry<float>&, IndexRange, const Geometry<float>&, IndexRange, Workspace&,
                                    MatrixView<float>);
template void sparse_inner_products(const Geometry<double>&, IndexRange, const Geometry<double>&, IndexRange,
                                    Workspace&, MatrixView<double>);

}  // namespace mercer
