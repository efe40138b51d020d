// Sums over the constraints' rows of a convex programme that its checks share.
#pragma once

#include <vector>

#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

/// out_j += Σ_i |b_ij y_i|.
void add_column_sizes(ConstMatrixView<double> rows, const std::vector<double>& y, std::vector<double>& out);
/// Bx.
std::vector<double> rows_times(ConstMatrixView<double> rows, std::span<const double> x, const Run& run);
/// out += Bᵀy.
void add_transposed(ConstMatrixView<double> rows, const std::vector<double>& y, std::vector<double>& out,
                    const Run& run);
/// The largest |b_ij| of row i; 1 for a row of zeros.
double row_size(ConstMatrixView<double> rows, Index i);

/// What a multiplier times its bound (the lower one where it is positive) adds to a dual value; 0 where that bound does
/// not exist.
double supported(double multiplier, double lower, double upper);
/// |multiplier| where that bound does not exist, else 0.
double unsupported(double multiplier, double lower, double upper);

}  // namespace mercer
