#include "mercer/data/target_look.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "mercer/data/notation.h"

namespace mercer {

namespace {

constexpr Index many_fractions = 30;
constexpr Index some_fractions = 5;
constexpr Index many_whole_numbers = 20;
constexpr Index rare = 3;

// Labels that are dates, or numbers with commas between groups or before fractions, are numbers to a model of numbers.
std::optional<std::vector<double>> noted_numbers(const ClassLabels& labels) {
  NotationFinder finder(NotationFinder::Wanted::all, NotationFinder::DecimalComma::likely);
  for (const std::string& level : labels.levels) {
    finder.add(level);
  }
  const Notation notation = finder.find().notation;
  if (notation == Notation::plain) {
    return std::nullopt;
  }
  std::vector<double> of_levels;
  for (const std::string& level : labels.levels) {
    const std::optional<double> number = parse_noted(level, notation);
    if (!number) {
      return std::nullopt;
    }
    of_levels.push_back(*number);
  }
  std::vector<double> values;
  for (const std::int32_t code : labels.codes) {
    if (code >= 0) {
      values.push_back(of_levels[code]);
    }
  }
  return values;
}

TargetSummary look_at_numbers(const std::vector<double>& values) {
  std::map<double, Index> counts;
  Index rows = 0;
  for (const double value : values) {
    if (std::isfinite(value)) {
      ++counts[value];
      ++rows;
    }
  }
  const auto different = static_cast<Index>(counts.size());
  const bool whole =
      std::ranges::all_of(counts, [](const auto& entry) { return entry.first == std::floor(entry.first); });
  if (!whole) {
    const bool hardly_repeated = different > some_fractions && 2 * different > rows;
    return {different > many_fractions || hardly_repeated ? TargetLook::continuous : TargetLook::few_fractions,
            different};
  }
  if (different == 2) {
    return {TargetLook::two_numbers, different};
  }
  const bool some_are_rare = std::ranges::any_of(counts, [](const auto& entry) { return entry.second < rare; });
  return {different > many_whole_numbers && some_are_rare ? TargetLook::counts : TargetLook::whole_numbers, different};
}

}  // namespace

TargetSummary look_at(const TargetColumn& target) {
  if (!target.has_labels()) {
    return look_at_numbers(target.values);
  }
  const auto numbers = noted_numbers(target.labels);
  return numbers ? look_at_numbers(*numbers)
                 : TargetSummary{TargetLook::labels, static_cast<Index>(target.labels.levels.size())};
}

}  // namespace mercer
