// The parametric functions ψ of semiparametric models: polynomials of the numeric columns,
//
//   constant    1
//   linear      1, x_1, …, x_d
//   quadratic   1, x_1, …, x_d, x_1², x_1x_2, …, x_1x_d, x_2², …, x_d²
#pragma once

#include <array>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/samples.h"
#include "mercer/linalg/view.h"

namespace mercer {

enum class ParametricPart { none, constant, linear, quadratic };
constexpr auto words_of(ParametricPart) {
  return std::array{Word{ParametricPart::none, "zero"}, Word{ParametricPart::constant, "constant"},
                    Word{ParametricPart::linear, "linear"}, Word{ParametricPart::quadratic, "quadratic"}};
}

/// Whether the functions depend on the samples.
constexpr bool uses_columns(ParametricPart part) {
  return part == ParametricPart::linear || part == ParametricPart::quadratic;
}

/// How many functions there are for d numeric columns.
Index parametric_count(ParametricPart part, Index d);

/// Writes ψ(x_i) for the rows of `range`: range × parametric_count. The part is not none. DataError where the samples
/// have no numeric columns.
void parametric_functions(ParametricPart part, const Samples& samples, IndexRange range, MatrixView<double> out);

/// out += Ψ β with β functions × outputs; a block of rows at a time.
void add_parametric_functions(ParametricPart part, const Samples& samples, ConstMatrixView<double> beta,
                              MatrixView<double> out, const Run& run);

}  // namespace mercer
