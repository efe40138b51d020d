#include "mercer/models/fit_report.h"

#include <algorithm>

namespace mercer {

FitReport::Measure::Measure(Fact of, double number, std::string what)
    : name(word_of(of)), value(number), fact(of), about(std::move(what)) {
  if (!about.empty()) {
    name += " of " + about;
  }
}

std::optional<double> FitReport::measured(Fact fact) const {
  const auto found = std::ranges::find(measures, fact, &Measure::fact);
  return found == measures.end() ? std::nullopt : std::optional(found->value);
}

void FitReport::change(Fact fact, double value) {
  for (Measure& measure : measures) {
    if (measure.fact == fact) {
      measure.value = value;
    }
  }
}

std::vector<std::string> FitReport::note_texts(NoteKind kind) const {
  std::vector<std::string> texts;
  for (const Note& note : notes) {
    if (note.kind == kind) {
      texts.push_back(note.text);
    }
  }
  return texts;
}

}  // namespace mercer
