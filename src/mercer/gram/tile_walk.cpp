#include "mercer/gram/tile_walk.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/simd.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/scratch_matrix.h"

namespace mercer {

namespace {

// Products that share tiles need a private sum per lane. Lanes are counted by the size of the problem, never by the
// number of threads; where they would need more than this, tiles are not shared.
constexpr Index lane_memory = Index{256} << 20;
constexpr Index most_lanes = 16;
constexpr Index fewest_lanes = 8;

Index lane_count(Index rows, Index columns, Index tasks) {
  const Index bytes = std::max<Index>(1, rows * columns * static_cast<Index>(sizeof(double)));
  return std::min({most_lanes, tasks, lane_memory / bytes});
}

template <class T>
void require_shapes(ConstMatrixView<T> v, Index v_rows, MatrixView<T> out, Index out_rows) {
  if (v.rows() != v_rows || out.rows() != out_rows || v.columns() != out.columns()) {
    throw InvalidArgument("a product that takes " + std::to_string(v_rows) + " rows to " + std::to_string(out_rows) +
                          " is given blocks of " + std::to_string(v.rows()) + " by " + std::to_string(v.columns()) +
                          " and " + std::to_string(out.rows()) + " by " + std::to_string(out.columns()));
  }
}

template <class T>
void clear(MatrixView<T> m) {
  for (Index i = 0; i < m.rows(); ++i) {
    std::fill_n(m.row_data(i), m.columns(), T(0));
  }
}

template <class T>
void add_to(ConstMatrixView<T> part, MatrixView<double> sum) {
  for (Index i = 0; i < part.rows(); ++i) {
    const T* const from = part.row_data(i);
    double* const to = sum.row_data(i);
    for (Index j = 0; j < part.columns(); ++j) {
      to[j] += static_cast<double>(from[j]);
    }
  }
}

template <class T>
void store(ConstMatrixView<double> sum, MatrixView<T> out) {
  for (Index i = 0; i < sum.rows(); ++i) {
    for (Index j = 0; j < sum.columns(); ++j) {
      out(i, j) = static_cast<T>(sum(i, j));
    }
  }
}

// sum += op(k) v, the product in T, the sum in double. A single vector does not pay the packing of a matrix product.
template <class T>
void accumulate(ConstMatrixView<T> k, Transpose transpose, ConstMatrixView<T> v, MatrixView<double> sum,
                Workspace& workspace) {
  const bool single = v.columns() == 1 && v.stride() == 1 && sum.stride() == 1;
  const std::span<const T> vector(v.data(), static_cast<std::size_t>(v.rows()));
  if constexpr (std::is_same_v<T, double>) {
    if (single) {
      gemv(1.0, k, transpose, vector, 1.0, std::span<double>(sum.data(), static_cast<std::size_t>(sum.rows())));
    } else {
      gemm(1.0, k, transpose, v, Transpose::no, 1.0, sum);
    }
  } else {
    ScratchMatrix<T> part(workspace, sum.rows(), v.columns());
    if (single) {
      clear(part.view());
      gemv(T(1), k, transpose, vector, T(1), std::span<T>(part.view().data(), static_cast<std::size_t>(sum.rows())));
    } else {
      gemm(T(1), k, transpose, v, Transpose::no, T(0), part.view());
    }
    add_to<T>(part.view(), sum);
  }
}

// sums[i] += Σ_j k(i, j) v[j] in double, sixteen sums side by side.
MERCER_CLONES void add_row_products(const float* k, Index stride, Index rows, Index columns, const double* v,
                                    double* sums, Index sum_stride) {
  constexpr Index lanes = 16;
  for (Index i = 0; i < rows; ++i) {
    const float* const row = k + i * stride;
    double parts[lanes] = {};
    Index j = 0;
    for (; j + lanes <= columns; j += lanes) {
      for (Index lane = 0; lane < lanes; ++lane) {
        parts[lane] += static_cast<double>(row[j + lane]) * v[j + lane];
      }
    }
    for (; j < columns; ++j) {
      parts[j % lanes] += static_cast<double>(row[j]) * v[j];
    }
    // Halves onto halves: a chain of sixteen additions would take longer than the products.
    for (Index half = lanes / 2; half > 0; half /= 2) {
      for (Index lane = 0; lane < half; ++lane) {
        parts[lane] += parts[lane + half];
      }
    }
    sums[i * sum_stride] += parts[0];
  }
}

// The same with products in double of entries in float.
void accumulate(ConstMatrixView<float> k, Transpose transpose, ConstMatrixView<double> v, MatrixView<double> sum,
                Workspace& workspace) {
  if (transpose == Transpose::no && v.columns() == 1 && v.stride() == 1) {
    add_row_products(k.data(), k.stride(), k.rows(), k.columns(), v.data(), sum.data(), sum.stride());
    return;
  }
  ScratchMatrix<double> wide(workspace, k.rows(), k.columns());
  for (Index i = 0; i < k.rows(); ++i) {
    std::copy_n(k.row_data(i), k.columns(), wide.view().row_data(i));
  }
  gemm(1.0, ConstMatrixView<double>(wide.view()), transpose, v, Transpose::no, 1.0, sum);
}

// One lane: the row blocks lane, lane + lanes, … with the tiles on and below the diagonal.
template <class T>
void symmetric_lane(Index n, Index lane, Index lanes, const TileFiller<T>& fill, ConstMatrixView<T> v,
                    MatrixView<double> sum, Workspace& workspace, const Run& run) {
  const Index blocks = block_count(n, tile_size);
  ScratchMatrix<T> block(workspace, tile_size, tile_size);
  for (Index b = lane; b < blocks; b += lanes) {
    const IndexRange rows = block_range(n, tile_size, b);
    for (Index c = 0; c <= b; ++c) {
      run.check_stop();
      const IndexRange columns = block_range(n, tile_size, c);
      const MatrixView<T> k(block.view().data(), rows.size(), columns.size());
      fill(rows, columns, k, workspace);
      accumulate<T>(k, Transpose::no, v.row_block(columns), sum.row_block(rows), workspace);
      if (b != c) {
        accumulate<T>(k, Transpose::yes, v.row_block(rows), sum.row_block(columns), workspace);
      }
    }
  }
}

// Adds the lanes' sums in their order and rounds to T, in blocks of rows.
template <class T>
void combine(std::vector<Matrix<double>>& sums, MatrixView<T> out, const Run& run) {
  constexpr Index block = 1024;
  parallel_for(run, block_count(out.rows(), block), [&](Index b) {
    const IndexRange rows = block_range(out.rows(), block, b);
    const MatrixView<double> total = sums[0].view().row_block(rows);
    for (std::size_t lane = 1; lane < sums.size(); ++lane) {
      add_to<double>(sums[lane].view().row_block(rows), total);
    }
    store<T>(total, out.row_block(rows));
  });
}

// Which side of the tiles the result runs along.
enum class Along { rows, columns };

// sum (of one outer block) += Σ over inner blocks first, first + step, … of the product with that tile.
template <class T, class V>
void sum_over_inner(Along along, IndexRange outer, Index inner_size, Index first, Index step, Index edge,
                    const TileFiller<T>& fill, ConstMatrixView<V> v, MatrixView<double> sum, Workspace& workspace,
                    const Run& run) {
  ScratchMatrix<T> block(workspace, edge, edge);
  for (Index c = first; c < block_count(inner_size, edge); c += step) {
    run.check_stop();
    const IndexRange inner = block_range(inner_size, edge, c);
    const bool by_rows = along == Along::rows;
    const IndexRange rows = by_rows ? outer : inner;
    const IndexRange columns = by_rows ? inner : outer;
    const MatrixView<T> k(block.view().data(), rows.size(), columns.size());
    fill(rows, columns, k, workspace);
    accumulate(ConstMatrixView<T>(k), by_rows ? Transpose::no : Transpose::yes, v.row_block(inner), sum, workspace);
  }
}

// out = K v or Kᵀ v. Outer blocks are tasks of their own; where there are few, so that threads would idle, the inner
// blocks are dealt out to lanes with private (then small) sums.
template <class T, class V>
void multiply_along(Along along, Index outer_size, Index inner_size, Index edge, const TileFiller<T>& fill,
                    ConstMatrixView<V> v, MatrixView<V> out, const Run& run) {
  const Index outer_blocks = block_count(outer_size, edge);
  std::vector<Workspace> workspaces(run.threads());
  if (outer_blocks >= fewest_lanes) {
    parallel_for_workers(run, outer_blocks, [&](Index b, int worker) {
      Workspace& workspace = workspaces[worker];
      const IndexRange outer = block_range(outer_size, edge, b);
      ScratchMatrix<double> sum(workspace, outer.size(), v.columns());
      clear(sum.view());
      sum_over_inner(along, outer, inner_size, 0, 1, edge, fill, v, sum.view(), workspace, run);
      store<V>(sum.view(), out.row_block(outer));
    });
    return;
  }
  const Index lanes = std::clamp<Index>(block_count(inner_size, edge), 1, most_lanes);
  std::vector<Matrix<double>> sums;
  for (Index lane = 0; lane < lanes; ++lane) {
    sums.push_back(Matrix<double>::filled(outer_size, v.columns(), 0.0));
  }
  parallel_for_workers(run, lanes * outer_blocks, [&](Index task, int worker) {
    const Index lane = task % lanes;
    const IndexRange outer = block_range(outer_size, edge, task / lanes);
    sum_over_inner(along, outer, inner_size, lane, lanes, edge, fill, v, sums[lane].view().row_block(outer),
                   workspaces[worker], run);
  });
  combine<V>(sums, out, run);
}

// Where the entries of a rectangular K come from: tiles that are filled, or a matrix in memory.
template <class T>
struct RectangularEntries {
  const TileFiller<T>* fill = nullptr;
  ConstMatrixView<T> stored = {};
};

// sum += Kᵀ f(K v) for the rows `part` of K. They are kept, so that the kernel is evaluated once for both products.
template <class T>
void normal_stripe(IndexRange part, Index columns, const RectangularEntries<T>& entries, ConstMatrixView<T> v,
                   const RowMap& map, MatrixView<double> sum, Workspace& workspace, const Run& run) {
  ScratchMatrix<T> block(workspace, entries.fill != nullptr ? part.size() : 0, columns);
  const ConstMatrixView<T> k = entries.fill != nullptr ? block.view() : entries.stored.row_block(part);
  ScratchMatrix<double> inner_sum(workspace, part.size(), v.columns());
  clear(inner_sum.view());
  for (Index c = 0; c < block_count(columns, tile_size); ++c) {
    run.check_stop();
    const IndexRange range = block_range(columns, tile_size, c);
    if (entries.fill != nullptr) {
      (*entries.fill)(part, range, block.view().block({0, part.size()}, range), workspace);
    }
    accumulate<T>(k.block({0, part.size()}, range), Transpose::no, v.row_block(range), inner_sum.view(), workspace);
  }
  if (map) {
    map(part, inner_sum.view());
  }
  ScratchMatrix<T> inner(workspace, part.size(), v.columns());
  store<T>(inner_sum.view(), inner.view());
  for (Index c = 0; c < block_count(columns, tile_size); ++c) {
    run.check_stop();
    const IndexRange range = block_range(columns, tile_size, c);
    accumulate<T>(k.block({0, part.size()}, range), Transpose::yes, inner.view(), sum.row_block(range), workspace);
  }
}

// The private sums of the lanes of Kᵀ f(K v), to be added in their order.
template <class T>
std::vector<Matrix<double>> normal_lanes(Index rows, Index columns, const RectangularEntries<T>& entries,
                                         ConstMatrixView<T> v, const RowMap& map, const Run& run) {
  // The stripes of many columns are lower, so that a thread keeps 128 MB at most (or 16 rows).
  constexpr Index stripe_memory = Index{128} << 20;
  const Index row_bytes = std::max<Index>(1, columns * static_cast<Index>(sizeof(T)));
  const Index height = std::clamp<Index>(stripe_memory / row_bytes, 16, tile_size);
  const Index stripes = block_count(rows, height);
  const Index lanes = std::max<Index>(std::min<Index>(2, stripes), lane_count(columns, v.columns(), stripes));
  std::vector<Matrix<double>> sums(std::max<Index>(lanes, 1));
  std::vector<Workspace> workspaces(run.threads());
  sums[0] = Matrix<double>::filled(columns, v.columns(), 0.0);
  parallel_for_workers(run, lanes, [&](Index lane, int worker) {
    Matrix<double>& sum = sums[lane];
    if (lane > 0) {
      sum = Matrix<double>::filled(columns, v.columns(), 0.0);
    }
    for (Index b = lane; b < stripes; b += lanes) {
      normal_stripe<T>(block_range(rows, height, b), columns, entries, v, map, sum.view(), workspaces[worker], run);
    }
  });
  return sums;
}

// out[j] += Σ_i c[i] rows[i][j], four rows at a time: each pass over `out` then serves four.
template <class T>
MERCER_INLINE void add_weighted_body(const T* const* rows, Index count, Index columns, const double* c, double* out) {
  Index i = 0;
  for (; i + 4 <= count; i += 4) {
    const T* const k0 = rows[i];
    const T* const k1 = rows[i + 1];
    const T* const k2 = rows[i + 2];
    const T* const k3 = rows[i + 3];
    const double c0 = c[i];
    const double c1 = c[i + 1];
    const double c2 = c[i + 2];
    const double c3 = c[i + 3];
    for (Index j = 0; j < columns; ++j) {
      out[j] += (c0 * static_cast<double>(k0[j]) + c1 * static_cast<double>(k1[j])) +
                (c2 * static_cast<double>(k2[j]) + c3 * static_cast<double>(k3[j]));
    }
  }
  for (; i < count; ++i) {
    const T* const k = rows[i];
    for (Index j = 0; j < columns; ++j) {
      out[j] += c[i] * static_cast<double>(k[j]);
    }
  }
}
MERCER_CLONES void add_weighted(const float* const* rows, Index count, Index columns, const double* c, double* out) {
  add_weighted_body(rows, count, columns, c, out);
}
MERCER_CLONES void add_weighted(const double* const* rows, Index count, Index columns, const double* c, double* out) {
  add_weighted_body(rows, count, columns, c, out);
}

}  // namespace

template <class T>
void add_weighted_rows(Index rows, Index columns, const TileFiller<T>& fill, std::span<const double> coefficients,
                       std::span<double> out, const Run& run) {
  std::vector<Workspace> workspaces(run.threads());
  const Index width = tile_width(rows);
  parallel_for_workers(run, block_count(columns, width), [&](Index task, int worker) {
    Workspace& workspace = workspaces[worker];
    const IndexRange range = block_range(columns, width, task);
    ScratchMatrix<T> block(workspace, std::min(rows, tile_size), range.size());
    std::array<const T*, tile_size> row_data{};
    for (Index b = 0; b < block_count(rows, tile_size); ++b) {
      run.check_stop();
      const IndexRange part = block_range(rows, tile_size, b);
      const MatrixView<T> k(block.view().data(), part.size(), range.size());
      fill(part, range, k, workspace);
      for (Index i = 0; i < part.size(); ++i) {
        row_data[i] = k.row_data(i);
      }
      add_weighted(row_data.data(), part.size(), range.size(), coefficients.data() + part.begin,
                   out.data() + range.begin);
    }
  });
}

template <class T>
void add_weighted_rows(std::span<const T* const> rows, std::span<const double> coefficients, std::span<double> out,
                       const Run& run) {
  constexpr Index width = 2048;  // 16 KB of sums and four times 8 KB of rows: half of a first-level cache
  const auto columns = static_cast<Index>(out.size());
  parallel_for(run, block_count(columns, width), [&](Index task) {
    const IndexRange range = block_range(columns, width, task);
    std::vector<const T*> row_data(rows.begin(), rows.end());
    for (const T*& row : row_data) {
      row += range.begin;
    }
    add_weighted(row_data.data(), static_cast<Index>(row_data.size()), range.size(), coefficients.data(),
                 out.data() + range.begin);
  });
}

template <class T>
void multiply_symmetric(Index n, const TileFiller<T>& fill, ConstMatrixView<T> v, MatrixView<T> out, const Run& run) {
  require_shapes(v, n, out, n);
  const Index blocks = block_count(n, tile_size);
  const Index lanes = lane_count(n, v.columns(), blocks);
  if (lanes < std::min(fewest_lanes, blocks) || n == 0) {
    multiply_along(Along::rows, n, n, tile_size, fill, v, out, run);
    return;
  }
  std::vector<Matrix<double>> sums(lanes);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, lanes, [&](Index task, int worker) {
    const Index lane = lanes - 1 - task;  // the longest first, so that threads end together
    Matrix<double>& sum = sums[lane];
    sum = Matrix<double>::filled(n, v.columns(), 0.0);
    symmetric_lane<T>(n, lane, lanes, fill, v, sum.view(), workspaces[worker], run);
  });
  combine<T>(sums, out, run);
}

template <class T, class V>
void multiply_rectangular(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<V> v, MatrixView<V> out,
                          const Run& run, Index edge) {
  require_shapes(v, columns, out, rows);
  multiply_along(Along::rows, rows, columns, edge, fill, v, out, run);
}

template <class T>
void multiply_transposed(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<T> v, MatrixView<T> out,
                         const Run& run) {
  require_shapes(v, rows, out, columns);
  multiply_along(Along::columns, columns, rows, tile_size, fill, v, out, run);
}

template <class T>
void multiply_normal(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<T> v, MatrixView<T> out,
                     const Run& run) {
  require_shapes(v, columns, out, columns);
  std::vector<Matrix<double>> sums = normal_lanes<T>(rows, columns, {&fill}, v, {}, run);
  combine<T>(sums, out, run);
}

namespace {

template <class T>
void add_mapped_lanes(Index rows, Index columns, const RectangularEntries<T>& entries, ConstMatrixView<T> v,
                      const RowMap& map, MatrixView<double> out, const Run& run) {
  if (v.rows() != columns || out.rows() != columns || v.columns() != out.columns()) {
    throw InvalidArgument("a product with " + std::to_string(columns) + " columns is given blocks of " +
                          std::to_string(v.rows()) + " by " + std::to_string(v.columns()) + " and " +
                          std::to_string(out.rows()) + " by " + std::to_string(out.columns()));
  }
  std::vector<Matrix<double>> sums = normal_lanes<T>(rows, columns, entries, v, map, run);
  sums.insert(sums.begin(), Matrix<double>::copy_of(out));
  combine<double>(sums, out, run);
}

}  // namespace

template <class T>
void add_mapped_normal(Index rows, Index columns, const TileFiller<T>& fill, ConstMatrixView<T> v, const RowMap& map,
                       MatrixView<double> out, const Run& run) {
  add_mapped_lanes<T>(rows, columns, {&fill}, v, map, out, run);
}

template <class T>
void add_mapped_normal(ConstMatrixView<T> k, ConstMatrixViewOf<T> v, const RowMap& map, MatrixView<double> out,
                       const Run& run) {
  add_mapped_lanes<T>(k.rows(), k.columns(), {nullptr, k}, v, map, out, run);
}

#define MERCER_INSTANTIATE(T)                                                                                       \
  template void multiply_symmetric(Index, const TileFiller<T>&, ConstMatrixView<T>, MatrixView<T>, const Run&);     \
  template void multiply_rectangular(Index, Index, const TileFiller<T>&, ConstMatrixView<T>, MatrixView<T>,         \
                                     const Run&, Index);                                                            \
  template void multiply_transposed(Index, Index, const TileFiller<T>&, ConstMatrixView<T>, MatrixView<T>,          \
                                    const Run&);                                                                    \
  template void multiply_normal(Index, Index, const TileFiller<T>&, ConstMatrixView<T>, MatrixView<T>, const Run&); \
  template void add_mapped_normal(Index, Index, const TileFiller<T>&, ConstMatrixView<T>, const RowMap&,            \
                                  MatrixView<double>, const Run&);                                                  \
  template void add_mapped_normal(ConstMatrixView<T>, ConstMatrixView<T>, const RowMap&, MatrixView<double>,        \
                                  const Run&);                                                                      \
  template void add_weighted_rows(Index, Index, const TileFiller<T>&, std::span<const double>, std::span<double>,   \
                                  const Run&);                                                                      \
  template void add_weighted_rows(std::span<const T* const>, std::span<const double>, std::span<double>, const Run&)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
template void multiply_rectangular(Index, Index, const TileFiller<float>&, ConstMatrixView<double>, MatrixView<double>,
                                   const Run&, Index);
#undef MERCER_INSTANTIATE

}  // namespace mercer
