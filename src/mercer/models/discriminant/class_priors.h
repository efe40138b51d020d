// The option priors of a discriminant: the shares of the classes in the data, all alike ("equal"), or a number for some
// of them, "label:number,label:number".
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/models/classes/label_numbers.h"

namespace mercer {

class ClassPriors {
 public:
  /// The shares in the data.
  ClassPriors() = default;
  /// Classes that are not named have 1. InvalidArgument for a number that is not positive and finite, or a label with a
  /// comma, which the text could not hold.
  ClassPriors(std::initializer_list<LabelNumber> numbers);
  static ClassPriors equal();

  /// InvalidArgument where it cannot be read. That its labels are classes is checked where there are classes.
  static ClassPriors parse(std::string_view text);
  /// As it was written.
  const std::string& text() const { return text_; }

  /// One per level; they need not sum to 1. InvalidArgument for a label that is no level.
  std::vector<double> of_levels(const std::vector<std::string>& levels, std::span<const double> shares) const;

 private:
  enum class Kind { shares, equal, given };

  Kind kind_ = Kind::shares;
  std::string text_;
  std::vector<LabelNumber> given_;
};

}  // namespace mercer
