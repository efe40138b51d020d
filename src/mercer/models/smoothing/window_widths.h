// The widths of windows as an option gives them: a rule that chooses them, a number for all columns ("0.5"), or one per
// column ("0.5,2").
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/models/option_value.h"

namespace mercer {

/// window_bandwidths.h says what they do.
enum class WindowRule { cross_validated, normal, heuristic };
constexpr auto words_of(WindowRule) {
  return std::array{Word{WindowRule::cross_validated, "cv"}, Word{WindowRule::normal, "normal"},
                    Word{WindowRule::heuristic, "heuristic"}};
}

class WindowWidths {
 public:
  WindowWidths(WindowRule rule);  // NOLINT(google-explicit-constructor): an option is set to a rule
  /// InvalidArgument unless widths are positive and finite.
  WindowWidths(double width)  // NOLINT(google-explicit-constructor): an option is set to a number
      : WindowWidths(std::vector<double>{width}) {}
  WindowWidths(std::vector<double> widths);  // NOLINT(google-explicit-constructor): an option is set to numbers
  /// InvalidArgument that names the option, also for a text that is none of these.
  static WindowWidths parse(OptionName name, std::string_view text);

  const std::string& text() const { return text_; }
  /// Nothing where widths are given.
  std::optional<WindowRule> rule() const;
  /// One for all columns, or one per column; empty where a rule chooses them.
  std::vector<double> given() const;

 private:
  std::variant<WindowRule, std::vector<double>> value_;
  std::string text_;
};

}  // namespace mercer
