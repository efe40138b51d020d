// Passes over the rows of a low-rank factor (low_rank_quadratic.h), block by block on all threads: every sum is made of
// a number of parts that depends on the sizes alone, added in order.
#pragma once

#include <functional>
#include <span>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/program/low_rank_quadratic.h"

namespace mercer {

/// Calls work(range, rows of that range) for blocks of all rows; blocks of one part in order on one thread.
void for_row_blocks(const FactorRows& rows, Index parts, const Run& run,
                    const std::function<void(Index part, IndexRange range, ConstMatrixView<double> block)>& work);
/// How many parts a sum of `columns` × `columns` numbers over the rows has: their memory is at most that of R.
Index part_count(const FactorRows& rows);

/// Rᵀv.
std::vector<double> factor_transposed_times(const FactorRows& rows, std::span<const double> v, const Run& run);
/// out = R s.
void factor_times(const FactorRows& rows, std::span<const double> s, std::span<double> out, const Run& run);
/// The lower triangle of RᵀWR, and RᵀW Bᵀ for the m rows of B (k × m).
void weighted_products(const FactorRows& rows, std::span<const double> weights, ConstMatrixView<double> constraints,
                       MatrixView<double> square, MatrixView<double> cross, const Run& run);

}  // namespace mercer
