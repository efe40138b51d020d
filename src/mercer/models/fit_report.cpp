#include "mercer/models/fit_report.h"

#include <algorithm>

namespace mercer {

namespace {

constexpr std::string_view of_output = " of ";

bool is_of(std::string_view name, Fact fact) {
  const std::string_view word = word_of(fact);
  return name == word || (name.starts_with(word) && name.substr(word.size()).starts_with(of_output));
}

}  // namespace

void FitReport::measure(Fact fact, double value, std::optional<std::string_view> output) {
  std::string name(word_of(fact));
  if (output) {
    name += of_output;
    name += *output;
  }
  measures.push_back({std::move(name), value});
}

std::optional<double> FitReport::measured(Fact fact) const {
  const auto found = std::ranges::find_if(measures, [&](const Measure& measure) { return is_of(measure.name, fact); });
  return found == measures.end() ? std::nullopt : std::optional(found->value);
}

void FitReport::change(Fact fact, double value) {
  for (Measure& measure : measures) {
    if (is_of(measure.name, fact)) {
      measure.value = value;
    }
  }
}

}  // namespace mercer
