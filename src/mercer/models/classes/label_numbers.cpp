#include "mercer/models/classes/label_numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/label_kind.h"

namespace mercer {

namespace {

[[noreturn]] void reject_item(std::string_view option, std::string_view item) {
  throw InvalidArgument(std::string(option) + ": '" + std::string(item) +
                        "' is not label:number with a positive number");
}

bool is_positive_number(double number) { return number > 0 && std::isfinite(number); }

}  // namespace

std::vector<LabelNumber> parse_label_numbers(std::string_view option, std::string_view text) {
  std::vector<LabelNumber> numbers;
  for (const std::string& item : split(text, ',')) {
    const std::size_t colon = item.rfind(':');
    const std::optional<double> number =
        colon == std::string::npos ? std::nullopt : parse_double(std::string_view(item).substr(colon + 1));
    if (!number || !is_positive_number(*number)) {
      reject_item(option, item);
    }
    numbers.push_back({item.substr(0, colon), *number});
  }
  return numbers;
}

std::string label_numbers_text(std::string_view option, std::span<const LabelNumber> numbers) {
  std::vector<std::string> items;
  for (const LabelNumber& entry : numbers) {
    items.push_back(entry.label + ":" + shortest(entry.number));
    if (!is_positive_number(entry.number) || entry.label.find(',') != std::string::npos) {
      reject_item(option, items.back());
    }
  }
  return join(items, ",");
}

std::vector<double> numbers_of_levels(std::string_view option, std::span<const LabelNumber> numbers,
                                      const std::vector<std::string>& levels) {
  std::vector<double> result(levels.size(), 1.0);
  for (const LabelNumber& entry : numbers) {
    const std::string label = label_text(entry.label, label_kind_of(levels));
    const auto found = std::find(levels.begin(), levels.end(), label);
    if (found == levels.end()) {
      throw InvalidArgument(std::string(option) + ": there is no class '" + label + "'." + did_you_mean(label, levels) +
                            " The classes are " + join(levels, ", "));
    }
    result[found - levels.begin()] = entry.number;
  }
  return result;
}

std::vector<double> read_label_numbers(std::string_view option, std::string_view text,
                                       const std::vector<std::string>& levels) {
  return numbers_of_levels(option, parse_label_numbers(option, text), levels);
}

}  // namespace mercer
