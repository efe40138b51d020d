#include "mercer/kernels/generative/gaussian_mixture_fit.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

constexpr Index most_fitted_points = 20000;
constexpr Index points_per_em_block = 512;
constexpr double smallest_variance_share = 1e-3;
constexpr double smallest_component = 1e-6;
constexpr int steps_of_a_start = 10;
constexpr std::uint64_t mixture_stream = 0x6d697874757265;  // apart from the streams that solvers number from 0

struct ColumnMoments {
  std::vector<double> variances;  // 1 where a column is constant
  std::vector<double> floors;
};

// Deviations are taken from the first point, so that constant columns give exactly 0.
ColumnMoments column_moments(ConstMatrixView<double> points) {
  const Index n = points.rows();
  ColumnMoments result;
  for (Index j = 0; j < points.columns(); ++j) {
    double sum = 0;
    double squares = 0;
    for (Index i = 0; i < n; ++i) {
      const double deviation = points(i, j) - points(0, j);
      sum += deviation;
      squares += deviation * deviation;
    }
    const double mean = sum / static_cast<double>(n);
    const double variance = squares / static_cast<double>(n) - mean * mean;
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

GaussianMixture seeded_mixture(ConstMatrixView<double> points, Index components, const ColumnMoments& moments,
                               RandomStream& random) {
  const Index n = points.rows();
  std::vector<double> nearest(static_cast<std::size_t>(n), HUGE_VAL);
  std::vector<double> means;
  std::vector<double> variances;
  auto chosen = static_cast<Index>(random.below(static_cast<std::uint64_t>(n)));
  for (Index k = 0; k < components; ++k) {
    means.insert(means.end(), points.row(chosen).begin(), points.row(chosen).end());
    variances.insert(variances.end(), moments.variances.begin(), moments.variances.end());
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      double& distance = nearest[static_cast<std::size_t>(i)];
      distance = std::min(distance, standardized_distance(points.row(i), points.row(chosen), moments));
      total += distance;
    }
    if (!(total > 0)) {
      break;  // every point is a seed already
    }
    double left = random.uniform() * total;
    chosen = 0;
    while (chosen + 1 < n && left >= nearest[static_cast<std::size_t>(chosen)]) {
      left -= nearest[static_cast<std::size_t>(chosen++)];
    }
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

void add_points(const GaussianMixture& model, ConstMatrixView<double> points, IndexRange range, MixtureSums& sums) {
  const auto d = static_cast<std::size_t>(points.columns());
  std::vector<double> r(static_cast<std::size_t>(model.components()));
  for (Index i = range.begin; i < range.end; ++i) {
    const std::span<const double> x = points.row(i);
    sums.log_likelihood += model.posteriors(x, r);
    for (std::size_t k = 0; k < r.size(); ++k) {
      sums.counts[k] += r[k];
      for (std::size_t j = 0; j < d; ++j) {
        const double deviation = x[j] - model.means()[k * d + j];
        sums.first[k * d + j] += r[k] * deviation;
        sums.second[k * d + j] += r[k] * deviation * deviation;
      }
    }
  }
}

MixtureSums expectation(const GaussianMixture& model, ConstMatrixView<double> points, const Run& run) {
  const MixtureSums zero{0, std::vector<double>(model.weights().size(), 0.0),
                         std::vector<double>(model.means().size(), 0.0),
                         std::vector<double>(model.means().size(), 0.0)};
  const Index blocks = block_count(points.rows(), points_per_em_block);
  std::vector<MixtureSums> parts(static_cast<std::size_t>(blocks), zero);
  parallel_for(run, blocks, [&](Index b) {
    add_points(model, points, block_range(points.rows(), points_per_em_block, b), parts[static_cast<std::size_t>(b)]);
  });
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
void run_mixture_steps(ConstMatrixView<double> points, const ColumnMoments& moments, const MixtureFitOptions& options,
                       int steps, const Run& run, MixtureFit& fit) {
  for (int step = 0; step < steps && !fit.converged; ++step) {
    run.check_stop();
    const MixtureSums sums = expectation(fit.model, points, run);
    const double mean = sums.log_likelihood / static_cast<double>(points.rows());
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

Matrix<double> chosen_points(ConstMatrixView<double> points, RandomStream& random) {
  if (points.rows() <= most_fitted_points) {
    return Matrix<double>::copy_of(points);
  }
  Matrix<double> some(most_fitted_points, points.columns());
  Index i = 0;
  for (const Index from : sample_without_replacement(random, points.rows(), most_fitted_points)) {
    std::copy_n(points.row_data(from), points.columns(), some.data() + i++ * points.columns());
  }
  return some;
}

// Mean and variance of every column, both as deviations from the first point, so that constant columns give exactly 0.
MixtureFit single_gaussian(ConstMatrixView<double> points, const Run& run) {
  const auto n = static_cast<double>(points.rows());
  const auto d = static_cast<std::size_t>(points.columns());
  const std::span<const double> first = points.row(0);
  std::vector<double> shifts(d, 0.0);
  std::vector<double> variances(d, 0.0);
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      shifts[j] += (points.row(i)[j] - first[j]) / n;
    }
  }
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double deviation = points.row(i)[j] - first[j] - shifts[j];
      variances[j] += deviation * deviation / n;
    }
  }
  for (std::size_t j = 0; j < d; ++j) {
    variances[j] = variances[j] > 0 ? variances[j] : 1.0;
    shifts[j] += first[j];
  }
  MixtureFit fit{{{1.0}, std::move(shifts), std::move(variances)}, {}, true};
  fit.log_likelihoods.push_back(expectation(fit.model, points, run).log_likelihood / n);
  return fit;
}

}  // namespace

MixtureFit fit_gaussian_mixture(ConstMatrixView<double> points, const MixtureFitOptions& options, const Run& run) {
  const auto d = static_cast<std::size_t>(points.columns());
  if (points.rows() == 0 || d == 0) {
    return {{{1.0}, std::vector<double>(d, 0.0), std::vector<double>(d, 1.0)}, {}, true};
  }
  if (options.components == 1) {
    return single_gaussian(points, run);
  }
  RandomStream random(run.seed(), mixture_stream);
  const Matrix<double> chosen = chosen_points(points, random);
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
