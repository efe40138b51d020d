#include "mercer/data/files/odd_entries.h"

#include <algorithm>

namespace mercer {

namespace {

using Outcome = OddEntry::Outcome;

std::string noun(Notation notation) {
  switch (notation) {
    case Notation::grouped:
      return "number with commas between thousands";
    case Notation::decimal_comma:
      return "number with a decimal comma";
    case Notation::time:
      return "time of day";
    case Notation::plain:
      return "number";
    default:
      return "date";
  }
}

// Writes the sentences of one column.
class OddEntryWriter {
 public:
  OddEntryWriter(const FieldColumn& column, const WaysOut& ways_out) : column_(column), ways_out_(ways_out) {}

  OddEntry of_words(const FieldColumn::OddWord& word, Mixture mixture) const {
    const std::string shares = this->shares(word.numbers, word.words);
    return mixture == Mixture::slips ? refused(word.place, word.text, "not a number, but " + shares)
                                     : warned(word.place, word.text, "no number, though " + shares);
  }

  OddEntry of_notation(const BrokenNotation& broken) const {
    const bool is_number = broken.notation == Notation::grouped || broken.notation == Notation::decimal_comma;
    const bool are_few = 20 * broken.fails <= std::max<Index>(20, broken.fits);
    const std::string others = "no " + noun(broken.notation) + ", though " + shares(broken.fits, broken.fails);
    if (is_number && are_few) {
      return refused(broken.place, broken.text, others);
    }
    return warned(
        broken.place, broken.text,
        broken.fails == 0 ? "a date, and is written otherwise than the others, which are dates, too" : others);
  }

 private:
  std::string shares(Index fits, Index fails) const {
    return std::to_string(fits) + " of the " + std::to_string(fits + fails) + " " + ways_out_.entries + " are";
  }

  std::string opening(const std::string& text) const { return "column '" + column_.name() + "': '" + text + "' is "; }

  OddEntry refused(const FilePlace& place, const std::string& text, const std::string& what) const {
    return {Outcome::refused, place, text, opening(text) + what + "; " + ways_out_.refused};
  }

  OddEntry warned(const FilePlace& place, const std::string& text, const std::string& what) const {
    const bool has_categories = column_.kind() == ColumnKind::categorical;
    return {
        Outcome::warned, place, text,
        opening(text) + what + ", so that the column is taken for " +
            (has_categories ? "categories" : "texts, which kernels on vectors and models without a kernel leave out") +
            "; where that is wrong, " + (has_categories ? ways_out_.for_categories : ways_out_.for_texts)};
  }

  const FieldColumn& column_;
  const WaysOut& ways_out_;
};

}  // namespace

std::optional<OddEntry> find_odd_entry(const FieldColumn& column, NotationFinder::DecimalComma comma,
                                       const WaysOut& ways_out) {
  const OddEntryWriter writer(column, ways_out);
  const Mixture mixture = column.mixture();
  if (const auto broken = column.broken_notation(comma); broken && mixture == Mixture::none) {
    return writer.of_notation(*broken);
  }
  if (mixture == Mixture::none || mixture == Mixture::few_levels) {
    return std::nullopt;
  }
  return writer.of_words(column.first_word(), mixture);
}

}  // namespace mercer
