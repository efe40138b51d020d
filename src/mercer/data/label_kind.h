// LabelKind: what the labels of classes are, decided once at the fit and kept with the model, so that a later file's column
// is read alike and an answer is written as the question was.
//
//   integer   a sign and digits without leading zeros, of any length: 1, +1 and 1.0 are one label, "1"
//   real      any other numbers without leading zeros, compared as doubles: 0.5 and .5 are one label, "0.5"
//   boolean   true and false, of a front that has them
//   text      everything else, byte for byte: "01" and "1" are two labels
#pragma once

#include <string_view>

namespace mercer {

enum class LabelKind { text, integer, real, boolean };
std::string_view to_string(LabelKind kind);

}  // namespace mercer
