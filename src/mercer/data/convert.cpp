// Conversions between float and double, sparse and dense; the rows stay the same samples.
#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/data/samples.h"

namespace mercer {

namespace {

template <class T, class S>
Samples dense_from(const DenseRows<S>& rows) {
  Matrix<T> copy(rows.rows, rows.columns);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      copy(i, j) = static_cast<T>(rows(i, j));
    }
  }
  return make_dense(std::move(copy));
}

template <class T, class S>
Samples dense_from(const SparseRows<S>& rows) {
  auto copy = Matrix<T>::filled(rows.rows, rows.columns, T{0});
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      copy(i, rows.column_numbers[p]) = static_cast<T>(rows.values[p]);
    }
  }
  return make_dense(std::move(copy));
}

template <class T, class S>
Samples sparse_from(const SparseRows<S>& rows) {
  struct Memory {
    Buffer<T> values;
    Buffer<std::int32_t> column_numbers;
    Buffer<std::int64_t> offsets;
  };
  const std::int64_t begin = rows.rows > 0 ? rows.offsets[0] : 0;
  const std::int64_t count = rows.rows > 0 ? rows.offsets[rows.rows] - begin : 0;
  const auto memory = std::make_shared<Memory>(
      Memory{Buffer<T>(count), Buffer<std::int32_t>(count), Buffer<std::int64_t>(rows.rows + 1)});
  std::transform(rows.values + begin, rows.values + begin + count, memory->values.data(),
                 [](S value) { return static_cast<T>(value); });
  std::copy_n(rows.column_numbers + begin, count, memory->column_numbers.data());
  memory->offsets.data()[0] = 0;
  for (Index i = 0; i < rows.rows; ++i) {
    memory->offsets.data()[i + 1] = rows.offsets[i + 1] - begin;
  }
  return Samples(SparseRows<T>{memory->values.data(), memory->column_numbers.data(), memory->offsets.data(), rows.rows,
                               rows.columns},
                 memory);
}

// `convert` for the numeric block, everything else as it is.
template <class Convert>
Samples convert_table(const Table& table, const Convert& convert) {
  return make_table(table.with(convert(table.numeric())));
}

}  // namespace

template <class T>
Samples to_dense(const Samples& samples) {
  const Samples result = std::visit(
      [&]<class R>(const R& rows) {
        if constexpr (std::is_same_v<R, DenseRows<T>>) {
          return rows.column_stride == 1 && rows.row_stride >= rows.columns ? samples : dense_from<T>(rows);
        } else if constexpr (std::is_same_v<R, std::shared_ptr<const Table>>) {
          return convert_table(*rows, to_dense<T>);
        } else if constexpr (requires { rows.columns; }) {
          return dense_from<T>(rows);
        } else {
          return samples;
        }
      },
      samples.rows());
  return result.with_identity_of(samples);
}

template <class T>
Samples to_precision(const Samples& samples) {
  const Samples result = std::visit(
      [&]<class R>(const R& rows) {
        if constexpr (std::is_same_v<R, DenseRows<T>> || std::is_same_v<R, SparseRows<T>>) {
          return samples;
        } else if constexpr (std::is_same_v<R, std::shared_ptr<const Table>>) {
          return convert_table(*rows, to_precision<T>);
        } else if constexpr (requires { rows.column_stride; }) {
          return dense_from<T>(rows);
        } else if constexpr (requires { rows.column_numbers; }) {
          return sparse_from<T>(rows);
        } else {
          return samples;
        }
      },
      samples.rows());
  return result.with_identity_of(samples);
}

template Samples to_dense<float>(const Samples&);
template Samples to_dense<double>(const Samples&);
template Samples to_precision<float>(const Samples&);
template Samples to_precision<double>(const Samples&);

}  // namespace mercer
