#include "mercer/io/older_reports.h"

#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

namespace mercer {

namespace {

constexpr std::string_view of = " of ";
constexpr std::string_view penalty_of_sparse = " kernel functions at lambda = ";
constexpr std::string_view learned_with = ": the kernel is the weighted sum that was learnt with ";

// "noise variance", or "noise variance of OUTPUT".
void type_measure(FitReport::Measure& measure) {
  for (const Word<Fact>& word : words_of(Fact{})) {
    const std::string_view name = measure.name;
    if (name == word.text) {
      measure.fact = word.value;
    } else if (name.starts_with(word.text) && name.substr(word.text.size()).starts_with(of)) {
      measure.fact = word.value;
      measure.about = name.substr(word.text.size() + of.size());
    }
  }
}

struct Sentence {
  std::string_view part;
  NoteKind kind;
};
constexpr std::array sentences = {Sentence{" ended at its upper bound ", NoteKind::limit_reached},
                                  Sentence{" ended at its lower bound ", NoteKind::limit_reached},
                                  Sentence{"solved in the primal: ", NoteKind::primal_form},
                                  Sentence{"method pivoted", NoteKind::pivoted_rows},
                                  Sentence{"jitter: ", NoteKind::jitter_added}};

void type_note(Note& note) {
  for (const Sentence& sentence : sentences) {
    if (note.text.find(sentence.part) != std::string::npos) {
      note.kind = sentence.kind;
    }
  }
}

// The sparse kfd: "… kernel functions at lambda = 0.25, chosen by …"
void add_penalty(FitReport& report, const std::string& sentence) {
  const std::size_t at = sentence.find(penalty_of_sparse);
  if (at == std::string::npos) {
    return;
  }
  const char* const begin = sentence.data() + at + penalty_of_sparse.size();
  double lambda = 0;
  if (std::from_chars(begin, sentence.data() + sentence.size(), lambda).ec == std::errc()) {
    report.measure(Fact::lambda, lambda);
  }
}

// "mklsvc: the kernel is the weighted sum that was learnt with method=machine normalize=trace …"
ModelOrigin origin_of(const std::string& sentence) {
  const std::size_t at = sentence.find(learned_with);
  if (at == std::string::npos) {
    return {};
  }
  ModelOrigin origin{.name = sentence.substr(0, at)};
  std::istringstream words(sentence.substr(at + learned_with.size()));
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      origin.settings.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
  }
  return origin;
}

}  // namespace

void type_older_report(ModelHead& head) {
  for (FitReport::Measure& measure : head.report.measures) {
    type_measure(measure);
  }
  for (Note& note : head.report.notes) {
    type_note(note);
    add_penalty(head.report, note.text);
    if (ModelOrigin origin = origin_of(note.text); !origin.name.empty()) {
      head.origin = std::move(origin);
    }
  }
}

}  // namespace mercer
