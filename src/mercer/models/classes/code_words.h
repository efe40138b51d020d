// The option code of classifiers by error-correcting codes: "+--;-+-;--+", one word per class, of the signs + - 0, in the
// order of the classes. What they mean: class_code.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

class CodeWords {
 public:
  CodeWords() = default;  ///< none are given
  /// InvalidArgument for a character that is none of + - 0 ; and no blank.
  static CodeWords parse(std::string_view text);
  /// As they were written.
  const std::string& text() const { return text_; }

  bool are_given() const { return !text_.empty(); }
  /// Per class, 1, -1 or 0 for every machine.
  const std::vector<std::vector<double>>& signs() const { return signs_; }

 private:
  std::string text_;
  std::vector<std::vector<double>> signs_;
};

}  // namespace mercer
