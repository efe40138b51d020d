// Numbers for labels, "label:number,label:number": weights of classes and the like.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct LabelNumber {
  std::string label;  ///< as it was written: "+1" and "1.0" name the class 1 of numeric labels
  double number = 1;
};

/// `option` is named in messages. InvalidArgument where an item is not label:number, or a number not positive and
/// finite. A label may hold colons, the last one counts; it holds no comma.
std::vector<LabelNumber> parse_label_numbers(std::string_view option, std::string_view text);

/// The text that parse_label_numbers() reads them from; InvalidArgument where there is none.
std::string label_numbers_text(std::string_view option, std::span<const LabelNumber> numbers);

/// One number per level; levels that are not named have 1. InvalidArgument for a label that is no level.
std::vector<double> numbers_of_levels(std::string_view option, std::span<const LabelNumber> numbers,
                                      const std::vector<std::string>& levels);

/// Both at once.
std::vector<double> read_label_numbers(std::string_view option, std::string_view text,
                                       const std::vector<std::string>& levels);

}  // namespace mercer
