// Search strategies: which points are looked at next. A strategy is asked for a round of points and told their scores;
// it depends on the space, its options, the seed and the scores before, and on nothing else. So a search that was
// stopped is gone through again from its log and goes on as if nothing had happened.
//
//   grid     all combinations of equidistant values
//   random   points drawn independently, uniform on the axes
//   halving  successive halving on rows: all points on a small part of the training rows, the best third of them on
//            three times as many, …, the last ones on all (Jamieson & Talwalkar 2016)
//   bayes    a Gaussian process of the scores (models/gp/gp.h, Matérn 5/2, one length scale per axis) and the expected
//            improvement over its best mean (Jones, Schonlau & Welch 1998); rounds of points that are chosen one after
//            the other as if those before had given what the process expects (Ginsbourger, Le Riche & Carraro 2010)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/select/search/search_space.h"

namespace mercer {

enum class SearchKind { automatic, grid, random, halving, bayes };
constexpr auto words_of(SearchKind) {
  return std::array{Word{SearchKind::automatic, "auto"}, Word{SearchKind::grid, "grid"},
                    Word{SearchKind::random, "random"}, Word{SearchKind::halving, "halving"},
                    Word{SearchKind::bayes, "bayes"}};
}
constexpr std::string_view to_string(SearchKind kind) { return word_of(kind); }
/// By name; InvalidArgument with the nearest one.
SearchKind parse_search_kind(std::string_view name);

struct SearchOptions {
  SearchKind kind = SearchKind::automatic;  ///< automatic: grid for one or two axes, bayes beyond
  Index grid = 0;                           ///< points per axis; 0: 10, 5 for three axes, 3 beyond
  Index points = 0;                         ///< of random, halving and bayes; 0: see resolved()
  bool operator==(const SearchOptions&) const = default;

  /// Without zeros and `automatic`, for the ranges of the space; what is chosen first is not counted. Points: 60 for random, 81 for halving, 20 + 15 per axis for bayes. Halving takes
  /// the grid for one or two axes unless points are given. InvalidArgument for numbers that are negative or more than
  /// a million points.
  SearchOptions resolved(const SearchSpace& space) const;
};

struct SearchRound {
  std::vector<SearchPoint> points;
  double fraction = 1;  ///< of the training rows
};

/// One utility per point: the larger the better, −∞ where it failed.
struct ScoredRound {
  SearchRound round;
  std::vector<double> utilities;
  std::vector<double> errors = {};  ///< standard errors of the utilities; NaN: unknown
};

class SearchStrategy {
 public:
  SearchStrategy() = default;
  virtual ~SearchStrategy() = default;
  SearchStrategy(const SearchStrategy&) = delete;
  SearchStrategy& operator=(const SearchStrategy&) = delete;
  SearchStrategy(SearchStrategy&&) = delete;
  SearchStrategy& operator=(SearchStrategy&&) = delete;

  /// The next round after these; empty: the search is over.
  virtual std::optional<SearchRound> next(std::span<const ScoredRound> history, const Run& run) const = 0;
  /// How many points there will be over all rounds, at most.
  virtual Index expected_points() const = 0;
  /// Rounds in which choices of words are made, before the ranges are searched (stages.h).
  virtual Index opening_rounds() const { return 0; }
};

/// `training_rows`: how many a fold has, for halving. `usual`: as in stages.h, for choices that are made first. The space must
/// outlive the strategy.
std::unique_ptr<SearchStrategy> make_strategy(const SearchSpace& space, const SearchOptions& resolved,
                                              Index training_rows, std::uint64_t seed,
                                              std::vector<std::vector<double>> usual = {});

/// All combinations; the last axis runs fastest.
std::vector<SearchPoint> grid_points(const SearchSpace& space, Index per_axis);
/// `count` points of a stream of random numbers.
std::vector<SearchPoint> random_points(const SearchSpace& space, Index count, std::uint64_t seed);

std::unique_ptr<SearchStrategy> halving_strategy(std::vector<SearchPoint> candidates, Index training_rows);
std::unique_ptr<SearchStrategy> bayes_strategy(const SearchSpace& space, Index points, std::uint64_t seed);

}  // namespace mercer
