#include "mercer/expansion/parametric_part.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec_reader.h"

namespace mercer {

namespace {

constexpr Index most_harmonics = 1000;

std::vector<std::string> first_words() {
  std::vector<std::string> words = all_words<ParametricShape>();
  words.insert(words.begin(), {"none", "constant"});
  return words;
}

double period_of(SpecReader& reader) {
  const std::size_t offset = reader.lexer().peek().offset;
  const double period = reader.number();
  if (!(period > 0 && std::isfinite(period))) {
    reader.reject(offset, "the period is a positive number");
  }
  return period;
}

Index harmonics_of(SpecReader& reader) {
  const std::size_t offset = reader.lexer().peek().offset;
  const double harmonics = reader.number();
  if (!(harmonics >= 1 && harmonics <= static_cast<double>(most_harmonics) && harmonics == std::floor(harmonics))) {
    reader.reject(offset, "harmonics is a whole number from 1 to " + std::to_string(most_harmonics));
  }
  return static_cast<Index>(harmonics);
}

// "(period=12, harmonics=2)", in any order.
void read_arguments(SpecReader& reader, ParametricTerm& term) {
  bool has_period = false;
  const std::size_t begin = reader.lexer().peek().offset;
  reader.expect("(", "'(' with the period: periodic(period=12)");
  do {
    const SpecToken name = reader.lexer().take();
    if (!name.is_name("period") && !name.is_name("harmonics")) {
      reader.reject(name.offset, "expected period= or harmonics=, found " + described(name));
    }
    reader.expect("=", "'='");
    if (name.text == "period") {
      term.period = period_of(reader);
      has_period = true;
    } else {
      term.harmonics = harmonics_of(reader);
    }
  } while (reader.accept(","));
  reader.expect(")", "',' or ')'");
  if (!has_period) {
    reader.reject(begin, "periodic functions need their period: periodic(period=12)");
  }
}

ParametricTerm read_term(SpecReader& reader) {
  const SpecToken name = reader.lexer().take();
  const auto shape = name.is(SpecTokenKind::name) ? find_word<ParametricShape>(name.text) : std::nullopt;
  if (!shape) {
    const std::vector<std::string> words = first_words();
    reader.reject(name.offset, "expected one of " + join(words, ", ") + ", found " + described(name) + "." +
                                   SpecReader::suggestion(name.text, words));
  }
  ParametricTerm term{.shape = *shape};
  if (*shape == ParametricShape::periodic) {
    read_arguments(reader, term);
  }
  if (reader.lexer().peek().is_symbol("[")) {
    term.columns = reader.columns();
  }
  return term;
}

std::string text_of(const ParametricTerm& term) {
  std::string text(word_of(term.shape));
  if (term.shape == ParametricShape::periodic) {
    text += "(period=" + shortest(term.period) +
            (term.harmonics > 1 ? ", harmonics=" + std::to_string(term.harmonics) : std::string()) + ")";
  }
  return term.columns.references.empty() ? text : text + to_string(term.columns);
}

}  // namespace

ParametricPart::ParametricPart(Polynomials polynomials) : has_constant_(polynomials != Polynomials::none) {
  if (polynomials == Polynomials::linear || polynomials == Polynomials::quadratic) {
    terms_.push_back(
        {.shape = polynomials == Polynomials::linear ? ParametricShape::linear : ParametricShape::quadratic});
  }
}

ParametricPart::ParametricPart(std::vector<ParametricTerm> terms) : has_constant_(true), terms_(std::move(terms)) {
  for (const ParametricTerm& term : terms_) {
    if (!(term.period > 0 && std::isfinite(term.period))) {
      reject_argument("the period of periodic functions", term.period, "positive and finite");
    }
    if (term.harmonics < 1 || term.harmonics > most_harmonics) {
      reject_argument("harmonics", static_cast<double>(term.harmonics), "from 1 to " + std::to_string(most_harmonics));
    }
  }
}

namespace {

// The reader speaks of kernels.
std::string without_kernel(std::string_view message) {
  constexpr std::string_view prefix = "kernel spec: ";
  return std::string(message.substr(message.starts_with(prefix) ? prefix.size() : 0));
}

ParametricPart parsed(std::string_view text) {
  SpecReader reader(text);
  const SpecToken first = reader.lexer().peek();
  if (first.is_name("none") && reader.lexer().peek_second().is(SpecTokenKind::end)) {
    return {};
  }
  std::vector<ParametricTerm> terms;
  do {
    if (reader.lexer().peek().is_name("constant")) {
      reader.lexer().take();
    } else {
      terms.push_back(read_term(reader));
    }
  } while (reader.accept("+"));
  if (!reader.lexer().peek().is(SpecTokenKind::end)) {
    reader.unexpected("'+' or the end");
  }
  return ParametricPart(std::move(terms));
}

}  // namespace

ParametricPart ParametricPart::parse(std::string_view text) {
  try {
    return parsed(text);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(without_kernel(error.what()));
  }
}

std::string ParametricPart::text() const {
  if (terms_.empty()) {
    return has_constant_ ? "constant" : "none";
  }
  std::vector<std::string> parts;
  std::ranges::transform(terms_, std::back_inserter(parts), text_of);
  return join(parts, " + ");
}

}  // namespace mercer
