#include "mercer/features/sparse_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/features/sparse_candidates.h"

namespace mercer {

namespace {

std::vector<double> sparse_feature_shares(std::span<const double> weights, Index n) {
  if (!weights.empty() && static_cast<Index>(weights.size()) != n) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(n) +
                          " samples: one per sample, or none");
  }
  std::vector<double> shares(n, 1.0);
  std::copy(weights.begin(), weights.end(), shares.begin());
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) {
    if (!(share > 0) || !std::isfinite(share)) {
      reject_argument("weights", share, "finite and positive");
    }
    share /= total;
  }
  return shares;
}

// The first of those that are largest up to rounding.
Index first_best(std::span<const Index> list, std::span<const double> scores) {
  const double best = *std::max_element(scores.begin(), scores.end());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (scores[i] >= best - 1e-12 * std::abs(best)) {
      return list[i];
    }
  }
  throw NumericalError("a kernel value is not finite: no features can be compared");
}

class SparseFeatureSearch {
 public:
  SparseFeatureSearch(const Gram<double>& gram, std::span<const double> weights, const SparseFeatureOptions& options,
                      const Run& run)
      : gram_(gram),
        options_(options),
        run_(run),
        shares_(sparse_feature_shares(weights, gram.size())),
        candidates_(gram, shares_, options, run) {}

  SparseFeatures find();

 private:
  Index choose();
  Index best_of(std::span<const Index> list);
  bool take(Index j);
  void compute_variances();
  void update_variances(std::span<const double> g);

  const Gram<double>& gram_;
  const SparseFeatureOptions& options_;
  const Run& run_;
  std::vector<double> shares_;
  SparseCandidates candidates_;
  std::vector<double> variances_;  // of every candidate's outputs, where all are compared
  std::vector<double> found_variances_;
};

void SparseFeatureSearch::compute_variances() {
  constexpr Index strip = 64;
  const Index n = candidates_.size();
  variances_.resize(n);
  parallel_for(run_, block_count(n, strip), "variances", [&](Index b) {
    const IndexRange rows = block_range(n, strip, b);
    Matrix<double> values(rows.size(), n);
    Workspace workspace;
    gram_.fill(rows, {0, n}, values.view(), workspace);
    for (Index i = 0; i < rows.size(); ++i) {
      variances_[rows.begin + i] = variance_with_shares(values.view().row(i), shares_);
    }
  });
  candidates_.count_evaluations(n * n);
}

// Var(R_j − g_j g) = Var(R_j) − 2 g_j Cov(R_j, g) + g_j² Var(g), and all Cov(R_j, g) are one product with R.
void SparseFeatureSearch::update_variances(std::span<const double> g) {
  const Index n = candidates_.size();
  double mean = 0;
  for (std::size_t l = 0; l < g.size(); ++l) {
    mean += shares_[l] * g[l];
  }
  Matrix<double> centered(n, 1);
  double variance = 0;
  for (std::size_t l = 0; l < g.size(); ++l) {
    centered.data()[l] = shares_[l] * (g[l] - mean);
    variance += centered.data()[l] * (g[l] - mean);
  }
  // R is the residual with this direction taken away: its covariances miss g_j Var(g).
  Matrix<double> covariances(n, 1);
  candidates_.multiply(centered, covariances);
  for (std::size_t j = 0; j < g.size(); ++j) {
    variances_[j] -= g[j] * (2 * covariances.data()[j] + g[j] * variance);
  }
}

// By variances over all samples. Blocks bound the memory.
Index SparseFeatureSearch::best_of(std::span<const Index> list) {
  constexpr Index block = 256;
  std::vector<double> scores(list.size());
  for (Index b = 0; b < block_count(static_cast<Index>(list.size()), block); ++b) {
    const IndexRange part = block_range(static_cast<Index>(list.size()), block, b);
    Matrix<double> rows(part.size(), candidates_.size());
    candidates_.rows(list.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.size())), {},
                     rows.view());
    parallel_for(run_, part.size(), [&](Index i) {
      const auto a = static_cast<std::size_t>(part.begin + i);
      scores[a] = candidates_.score(list[a], variance_with_shares(rows.view().row(i), shares_));
    });
  }
  return first_best(list, scores);
}

// The best candidate, −1 where none is left.
Index SparseFeatureSearch::choose() {
  std::vector<Index> list = candidates_.eligible();
  if (list.empty()) {
    return -1;
  }
  if (options_.candidates > 0 && options_.candidates < static_cast<Index>(list.size())) {
    RandomStream random(run_.seed(), 0x5fc0000u + static_cast<std::uint64_t>(candidates_.taken()));
    std::vector<Index> drawn = sample_without_replacement(random, static_cast<Index>(list.size()), options_.candidates);
    std::sort(drawn.begin(), drawn.end());
    for (Index& number : drawn) {
      number = list[number];
    }
    list = std::move(drawn);
  }
  if (options_.confidence > 0) {
    return best_by_elimination(candidates_, std::move(list), options_.confidence, run_);
  }
  if (options_.candidates > 0) {
    return best_of(list);
  }
  std::vector<double> scores;
  for (const Index j : list) {
    scores.push_back(candidates_.score(j, variances_[j]));
  }
  return first_best(list, scores);
}

// Makes candidate j a feature; no where its outputs do not vary.
bool SparseFeatureSearch::take(Index j) {
  Matrix<double> row(1, candidates_.size());
  const std::vector<Index> list = {j};
  candidates_.rows(list, {}, row.view());
  const std::span<const double> column = std::as_const(row).view().row(0);
  const double variance = variance_with_shares(column, shares_);
  if (!std::isfinite(variance)) {
    throw NumericalError("a kernel value of row " + std::to_string(j) +
                         " (counted from 0) is not finite: no features can be compared");
  }
  const auto [least, most] = std::minmax_element(column.begin(), column.end());
  const double rounding = 1e-14 * std::max(std::abs(*least), std::abs(*most));
  if (variance <= rounding * rounding) {
    return false;
  }
  const double score = candidates_.score(j, variance);
  const SparseCandidates::Taken taken = candidates_.take(j, column);
  if (!taken.done) {
    return false;
  }
  found_variances_.push_back(score);
  if (!variances_.empty() && !taken.direction.empty()) {
    update_variances(taken.direction);
  }
  return true;
}

SparseFeatures SparseFeatureSearch::find() {
  if (candidates_.size() > 0 && options_.candidates == 0 && options_.confidence == 0) {
    compute_variances();
  }
  const Index wanted = std::min(options_.features, candidates_.size());
  while (candidates_.taken() < wanted) {
    run_.check_stop();
    const Index j = choose();
    if (j < 0) {
      break;
    }
    if (take(j)) {
      run_.progress("features", static_cast<double>(candidates_.taken()), static_cast<double>(wanted));
    } else if (options_.candidates > 0) {
      // A constant output; of the rows that were not drawn others may vary.
      candidates_.leave_out(j);
    } else {
      break;
    }
  }
  SparseFeatures features;
  candidates_.expand(features);
  features.variances = std::move(found_variances_);
  return features;
}

}  // namespace

void SparseFeatureOptions::validate() const {
  if (features < 1) {
    reject_argument("features", static_cast<double>(features), "1 or more");
  }
  if (!(norm >= 1) || !std::isfinite(norm)) {
    reject_argument("norm", norm, "a finite number, 1 or more");
  }
  if (candidates < 0) {
    reject_argument("candidates", static_cast<double>(candidates), "not negative (0: all rows)");
  }
  if (!(confidence >= 0 && confidence < 1)) {
    reject_argument("confidence", confidence, "0 (exact sums), or between 0 and 1");
  }
  if (!(tolerance > 0 && tolerance < 1)) {
    reject_argument("tolerance", tolerance, "between 0 and 1");
  }
}

SparseFeatures sparse_features(const Gram<double>& gram, std::span<const double> weights,
                               const SparseFeatureOptions& options, const Run& run) {
  options.validate();
  return SparseFeatureSearch(gram, weights, options, run).find();
}

Index candidates_needed(double share, double confidence) {
  if (!(share > 0 && share < 1)) {
    reject_argument("share", share, "between 0 and 1");
  }
  if (!(confidence > 0 && confidence < 1)) {
    reject_argument("confidence", confidence, "between 0 and 1");
  }
  return static_cast<Index>(std::ceil(std::log(1 - confidence) / std::log(1 - share)));
}

}  // namespace mercer
