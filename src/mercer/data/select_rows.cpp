// Samples::select and Samples::slice for every kind of rows.
#include <algorithm>
#include <tuple>

#include "mercer/base/error.h"
#include "mercer/data/samples.h"

namespace mercer {

namespace {

using RowNumbers = std::span<const Index>;

// Rows of variable length: where each chosen row starts in the copy.
Buffer<std::int64_t> gathered_offsets(const std::int64_t* offsets, RowNumbers numbers) {
  Buffer<std::int64_t> result(static_cast<Index>(numbers.size()) + 1);
  std::int64_t total = 0;
  std::int64_t* out = result.data();
  *out++ = 0;
  for (const Index i : numbers) {
    total += offsets[i + 1] - offsets[i];
    *out++ = total;
  }
  return result;
}

// The elements offsets[i] … offsets[i+1]-1 of every chosen row, one after the other.
template <class T>
Buffer<T> gathered(const T* elements, const std::int64_t* offsets, RowNumbers numbers, std::int64_t total) {
  Buffer<T> result(total);
  T* out = result.data();
  for (const Index i : numbers) {
    out = std::copy(elements + offsets[i], elements + offsets[i + 1], out);
  }
  return result;
}

template <class T>
Samples select_rows(const DenseRows<T>& rows, RowNumbers numbers) {
  Matrix<T> copy(static_cast<Index>(numbers.size()), rows.columns);
  T* out = copy.data();
  for (const Index i : numbers) {
    if (rows.column_stride == 1) {
      out = std::copy_n(rows.data + i * rows.row_stride, rows.columns, out);
    } else {
      for (Index j = 0; j < rows.columns; ++j) {
        *out++ = rows(i, j);
      }
    }
  }
  return make_dense(std::move(copy));
}

// Copies that live as long as the samples that view them.
template <class... T>
struct Owned {
  std::tuple<Buffer<T>...> buffers;
};

template <class T>
Samples select_rows(const SparseRows<T>& rows, RowNumbers numbers) {
  const auto count = static_cast<Index>(numbers.size());
  auto offsets = gathered_offsets(rows.offsets, numbers);
  const std::int64_t total = offsets.data()[count];
  auto values = gathered(rows.values, rows.offsets, numbers, total);
  auto columns = gathered(rows.column_numbers, rows.offsets, numbers, total);
  const SparseRows<T> view{values.data(), columns.data(), offsets.data(), count, rows.columns};
  using Memory = Owned<T, std::int32_t, std::int64_t>;
  return Samples(view, std::make_shared<Memory>(Memory{{std::move(values), std::move(columns), std::move(offsets)}}));
}

Samples select_rows(const StringRows& rows, RowNumbers numbers) {
  const auto count = static_cast<Index>(numbers.size());
  auto offsets = gathered_offsets(rows.offsets, numbers);
  auto bytes = gathered(rows.bytes, rows.offsets, numbers, offsets.data()[count]);
  const StringRows view{bytes.data(), offsets.data(), count};
  using Memory = Owned<char, std::int64_t>;
  return Samples(view, std::make_shared<Memory>(Memory{{std::move(bytes), std::move(offsets)}}));
}

Samples select_rows(const SetRows& rows, RowNumbers numbers) {
  const auto count = static_cast<Index>(numbers.size());
  auto offsets = gathered_offsets(rows.offsets, numbers);
  auto members = gathered(rows.members, rows.offsets, numbers, offsets.data()[count]);
  const SetRows view{members.data(), offsets.data(), count};
  using Memory = Owned<std::int32_t, std::int64_t>;
  return Samples(view, std::make_shared<Memory>(Memory{{std::move(members), std::move(offsets)}}));
}

Samples select_rows(const BagRows& rows, RowNumbers numbers) {
  const auto count = static_cast<Index>(numbers.size());
  auto offsets = gathered_offsets(rows.offsets, numbers);
  const Index dimension = rows.points.columns;
  const std::int64_t total = offsets.data()[count];
  Buffer<double> points(total * dimension);
  double* out = points.data();
  for (const Index i : numbers) {
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      for (Index j = 0; j < dimension; ++j) {
        *out++ = rows.points(p, j);
      }
    }
  }
  const BagRows view{{points.data(), total, dimension, dimension, 1}, offsets.data(), count};
  using Memory = Owned<double, std::int64_t>;
  return Samples(view, std::make_shared<Memory>(Memory{{std::move(points), std::move(offsets)}}));
}

Samples select_rows(const GraphRows& rows, RowNumbers numbers) {
  const auto count = static_cast<Index>(numbers.size());
  auto vertices = gathered_offsets(rows.vertex_offsets, numbers);
  const std::int64_t vertex_total = vertices.data()[count];
  Buffer<std::int64_t> edges(vertex_total + 1);
  std::int64_t edge_total = 0;
  std::int64_t* out = edges.data();
  *out++ = 0;
  for (const Index i : numbers) {
    for (Index v = rows.vertex_offsets[i]; v < rows.vertex_offsets[i + 1]; ++v) {
      edge_total += rows.edge_offsets[v + 1] - rows.edge_offsets[v];
      *out++ = edge_total;
    }
  }
  const auto gather_edges = [&](const std::int32_t* source) {
    Buffer<std::int32_t> copy(source != nullptr ? edge_total : 0);
    std::int32_t* end = copy.data();
    for (const Index i : numbers) {
      if (source != nullptr) {
        end = std::copy(source + rows.edge_offsets[rows.vertex_offsets[i]],
                        source + rows.edge_offsets[rows.vertex_offsets[i + 1]], end);
      }
    }
    return copy;
  };
  auto neighbors = gather_edges(rows.neighbors);
  auto edge_labels = gather_edges(rows.edge_labels);
  Buffer<std::int32_t> vertex_labels;
  if (rows.vertex_labels != nullptr) {
    vertex_labels = gathered(rows.vertex_labels, rows.vertex_offsets, numbers, vertex_total);
  }
  const GraphRows view{vertices.data(),      edges.data(),       neighbors.data(),
                       vertex_labels.data(), edge_labels.data(), count};
  using Memory = Owned<std::int64_t, std::int64_t, std::int32_t, std::int32_t, std::int32_t>;
  return Samples(view, std::make_shared<Memory>(Memory{{std::move(vertices), std::move(edges), std::move(neighbors),
                                                        std::move(vertex_labels), std::move(edge_labels)}}));
}

Samples select_rows(const CategoryRows& rows, RowNumbers numbers) {
  std::vector<std::int32_t> codes;
  codes.reserve(numbers.size());
  for (const Index i : numbers) {
    codes.push_back(rows.codes[i]);
  }
  return make_categories(std::move(codes), {rows.levels.begin(), rows.levels.end()});
}

// A table of the same columns, each seen through `change`.
template <class Change>
Samples change_columns(const Table& table, const Change& change) {
  std::vector<Table::Column> others;
  for (const Table::Column& column : table.others()) {
    others.push_back({column.name, change(column.values)});
  }
  return make_table(table.with(change(table.numeric()), std::move(others)));
}

Samples select_rows(const std::shared_ptr<const Table>& table, RowNumbers numbers) {
  return change_columns(*table, [&](const Samples& column) { return column.select(numbers); });
}

template <class T>
DenseRows<T> sliced(DenseRows<T> rows, IndexRange range) {
  rows.data += rows.data != nullptr ? range.begin * rows.row_stride : 0;
  rows.rows = range.size();
  return rows;
}

template <class R>
  requires requires(R rows) { rows.offsets; }
R sliced(R rows, IndexRange range) {
  rows.offsets += rows.offsets != nullptr ? range.begin : 0;
  rows.rows = range.size();
  return rows;
}

GraphRows sliced(GraphRows rows, IndexRange range) {
  rows.vertex_offsets += rows.vertex_offsets != nullptr ? range.begin : 0;
  rows.rows = range.size();
  return rows;
}

CategoryRows sliced(CategoryRows rows, IndexRange range) {
  rows.codes += rows.codes != nullptr ? range.begin : 0;
  rows.rows = range.size();
  return rows;
}

Matrix<double> chosen_rows(const Matrix<double>& values, RowNumbers numbers) {
  Matrix<double> chosen(static_cast<Index>(numbers.size()), values.columns());
  for (Index i = 0; i < chosen.rows(); ++i) {
    std::ranges::copy(values.view().row(numbers[i]), chosen.view().row_data(i));
  }
  return chosen;
}

}  // namespace

Samples Samples::select(std::span<const Index> numbers) const {
  auto ids = std::make_shared<std::vector<Index>>();
  ids->reserve(numbers.size());
  for (const Index i : numbers) {
    if (i < 0 || i >= size()) {
      throw InvalidArgument("row number " + std::to_string(i) + " is outside the " + std::to_string(size()) +
                            " samples; rows count from 0");
    }
    ids->push_back(row_id(i));
  }
  Samples result = std::visit([&](const auto& rows) { return select_rows(rows, numbers); }, rows_);
  result.origin_ = origin_;
  result.row_ids_ = std::move(ids);
  return offsets_ ? result.with_offsets(chosen_rows(*offsets_, numbers)) : result;
}

Samples Samples::slice(IndexRange range) const {
  if (range.begin < 0 || range.begin > range.end || range.end > size()) {
    throw InvalidArgument("rows [" + std::to_string(range.begin) + ", " + std::to_string(range.end) +
                          ") are outside the " + std::to_string(size()) + " samples");
  }
  Samples result = *this;
  result.rows_ = std::visit(
      [&]<class R>(const R& rows) -> Rows {
        if constexpr (std::is_same_v<R, std::shared_ptr<const Table>>) {
          return change_columns(*rows, [&](const Samples& column) { return column.slice(range); }).rows();
        } else {
          return sliced(rows, range);
        }
      },
      rows_);
  if (row_ids_) {
    const auto begin = row_ids_->begin();
    result.row_ids_ = std::make_shared<std::vector<Index>>(begin + range.begin, begin + range.end);
  } else {
    result.first_row_ += range.begin;
  }
  if (offsets_) {
    result.offsets_ =
        std::make_shared<const Matrix<double>>(Matrix<double>::copy_of(offsets_->view().row_block(range)));
  }
  return result;
}

}  // namespace mercer
