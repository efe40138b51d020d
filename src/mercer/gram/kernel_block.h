// Blocks of kernel values between two prepared sample sets, cut into tiles: what KernelGram and CrossGram share.
#pragma once

#include "mercer/base/run.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// out = k(x_i, y_j) for a block of any shape. Large blocks are cut, so that scratch memory stays that of a tile.
template <class T>
void fill_block(const Kernel& kernel, const Prepared& x, IndexRange rows, const Prepared& y, IndexRange columns,
                MatrixView<T> out, Workspace& workspace);

/// How wide the tiles of a block of so many rows are: low blocks are cut into wider tiles, so that the fixed cost of a
/// tile is spread over as many entries as in a square one.
Index tile_width(Index rows);

/// How many rows and columns a task takes: a whole tile, or few where a pair takes long (KernelNode::has_costly_pairs), so
/// that all threads have work and a stop is noticed.
Index tile_edge(const Kernel& kernel);

/// out = all kernel values between x and y, tiles in parallel.
template <class T>
void evaluate_block(const Kernel& kernel, const Prepared& x, const Prepared& y, MatrixView<T> out, const Run& run);

/// Throws InvalidArgument unless the kernel was prepared in the precision of T.
template <class T>
void require_precision(const PreparedKernel& kernel);

}  // namespace mercer
