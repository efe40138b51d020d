// Triangular systems with many right-hand sides, on all threads: block substitution over fixed tiles, so any number
// of threads gives the same bits.
#pragma once

#include "mercer/base/run.h"
#include "mercer/linalg/blas.h"

namespace mercer {

/// B = L^-1 B (Transpose::no) or L'^-1 B (yes) in place; L is lower triangular (its strict upper part is not read) with
/// a nonzero diagonal. n^2 m flops for m columns.
template <class T>
void solve_lower(ConstMatrixViewOf<T> l, Transpose transpose, MatrixView<T> b, const Run& run);

/// The same for one right-hand side.
template <class T>
void solve_lower(ConstMatrixViewOf<T> l, Transpose transpose, std::span<T> b, const Run& run);

}  // namespace mercer
