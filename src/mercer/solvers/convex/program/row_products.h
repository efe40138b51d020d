// Products with the constraints' rows of a convex programme (m × n, few rows or many), on all threads, the same bits on
// any number of them.
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// out = Bx.
void multiply_rows(ConstMatrixView<double> rows, std::span<const double> x, std::span<double> out, const Run& run);
/// out = Bᵀy.
void multiply_rows_transposed(ConstMatrixView<double> rows, std::span<const double> y, std::span<double> out,
                              const Run& run);

}  // namespace mercer
