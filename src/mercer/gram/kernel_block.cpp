#include "mercer/gram/kernel_block.h"

#include <algorithm>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"

namespace mercer {

Index tile_width(Index rows) {
  constexpr Index widest = 4096;
  return std::clamp(tile_size * tile_size / std::max<Index>(rows, 1), tile_size, widest);
}

Index tile_edge(const Kernel& kernel) {
  constexpr Index small_tile = 32;
  return kernel.node().has_costly_pairs() ? small_tile : tile_size;
}

template <class T>
void fill_block(const Kernel& kernel, const Prepared& x, IndexRange rows, const Prepared& y, IndexRange columns,
                MatrixView<T> out, Workspace& workspace) {
  const Index width = tile_width(rows.size());
  for (Index i = rows.begin; i < rows.end; i += tile_size) {
    for (Index j = columns.begin; j < columns.end; j += width) {
      const IndexRange r{i, std::min(i + tile_size, rows.end)};
      const IndexRange c{j, std::min(j + width, columns.end)};
      TileContext<T> context(x, r, y, c, workspace);
      kernel.node().tile(context, out.block(i - rows.begin, j - columns.begin, r.size(), c.size()));
    }
  }
}

template <class T>
void evaluate_block(const Kernel& kernel, const Prepared& x, const Prepared& y, MatrixView<T> out, const Run& run) {
  const Index edge = tile_edge(kernel);
  const Index width = edge < tile_size ? edge : tile_width(out.rows());
  const Index across = block_count(out.columns(), width);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, block_count(out.rows(), edge) * across, [&](Index task, int worker) {
    const IndexRange rows = block_range(out.rows(), edge, task / across);
    const IndexRange columns = block_range(out.columns(), width, task % across);
    TileContext<T> context(x, rows, y, columns, workspaces[worker]);
    kernel.node().tile(context, out.block(rows, columns));
  });
}

template <class T>
void require_precision(const PreparedKernel& kernel) {
  if (kernel.precision() != precision_of<T>) {
    throw InvalidArgument("a kernel prepared in one precision is evaluated in the other: prepare it in " +
                          std::string(sizeof(T) == sizeof(float) ? "single" : "double") + " precision");
  }
}

#define MERCER_INSTANTIATE(T)                                                                                      \
  template void fill_block(const Kernel&, const Prepared&, IndexRange, const Prepared&, IndexRange, MatrixView<T>, \
                           Workspace&);                                                                            \
  template void evaluate_block(const Kernel&, const Prepared&, const Prepared&, MatrixView<T>, const Run&);        \
  template void require_precision<T>(const PreparedKernel&)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
#undef MERCER_INSTANTIATE

}  // namespace mercer
