// Which columns a density is over. A column that has one value in all rows has no density, and nothing to learn a width
// from: the rules for bandwidths leave it out, so that estimates are those of the other columns, whether it is there or
// not. Widths that are given as numbers keep it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"

namespace mercer {

struct LeftOutColumns {
  std::vector<Index> columns;  ///< ascending, counted among all columns; empty: none
  std::vector<double> values;  ///< what stands there in all rows

  bool contains(Index column) const;
  /// The number of a column among those that are left. InvalidArgument for one that is left out.
  Index place(Index column) const;
  /// The points without these columns. DataError where there are other columns than `kept` and these.
  Matrix<double> removed_from(Matrix<double> points, Index kept) const;
  /// The points with them again, at their values.
  Matrix<double> put_back(Matrix<double> points) const;

  /// Nothing is stored where no column is left out. Whether the density has such columns is for density_fields() to see.
  void fields(Fields& visit);
};

/// The columns of one value, of rows that differ in another one; none where all rows are alike.
LeftOutColumns constant_columns(ConstMatrixView<double> points);
/// "column 2 has one value and is left out"; empty where there is none.
std::string note_of(const LeftOutColumns& left_out);

}  // namespace mercer
