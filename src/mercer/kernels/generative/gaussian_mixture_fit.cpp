#include "mercer/kernels/generative/gaussian_mixture_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

constexpr Index most_fitted_points = 20000;
constexpr Index points_per_em_block = 512;
constexpr double smallest_variance_share = 1e-3;
constexpr double smallest_component = 1e-6;
constexpr int steps_of_a_start = 10;
constexpr std::uint64_t mixture_stream = 0x6d697874757265;  // apart from the streams that solvers number from 0

// Weights have the mean 1, so that thresholds on counts mean what they say.
struct WeightedPoints {
  ConstMatrixView<double> points;
  std::vector<double> weights;  // empty: all 1

  double weight(Index i) const { return weights.empty() ? 1.0 : weights[i]; }
  double total() const { return static_cast<double>(points.rows()); }
};

std::vector<double> with_mean_one(std::vector<double> weights) {
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
  for (double& weight : weights) {
    weight /= mean;
  }
  return weights;
}

// By its share of the total; `value` may not be negative.
template <class Value>
Index drawn_point(Index count, double total, RandomStream& random, const Value& value) {
  double left = random.uniform() * total;
  Index chosen = 0;
  while (chosen + 1 < count && left >= value(chosen)) {
    left -= value(chosen++);
  }
  return chosen;
}

struct ColumnMoments {
  std::vector<double> variances;  // 1 where a column is constant
  std::vector<double> floors;
};

// Deviations are taken from the first point, so that constant columns give exactly 0.
ColumnMoments column_moments(const WeightedPoints& weighted) {
  const ConstMatrixView<double> points = weighted.points;
  ColumnMoments result;
  for (Index j = 0; j < points.columns(); ++j) {
    double sum = 0;
    double squares = 0;
    for (Index i = 0; i < points.rows(); ++i) {
      const double deviation = points(i, j) - points(0, j);
      sum += weighted.weight(i) * deviation;
      squares += weighted.weight(i) * deviation * deviation;
    }
    const double mean = sum / weighted.total();
    const double variance = squares / weighted.total() - mean * mean;
    result.variances.push_back(variance > 0 ? variance : 1.0);
    result.floors.push_back(variance > 0 ? variance * smallest_variance_share : 1.0);
  }
  return result;
}

double standardized_distance(std::span<const double> x, std::span<const double> y, const ColumnMoments& moments) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum += (x[j] - y[j]) * (x[j] - y[j]) / moments.variances[j];
  }
  return sum;
}

GaussianMixture seeded_mixture(const WeightedPoints& weighted, Index components, const ColumnMoments& moments,
                               RandomStream& random) {
  const ConstMatrixView<double> points = weighted.points;
  const Index n = points.rows();
  std::vector<double> nearest(n, HUGE_VAL);
  std::vector<double> means;
  std::vector<double> variances;
  Index chosen = weighted.weights.empty()
                     ? static_cast<Index>(random.below(static_cast<std::uint64_t>(n)))
                     : drawn_point(n, weighted.total(), random, [&](Index i) { return weighted.weight(i); });
  for (Index k = 0; k < components; ++k) {
    means.insert(means.end(), points.row(chosen).begin(), points.row(chosen).end());
    variances.insert(variances.end(), moments.variances.begin(), moments.variances.end());
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      double& distance = nearest[i];
      distance = std::min(distance, standardized_distance(points.row(i), points.row(chosen), moments));
      total += weighted.weight(i) * distance;
    }
    if (!(total > 0)) {
      break;  // every point is a seed already
    }
    chosen = drawn_point(n, total, random, [&](Index i) { return weighted.weight(i) * nearest[i]; });
  }
  const std::size_t count = variances.size() / std::max<std::size_t>(1, moments.variances.size());
  return {std::vector<double>(std::max<std::size_t>(1, count), 1.0), std::move(means), std::move(variances)};
}

// Σ r, Σ r (x − μ), Σ r (x − μ)² per component about the present means, and Σ ln p.
struct MixtureSums {
  double log_likelihood = 0;
  std::vector<double> counts;
  std::vector<double> first;
  std::vector<double> second;
};

void add_points(const GaussianMixture& model, const WeightedPoints& weighted, IndexRange range, MixtureSums& sums) {
  const ConstMatrixView<double> points = weighted.points;
  const auto d = static_cast<std::size_t>(points.columns());
  std::vector<double> r(model.components());
  for (Index i = range.begin; i < range.end; ++i) {
    const std::span<const double> x = points.row(i);
    const double weight = weighted.weight(i);
    sums.log_likelihood += weight * model.posteriors(x, r);
    for (std::size_t k = 0; k < r.size(); ++k) {
      r[k] *= weight;
      sums.counts[k] += r[k];
      for (std::size_t j = 0; j < d; ++j) {
        const double deviation = x[j] - model.means()[k * d + j];
        sums.first[k * d + j] += r[k] * deviation;
        sums.second[k * d + j] += r[k] * deviation * deviation;
      }
    }
  }
}

MixtureSums expectation(const GaussianMixture& model, const WeightedPoints& points, const Run& run) {
  const MixtureSums zero{0, std::vector<double>(model.weights().size(), 0.0),
                         std::vector<double>(model.means().size(), 0.0),
                         std::vector<double>(model.means().size(), 0.0)};
  const Index rows = points.points.rows();
  const Index blocks = block_count(rows, points_per_em_block);
  std::vector<MixtureSums> parts(blocks, zero);
  parallel_for(run, blocks,
               [&](Index b) { add_points(model, points, block_range(rows, points_per_em_block, b), parts[b]); });
  MixtureSums total = zero;
  for (const MixtureSums& part : parts) {
    total.log_likelihood += part.log_likelihood;
    for (std::size_t k = 0; k < total.counts.size(); ++k) {
      total.counts[k] += part.counts[k];
    }
    for (std::size_t j = 0; j < total.first.size(); ++j) {
      total.first[j] += part.first[j];
      total.second[j] += part.second[j];
    }
  }
  return total;
}

GaussianMixture maximized(const GaussianMixture& model, const MixtureSums& sums, const ColumnMoments& moments) {
  const auto d = static_cast<std::size_t>(model.dimension());
  std::vector<double> weights = sums.counts;
  std::vector<double> means = model.means();
  std::vector<double> variances = model.variances();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] = std::max(weights[k], 1e-300);
    if (sums.counts[k] < 1e-12) {
      continue;  // nothing to learn from; left out at the end
    }
    for (std::size_t j = 0; j < d; ++j) {
      const double shift = sums.first[k * d + j] / sums.counts[k];
      means[k * d + j] += shift;
      variances[k * d + j] = std::max(sums.second[k * d + j] / sums.counts[k] - shift * shift, moments.floors[j]);
    }
  }
  return {std::move(weights), std::move(means), std::move(variances)};
}

// Steps until the gain is small; the log-likelihood before each step goes to the fit.
void run_mixture_steps(const WeightedPoints& points, const ColumnMoments& moments, const MixtureFitOptions& options,
                       int steps, const Run& run, MixtureFit& fit) {
  for (int step = 0; step < steps && !fit.converged; ++step) {
    run.check_stop();
    const MixtureSums sums = expectation(fit.model, points, run);
    const double mean = sums.log_likelihood / points.total();
    fit.converged = !fit.log_likelihoods.empty() && mean - fit.log_likelihoods.back() < options.tolerance;
    fit.log_likelihoods.push_back(mean);
    if (!fit.converged) {
      fit.model = maximized(fit.model, sums, moments);
    }
  }
}

GaussianMixture without_empty_components(const GaussianMixture& model) {
  const auto d = static_cast<std::ptrdiff_t>(model.dimension());
  std::vector<double> weights;
  std::vector<double> means;
  std::vector<double> variances;
  for (std::size_t k = 0; k < model.weights().size(); ++k) {
    if (model.weights()[k] < smallest_component) {
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(k) * d;
    weights.push_back(model.weights()[k]);
    means.insert(means.end(), model.means().begin() + at, model.means().begin() + at + d);
    variances.insert(variances.end(), model.variances().begin() + at, model.variances().begin() + at + d);
  }
  return {std::move(weights), std::move(means), std::move(variances)};
}

// All, or a seeded choice with their weights.
struct ChosenPoints {
  Matrix<double> points;
  std::vector<double> weights;

  WeightedPoints view() const { return {points.view(), weights}; }
};

ChosenPoints chosen_points(ConstMatrixView<double> points, const std::vector<double>& weights, RandomStream& random) {
  if (points.rows() <= most_fitted_points) {
    return {Matrix<double>::copy_of(points), with_mean_one(weights)};
  }
  const std::vector<Index> rows = sample_without_replacement(random, points.rows(), most_fitted_points);
  ChosenPoints some{Matrix<double>(most_fitted_points, points.columns()), with_mean_one(select_weights(weights, rows))};
  Index i = 0;
  for (const Index from : rows) {
    std::copy_n(points.row_data(from), points.columns(), some.points.data() + i++ * points.columns());
  }
  return some;
}

// Mean and variance of every column, both as deviations from the first point, so that constant columns give exactly 0.
MixtureFit single_gaussian(const WeightedPoints& weighted, const Run& run) {
  const ConstMatrixView<double> points = weighted.points;
  const double n = weighted.total();
  const auto d = static_cast<std::size_t>(points.columns());
  const std::span<const double> first = points.row(0);
  std::vector<double> shifts(d, 0.0);
  std::vector<double> variances(d, 0.0);
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      shifts[j] += weighted.weight(i) * (points.row(i)[j] - first[j]) / n;
    }
  }
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double deviation = points.row(i)[j] - first[j] - shifts[j];
      variances[j] += weighted.weight(i) * deviation * deviation / n;
    }
  }
  for (std::size_t j = 0; j < d; ++j) {
    variances[j] = variances[j] > 0 ? variances[j] : 1.0;
    shifts[j] += first[j];
  }
  MixtureFit fit{{{1.0}, std::move(shifts), std::move(variances)}, {}, true};
  fit.log_likelihoods.push_back(expectation(fit.model, weighted, run).log_likelihood / n);
  return fit;
}

}  // namespace

MixtureFit fit_gaussian_mixture(ConstMatrixView<double> points, const MixtureFitOptions& options, const Run& run) {
  const auto d = static_cast<std::size_t>(points.columns());
  if (points.rows() == 0 || d == 0) {
    return {{{1.0}, std::vector<double>(d, 0.0), std::vector<double>(d, 1.0)}, {}, true};
  }
  if (options.components == 1) {
    return single_gaussian({points, with_mean_one(options.weights)}, run);
  }
  RandomStream random(run.seed(), mixture_stream);
  const ChosenPoints chosen = chosen_points(points, options.weights, random);
  const ColumnMoments moments = column_moments(chosen.view());
  MixtureFit best;
  for (int start = 0; start < std::max(1, options.starts); ++start) {
    MixtureFit fit{seeded_mixture(chosen.view(), options.components, moments, random), {}, false};
    run_mixture_steps(chosen.view(), moments, options, std::clamp(options.max_iterations, 1, steps_of_a_start), run,
                      fit);
    if (start == 0 || fit.log_likelihoods.back() > best.log_likelihoods.back()) {
      best = std::move(fit);
    }
  }
  run_mixture_steps(chosen.view(), moments, options, options.max_iterations - steps_of_a_start, run, best);
  best.model = without_empty_components(best.model);
  return best;
}

}  // namespace mercer
