#include "mercer/select/estimates/enclosing_ball.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/solvers/svm/one_class_dual.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

namespace {

// max_i ‖Φ(x_i) − Φ(x_0)‖²/4: a lower bound on R², at most four times too small.
double rough_squared_radius(const Gram<double>& gram, std::span<const double> diagonal) {
  std::vector<double> row(diagonal.size());
  gram.row(0, row);
  double largest = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    largest = std::max(largest, diagonal[0] + diagonal[i] - 2 * row[i]);
  }
  return largest / 4;
}

double least_of_block_row(const Gram<double>& gram, Index b, Workspace& workspace, const Run& run) {
  const IndexRange rows = block_range(gram.size(), tile_size, b);
  ScratchMatrix<double> block(workspace, tile_size, tile_size);
  double least = std::numeric_limits<double>::infinity();
  for (Index c = 0; c <= b; ++c) {
    run.check_stop();
    const IndexRange columns = block_range(gram.size(), tile_size, c);
    const MatrixView<double> tile(block.view().data(), rows.size(), columns.size());
    gram.fill(rows, columns, tile, workspace);
    least = std::min(least, *std::min_element(tile.data(), tile.data() + rows.size() * columns.size()));
  }
  return least;
}

}  // namespace

EnclosingBall enclosing_ball(const Gram<double>& gram, double accuracy, const Run& run, double memory_mb) {
  const auto n = static_cast<std::size_t>(gram.size());
  if (n == 0) {
    throw InvalidArgument("enclosing ball: there are no samples; at least one is needed");
  }
  if (!(accuracy > 0)) {
    reject_argument("enclosing ball: accuracy", accuracy, "positive");
  }
  std::vector<double> diagonal(n);
  gram.diagonal(diagonal);
  EnclosingBall ball;
  const double rough = rough_squared_radius(gram, diagonal);
  const double largest = std::abs(*std::max_element(diagonal.begin(), diagonal.end()));
  if (!(rough > 1e-15 * largest)) {
    ball.center.assign(n, 0.0);
    ball.center[0] = 1;
    ball.squared_radius = std::max(0.0, 4 * rough);
    return ball;
  }
  const std::vector<double> weights(n, 1.0);
  // With ν = 1/n every coefficient may reach 1: no sample is left outside. A KKT gap g bounds the error of R² by 2g.
  SvmDual dual =
      solve_svdd(gram, 1 / static_cast<double>(n), weights,
                 {.tolerance = accuracy * rough / 2, .memory_mb = memory_mb, .scale = GapScale::absolute}, run);
  double center_norm = 0;
  double mean_diagonal = 0;
  for (std::size_t i = 0; i < n; ++i) {
    center_norm += dual.coefficients[i] * dual.values[i];
    mean_diagonal += dual.coefficients[i] * diagonal[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    ball.squared_radius = std::max(ball.squared_radius, diagonal[i] - 2 * dual.values[i] + center_norm);
  }
  ball.gap = std::max(0.0, ball.squared_radius - (mean_diagonal - center_norm));
  ball.center = std::move(dual.coefficients);
  return ball;
}

double kernel_range(const Gram<double>& gram, const Run& run) {
  if (gram.size() == 0) {
    return 0;
  }
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  const Index blocks = block_count(gram.size(), tile_size);
  std::vector<double> least(blocks);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, blocks, [&](Index task, int worker) {
    const Index b = blocks - 1 - task;
    least[b] = least_of_block_row(gram, b, workspaces[worker], run);
  });
  return *std::max_element(diagonal.begin(), diagonal.end()) - *std::min_element(least.begin(), least.end());
}

}  // namespace mercer
