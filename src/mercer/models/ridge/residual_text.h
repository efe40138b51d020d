// How an iteration went, in one line of a report.
#pragma once

#include <cstdio>
#include <span>
#include <string>

namespace mercer {

/// "0.5, 0.031, …": two digits each; of long histories every second, third, … and the last.
inline std::string residual_text(std::span<const double> history) {
  constexpr std::size_t most = 60;
  const std::size_t step = history.size() / most + 1;
  std::string text;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (i % step == 0 || i + 1 == history.size()) {
      char number[32];
      std::snprintf(number, sizeof number, "%.2g", history[i]);
      text += (text.empty() ? "" : ", ") + std::string(number);
    }
  }
  return text + (step > 1 ? " (one of " + std::to_string(step) + ")" : "");
}

}  // namespace mercer
