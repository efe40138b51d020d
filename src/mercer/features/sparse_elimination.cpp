// best_by_elimination: candidates are compared on a growing random part of the sample.
//
// The mean of values in a range of length b over m of n samples, drawn without replacement, is within
//
//   b √(ln(2/δ) (1 − m/n) / (2m))
//
// of that over all n, but for probability δ (Schölkopf & Smola (2002), corollary 6.34). The variance is a difference of two
// such means; δ is cut into equal parts for all candidates, both means and all rounds.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/features/sparse_candidates.h"

namespace mercer {

namespace {

constexpr Index elimination_first_part = 128;
constexpr Index elimination_block = 256;

// Σ z and Σ z² of every candidate's outputs over the samples seen so far, weighted so that means over all are right.
struct SeenSums {
  std::vector<double> values;
  std::vector<double> squares;
};

void add_part(SparseCandidates& candidates, std::span<const Index> list, std::span<const Index> part, SeenSums& sums) {
  const auto n = static_cast<double>(candidates.size());
  const auto width = static_cast<Index>(part.size());
  for (Index b = 0; b < block_count(static_cast<Index>(list.size()), elimination_block); ++b) {
    const IndexRange some = block_range(static_cast<Index>(list.size()), elimination_block, b);
    Matrix<double> rows(some.size(), width);
    candidates.rows(list.subspan(static_cast<std::size_t>(some.begin), static_cast<std::size_t>(some.size())), part,
                    rows.view());
    for (Index i = 0; i < some.size(); ++i) {
      const auto to = static_cast<std::size_t>(some.begin + i);
      for (Index l = 0; l < width; ++l) {
        const double weight = candidates.shares()[part[l]] * n;
        sums.values[to] += weight * rows(i, l);
        sums.squares[to] += weight * rows(i, l) * rows(i, l);
      }
    }
  }
}

struct ScoreRange {
  double lower = 0;
  double upper = 0;
};

// `width`: the bound for values in a range of length 1, after m samples.
ScoreRange score_range(const SparseCandidates& candidates, Index j, double sum, double squares, double m,
                       double width) {
  const double bound = std::sqrt(std::max(0.0, candidates.diagonal(j)) * candidates.largest_diagonal());  // of |R_jl|
  const double mean = std::abs(sum / m);
  const double off = 2 * bound * width;
  const double least = std::max(0.0, mean - off);
  const double off_square = bound * bound * width;
  return {candidates.score(j, squares / m - off_square - (mean + off) * (mean + off)),
          candidates.score(j, squares / m + off_square - least * least)};
}

}  // namespace

Index best_by_elimination(SparseCandidates& candidates, std::vector<Index> list, double confidence, const Run& run) {
  const Index n = candidates.size();
  const auto count = static_cast<double>(n);
  RandomStream random(run.seed(), 0x5fa0000u + static_cast<std::uint64_t>(candidates.taken()));
  const std::vector<Index> order = random_permutation(random, n);
  const double rounds = std::max(1.0, std::ceil(std::log2(count / static_cast<double>(elimination_first_part))));
  const double log_term = std::log(2 * 2 * static_cast<double>(list.size()) * rounds / (1 - confidence));
  const std::span<const double> shares = candidates.shares();
  const double stretch = *std::max_element(shares.begin(), shares.end()) * count;
  SeenSums sums{std::vector<double>(list.size(), 0.0), std::vector<double>(list.size(), 0.0)};
  for (Index seen = 0, next = std::min(elimination_first_part, n); seen < n && list.size() > 1;
       seen = next, next = std::min(2 * next, n)) {
    run.check_stop();
    add_part(candidates, list,
             std::span(order).subspan(static_cast<std::size_t>(seen), static_cast<std::size_t>(next - seen)), sums);
    const auto m = static_cast<double>(next);
    const double width = std::sqrt(log_term * (1 - m / count) / (2 * m)) * stretch;
    std::vector<ScoreRange> ranges;
    double best_lower = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < list.size(); ++i) {
      ranges.push_back(score_range(candidates, list[i], sums.values[i], sums.squares[i], m, width));
      best_lower = std::max(best_lower, ranges.back().lower);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      // At m = n the widths are 0: what remains is the maximum, up to rounding.
      if (ranges[i].upper >= best_lower - 1e-12 * std::abs(best_lower)) {
        list[kept] = list[i];
        sums.values[kept] = sums.values[i];
        sums.squares[kept++] = sums.squares[i];
      }
    }
    list.resize(kept);
  }
  if (list.empty()) {
    throw NumericalError("a kernel value is not finite: no features can be compared");
  }
  return list.front();
}

}  // namespace mercer
