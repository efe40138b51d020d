#include "mercer/report/numeric_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/median.h"
#include "mercer/base/text.h"
#include "mercer/data/numbered_column.h"

namespace mercer {

namespace {

template <class T>
double value_at(const DenseRows<T>& rows, Index i, Index j) {
  return static_cast<double>(rows(i, j));
}

template <class T>
double value_at(const SparseRows<T>& rows, Index i, Index j) {
  const std::int32_t* const begin = rows.column_numbers + rows.offsets[i];
  const std::int32_t* const end = rows.column_numbers + rows.offsets[i + 1];
  const std::int32_t* const at = std::lower_bound(begin, end, static_cast<std::int32_t>(j));
  return at != end && *at == j ? static_cast<double>(rows.values[at - rows.column_numbers]) : 0.0;
}

Samples as_sparse(const Matrix<double>& dense) {
  std::vector<double> values;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < dense.rows(); ++i) {
    for (Index j = 0; j < dense.columns(); ++j) {
      if (dense(i, j) != 0) {
        values.push_back(dense(i, j));
        numbers.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(std::move(values), std::move(numbers), std::move(offsets), dense.columns());
}

// The row whose scaled numbers are nearest to the medians.
Index nearest_row(const Samples& numeric, const std::vector<double>& medians) {
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < numeric.size(); ++i) {
    double distance = 0;
    for (Index j = 0; j < numeric.columns(); ++j) {
      const double difference = numeric_value(numeric, i, j) - medians[j];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

}  // namespace

Samples numeric_part(const Samples& samples) {
  if (samples.kind() == SampleKind::table) {
    return samples.table().numeric();
  }
  return samples.is_numeric() ? samples : Samples();
}

double numeric_value(const Samples& numeric, Index i, Index j) {
  return visit_numeric(numeric, [&](const auto& rows) { return value_at(rows, i, j); });
}

NumericColumns::NumericColumns(Samples samples, Scaling scaling, const Schema& schema)
    : samples_(std::move(samples)), numeric_(numeric_part(samples_)), scaling_(std::move(scaling)) {
  for (const SchemaColumn& column : schema.columns) {
    if (column.kind == ColumnKind::numeric) {
      names_.push_back(column.name);
    }
  }
  alone_ = samples_.kind() != SampleKind::table || samples_.table().others().empty();
}

std::string NumericColumns::name(Index column) const {
  const bool named = static_cast<Index>(names_.size()) == count();
  return named ? names_[column] : "column " + std::to_string(column);
}

Index NumericColumns::find(const std::string& reference) const {
  for (Index j = 0; j < count(); ++j) {
    if (name(j) == reference) {
      return j;
    }
  }
  const auto number = parse_integer(reference);
  for (Index j = 0; number && j < count(); ++j) {
    if (name(j) == numbered_column_name(*number)) {
      return j;  // the place in a file without names
    }
  }
  if (number && *number >= 0 && *number < count()) {
    return *number;
  }
  throw InvalidArgument("axis '" + reference + "' is no numeric column: there are " + std::to_string(count()) +
                        ", counted from 0" + (names_.empty() ? "" : ", or by name.") + did_you_mean(reference, names_));
}

double NumericColumns::unscaled(double value, Index column) const {
  if (scaling_.factor.empty()) {
    return value;
  }
  const auto j = static_cast<std::size_t>(column);
  return (value - scaling_.base) / scaling_.factor[j] + scaling_.offset[j];
}

double NumericColumns::scaled(double value, Index column) const {
  if (scaling_.factor.empty()) {
    return value;
  }
  const auto j = static_cast<std::size_t>(column);
  return scaling_.base + (value - scaling_.offset[j]) * scaling_.factor[j];
}

double NumericColumns::density_factor(Index column) const { return scaling_.density_factor(column); }

std::vector<double> NumericColumns::values(Index column) const { return values(samples_, column); }

std::vector<double> NumericColumns::values(const Samples& other, Index column) const {
  const Samples numeric = numeric_part(other);
  std::vector<double> result;
  for (Index i = 0; i < numeric.size(); ++i) {
    result.push_back(unscaled(numeric_value(numeric, i, column), column));
  }
  return result;
}

Samples NumericColumns::with_columns(Index a, const std::vector<double>& x, Index b,
                                     const std::vector<double>& y) const {
  std::vector<double> medians;
  for (Index j = 0; j < count(); ++j) {
    std::vector<double> column;
    for (Index i = 0; i < numeric_.size() && j != a && j != b; ++i) {
      column.push_back(numeric_value(numeric_, i, j));
    }
    medians.push_back(column.empty() ? 0 : median_of(std::move(column)));
  }
  const auto rows = static_cast<Index>(x.size());
  Matrix<double> made(rows, count());
  for (Index i = 0; i < rows; ++i) {
    std::copy(medians.begin(), medians.end(), made.view().row(i).begin());
    made(i, b) = scaled(y[i], b);
    made(i, a) = scaled(x[i], a);
  }
  Samples block = numeric_.kind() == SampleKind::sparse ? as_sparse(made) : make_dense(std::move(made));
  if (samples_.kind() != SampleKind::table) {
    return block;
  }
  const Table& table = samples_.table();
  const std::vector<Index> repeated(rows, nearest_row(numeric_, medians));
  std::vector<Table::Column> others;
  for (const Table::Column& column : table.others()) {
    others.push_back({column.name, column.values.select(repeated)});
  }
  return make_table(table.with(std::move(block), std::move(others)));
}

}  // namespace mercer
