#include "mercer/gram/alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/low_rank.h"
#include "mercer/gram/wrappers.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/scratch_matrix.h"

namespace mercer {

namespace {

// ⟨K, L⟩, ⟨K, K⟩, ⟨L, L⟩
using Products = std::array<double, 3>;

template <class T>
Products block_row_products(const Gram<T>& k, const Gram<T>& l, Index b, Workspace& workspace, const Run& run) {
  const Index n = k.size();
  const IndexRange rows = block_range(n, tile_size, b);
  ScratchMatrix<T> k_block(workspace, tile_size, tile_size);
  ScratchMatrix<T> l_block(workspace, tile_size, tile_size);
  Products sums{};
  for (Index c = 0; c <= b; ++c) {
    run.check_stop();
    const IndexRange columns = block_range(n, tile_size, c);
    const MatrixView<T> k_tile(k_block.view().data(), rows.size(), columns.size());
    const MatrixView<T> l_tile(l_block.view().data(), rows.size(), columns.size());
    k.fill(rows, columns, k_tile, workspace);
    l.fill(rows, columns, l_tile, workspace);
    const double weight = c == b ? 1 : 2;
    for (Index e = 0; e < rows.size() * columns.size(); ++e) {
      const auto x = static_cast<double>(k_tile.data()[e]);
      const auto y = static_cast<double>(l_tile.data()[e]);
      sums[0] += weight * x * y;
      sums[1] += weight * x * x;
      sums[2] += weight * y * y;
    }
  }
  return sums;
}

template <class T>
double cosine(const Gram<T>& k, const Gram<T>& l, const Run& run) {
  const Index blocks = block_count(k.size(), tile_size);
  std::vector<Products> parts(blocks);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, blocks, [&](Index task, int worker) {
    const Index b = blocks - 1 - task;
    parts[b] = block_row_products(k, l, b, workspaces[worker], run);
  });
  Products total{};
  for (const Products& part : parts) {
    for (std::size_t p = 0; p < total.size(); ++p) {
      total[p] += part[p];
    }
  }
  if (!(total[1] > 0) || !(total[2] > 0)) {
    throw NumericalError("the alignment with a Gram matrix of zeros is not defined");
  }
  return std::clamp(total[0] / (std::sqrt(total[1]) * std::sqrt(total[2])), -1.0, 1.0);
}

}  // namespace

template <class T>
double alignment(const Gram<T>& k, const Gram<T>& l, Centering centering, const Run& run) {
  if (k.size() != l.size()) {
    throw InvalidArgument("Gram matrices of sizes " + std::to_string(k.size()) + " and " + std::to_string(l.size()) +
                          " cannot be aligned");
  }
  if (centering == Centering::none) {
    return cosine(k, l, run);
  }
  return cosine<T>(CenteredGram<T>(borrowed(k), run), CenteredGram<T>(borrowed(l), run), run);
}

template <class T>
double target_alignment(const Gram<T>& k, std::span<const double> y, Centering centering, const Run& run) {
  Matrix<T> column(static_cast<Index>(y.size()), 1);
  std::transform(y.begin(), y.end(), column.data(), [](double value) { return static_cast<T>(value); });
  const LowRankGram<T> target(std::move(column));
  return alignment<T>(k, target, centering, run);
}

template double alignment(const Gram<float>&, const Gram<float>&, Centering, const Run&);
template double alignment(const Gram<double>&, const Gram<double>&, Centering, const Run&);
template double target_alignment(const Gram<float>&, std::span<const double>, Centering, const Run&);
template double target_alignment(const Gram<double>&, std::span<const double>, Centering, const Run&);

}  // namespace mercer
