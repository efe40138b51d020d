// LabelKind: what the labels of classes are, decided once at the fit and kept with the model, so that a later file's column
// is read alike and 1, +1 and 1.0 do not become three classes, nor 01 and 1 one.
//
//   integer   a sign and digits without leading zeros, of any length: 1, +1 and 1.0 are one label, "1"
//   real      any other numbers without leading zeros, compared as doubles: 0.5 and .50 are one label, "0.5"
//   boolean   "True" and "False", of a front that has them: true, TRUE and 1 are "True"
//   text      everything else, byte for byte: "01" and "1" are two labels
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mercer/base/words.h"

namespace mercer {

enum class LabelKind { text, integer, real, boolean };
constexpr auto words_of(LabelKind) {
  return std::array{Word{LabelKind::text, "text"}, Word{LabelKind::integer, "integer"}, Word{LabelKind::real, "real"},
                    Word{LabelKind::boolean, "boolean"}};
}
constexpr std::string_view to_string(LabelKind kind) { return word_of(kind); }

/// How a text writes a number, as far as labels are concerned.
enum class NumberForm {
  none,           ///< no number, or one that is not finite
  padded,         ///< with zeros in front: 007, 01.5
  integer,        ///< a sign and digits
  large_integer,  ///< one that no double tells from its neighbours: 2⁵³ and beyond, with zeros behind a point or without
  real,           ///< 1.0, .5, 1e3
};
NumberForm number_form(std::string_view text);

/// The kind of a column whose fields have these forms. Large integers among reals are text: as doubles they would merge.
class LabelKindFinder {
 public:
  void add(NumberForm form);
  LabelKind kind() const;

 private:
  bool only_numbers_ = true;
  bool only_integers_ = true;
  bool has_large_ = false;
};

/// What labels are by their texts alone.
LabelKind label_kind_of(std::span<const std::string> texts);

/// A label in the one form of its kind; as it is where it is none of that kind.
std::string label_text(std::string_view text, LabelKind kind);

/// In ascending order: numbers by value, exactly, everything else by bytes. Both are texts in the form of the kind.
bool label_less(std::string_view a, std::string_view b, LabelKind kind);

}  // namespace mercer
