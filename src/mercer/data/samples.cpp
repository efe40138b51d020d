#include "mercer/data/samples.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

template <class R>
struct KindOf;
template <class T>
struct KindOf<DenseRows<T>> {
  static constexpr SampleKind value = SampleKind::dense;
};
template <class T>
struct KindOf<SparseRows<T>> {
  static constexpr SampleKind value = SampleKind::sparse;
};
template <>
struct KindOf<StringRows> {
  static constexpr SampleKind value = SampleKind::strings;
};
template <>
struct KindOf<SetRows> {
  static constexpr SampleKind value = SampleKind::sets;
};
template <>
struct KindOf<BagRows> {
  static constexpr SampleKind value = SampleKind::bags;
};
template <>
struct KindOf<GraphRows> {
  static constexpr SampleKind value = SampleKind::graphs;
};
template <>
struct KindOf<CategoryRows> {
  static constexpr SampleKind value = SampleKind::categories;
};
template <>
struct KindOf<std::shared_ptr<const Table>> {
  static constexpr SampleKind value = SampleKind::table;
};

// "dense float": the kind, and the type of numbers where there are two.
template <class R>
std::string described() {
  std::string text(to_string(KindOf<R>::value));
  if constexpr (std::is_same_v<R, DenseRows<float>> || std::is_same_v<R, SparseRows<float>>) {
    text += " float";
  } else if constexpr (std::is_same_v<R, DenseRows<double>> || std::is_same_v<R, SparseRows<double>>) {
    text += " double";
  }
  return text;
}

template <class R>
constexpr bool is_table = std::is_same_v<R, std::shared_ptr<const Table>>;

}  // namespace

Samples::Samples() : rows_(DenseRows<double>{}), origin_(std::make_shared<const char>()) {}

Samples::Samples(Rows rows, std::shared_ptr<const void> owner)
    : rows_(std::move(rows)), owner_(std::move(owner)), origin_(std::make_shared<const char>()) {}

SampleKind Samples::kind() const {
  return std::visit([]<class R>(const R&) { return KindOf<R>::value; }, rows_);
}

Index Samples::size() const {
  return std::visit(
      []<class R>(const R& rows) {
        if constexpr (is_table<R>) {
          return rows->size();
        } else {
          return rows.rows;
        }
      },
      rows_);
}

bool Samples::is_numeric() const { return kind() == SampleKind::dense || kind() == SampleKind::sparse; }

Index Samples::columns() const {
  return std::visit(
      []<class R>(const R& rows) -> Index {
        if constexpr (is_table<R>) {
          return rows->numeric().columns() + static_cast<Index>(rows->others().size());
        } else if constexpr (requires { rows.columns; }) {
          return rows.columns;
        } else {
          return 1;
        }
      },
      rows_);
}

template <class R>
const R& Samples::as() const {
  if (const R* rows = std::get_if<R>(&rows_)) {
    return *rows;
  }
  const std::string found = std::visit([]<class Found>(const Found&) { return described<Found>(); }, rows_);
  throw InvalidArgument("samples are of kind '" + found + "' where '" + described<R>() + "' is needed");
}

template const DenseRows<float>& Samples::as() const;
template const DenseRows<double>& Samples::as() const;
template const SparseRows<float>& Samples::as() const;
template const SparseRows<double>& Samples::as() const;
template const StringRows& Samples::as() const;
template const SetRows& Samples::as() const;
template const BagRows& Samples::as() const;
template const GraphRows& Samples::as() const;
template const CategoryRows& Samples::as() const;
template const std::shared_ptr<const Table>& Samples::as() const;

const Table& Samples::table() const { return *as<std::shared_ptr<const Table>>(); }

Samples Samples::with_identity_of(const Samples& other) const {
  if (other.size() != size()) {
    throw InvalidArgument("identity of " + std::to_string(other.size()) + " samples cannot be given to " +
                          std::to_string(size()) + ": the numbers of rows must agree");
  }
  Samples result = *this;
  result.origin_ = other.origin_;
  result.row_ids_ = other.row_ids_;
  result.first_row_ = other.first_row_;
  result.offsets_ = other.offsets_ ? other.offsets_ : offsets_;
  return result;
}

Samples Samples::with_offsets(Matrix<double> offsets) const {
  if (offsets.rows() != size()) {
    throw InvalidArgument("offsets of " + std::to_string(offsets.rows()) + " rows cannot be given to " +
                          std::to_string(size()) + " samples");
  }
  Samples result = *this;
  result.offsets_ = std::make_shared<const Matrix<double>>(std::move(offsets));
  return result;
}

namespace {

[[noreturn]] void reject_value(double value, Index row, const std::string& column) {
  throw DataError("row " + std::to_string(row) + ", column " + column + " (counted from 0): the value is " +
                  shortest(value) + "; all values must be finite. Remove or fill such rows first");
}

// In lanes that the compiler makes vectors of: 0·x is 0 for finite x, and NaN otherwise.
template <class T>
bool all_finite(std::span<const T> values) {
  constexpr std::size_t lanes = 16;
  std::array<T, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += values[i + lane] * T{0};
    }
  }
  for (; i < values.size(); ++i) {
    sums[0] += values[i] * T{0};
  }
  return std::ranges::all_of(sums, [](T sum) { return sum == T{0}; });
}

template <class T>
void check_finite(const DenseRows<T>& rows, std::span<const std::string> names) {
  const bool contiguous = rows.column_stride == 1 && rows.row_stride == rows.columns;
  if (contiguous && all_finite(std::span(rows.data, static_cast<std::size_t>(rows.rows * rows.columns)))) {
    return;
  }
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      if (!std::isfinite(rows(i, j))) {
        reject_value(static_cast<double>(rows(i, j)), i, names.empty() ? std::to_string(j) : "'" + names[j] + "'");
      }
    }
  }
}

template <class T>
void check_finite(const SparseRows<T>& rows, std::span<const std::string> names) {
  if (rows.rows == 0 || all_finite(std::span(rows.values + rows.offsets[0],
                                             static_cast<std::size_t>(rows.offsets[rows.rows] - rows.offsets[0])))) {
    return;
  }
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      if (!std::isfinite(rows.values[p])) {
        const Index j = rows.column_numbers[p];
        reject_value(static_cast<double>(rows.values[p]), i, names.empty() ? std::to_string(j) : "'" + names[j] + "'");
      }
    }
  }
}

void check_finite(const BagRows& rows) {
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      for (Index j = 0; j < rows.points.columns; ++j) {
        if (!std::isfinite(rows.points(p, j))) {
          reject_value(rows.points(p, j), i, std::to_string(j));
        }
      }
    }
  }
}

void check_finite(const Samples& samples, std::span<const std::string> names) {
  std::visit(
      [&]<class R>(const R& rows) {
        if constexpr (KindOf<R>::value == SampleKind::dense || KindOf<R>::value == SampleKind::sparse) {
          check_finite(rows, names);
        } else if constexpr (KindOf<R>::value == SampleKind::bags) {
          check_finite(rows);
        } else if constexpr (KindOf<R>::value == SampleKind::table) {
          check_finite(rows->numeric(), rows->numeric_names());
          for (const Table::Column& column : rows->others()) {
            check_finite(column.values, {});
          }
        }
      },
      samples.rows());
}

}  // namespace

void require_finite(const Samples& samples) { check_finite(samples, {}); }

void refuse_as_real_vectors(const Samples& samples) {
  throw InvalidArgument("real vectors are needed, but the samples are " + std::string(to_string(samples.kind())) +
                        "; choose numeric columns with a subscript");
}

}  // namespace mercer
