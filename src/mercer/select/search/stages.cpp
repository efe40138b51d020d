#include "mercer/select/search/stages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace mercer {

namespace {

constexpr Index points_per_place = 8;  // of the search of the ranges
constexpr double clearly = 0.5;        // standard errors
constexpr std::array simple_to_middle = {0.25, 0.4, 0.55};
constexpr std::array across = {0.25, 0.5, 0.75};

using Words = std::vector<double>;

// Width times 4^-1, 1, 4 as gamma counts it; lengthscale = 1/√(2 gamma).
std::vector<double> around(const SearchAxis& axis, double usual) {
  const double step = axis.simpler == SimplerEnd::upper ? 2 : 4;
  std::vector<double> values;
  for (const double value : {usual / step, usual, usual * step}) {
    values.push_back(std::clamp(value, axis.lower, axis.upper));
  }
  return values;
}

std::vector<double> few_values(const SearchAxis& axis, double usual) {
  if (axis.is_range() && std::isfinite(usual)) {
    return around(axis, usual);
  }
  std::vector<double> values;
  for (std::size_t k = 0; k < across.size(); ++k) {
    const bool ordered = axis.place == AxisPlace::option && axis.simpler != SimplerEnd::neither;
    const double u = ordered ? simple_to_middle[k] : across[k];
    values.push_back(axis.value_at(ordered && axis.simpler == SimplerEnd::upper ? 1 - u : u));
  }
  return values;
}

// Places on the lines of the grid are points of the grid.
double on_grid(const SearchAxis& axis, double value, Index per_axis) {
  const std::vector<double> lines = axis.grid(per_axis);
  const double u = axis.unit_of(value);
  return *std::ranges::min_element(lines, {}, [&](double line) { return std::abs(axis.unit_of(line) - u); });
}

class Staged final : public SearchStrategy {
 public:
  Staged(const SearchSpace& space, const SearchOptions& resolved, Index training_rows, std::uint64_t seed,
         UsualValues usual)
      : space_(space),
        ranges_(space_of_ranges(space)),
        resolved_(resolved),
        usual_(std::move(usual)),
        inner_(make_strategy(ranges_, resolved, training_rows, seed)) {}

  std::optional<SearchRound> next(std::span<const ScoredRound> history, const Run& run) const override {
    const Words words = chosen_words(history);
    const auto stage = static_cast<Index>(history.size());
    if (stage < stages()) {
      return SearchRound{places_of(stage, words)};
    }
    std::vector<ScoredRound> inner;
    for (const ScoredRound& round : history.subspan(stages())) {
      inner.push_back(round);
      for (SearchPoint& point : inner.back().round.points) {
        point.resize(ranges_.axes.size());
      }
    }
    std::optional<SearchRound> round = inner_->next(inner, run);
    if (!round) {
      return round;
    }
    for (SearchPoint& point : round->points) {
      point.insert(point.end(), words.begin(), words.end());
    }
    if (resolved_.kind == SearchKind::grid) {
      leave_out_known(history, *round);
    }
    return round;
  }

  Index expected_points() const override {
    Index total = inner_->expected_points();
    for (Index s = 0; s < stages(); ++s) {
      const auto words = static_cast<Index>(axis(s).words.size());
      total += (s == 0 ? words : words - 1) * places();
    }
    return total;
  }

  Index opening_rounds() const override { return stages(); }

 private:
  Index stages() const { return static_cast<Index>(space_.axes.size() - ranges_.axes.size()); }
  const SearchAxis& axis(Index stage) const { return space_.axes[ranges_.axes.size() + stage]; }

  Index places() const {
    const Index affordable = inner_->expected_points() / points_per_place;
    const Index most = varied_axes().size() == 2 ? 9 : varied_axes().size() == 1 ? 3 : 1;
    return affordable >= 9 ? most : affordable >= 3 ? std::min<Index>(most, 3) : 1;
  }

  // The first option and the first width: what scores depend on most.
  std::vector<std::size_t> varied_axes() const {
    std::vector<std::size_t> result;
    for (const AxisPlace place : {AxisPlace::option, AxisPlace::kernel}) {
      const auto found = std::ranges::find(ranges_.axes, place, &SearchAxis::place);
      if (found != ranges_.axes.end()) {
        result.push_back(static_cast<std::size_t>(found - ranges_.axes.begin()));
      }
    }
    return result;
  }

  std::vector<SearchPoint> places_with(const Words& words) const {
    std::vector<double> usual(ranges_.axes.size(), std::nan(""));
    for (std::size_t s = 0; s < words.size(); ++s) {
      const bool is_scaling = axis(static_cast<Index>(s)).place == AxisPlace::scaling;
      if (is_scaling && static_cast<std::size_t>(words[s]) < usual_.size()) {
        usual = usual_[static_cast<Index>(words[s])];
      }
    }
    const bool scaling_is_fixed =
        std::ranges::none_of(space_.axes, [](const SearchAxis& one) { return one.place == AxisPlace::scaling; });
    if (scaling_is_fixed && !usual_.empty()) {
      usual = usual_.front();
    }
    SearchPoint middle;
    for (std::size_t a = 0; a < ranges_.axes.size(); ++a) {
      const SearchAxis& range = ranges_.axes[a];
      middle.push_back(range.is_range() ? few_values(range, usual[a])[1] : range.value_at(0));
    }
    std::vector<SearchPoint> points = {middle};
    Index left = places();
    for (const std::size_t a : varied_axes()) {
      if (left < 3) {
        break;
      }
      left /= 3;
      std::vector<SearchPoint> more;
      for (const SearchPoint& point : points) {
        for (const double value : few_values(ranges_.axes[a], usual[a])) {
          more.push_back(point);
          more.back()[a] = value;
        }
      }
      points = std::move(more);
    }
    return finished(points, words);
  }

  std::vector<SearchPoint> finished(const std::vector<SearchPoint>& points, const Words& words) const {
    std::vector<SearchPoint> result;
    for (SearchPoint point : points) {
      for (std::size_t a = 0; resolved_.kind == SearchKind::grid && a < point.size(); ++a) {
        point[a] = on_grid(ranges_.axes[a], point[a], resolved_.grid);
      }
      point.insert(point.end(), words.begin(), words.end());
      if (std::ranges::find(result, point) == result.end()) {
        result.push_back(std::move(point));
      }
    }
    return result;
  }

  // The usual word of later choices was seen with the earlier ones.
  std::vector<SearchPoint> places_of(Index stage, const Words& words) const {
    std::vector<SearchPoint> points;
    for (std::size_t w = stage == 0 ? 0 : 1; w < axis(stage).words.size(); ++w) {
      Words here = words;
      here[stage] = static_cast<double>(w);
      std::ranges::move(places_with(here), std::back_inserter(points));
    }
    return points;
  }

  // As far as the history says, the first of each choice beyond.
  Words chosen_words(std::span<const ScoredRound> history) const {
    Words words(static_cast<std::size_t>(stages()), 0.0);
    for (Index s = 0; s < std::min(stages(), static_cast<Index>(history.size())); ++s) {
      choose(history.first(static_cast<std::size_t>(s) + 1), s, words);
    }
    return words;
  }

  void choose(std::span<const ScoredRound> history, Index stage, Words& words) const {
    struct Best {
      double utility = -std::numeric_limits<double>::infinity();
      double error = 0;
    };
    std::vector<Best> best(axis(stage).words.size());
    for (const ScoredRound& round : history) {
      for (std::size_t i = 0; i < round.utilities.size(); ++i) {
        const SearchPoint& point = round.round.points[i];
        Words here(point.begin() + static_cast<std::ptrdiff_t>(ranges_.axes.size()), point.end());
        const auto word = static_cast<std::size_t>(here[stage]);
        here[stage] = words[stage];
        if (here == words && round.utilities[i] > best[word].utility) {
          best[word] = {round.utilities[i], i < round.errors.size() ? round.errors[i] : 0};
        }
      }
    }
    const double slack = std::isfinite(best.front().error) ? clearly * best.front().error : 0;
    std::size_t winner = 0;
    for (std::size_t w = 1; w < best.size(); ++w) {
      const double to_beat = winner == 0 ? best.front().utility + slack : best[winner].utility;
      winner = best[w].utility > to_beat ? w : winner;
    }
    words[stage] = static_cast<double>(winner);
  }

  static void leave_out_known(std::span<const ScoredRound> history, SearchRound& round) {
    std::set<SearchPoint> known;
    for (const ScoredRound& before : history) {
      known.insert(before.round.points.begin(), before.round.points.end());
    }
    std::erase_if(round.points, [&](const SearchPoint& point) { return known.contains(point); });
  }

  const SearchSpace& space_;
  SearchSpace ranges_;
  SearchOptions resolved_;
  UsualValues usual_;
  std::unique_ptr<SearchStrategy> inner_;
};

}  // namespace

SearchSpace space_of_ranges(const SearchSpace& space) {
  SearchSpace ranges = space;
  std::erase_if(ranges.axes, [](const SearchAxis& axis) { return axis.stage == AxisStage::first; });
  return ranges;
}

std::unique_ptr<SearchStrategy> staged_strategy(const SearchSpace& space, const SearchOptions& resolved,
                                                Index training_rows, std::uint64_t seed, UsualValues usual) {
  return std::make_unique<Staged>(space, resolved, training_rows, seed, std::move(usual));
}

}  // namespace mercer
