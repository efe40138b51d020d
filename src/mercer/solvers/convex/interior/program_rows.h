// The constraints of a convex programme (convex_program.h) as its solvers see them: one matrix B with a value or an
// interval per row,
//
//   (Bx)_i = value_i  for the first `equalities` rows,     lower_i ≤ (Bx)_i ≤ upper_i  for the others,
//
// each divided by a power of two, so that entries are of size 1 where variables are counted in units of their own, 1/size
// of their column (Ruiz 2001, A scaling algorithm to equilibrate both rows and columns norms). Ranges with equal bounds are equalities; rows
// without bounds, and rows of zeros that hold for every x, are left out. A row of zeros that holds for no x is a
// certificate of infeasibility by itself.
#pragma once

#include <optional>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

class ProgramRows {
 public:
  explicit ProgramRows(const ConvexProgram& program);

  ConstMatrixView<double> rows() const { return rows_.view(); }
  Index count() const { return rows_.rows(); }
  Index equalities() const { return equalities_; }
  Index ranges() const { return count() - equalities_; }
  ConstMatrixView<double> equality_rows() const { return rows_.view().row_block({0, equalities_}); }
  ConstMatrixView<double> range_rows() const { return rows_.view().row_block({equalities_, count()}); }
  const std::vector<double>& values() const { return values_; }  ///< of the equalities
  const std::vector<double>& lower() const { return lower_; }    ///< of the ranges
  const std::vector<double>& upper() const { return upper_; }
  /// Powers of two, one per variable: 1 over the unit in which rows and Q see it as of size 1.
  const std::vector<double>& column_sizes() const { return column_sizes_; }
  const std::optional<FarkasCertificate>& contradiction() const { return contradiction_; }

  /// Multipliers of these rows as those of the programme's, and the signs of ranges as their bounds allow.
  void write_multipliers(std::span<const double> multipliers, std::vector<double>& equality,
                         std::vector<double>& range) const;

 private:
  struct Source {
    bool from_range = false;
    Index row = 0;
    double factor = 1;
  };
  static std::span<const double> row_of(const ConvexProgram& program, const Source& source);
  void add_contradiction(const ConvexProgram& program, const Source& source, double sign);
  void equilibrate(const ConvexProgram& program);
  void copy_rows(const ConvexProgram& program);

  Matrix<double> rows_;
  Index equalities_ = 0;
  std::vector<double> values_;
  std::vector<double> lower_;
  std::vector<double> upper_;
  std::vector<Source> sources_;
  std::vector<double> column_sizes_;
  std::optional<FarkasCertificate> contradiction_;
};

}  // namespace mercer
