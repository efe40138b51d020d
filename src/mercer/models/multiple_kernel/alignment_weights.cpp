#include "mercer/models/multiple_kernel/alignment_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/nonnegative_qp.h"

namespace mercer {

namespace {

// Small, since one tile of every kernel is held at a time.
constexpr Index alignment_block = 64;

Matrix<double> centered_targets(ConstMatrixView<double> targets, std::span<const double> roots) {
  Matrix<double> y = Matrix<double>::copy_of(targets);
  double total = 0;
  for (const double root : roots) {
    total += root * root;
  }
  for (Index o = 0; o < y.columns(); ++o) {
    double mean = 0;
    for (Index i = 0; i < y.rows(); ++i) {
      mean += roots[i] * roots[i] * y(i, o) / total;
    }
    for (Index i = 0; i < y.rows(); ++i) {
      y(i, o) -= mean;
    }
  }
  return y;
}

// One row per matrix, the targets' last: the entries of a tile times √(w_i w_j).
void fill_tiles(const SummandGrams& grams, const Matrix<double>& y, std::span<const double> roots, IndexRange rows,
                IndexRange columns, MatrixView<double> tiles, Workspace& workspace) {
  const Index area = rows.size() * columns.size();
  for (Index k = 0; k < grams.count(); ++k) {
    const MatrixView<double> tile(tiles.row_data(k), rows.size(), columns.size());
    grams.gram(k).fill(rows, columns, tile, workspace);
    scale(grams.scales()[k], {tile.data(), static_cast<std::size_t>(area)});
  }
  const MatrixView<double> target(tiles.row_data(grams.count()), rows.size(), columns.size());
  for (Index i = 0; i < rows.size(); ++i) {
    for (Index j = 0; j < columns.size(); ++j) {
      target(i, j) = dot(y.view().row(rows.begin + i), y.view().row(columns.begin + j));
    }
  }
  for (Index k = 0; k <= grams.count(); ++k) {
    const MatrixView<double> tile(tiles.row_data(k), rows.size(), columns.size());
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index j = 0; j < columns.size(); ++j) {
        tile(i, j) *= roots[rows.begin + i] * roots[columns.begin + j];
      }
    }
  }
}

std::vector<double> shares_of(std::vector<double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) {
    weight = total > 0 ? weight / total : 1.0 / static_cast<double>(weights.size());
  }
  return weights;
}

}  // namespace

double AlignmentSums::alignment(std::span<const double> weights) const {
  double square = 0;
  double target = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    target += weights[k] * targets[k];
    for (std::size_t l = 0; l < weights.size(); ++l) {
      square += weights[k] * weights[l] * products(static_cast<Index>(k), static_cast<Index>(l));
    }
  }
  return square > 0 && target_square > 0 ? target / (std::sqrt(square) * std::sqrt(target_square)) : 0.0;
}

AlignmentSums alignment_sums(const SummandGrams& grams, ConstMatrixView<double> targets,
                             std::span<const double> row_weights, const Run& run) {
  const Index n = grams.size();
  const Index count = grams.count();
  std::vector<double> roots(n, 1.0);
  std::transform(row_weights.begin(), row_weights.end(), roots.begin(),
                 [](double weight) { return std::sqrt(weight); });
  const Matrix<double> y = centered_targets(targets, roots);
  const Index blocks = block_count(n, alignment_block);
  std::vector<Matrix<double>> parts(blocks);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, blocks, [&](Index task, int worker) {
    const Index b = blocks - 1 - task;
    const IndexRange rows = block_range(n, alignment_block, b);
    Matrix<double> sums = Matrix<double>::filled(count + 1, count + 1, 0.0);
    Matrix<double> tiles(count + 1, alignment_block * alignment_block);
    for (Index c = 0; c <= b; ++c) {
      run.check_stop();
      const IndexRange columns = block_range(n, alignment_block, c);
      const MatrixView<double> filled(tiles.data(), count + 1, rows.size() * columns.size());
      fill_tiles(grams, y, roots, rows, columns, filled, workspaces[worker]);
      syrk(c == b ? 1.0 : 2.0, filled, Transpose::no, 1.0, sums.view());
    }
    parts[b] = std::move(sums);
  });
  AlignmentSums result{.products = Matrix<double>::filled(count, count, 0.0),
                       .targets = std::vector<double>(count, 0.0)};
  for (const Matrix<double>& part : parts) {
    for (Index k = 0; k < count; ++k) {
      for (Index l = 0; l <= k; ++l) {
        result.products(k, l) += part(k, l);
      }
      result.targets[k] += part(count, k);
    }
    result.target_square += part(count, count);
  }
  for (Index k = 0; k < count; ++k) {
    for (Index l = 0; l < k; ++l) {
      result.products(l, k) = result.products(k, l);
    }
  }
  return result;
}

std::vector<double> align_weights(const AlignmentSums& sums) {
  std::vector<double> weights;
  for (std::size_t k = 0; k < sums.targets.size(); ++k) {
    const double square = sums.products(static_cast<Index>(k), static_cast<Index>(k));
    weights.push_back(square > 0 ? std::max(0.0, sums.targets[k]) / std::sqrt(square) : 0.0);
  }
  return shares_of(std::move(weights));
}

std::vector<double> alignf_weights(const AlignmentSums& sums, const Run& run) {
  std::vector<double> linear;
  for (const double target : sums.targets) {
    linear.push_back(-target);
  }
  return shares_of(solve_nonnegative_qp({.quadratic = sums.products.view(), .linear = linear}, run));
}

}  // namespace mercer
