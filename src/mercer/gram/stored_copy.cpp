#include "mercer/gram/stored_copy.h"

#include <vector>

#include "mercer/base/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/product.h"

namespace mercer {

template <class T>
Matrix<T> stored_copy(const Gram<T>& gram, const Run& run) {
  const Index n = gram.size();
  Matrix<T> k(n, n);
  const Index blocks = block_count(n, tile_size);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, blocks, [&](Index task, int worker) {
    const IndexRange rows = block_range(n, tile_size, blocks - 1 - task);
    for (Index c = 0; c < blocks - task; ++c) {
      run.check_stop();
      const IndexRange columns = block_range(n, tile_size, c);
      gram.fill(rows, columns, k.view().block(rows, columns), workspaces[worker]);
    }
  });
  mirror_lower(k.view(), run);
  return k;
}

template Matrix<float> stored_copy(const Gram<float>&, const Run&);
template Matrix<double> stored_copy(const Gram<double>&, const Run&);

}  // namespace mercer
