#include "mercer/models/mapped/normal_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/models/mapped/mapped_blocks.h"

namespace mercer {

namespace {

constexpr int penalties_per_decade = 4;
constexpr int lowest_decade = -10;
constexpr int highest_decade = 2;

// √w (z − shift) and √w (y − shift) of a block.
struct ShiftedBlock {
  Matrix<double> features;
  Matrix<double> targets;
};

class ShiftedRows {
 public:
  ShiftedRows(const FeatureMap& map, const CountedRows& rows, const Matrix<double>& targets)
      : map_(map), rows_(rows), targets_(targets), block_(mapped_block_rows(map.columns())) {}

  Index count() const { return block_count(rows_.samples.size(), block_); }
  IndexRange range(Index b) const { return block_range(rows_.samples.size(), block_, b); }
  double weight(Index i) const { return rows_.weight(i); }

  Matrix<double> features(Index b, const Run& run) const {
    run.check_stop();
    Matrix<double> z(range(b).size(), map_.columns());
    map_.transform(rows_.samples.slice(range(b)), z.view(), run.quiet());
    return z;
  }

  ShiftedBlock load(Index b, std::span<const double> feature_shift, std::span<const double> target_shift,
                    const Run& run) const {
    ShiftedBlock block{features(b, run), Matrix<double>(range(b).size(), targets_.columns())};
    for (Index i = 0; i < range(b).size(); ++i) {
      const Index row = range(b).begin + i;
      const double root = std::sqrt(weight(row));
      for (Index c = 0; c < block.features.columns(); ++c) {
        block.features(i, c) = root * (block.features(i, c) - feature_shift[c]);
      }
      for (Index o = 0; o < targets_.columns(); ++o) {
        block.targets(i, o) = root * (targets_(row, o) - target_shift[o]);
      }
    }
    return block;
  }

  const Matrix<double>& targets() const { return targets_; }

 private:
  const FeatureMap& map_;
  const CountedRows& rows_;
  const Matrix<double>& targets_;
  Index block_;
};

// The weighted means of the first block, as shifts.
void set_shifts(const ShiftedRows& rows, NormalSums& sums, const Run& run) {
  const Matrix<double> z = rows.features(0, run);
  double total = 0;
  for (Index i = 0; i < z.rows(); ++i) {
    total += rows.weight(i);
  }
  for (Index i = 0; i < z.rows(); ++i) {
    const double share = rows.weight(i) / total;
    axpy(share, z.view().row(i), sums.feature_means);
    axpy(share, rows.targets().view().row(i), sums.target_means);
  }
}

// What the sums about the shifts are about the means.
void move_to_means(std::span<const double> feature_sums, std::span<const double> target_sums, NormalSums& sums) {
  const Index q = sums.matrix.rows();
  const Index outputs = sums.right.columns();
  for (Index a = 0; a < q; ++a) {
    const double share = feature_sums[a] / sums.weight;
    axpy(-share, feature_sums.first(static_cast<std::size_t>(a) + 1),
         sums.matrix.view().row(a).first(static_cast<std::size_t>(a) + 1));
    axpy(-share, target_sums, sums.right.view().row(a));
    sums.feature_means[a] += share;
  }
  for (Index o = 0; o < outputs; ++o) {
    const double sum = target_sums[o];
    sums.squares[o] = std::max(0.0, sums.squares[o] - sum * sum / sums.weight);
    sums.target_means[o] += sum / sums.weight;
  }
}

std::vector<double> penalty_grid(const RidgeDirections& directions) {
  const double largest = directions.values.empty() ? 1.0 : directions.values.back();
  std::vector<double> grid;
  for (int step = lowest_decade * penalties_per_decade; step <= highest_decade * penalties_per_decade; ++step) {
    grid.push_back(largest * std::pow(10.0, static_cast<double>(step) / penalties_per_decade));
  }
  return grid;
}

// What generalised cross-validation needs, per target: Σ_j c_j²/Λ_j (λ/(Λ_j + λ))² + what no direction explains.
class GcvCriterion {
 public:
  GcvCriterion(const NormalSums& sums, const RidgeDirections& directions)
      : directions_(directions), weight_(sums.weight), rows_(static_cast<double>(sums.rows)) {
    const auto kept = static_cast<Index>(directions.values.size());
    const double lost = sums.about == SumsAbout::means ? 1 : 0;
    free_ = std::max(0.0, rows_ - lost - static_cast<double>(kept));
    for (std::size_t o = 0; o < sums.squares.size(); ++o) {
      double explained = 0;
      for (Index j = 0; j < kept; ++j) {
        explained += energy(j, static_cast<Index>(o));
      }
      rest_.push_back(free_ > 0 ? std::max(0.0, sums.squares[o] - explained) : 0.0);
      variances_.push_back(sums.squares[o] > 0 ? sums.squares[o] / weight_ : 1.0);
    }
  }

  double of_target(double lambda, std::size_t o) const {
    double residual = rest_[o];
    double freedom = free_;
    for (std::size_t j = 0; j < directions_.values.size(); ++j) {
      const double share = lambda / (directions_.values[j] + lambda);
      residual += energy(static_cast<Index>(j), static_cast<Index>(o)) * share * share;
      freedom += share;
    }
    const double share_left = freedom / rows_;  // 1 − df/n
    return freedom > 0 ? residual / weight_ / (share_left * share_left) : std::numeric_limits<double>::infinity();
  }
  double operator()(double lambda) const {
    double sum = 0;
    for (std::size_t o = 0; o < rest_.size(); ++o) {
      sum += of_target(lambda, o) / variances_[o];
    }
    return sum;
  }

 private:
  double energy(Index j, Index o) const {
    return directions_.right(j, o) * directions_.right(j, o) / directions_.values[j];
  }

  const RidgeDirections& directions_;
  double weight_;
  double rows_;
  double free_ = 0;  // dimensions of the rows' space that no direction reaches
  std::vector<double> rest_;
  std::vector<double> variances_;
};

}  // namespace

NormalSums normal_sums(const FeatureMap& map, const CountedRows& rows, const Matrix<double>& targets, SumsAbout about,
                       const Run& run) {
  const Index q = map.columns();
  const Index outputs = targets.columns();
  NormalSums sums{.rows = static_cast<Index>(rows.rows.size()),
                  .feature_means = std::vector<double>(q, 0.0),
                  .target_means = std::vector<double>(outputs, 0.0),
                  .matrix = Matrix<double>::filled(q, q, 0.0),
                  .right = Matrix<double>::filled(q, outputs, 0.0),
                  .squares = std::vector<double>(outputs, 0.0),
                  .about = about};
  const ShiftedRows shifted(map, rows, targets);
  if (about == SumsAbout::means) {
    set_shifts(shifted, sums, run);
  }
  std::vector<double> feature_sums(q, 0.0);
  std::vector<double> target_sums(outputs, 0.0);
  for (Index b = 0; b < shifted.count(); ++b) {
    const IndexRange range = shifted.range(b);
    const ShiftedBlock block = shifted.load(b, sums.feature_means, sums.target_means, run);
    for (Index i = 0; i < range.size(); ++i) {
      const double root = std::sqrt(shifted.weight(range.begin + i));
      sums.weight += root * root;
      axpy(root, block.features.view().row(i), feature_sums);
      axpy(root, block.targets.view().row(i), target_sums);
      for (Index o = 0; o < outputs; ++o) {
        sums.squares[o] += block.targets(i, o) * block.targets(i, o);
      }
    }
    parallel_syrk<double>(1.0, block.features.view(), Transpose::yes, 1.0, sums.matrix.view(), run);
    parallel_gemm<double>(1.0, block.features.view(), Transpose::yes, block.targets.view(), Transpose::no, 1.0,
                          sums.right.view(), run);
    run.progress("normal equations", static_cast<double>(range.end), static_cast<double>(rows.samples.size()));
  }
  if (about == SumsAbout::means) {
    move_to_means(feature_sums, target_sums, sums);
  }
  return sums;
}

Matrix<double> ridge_weights(const NormalSums& sums, double lambda, const Run& run) {
  Matrix<double> factor = Matrix<double>::copy_of(sums.matrix.view());
  for (Index a = 0; a < factor.rows(); ++a) {
    factor(a, a) += lambda;
  }
  if (!try_cholesky<double>(factor.view(), run).ok) {
    throw NumericalError("the normal equations with lambda = " + std::to_string(lambda) +
                         " are singular to rounding; try a larger lambda");
  }
  Matrix<double> weights = Matrix<double>::copy_of(sums.right.view());
  cholesky_solve<double>(factor.view(), weights.view(), run);
  return weights;
}

RidgeDirections ridge_directions(const NormalSums& sums, const Run& run) {
  const Index q = sums.matrix.rows();
  const SymmetricEigen<double> eigen = symmetric_eigen(sums.matrix.view(), run);
  const double floor =
      std::max(0.0, eigen.values.back()) * static_cast<double>(q) * std::numeric_limits<double>::epsilon();
  const auto first =
      static_cast<Index>(std::upper_bound(eigen.values.begin(), eigen.values.end(), floor) - eigen.values.begin());
  RidgeDirections directions;
  directions.values.assign(eigen.values.begin() + first, eigen.values.end());
  directions.vectors = Matrix<double>::copy_of(eigen.vectors.view().block(0, first, q, q - first));
  directions.right = Matrix<double>(q - first, sums.right.columns());
  parallel_gemm<double>(1.0, directions.vectors.view(), Transpose::yes, sums.right.view(), Transpose::no, 0.0,
                        directions.right.view(), run);
  return directions;
}

Matrix<double> ridge_weights(const RidgeDirections& directions, double lambda, const Run& run) {
  Matrix<double> scaled = Matrix<double>::copy_of(directions.right.view());
  for (Index j = 0; j < scaled.rows(); ++j) {
    scale(1 / (directions.values[j] + lambda), scaled.view().row(j));
  }
  Matrix<double> weights(directions.vectors.rows(), scaled.columns());
  parallel_gemm<double>(1.0, directions.vectors.view(), Transpose::no, scaled.view(), Transpose::no, 0.0,
                        weights.view(), run);
  return weights;
}

ChosenPenalty choose_by_gcv(const NormalSums& sums, const RidgeDirections& directions) {
  const GcvCriterion criterion(sums, directions);
  const std::vector<double> grid = penalty_grid(directions);
  std::size_t best = 0;
  for (std::size_t g = 1; g < grid.size(); ++g) {
    best = criterion(grid[g]) < criterion(grid[best]) ? g : best;
  }
  // Golden section between the neighbours, in ln λ.
  double low = std::log(grid[best == 0 ? 0 : best - 1]);
  double high = std::log(grid[std::min(best + 1, grid.size() - 1)]);
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  for (int step = 0; step < 40; ++step) {
    const double a = high - golden * (high - low);
    const double b = low + golden * (high - low);
    if (criterion(std::exp(a)) <= criterion(std::exp(b))) {
      high = b;
    } else {
      low = a;
    }
  }
  const double refined = std::exp(0.5 * (low + high));
  const double lambda = criterion(refined) <= criterion(grid[best]) ? refined : grid[best];
  return {lambda, std::sqrt(criterion.of_target(lambda, 0))};
}

ChosenPenalty choose_by_leave_one_out(const NormalSums& sums, const RidgeDirections& directions, const FeatureMap& map,
                                      const CountedRows& rows, const Matrix<double>& targets, const Run& run) {
  const std::vector<double> grid = penalty_grid(directions);
  const auto penalties = static_cast<Index>(grid.size());
  const auto kept = static_cast<Index>(directions.values.size());
  const Index outputs = targets.columns();
  Matrix<double> shrinkage(kept, penalties);
  Matrix<double> solutions(kept, penalties * outputs);
  for (Index j = 0; j < kept; ++j) {
    for (Index g = 0; g < penalties; ++g) {
      shrinkage(j, g) = 1 / (directions.values[j] + grid[g]);
      for (Index o = 0; o < outputs; ++o) {
        solutions(j, g * outputs + o) = directions.right(j, o) * shrinkage(j, g);
      }
    }
  }
  const double constant = sums.about == SumsAbout::means ? 1 / sums.weight : 0.0;
  Matrix<double> errors = Matrix<double>::filled(penalties, outputs, 0.0);
  const ShiftedRows shifted(map, rows, targets);
  for (Index b = 0; b < shifted.count(); ++b) {
    const IndexRange range = shifted.range(b);
    const ShiftedBlock block = shifted.load(b, sums.feature_means, sums.target_means, run);
    Matrix<double> along(range.size(), kept);
    parallel_gemm<double>(1.0, block.features.view(), Transpose::no, directions.vectors.view(), Transpose::no, 0.0,
                          along.view(), run);
    Matrix<double> fitted(range.size(), penalties * outputs);
    parallel_gemm<double>(1.0, along.view(), Transpose::no, solutions.view(), Transpose::no, 0.0, fitted.view(), run);
    for (Index i = 0; i < along.rows() * kept; ++i) {
      along.data()[i] *= along.data()[i];
    }
    Matrix<double> leverages(range.size(), penalties);
    parallel_gemm<double>(1.0, along.view(), Transpose::no, shrinkage.view(), Transpose::no, 0.0, leverages.view(),
                          run);
    for (Index i = 0; i < range.size(); ++i) {
      const double own = shifted.weight(range.begin + i) * constant;
      for (Index g = 0; g < penalties; ++g) {
        const double rest = std::max(1 - own - leverages(i, g), std::numeric_limits<double>::epsilon());
        for (Index o = 0; o < outputs; ++o) {
          const double error = (block.targets(i, o) - fitted(i, g * outputs + o)) / rest;
          errors(g, o) += error * error;
        }
      }
    }
    run.progress("leave-one-out", static_cast<double>(range.end), static_cast<double>(rows.samples.size()));
  }
  ChosenPenalty chosen;
  double least = std::numeric_limits<double>::infinity();
  for (Index g = 0; g < penalties; ++g) {
    double score = 0;
    for (Index o = 0; o < outputs; ++o) {
      const double squares = sums.squares[o];
      score += errors(g, o) / (squares > 0 ? squares : 1.0);
    }
    if (score < least) {
      least = score;
      chosen = {grid[g], std::sqrt(errors(g, 0) / sums.weight)};
    }
  }
  return chosen;
}

}  // namespace mercer
