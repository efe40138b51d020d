#include "mercer/smoothing/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "mercer/base/parallel.h"
#include "mercer/base/vector_math.h"
#include "mercer/smoothing/copies_left.h"
#include "mercer/smoothing/kernel_density.h"
#include "mercer/smoothing/tile_sums.h"

namespace mercer {

namespace {

constexpr Index ladder_group = 64;  // points per leaf of the tree and per task
constexpr Index ladder_tile = 512;
constexpr double worst_score = std::numeric_limits<double>::infinity();
constexpr double distant_accuracy = 1e-6;
constexpr Index ladder_steps = 16;  // 2^1.5 down to 2^−6
constexpr double ladder_top = 1.5;  // in powers of 2
constexpr double highest_power = 4;
constexpr int most_refinements = 6;
constexpr double expected_passes = 2 + most_refinements;

// n × count: Σ_{j≠i} w_j exp(−‖x_i − x_j‖² / 2h_k²), rows in the order of the tree.
Matrix<double> ladder_sums(const PointTree& tree, double widest, Index count, const Run& run) {
  const Index n = tree.size();
  Matrix<double> sums = Matrix<double>::filled(n, count, 0.0);
  const double scale = -0.5 / (widest * widest);
  std::vector<std::vector<double>> tiles(run.threads(), std::vector<double>(ladder_tile));
  parallel_for_workers(run, block_count(n, ladder_group), [&](Index task, int worker) {
    double* tile = tiles[worker].data();
    std::vector<double> query(tree.dimension());
    const IndexRange rows = block_range(n, ladder_group, task);
    for (Index begin = 0; begin < n; begin += ladder_tile) {
      const Index size = std::min(ladder_tile, n - begin);
      const std::span<double> values(tile, static_cast<std::size_t>(size));
      const double* weights = tree.weights().empty() ? nullptr : tree.weights().data() + begin;
      for (Index i = rows.begin; i < rows.end; ++i) {
        for (Index j = 0; j < tree.dimension(); ++j) {
          query[j] = tree.coordinate(j)[i];
        }
        squared_distances(tree.coordinate(0) + begin, n, query.data(), tree.dimension(), tile, size);
        if (i >= begin && i < begin + size) {
          tile[i - begin] = std::numeric_limits<double>::infinity();
        }
        vector_exp_scaled(values, scale, values);
        for (Index k = 0; k < count; ++k) {
          const double sum = sum_and_square(tile, weights, size);
          if (sum == 0) {
            break;  // narrower ones are 0 as well
          }
          sums(i, k) += sum;
        }
      }
    }
  });
  return sums;
}

double ladder_score(BandwidthScore score, const Matrix<double>& sums, Index step, double width, Index dimension,
                    std::span<const double> weights, double total) {
  const auto d = static_cast<double>(dimension);
  const double log_constant = -d / 2 * std::log(2 * std::numbers::pi) - d * std::log(width);
  const double wide_factor = std::exp(log_constant - d / 2 * std::numbers::ln2);
  double result = 0;
  for (Index i = 0; i < sums.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const double rest = total - std::min(1.0, weight);
    const double sum = sums(i, step) + copies_left(weight);
    if (score == BandwidthScore::likelihood) {
      if (!(sum > 1e-290)) {
        return worst_score;
      }
      result -= weight * (std::log(sum / rest) + log_constant);
    } else {
      result += weight * ((sums(i, step - 1) + weight) * wide_factor / total - 2 * sum / rest * std::exp(log_constant));
    }
  }
  return result / total;
}

double distant_likelihood(ConstMatrixView<double> points, std::span<const double> weights, double total, double width,
                          const Run& run) {
  const KernelDensity density({.shape = SmoothingShape::gaussian,
                               .points = Matrix<double>::copy_of(points),
                               .weights = {weights.begin(), weights.end()},
                               .scales = {},
                               .bandwidth = Bandwidth::scalar(width, points.columns()),
                               .bounds = {},
                               .method = SumMethod::automatic,
                               .relative_error = distant_accuracy,
                               .absolute_error = 0});
  const std::vector<double> values = density.log_density_without_own(run);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum -= (weights.empty() ? 1.0 : weights[i]) * values[i];
  }
  return sum / total;
}

}  // namespace

std::vector<double> bandwidth_scores(BandwidthScore score, ConstMatrixView<double> points,
                                     std::span<const double> weights, double widest, Index count, const Run& run) {
  const double total =
      weights.empty() ? static_cast<double>(points.rows()) : std::accumulate(weights.begin(), weights.end(), 0.0);
  // One step above the widest for the convolution.
  const Index extra = score == BandwidthScore::least_squares ? 1 : 0;
  const double top = extra == 1 ? widest * std::numbers::sqrt2 : widest;
  const PointTree tree(points, weights, {}, ladder_group);
  const Matrix<double> sums = ladder_sums(tree, top, count + extra, run);
  std::vector<double> result;
  for (Index k = 0; k < count; ++k) {
    const double width = widest * std::pow(2.0, -static_cast<double>(k) / 2);
    result.push_back(ladder_score(score, sums, k + extra, width, points.columns(), tree.weights(), total));
  }
  return result;
}

namespace {

// Scores at powers of 2, ascending, and the ways to get more of them.
class ScoredBandwidths {
 public:
  ScoredBandwidths(BandwidthScore score, ConstMatrixView<double> points, std::span<const double> weights,
                   const Run& run)
      : score_(score), points_(points), weights_(weights), run_(run) {
    total_ =
        weights.empty() ? static_cast<double>(points.rows()) : std::accumulate(weights.begin(), weights.end(), 0.0);
  }

  void add_ladder(double top) {
    report();
    const std::vector<double> scores =
        bandwidth_scores(score_, points_, weights_, std::exp2(top), ladder_steps, run_.quiet());
    evaluations_ += ladder_steps;
    for (Index k = 0; k < ladder_steps; ++k) {
      scored_.emplace_back(top - static_cast<double>(k) / 2, scores[k]);
    }
    std::sort(scored_.begin(), scored_.end());
  }

  void add(double power) {
    scored_.insert(std::lower_bound(scored_.begin(), scored_.end(), std::pair{power, worst_score}),
                   {power, evaluate(power)});
  }

  // Where outliers leave no score on the ladders.
  void evaluate_again() {
    for (auto& [power, value] : scored_) {
      value = evaluate(power);
    }
  }

  std::size_t best() const {
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    return static_cast<std::size_t>(std::min_element(scored_.begin(), scored_.end(), less) - scored_.begin());
  }
  std::size_t size() const { return scored_.size(); }
  double power(std::size_t k) const { return scored_[k].first; }
  double value(std::size_t k) const { return scored_[k].second; }
  Index evaluations() const { return evaluations_; }

 private:
  void report() {
    run_.check_stop();
    run_.progress("bandwidth", std::min(done_++, expected_passes - 1), expected_passes);
  }
  double evaluate(double power) {
    report();
    ++evaluations_;
    const double width = std::exp2(power);
    const double value = bandwidth_scores(score_, points_, weights_, width, 1, run_.quiet()).front();
    return std::isinf(value) && score_ == BandwidthScore::likelihood
               ? distant_likelihood(points_, weights_, total_, width, run_.quiet())
               : value;
  }

  BandwidthScore score_;
  ConstMatrixView<double> points_;
  std::span<const double> weights_;
  const Run& run_;
  double total_ = 0;
  std::vector<std::pair<double, double>> scored_;
  Index evaluations_ = 0;
  double done_ = 0;
};

// The vertex of the parabola through the best and its neighbours, or the middle of the wider side where there is none.
// Nothing where the bracket is narrow enough.
std::optional<double> next_power(const ScoredBandwidths& scored, std::size_t place) {
  const double a = scored.power(place - 1);
  const double b = scored.power(place);
  const double c = scored.power(place + 1);
  const double left = (b - a) * (scored.value(place) - scored.value(place + 1));
  const double right = (b - c) * (scored.value(place) - scored.value(place - 1));
  const double vertex = b - ((b - a) * left - (b - c) * right) / (2 * (left - right));
  if (c - a < 0.02 || std::abs(vertex - b) < 1e-3) {
    return {};
  }
  if (vertex > a && vertex < c) {
    return vertex;
  }
  return c - b > b - a ? (b + c) / 2 : (a + b) / 2;
}

}  // namespace

BandwidthSearch best_bandwidth_factor(BandwidthScore score, ConstMatrixView<double> points,
                                      std::span<const double> weights, const Run& run) {
  ScoredBandwidths scored(score, points, weights, run);
  scored.add_ladder(ladder_top);
  scored.add_ladder(ladder_top - 0.25);
  if (std::isinf(scored.value(scored.best()))) {
    scored.evaluate_again();
  }
  while (scored.best() + 1 == scored.size() && scored.power(scored.size() - 1) < highest_power) {
    scored.add(scored.power(scored.size() - 1) + 0.25);
  }
  for (int k = 0; k < most_refinements; ++k) {
    const std::size_t best = scored.best();
    if (best == 0 || best + 1 == scored.size()) {
      break;
    }
    const std::optional<double> next = next_power(scored, best);
    if (!next) {
      break;
    }
    scored.add(*next);
  }
  run.progress("bandwidth", expected_passes, expected_passes);
  const std::size_t best = scored.best();
  return {std::exp2(scored.power(best)), scored.value(best), scored.evaluations(), best == 0};
}

}  // namespace mercer
