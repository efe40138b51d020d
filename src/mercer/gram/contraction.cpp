#include "mercer/gram/contraction.h"

#include <algorithm>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/scratch_matrix.h"

namespace mercer {

namespace {

TileFiller<double> stored(ConstMatrixView<double> q) {
  return [q](IndexRange rows, IndexRange columns, MatrixView<double> out, Workspace&) {
    for (Index i = 0; i < rows.size(); ++i) {
      std::copy_n(q.row_data(rows.begin + i) + columns.begin, columns.size(), out.row_data(i));
    }
  };
}

void require_size(ConstMatrixView<double> q, Index rows, Index columns) {
  if (q.rows() != rows || q.columns() != columns) {
    throw InvalidArgument("weights of " + std::to_string(q.rows()) + " by " + std::to_string(q.columns()) +
                          " for kernel values of " + std::to_string(rows) + " by " + std::to_string(columns));
  }
}

// The tiles of one row of blocks, on and below the diagonal.
void contract_block_row(const PreparedKernel& kernel, Index b, const TileFiller<double>& q, std::span<double> gradient,
                        Workspace& workspace, const Run& run) {
  const Prepared& x = kernel.reference();
  const IndexRange rows = block_range(x.size(), tile_size, b);
  ScratchMatrix<double> block(workspace, tile_size, tile_size);
  for (Index c = 0; c <= b; ++c) {
    run.check_stop();
    const IndexRange columns = block_range(x.size(), tile_size, c);
    const MatrixView<double> weights(block.view().data(), rows.size(), columns.size());
    q(rows, columns, weights, workspace);
    if (c != b) {
      std::for_each_n(weights.data(), rows.size() * columns.size(), [](double& weight) { weight *= 2; });
    }
    TileContext<double> context(x, rows, x, columns, workspace);
    kernel.kernel().node().contract(context, weights, gradient);
  }
}

// Σ over tasks of the gradients that task(t, part, workspace) adds up, in the order of the tasks.
template <class Task>
std::vector<double> sum_of_blocks(const PreparedKernel& kernel, Index tasks, const Run& run, const Task& task) {
  const auto parameters = static_cast<std::size_t>(kernel.kernel().node().scale_count());
  std::vector<std::vector<double>> parts(tasks, std::vector<double>(parameters, 0.0));
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, tasks,
                       [&](Index t, int worker) { task(t, std::span<double>(parts[t]), workspaces[worker]); });
  std::vector<double> gradient(parameters, 0.0);
  for (const std::vector<double>& part : parts) {
    for (std::size_t p = 0; p < parameters; ++p) {
      gradient[p] += part[p];
    }
  }
  return gradient;
}

std::vector<double> contract_diagonal(const PreparedKernel& kernel, const Prepared& x, std::span<const double> q,
                                      const Run& run) {
  require_precision<double>(kernel);
  if (static_cast<Index>(q.size()) != x.size()) {
    throw InvalidArgument(std::to_string(q.size()) + " weights for " + std::to_string(x.size()) + " samples");
  }
  run.check_stop();
  std::vector<double> gradient(kernel.kernel().node().scale_count(), 0.0);
  kernel.kernel().node().contract_diagonal(x, {0, x.size()}, q, gradient);
  return gradient;
}

}  // namespace

std::vector<double> contract(const PreparedKernel& kernel, const TileFiller<double>& q, const Run& run) {
  require_precision<double>(kernel);
  const Index blocks = block_count(kernel.reference().size(), tile_size);
  return sum_of_blocks(kernel, blocks, run, [&](Index task, std::span<double> part, Workspace& workspace) {
    // The longest first, so that threads end together.
    contract_block_row(kernel, blocks - 1 - task, q, part, workspace, run);
  });
}

std::vector<double> contract(const PreparedKernel& kernel, ConstMatrixView<double> q, const Run& run) {
  require_size(q, kernel.reference().size(), kernel.reference().size());
  return contract(kernel, stored(q), run);
}

std::vector<double> contract(const CrossGram<double>& gram, const TileFiller<double>& q, const Run& run) {
  const Index blocks = block_count(gram.rows(), tile_size);
  return sum_of_blocks(gram.kernel(), blocks, run, [&](Index b, std::span<double> part, Workspace& workspace) {
    const IndexRange rows = block_range(gram.rows(), tile_size, b);
    ScratchMatrix<double> block(workspace, tile_size, tile_size);
    for (Index c = 0; c < block_count(gram.columns(), tile_size); ++c) {
      run.check_stop();
      const IndexRange columns = block_range(gram.columns(), tile_size, c);
      const MatrixView<double> weights(block.view().data(), rows.size(), columns.size());
      q(rows, columns, weights, workspace);
      TileContext<double> context(gram.samples(), rows, gram.kernel().reference(), columns, workspace);
      gram.kernel().kernel().node().contract(context, weights, part);
    }
  });
}

std::vector<double> contract(const CrossGram<double>& gram, ConstMatrixView<double> q, const Run& run) {
  require_size(q, gram.rows(), gram.columns());
  return contract(gram, stored(q), run);
}

std::vector<double> contract_diagonal(const PreparedKernel& kernel, std::span<const double> q, const Run& run) {
  return contract_diagonal(kernel, kernel.reference(), q, run);
}

std::vector<double> contract_diagonal(const CrossGram<double>& gram, std::span<const double> q, const Run& run) {
  return contract_diagonal(gram.kernel(), gram.samples(), q, run);
}

void input_gradient(const CrossGram<double>& gram, const TileFiller<double>& q, MatrixView<double> out,
                    const Run& run) {
  const Prepared& x = gram.samples();
  const Prepared& z = gram.kernel().reference();
  const KernelNode& node = gram.kernel().kernel().node();
  if (!node.has_input_derivatives()) {
    no_input_derivatives(node);
  }
  require_size(out, x.size(), x.samples().columns());
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, block_count(x.size(), tile_size), [&](Index b, int worker) {
    Workspace& workspace = workspaces[worker];
    const IndexRange rows = block_range(x.size(), tile_size, b);
    const MatrixView<double> part = out.row_block(rows);
    for (Index i = 0; i < part.rows(); ++i) {
      std::fill_n(part.row_data(i), part.columns(), 0.0);
    }
    ScratchMatrix<double> block(workspace, tile_size, tile_size);
    for (Index c = 0; c < block_count(z.size(), tile_size); ++c) {
      run.check_stop();
      const IndexRange columns = block_range(z.size(), tile_size, c);
      const MatrixView<double> weights(block.view().data(), rows.size(), columns.size());
      q(rows, columns, weights, workspace);
      TileContext<double> context(x, rows, z, columns, workspace);
      node.contract_inputs(context, weights, part);
    }
  });
}

void input_gradient(const CrossGram<double>& gram, ConstMatrixView<double> q, MatrixView<double> out, const Run& run) {
  require_size(q, gram.rows(), gram.columns());
  input_gradient(gram, stored(q), out, run);
}

PairDerivatives pair_derivatives(const CrossGram<double>& gram, Index i, Index j) {
  if (i < 0 || i >= gram.rows() || j < 0 || j >= gram.columns()) {
    throw InvalidArgument("pair (" + std::to_string(i) + ", " + std::to_string(j) + ") of " +
                          std::to_string(gram.rows()) + " by " + std::to_string(gram.columns()) + " samples");
  }
  Workspace workspace;
  PairDerivatives result(gram.samples().samples().columns());
  TileContext<double> context(gram.samples(), {i, i + 1}, gram.kernel().reference(), {j, j + 1}, workspace);
  gram.kernel().kernel().node().pair_derivatives(context, result);
  return result;
}

}  // namespace mercer
