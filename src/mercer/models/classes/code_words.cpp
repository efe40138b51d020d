#include "mercer/models/classes/code_words.h"

#include "mercer/base/error.h"

namespace mercer {

CodeWords CodeWords::parse(std::string_view text) {
  CodeWords code;
  if (text.empty()) {
    return code;
  }
  code.text_ = text;
  code.signs_.emplace_back();
  for (const char sign : text) {
    if (sign == ';') {
      code.signs_.emplace_back();
    } else if (sign == '+' || sign == '-' || sign == '0') {
      code.signs_.back().push_back(sign == '+' ? 1.0 : sign == '-' ? -1.0 : 0.0);
    } else if (sign != ' ') {
      throw InvalidArgument(std::string("code: '") + sign + "' is none of the signs + - 0 ;");
    }
  }
  return code;
}

}  // namespace mercer
