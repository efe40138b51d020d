#include "mercer/data/target_look.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mercer {

namespace {

constexpr Index many_fractions = 30;
constexpr Index some_fractions = 5;
constexpr Index many_whole_numbers = 20;
constexpr Index rare = 3;

}  // namespace

TargetSummary look_at(const TargetColumn& target) {
  if (target.has_labels()) {
    return {TargetLook::labels, static_cast<Index>(target.labels.levels.size())};
  }
  std::map<double, Index> counts;
  Index rows = 0;
  for (const double value : target.values) {
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

}  // namespace mercer
