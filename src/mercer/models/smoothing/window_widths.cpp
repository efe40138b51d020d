#include "mercer/models/smoothing/window_widths.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::string_view allowed_widths = "cv, normal, heuristic, a positive number, or one per column: 0.5,2";

bool are_widths(const std::vector<double>& widths) {
  return !widths.empty() && std::ranges::all_of(widths, [](double width) { return width > 0 && std::isfinite(width); });
}

// Empty where an item is no number.
std::vector<double> listed_widths(std::string_view text) {
  std::vector<double> widths;
  for (const std::string& item : split(text, ',')) {
    const std::optional<double> width = parse_double(trim(item));
    if (!width) {
      return {};
    }
    widths.push_back(*width);
  }
  return widths;
}

}  // namespace

WindowWidths::WindowWidths(WindowRule rule) : value_(rule), text_(word_of(rule)) {}

WindowWidths::WindowWidths(std::vector<double> widths) {
  std::vector<std::string> items;
  for (const double width : widths) {
    items.push_back(shortest(width));
  }
  text_ = join(items, ",");
  if (!are_widths(widths)) {
    reject_argument("bandwidth", text_, allowed_widths);
  }
  value_ = std::move(widths);
}

WindowWidths WindowWidths::parse(OptionName name, std::string_view text) {
  if (const std::optional<WindowRule> rule = find_word<WindowRule>(text)) {
    return *rule;
  }
  std::vector<double> widths = listed_widths(text);
  if (!are_widths(widths)) {
    reject_option(name, text, allowed_widths);
  }
  WindowWidths result = std::move(widths);
  result.text_ = std::string(text);
  return result;
}

std::optional<WindowRule> WindowWidths::rule() const {
  const WindowRule* rule = std::get_if<WindowRule>(&value_);
  return rule != nullptr ? std::optional(*rule) : std::nullopt;
}

std::vector<double> WindowWidths::given() const {
  const auto* widths = std::get_if<std::vector<double>>(&value_);
  return widths != nullptr ? *widths : std::vector<double>();
}

}  // namespace mercer
