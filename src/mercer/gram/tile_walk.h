// Walks over the tiles of a matrix that is never stored, with a consumer for each tile: the one loop under products,
// evaluations and checks. Tasks are cut by size alone and sums are added in a fixed order, so any number of threads
// gives the same bits.
#pragma once

#include <functional>
#include <span>

#include "mercer/base/run.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// Fills one tile; called from several threads, each with its own workspace.
template <class T>
using TileFiller = std::function<void(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace)>;

/// out = K v for symmetric K (n × n): every tile on or below the diagonal is filled once and used twice.
template <class T>
void multiply_symmetric(Index n, const TileFiller<T>& fill, ConstMatrixView<T> v, MatrixView<T> out, const Run& run);

/// out = K v for a rectangular K (rows × columns), by tiles of `edge` rows and columns. Entries in T, products and sums
/// in V: float entries may be summed in double.
template <class T, class V>
void multiply_rectangular(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<V> v, MatrixView<V> out,
                          const Run& run, Index edge = tile_size);

/// out = Kᵀ v.
template <class T>
void multiply_transposed(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<T> v, MatrixView<T> out,
                         const Run& run);

/// out = Kᵀ(K v) with one evaluation of every tile: stripes of rows of K are kept while they are used twice.
template <class T>
void multiply_normal(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<T> v, MatrixView<T> out,
                     const Run& run);

/// What becomes of the rows of K v on their way to Kᵀ: changes `values`, those of `rows`, in place. Called from several
/// threads, once for every row.
using RowMap = std::function<void(IndexRange rows, MatrixView<double> values)>;

/// out += Kᵀ f(K v) with one evaluation of every tile, f row by row: gradients and products with Hessians of Σ_i loss of
/// (K v)_i. Products in T, sums in double.
template <class T>
void add_mapped_normal(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<T> v, const RowMap& map,
                       MatrixView<double> out, const Run& run);

/// The same for a matrix in memory.
template <class T>
void add_mapped_normal(ConstMatrixView<T> k, ConstMatrixViewOf<T> v, const RowMap& map, MatrixView<double> out,
                       const Run& run);

/// out[j] += Σ_i coefficients[i] K(i, j) for K of rows × columns: sums in double over entries in T.
template <class T>
void add_weighted_rows(Index rows, Index columns, const TileFiller<T>& fill, std::span<const double> coefficients,
                       std::span<double> out, const Run& run);
/// The same for rows that are in memory, each as long as `out`.
template <class T>
void add_weighted_rows(std::span<const T* const> rows, std::span<const double> coefficients, std::span<double> out,
                       const Run& run);

}  // namespace mercer
