#include "mercer/models/density/density_columns.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/fields.h"

namespace mercer {

bool LeftOutColumns::contains(Index column) const { return std::binary_search(columns.begin(), columns.end(), column); }

Index LeftOutColumns::place(Index column) const {
  if (contains(column)) {
    throw InvalidArgument("column " + std::to_string(column) +
                          " (counted from 0) has one value in all rows of the fit: the density is not over it");
  }
  return column - (std::lower_bound(columns.begin(), columns.end(), column) - columns.begin());
}

Matrix<double> LeftOutColumns::removed_from(Matrix<double> points, Index kept) const {
  const Index all = kept + static_cast<Index>(columns.size());
  if (points.columns() != all) {
    throw DataError("rows of " + std::to_string(points.columns()) + " columns, where the density has " +
                    std::to_string(all));
  }
  if (columns.empty()) {
    return points;
  }
  Matrix<double> result(points.rows(), kept);
  for (Index j = 0, to = 0; j < all; ++j) {
    for (Index i = 0; i < points.rows() && !contains(j); ++i) {
      result(i, to) = points(i, j);
    }
    to += contains(j) ? 0 : 1;
  }
  return result;
}

Matrix<double> LeftOutColumns::put_back(Matrix<double> points) const {
  if (columns.empty()) {
    return points;
  }
  Matrix<double> result(points.rows(), points.columns() + static_cast<Index>(columns.size()));
  std::size_t next = 0;
  for (Index j = 0; j < result.columns(); ++j) {
    const bool absent = contains(j);
    for (Index i = 0; i < points.rows(); ++i) {
      result(i, j) = absent ? values[next] : points(i, j - static_cast<Index>(next));
    }
    next += absent ? 1 : 0;
  }
  return result;
}

LeftOutColumns constant_columns(ConstMatrixView<double> points) {
  LeftOutColumns result;
  for (Index j = 0; j < points.columns(); ++j) {
    bool varies = false;
    for (Index i = 1; i < points.rows() && !varies; ++i) {
      varies = points(i, j) != points(0, j);
    }
    if (!varies && points.rows() > 0) {
      result.columns.push_back(j);
      result.values.push_back(points(0, j));
    }
  }
  return static_cast<Index>(result.columns.size()) == points.columns() ? LeftOutColumns() : result;
}

std::string note_of(const LeftOutColumns& left_out) {
  if (left_out.columns.empty()) {
    return {};
  }
  std::vector<std::string> numbers;
  for (const Index column : left_out.columns) {
    numbers.push_back(std::to_string(column));
  }
  return (numbers.size() == 1 ? "column " : "columns ") + join(numbers, ", ") +
         (numbers.size() == 1 ? " (counted from 0) has one value and is left out"
                              : " (counted from 0) have one value each and are left out");
}

void LeftOutColumns::fields(Fields& visit) {
  if (!visit.present("left_out_columns", !columns.empty())) {
    return;
  }
  visit.indices("left_out_columns", columns, any_count, any_index);
  visit.column("left_out_values", values, static_cast<Index>(columns.size()));
  visit.require(std::ranges::adjacent_find(columns, std::greater_equal<>()) == columns.end(),
                "left-out columns that are not in ascending order");
}

}  // namespace mercer
