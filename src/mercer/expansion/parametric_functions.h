// The functions ψ of a parametric part (parametric_part.h) on samples: their values, their sum Σ β_p ψ_p, their names.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/parametric_part.h"
#include "mercer/linalg/view.h"

namespace mercer {

class ParametricFunctions {
 public:
  /// DataError where a term needs numeric columns that the samples do not have, InvalidArgument for columns that are not
  /// there.
  ParametricFunctions(ParametricPart part, const Samples& samples);

  /// How many there are.
  Index count() const { return count_; }
  /// Writes ψ(x_i) for the rows of `range`: range × count().
  void values(IndexRange range, MatrixView<double> out) const;
  /// out += Ψβ with β functions × outputs; a block of rows at a time, constants and linear functions of sparse rows
  /// without writing these out. DataError where β does not have count() rows, or for numbers that are not finite.
  void add(ConstMatrixView<double> beta, MatrixView<double> out, const Run& run) const;
  /// "1", "age", "age*dose", "sin(2*pi*x3/12)": columns without names are x and their number from 0.
  std::vector<std::string> names() const;

 private:
  struct Term {
    ParametricTerm what;
    Samples columns;
    std::vector<std::string> names = {};
    Index count = 0;
  };

  ParametricPart part_;
  Samples samples_;
  std::vector<Term> terms_;
  Index count_ = 0;
};

/// How many functions there are on these samples.
Index parametric_count(const ParametricPart& part, const Samples& samples);

}  // namespace mercer
