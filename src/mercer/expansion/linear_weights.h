// Linear kernels seen in the primal: k(x, z) = c xᵀz, so that f(x) = Σ_i α_i c z_iᵀx = wᵀx costs d instead of the
// number of centres.
#pragma once

#include <optional>
#include <span>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// c where the kernel is c·linear() (scaled, summed, nested, without column subscripts); empty for all others.
std::optional<double> linear_factor(const Kernel& kernel);

/// w = factor · Zᵀα (d × outputs) over the numeric columns of the centres; sums in double, in a fixed order.
Matrix<double> linear_weights(double factor, const Samples& centers, ConstMatrixView<double> coefficients);

/// out += X w for numeric samples (dense or sparse, nothing is written out densely beyond a block of rows). DataError
/// where the columns are not w's rows or a value is not finite.
void add_linear_part(const Samples& numeric, ConstMatrixView<double> weights, MatrixView<double> out, const Run& run);

/// Rows [range.begin, range.end) of numeric samples as doubles, written densely.
void copy_rows(const Samples& numeric, IndexRange range, MatrixView<double> out);

}  // namespace mercer
