#include "mercer/select/search/search_strategy.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/select/search/stages.h"

namespace mercer {

namespace {

constexpr Index most_points = 1'000'000;

Index count_of_grid(const SearchSpace& space, Index per_axis) {
  Index count = 1;
  for (const SearchAxis& axis : space.axes) {
    const auto here = axis.is_range() ? per_axis : static_cast<Index>(axis.choices.size() + axis.words.size());
    count = count > most_points ? count : count * here;
  }
  return count;
}

// Grid and random search: one round.
class OneRound final : public SearchStrategy {
 public:
  explicit OneRound(std::vector<SearchPoint> points) : points_(std::move(points)) {}

  std::optional<SearchRound> next(std::span<const ScoredRound> history, const Run& /*run*/) const override {
    return history.empty() ? std::optional(SearchRound{points_}) : std::nullopt;
  }
  Index expected_points() const override { return static_cast<Index>(points_.size()); }

 private:
  std::vector<SearchPoint> points_;
};

}  // namespace

SearchKind parse_search_kind(std::string_view name) {
  if (const auto kind = find_word<SearchKind>(name)) {
    return *kind;
  }
  const std::vector<std::string> names = all_words<SearchKind>();
  throw InvalidArgument("there is no search '" + std::string(name) + "'." + did_you_mean(name, names) + " There are " +
                        join(names, ", "));
}

SearchOptions SearchOptions::resolved(const SearchSpace& whole) const {
  const SearchSpace space = space_of_ranges(whole);
  if (grid < 0 || points < 0) {
    reject_argument(grid < 0 ? "grid" : "points", std::to_string(std::min(grid, points)), "1 or more");
  }
  const auto axes = static_cast<Index>(space.axes.size());
  SearchOptions result = *this;
  if (kind == SearchKind::automatic) {
    result.kind = axes <= 2 || (grid > 0 && points == 0) ? SearchKind::grid : SearchKind::bayes;
  }
  result.grid = grid > 0 ? grid : axes <= 2 ? 10 : axes == 3 ? 5 : 3;
  const bool by_grid =
      result.kind == SearchKind::grid || (result.kind == SearchKind::halving && points == 0 && (axes <= 2 || grid > 0));
  if (by_grid) {
    result.points = 0;
    if (count_of_grid(space, result.grid) > most_points) {
      throw InvalidArgument("a grid of " + std::to_string(result.grid) + " points on each of " + std::to_string(axes) +
                            " axes has more than " + std::to_string(most_points) +
                            " points. Take fewer per axis, or search=bayes or random");
    }
    return result;
  }
  result.grid = 0;
  if (points == 0) {
    result.points = result.kind == SearchKind::random ? 60 : result.kind == SearchKind::halving ? 81 : 20 + 15 * axes;
  }
  if (result.points > most_points) {
    reject_argument("points", std::to_string(points), "at most " + std::to_string(most_points));
  }
  return result;
}

std::vector<SearchPoint> grid_points(const SearchSpace& space, Index per_axis) {
  std::vector<SearchPoint> points = {{}};
  for (const SearchAxis& axis : space.axes) {
    std::vector<SearchPoint> longer;
    for (const SearchPoint& point : points) {
      for (const double value : axis.grid(per_axis)) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::vector<SearchPoint> random_points(const SearchSpace& space, Index count, std::uint64_t seed) {
  constexpr std::uint64_t stream = 0x706f696e7473;
  RandomStream random(seed, stream);
  std::vector<SearchPoint> points;
  for (Index i = 0; i < count; ++i) {
    SearchPoint point;
    for (const SearchAxis& axis : space.axes) {
      point.push_back(axis.value_at(random.uniform()));
    }
    points.push_back(std::move(point));
  }
  return points;
}

std::unique_ptr<SearchStrategy> make_strategy(const SearchSpace& space, const SearchOptions& resolved,
                                              Index training_rows, std::uint64_t seed,
                                              std::vector<std::vector<double>> usual) {
  if (std::ranges::any_of(space.axes, [](const SearchAxis& axis) { return axis.stage == AxisStage::first; })) {
    return staged_strategy(space, resolved, training_rows, seed, std::move(usual));
  }
  if (resolved.kind == SearchKind::bayes) {
    return bayes_strategy(space, resolved.points, seed);
  }
  std::vector<SearchPoint> points =
      resolved.points > 0 ? random_points(space, resolved.points, seed) : grid_points(space, resolved.grid);
  if (resolved.kind == SearchKind::halving) {
    return halving_strategy(std::move(points), training_rows);
  }
  return std::make_unique<OneRound>(std::move(points));
}

}  // namespace mercer
