#include "mercer/features/landmarks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/features/linear_projection.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/low_rank.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr std::uint64_t uniform_landmark_stream = 0x6c6d00ULL;
constexpr std::uint64_t candidate_landmark_stream = 0x6c6d01ULL;
constexpr std::uint64_t leverage_landmark_stream = 0x6c6d02ULL;
constexpr std::uint64_t mean_landmark_stream = 0x6c6d03ULL;

std::vector<Index> all_rows_of(Index count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

// Without repetition, by Efraimidis and Spirakis (2006): the largest of ln(u)/score.
std::vector<Index> rows_by_score(std::span<const double> scores, Index count, std::uint64_t stream, const Run& run) {
  RandomStream random(run.seed(), stream);
  std::vector<double> keys;
  for (const double score : scores) {
    const double uniform = random.uniform();
    keys.push_back(score > 0 ? std::log(uniform) / score : -std::numeric_limits<double>::infinity());
  }
  std::vector<Index> order = all_rows_of(static_cast<Index>(scores.size()));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] > keys[b]; });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

KernelGram<double> gram_of(const Kernel& kernel, const Samples& samples, const Run& run) {
  return KernelGram<double>(std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run));
}

// ---- k-means --------------------------------------------------------------------------------------------------
constexpr int mean_passes = 10;
constexpr Index mean_block = 256;

// Per row the nearest of the centres; ties to the first.
std::vector<Index> nearest_centers(const Matrix<double>& points, const Matrix<double>& centers, const Run& run) {
  std::vector<double> lengths(centers.rows());
  for (Index c = 0; c < centers.rows(); ++c) {
    lengths[c] = dot(centers.view().row(c), centers.view().row(c));
  }
  std::vector<Index> nearest(points.rows());
  parallel_for(run, block_count(points.rows(), mean_block), [&](Index task) {
    const IndexRange range = block_range(points.rows(), mean_block, task);
    Matrix<double> products(range.size(), centers.rows());
    gemm(-2.0, points.view().row_block(range), Transpose::no, centers.view(), Transpose::yes, 0.0, products.view());
    for (Index i = 0; i < range.size(); ++i) {
      Index best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (Index c = 0; c < centers.rows(); ++c) {
        const double distance = products(i, c) + lengths[c];
        if (distance < least) {
          least = distance;
          best = c;
        }
      }
      nearest[range.begin + i] = best;
    }
  });
  return nearest;
}

Matrix<double> cluster_means(const WeightedSamples& all, Index count, const Run& run) {
  const Matrix<double> points = dense_rows<double>(all.samples, {0, all.samples.size()});
  const Index d = points.columns();
  const std::vector<Index> seeds = rows_drawn_by_weight(all, count, mean_landmark_stream, run);
  Matrix<double> centers(count, d);
  for (Index c = 0; c < count; ++c) {
    std::copy_n(points.view().row_data(seeds[c]), d, centers.view().row_data(c));
  }
  for (int pass = 0; pass < mean_passes; ++pass) {
    run.check_stop();
    const std::vector<Index> nearest = nearest_centers(points, centers, run);
    std::vector<double> sizes(count, 0.0);
    Matrix<double> sums = Matrix<double>::filled(count, d, 0.0);
    for (Index i = 0; i < points.rows(); ++i) {
      const Index c = nearest[i];
      sizes[c] += all.weight(i);
      axpy(all.weight(i), points.view().row(i), sums.view().row(c));
    }
    for (Index c = 0; c < count; ++c) {
      const double size = sizes[c];
      if (size > 0) {
        std::transform(sums.view().row_data(c), sums.view().row_data(c) + d, centers.view().row_data(c),
                       [size](double sum) { return sum / size; });
      }
    }
    run.progress("landmarks", pass + 1, mean_passes);
  }
  return centers;
}

Landmarks mean_landmarks(const WeightedSamples& all, Index count, const Run& run) {
  const Samples& samples = all.samples;
  const bool is_table = samples.kind() == SampleKind::table;
  if (!samples.is_numeric() && !(is_table && samples.table().others().empty())) {
    throw DataError(
        "landmarks=kmeans takes means of numeric columns, but there are columns of other kinds; "
        "landmarks=pivots takes samples of any kind");
  }
  // More rows than this move the means of clusters by less than their own spread.
  const Index candidates = std::max<Index>(20'000, 20 * count);
  const Samples numeric = numeric_columns(samples, -1, "landmarks=kmeans");
  const std::vector<Index> chosen =
      rows_drawn_by_weight(all, std::min(candidates, samples.size()), candidate_landmark_stream, run);
  // Rows that were drawn by their weights count once.
  const WeightedSamples counted =
      numeric.size() > candidates ? WeightedSamples(numeric.select(chosen)) : all.with(numeric);
  Samples means = make_dense(cluster_means(counted, count, run));
  if (is_table) {
    const auto names = samples.table().numeric_names();
    means = make_table(Table(means, {names.begin(), names.end()}, {}));
  }
  return {.samples = std::move(means), .rows = {}, .notes = {}};
}

// ---- Leverage scores ------------------------------------------------------------------------------------------
constexpr Index leverage_batch = 4096;

// ℓ_i ≈ (k_ii − k_iS (K_SS + λ (s/n) 1)⁻¹ k_Si)/λ over a uniform draw S; λ such that the eigenvalues beyond half of the
// landmarks weigh as much as it does for each of them.
std::vector<double> leverage_scores(const Kernel& kernel, const WeightedSamples& all, Index count, const Run& run) {
  const Samples& samples = all.samples;
  const Index n = samples.size();
  const std::vector<Index> drawn = rows_drawn_by_weight(all, std::min(n, 2 * count), candidate_landmark_stream, run);
  const auto s = static_cast<Index>(drawn.size());
  const auto prepared =
      std::make_shared<const PreparedKernel>(kernel, samples.select(drawn), Precision::double_precision, run);
  Matrix<double> k(s, s);
  evaluate_gram<double>(*prepared, Triangle::both, k.view(), run);
  const double share = static_cast<double>(s) / static_cast<double>(n);
  std::vector<double> values = symmetric_eigenvalues(k.view(), run);
  const Index half = std::max<Index>(1, count / 2);
  double tail = 0;
  for (Index i = 0; i < s - half; ++i) {
    tail += std::max(0.0, values[i]);
  }
  // In the scale of K_SS; never below what rounding leaves of its largest eigenvalue.
  const double lambda = std::max(tail / static_cast<double>(half), 1e-12 * std::max(values.back(), 1e-300));
  for (Index i = 0; i < s; ++i) {
    k(i, i) += lambda;
  }
  cholesky<double>(k.view(), run);
  std::vector<double> scores(n);
  for (Index b = 0; b < block_count(n, leverage_batch); ++b) {
    const IndexRange range = block_range(n, leverage_batch, b);
    const CrossGram<double> cross(prepared, samples.slice(range), run.quiet());
    Matrix<double> rows(range.size(), s);
    cross.evaluate(rows.view(), run);
    std::vector<double> lengths(range.size());
    cross.diagonal(lengths);
    Matrix<double> solved(s, range.size());
    for (Index i = 0; i < range.size(); ++i) {
      for (Index j = 0; j < s; ++j) {
        solved(j, i) = rows(i, j);
      }
    }
    solve_lower<double>(k.view(), Transpose::no, solved.view(), run);
    for (Index j = 0; j < s; ++j) {
      for (Index i = 0; i < range.size(); ++i) {
        lengths[i] -= solved(j, i) * solved(j, i);
      }
    }
    for (Index i = 0; i < range.size(); ++i) {
      const double score = lengths[i] * share / lambda;
      scores[range.begin + i] = all.weight(range.begin + i) * std::clamp(score, 0.0, 1.0);
    }
    run.progress("landmarks", static_cast<double>(range.end), static_cast<double>(n));
  }
  return scores;
}

// ---- Pivots ---------------------------------------------------------------------------------------------------
Landmarks pivot_landmarks(const Kernel& kernel, const WeightedSamples& all, const LandmarkOptions& options,
                          const Run& run) {
  const Samples& samples = all.samples;
  Landmarks result;
  const double bytes = static_cast<double>(options.count) * sizeof(double);
  const auto most = static_cast<Index>(std::max(options.memory / bytes, 4.0 * static_cast<double>(options.count)));
  std::vector<Index> candidates = all_rows_of(samples.size());
  if (samples.size() > most) {
    candidates = rows_drawn_by_weight(all, most, candidate_landmark_stream, run);
    result.notes.push_back("landmarks chosen from " + std::to_string(most) + " rows drawn at random: " +
                           std::to_string(options.count) + " numbers per row must fit in memory");
  }
  const Samples chosen = samples.size() > most ? samples.select(candidates) : samples;
  const PivotedCholeskyOptions pivoting{
      .max_rank = std::min(options.count, chosen.size()),
      .rule = options.rule == LandmarkRule::greedy ? PivotRule::greedy : PivotRule::random,
      // Rows that were drawn by their weights count once.
      .weights = samples.size() > most ? std::vector<double>() : std::vector(all.weights.begin(), all.weights.end())};
  const LowRankGram<double> factor = LowRankGram<double>::pivoted(gram_of(kernel, chosen, run.quiet()), pivoting, run);
  for (const Index pivot : factor.pivots()) {
    result.rows.push_back(candidates[pivot]);
  }
  if (result.rows.empty()) {
    result.rows.push_back(candidates.front());
  }
  return result;
}

}  // namespace

std::vector<Index> rows_drawn_by_weight(const WeightedSamples& all, Index count, std::uint64_t stream, const Run& run) {
  const Index rows = all.samples.size();
  if (count >= rows) {
    return all_rows_of(rows);
  }
  if (!all.weights.empty()) {
    return rows_by_score(all.weights, count, stream, run);
  }
  RandomStream random(run.seed(), stream);
  std::vector<Index> drawn = sample_without_replacement(random, rows, count);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

Landmarks choose_landmarks(const Kernel& kernel, const WeightedSamples& all, const LandmarkOptions& options,
                           const Run& run) {
  const Samples& samples = all.samples;
  if (options.count < 1) {
    reject_argument("size", static_cast<double>(options.count), "1 or more");
  }
  if (samples.size() == 0) {
    throw DataError("there are no rows to choose landmarks from");
  }
  Landmarks result;
  const bool needs_positive = options.rule != LandmarkRule::uniform && options.rule != LandmarkRule::kmeans;
  if (options.count >= samples.size()) {
    result.rows = all_rows_of(samples.size());
  } else if (needs_positive && !definiteness_on(kernel, samples, run).is_positive()) {
    result.rows = rows_drawn_by_weight(all, options.count, uniform_landmark_stream, run);
    result.notes.push_back("landmarks drawn uniformly: landmarks=" + std::string(word_of(options.rule)) +
                           " needs a positive definite kernel");
  } else if (options.rule == LandmarkRule::kmeans) {
    return mean_landmarks(all, options.count, run);
  } else if (options.rule == LandmarkRule::leverage) {
    result.rows =
        rows_by_score(leverage_scores(kernel, all, options.count, run), options.count, leverage_landmark_stream, run);
  } else if (options.rule == LandmarkRule::uniform) {
    result.rows = rows_drawn_by_weight(all, options.count, uniform_landmark_stream, run);
  } else {
    result = pivot_landmarks(kernel, all, options, run);
  }
  result.samples = samples.select(result.rows);
  return result;
}

}  // namespace mercer
