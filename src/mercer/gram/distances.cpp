#include "mercer/gram/distances.h"

#include <algorithm>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/product.h"

namespace mercer {

template <class T>
void squared_distances(const Gram<T>& gram, DistanceScale scale, MatrixView<T> out, const Run& run) {
  const Index n = gram.size();
  if (out.rows() != n || out.columns() != n) {
    throw InvalidArgument("a matrix of " + std::to_string(out.rows()) + " by " + std::to_string(out.columns()) +
                          " for the distances of " + std::to_string(n) + " samples");
  }
  std::vector<double> diagonal(n);
  gram.diagonal(diagonal);
  const double factor = scale == DistanceScale::feature_space ? 2.0 : 1.0;
  const Index blocks = block_count(n, tile_size);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, blocks, [&](Index b, int worker) {
    const IndexRange rows = block_range(n, tile_size, b);
    const MatrixView<T> part = out.block(rows, {0, rows.end});
    gram.fill(rows, {0, rows.end}, part, workspaces[worker]);
    for (Index i = rows.begin; i < rows.end; ++i) {
      for (Index j = 0; j < i; ++j) {
        const double mean = (diagonal[i] + diagonal[j]) / 2;
        out(i, j) = static_cast<T>(std::max(0.0, factor * (mean - static_cast<double>(out(i, j)))));
      }
      out(i, i) = T(0);
    }
  });
  mirror_lower(out, run);
}

template void squared_distances(const Gram<float>&, DistanceScale, MatrixView<float>, const Run&);
template void squared_distances(const Gram<double>&, DistanceScale, MatrixView<double>, const Run&);

}  // namespace mercer
