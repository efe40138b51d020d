#include "mercer/models/svm/quantile_levels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::string_view allowed_levels = "different numbers between 0 and 1, as in 0.05,0.5,0.95";

std::string list_text(const std::vector<double>& levels) {
  std::vector<std::string> items;
  for (const double level : levels) {
    items.push_back(shortest(level));
  }
  return join(items, ",");
}

// `ascending` is sorted.
bool are_levels(const std::vector<double>& ascending) {
  return !ascending.empty() && std::ranges::all_of(ascending, [](double l) { return l > 0 && l < 1; }) &&
         std::ranges::adjacent_find(ascending) == ascending.end();
}

}  // namespace

QuantileLevels::QuantileLevels(std::vector<double> levels) : levels_(std::move(levels)) {
  // One that is not a number has no place in an order.
  const bool numbers = std::ranges::none_of(levels_, [](double level) { return std::isnan(level); });
  if (numbers) {
    std::ranges::sort(levels_);
  }
  if (!numbers || !are_levels(levels_)) {
    reject_option({"kqr", "quantiles"}, list_text(levels_), allowed_levels);
  }
}

QuantileLevels QuantileLevels::parse(OptionName name, std::string_view text) {
  std::vector<double> levels;
  for (const std::string& item : split(text, ',')) {
    const std::optional<double> level = parse_double(trim(item));
    if (!level || std::isnan(*level)) {
      reject_option(name, text, allowed_levels);
    }
    levels.push_back(*level);
  }
  std::ranges::sort(levels);
  if (!are_levels(levels)) {
    reject_option(name, text, allowed_levels);
  }
  return levels;
}

Index QuantileLevels::middle() const {
  // Distances of levels that are as far on either side differ by their rounding.
  constexpr double rounding = 1e-12;
  Index best = 0;
  for (Index l = 1; l < count(); ++l) {
    if (std::abs(levels_[l] - 0.5) < std::abs(levels_[best] - 0.5) - rounding) {
      best = l;
    }
  }
  return best;
}

std::string QuantileLevels::text() const { return list_text(levels_); }

}  // namespace mercer
