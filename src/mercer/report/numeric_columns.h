// NumericColumns: the numeric columns of samples in the units of the data file, and samples made from such numbers: what
// plots over the inputs need. A model takes scaled samples x' = base + (x − offset)·factor; axes show x.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/data/scaling.h"
#include "mercer/data/schema.h"

namespace mercer {

class NumericColumns {
 public:
  /// `samples` are scaled. Nothing is copied.
  NumericColumns(Samples samples, Scaling scaling, const Schema& schema);

  Index count() const { return numeric_.columns(); }
  /// Whether there is nothing but numeric columns.
  bool alone() const { return alone_; }
  /// "column 3" where the columns have no names.
  std::string name(Index column) const;
  /// By name, or by number from 0; InvalidArgument with the nearest name.
  Index find(const std::string& reference) const;

  /// All values of a column, in the units of the file.
  std::vector<double> values(Index column) const;
  /// Likewise of other samples of the same kind (support vectors, say).
  std::vector<double> values(const Samples& other, Index column) const;

  /// A number of a column as the model takes it, and back.
  double scaled(double value, Index column) const;
  double unscaled(double value, Index column) const;
  /// By what a density over a column that the model sees is multiplied in the units of the file.
  double density_factor(Index column) const;

  /// Samples whose columns a and b are given in the units of the file (a == b: one column), all other numeric columns
  /// at their medians; columns that are no numbers are those of the row that is nearest to the medians. x and y have
  /// one entry per sample.
  Samples with_columns(Index a, const std::vector<double>& x, Index b, const std::vector<double>& y) const;

 private:
  Samples samples_;
  Samples numeric_;
  Scaling scaling_;
  std::vector<std::string> names_;
  bool alone_ = true;
};

/// The numeric block of samples of any kind; no columns where there is none.
Samples numeric_part(const Samples& samples);
/// Element (i, j) of dense or sparse samples. O(ln nonzeros) for sparse ones.
double numeric_value(const Samples& numeric, Index i, Index j);

}  // namespace mercer
