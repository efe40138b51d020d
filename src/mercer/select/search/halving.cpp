// Successive halving on rows, by thirds: see search_strategy.h.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/select/search/search_strategy.h"

namespace mercer {

namespace {

constexpr Index factor = 3;
constexpr Index fewest_rows = 40;  // fewer say too little about which point is better

class Halving final : public SearchStrategy {
 public:
  Halving(std::vector<SearchPoint> candidates, Index training_rows) : candidates_(std::move(candidates)) {
    auto left = static_cast<Index>(candidates_.size());
    Index rows = training_rows;
    while (left > factor && rows / factor >= fewest_rows) {
      ++reductions_;
      left = kept(left);
      rows /= factor;
    }
  }

  std::optional<SearchRound> next(std::span<const ScoredRound> history, const Run& /*run*/) const override {
    const auto round = static_cast<Index>(history.size());
    if (round > reductions_) {
      return std::nullopt;
    }
    const double fraction = std::pow(static_cast<double>(factor), static_cast<double>(round - reductions_));
    if (history.empty()) {
      return SearchRound{candidates_, fraction};
    }
    const ScoredRound& last = history.back();
    std::vector<std::size_t> order(last.utilities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return last.utilities[a] > last.utilities[b]; });
    order.resize(kept(static_cast<Index>(order.size())));
    // In the order of the candidates, so that neighbours stay neighbours.
    std::sort(order.begin(), order.end());
    SearchRound result{{}, fraction};
    for (const std::size_t i : order) {
      result.points.push_back(last.round.points[i]);
    }
    return result;
  }

  Index expected_points() const override {
    auto left = static_cast<Index>(candidates_.size());
    Index total = left;
    for (Index r = 0; r < reductions_; ++r) {
      left = kept(left);
      total += left;
    }
    return total;
  }

 private:
  static Index kept(Index count) { return (count + factor - 1) / factor; }

  std::vector<SearchPoint> candidates_;
  Index reductions_ = 0;
};

}  // namespace

std::unique_ptr<SearchStrategy> halving_strategy(std::vector<SearchPoint> candidates, Index training_rows) {
  return std::make_unique<Halving>(std::move(candidates), training_rows);
}

}  // namespace mercer
