#include "mercer/models/discriminant/class_priors.h"

namespace mercer {

namespace {

constexpr std::string_view equal_priors = "equal";
constexpr std::string_view priors_option = "kfd: priors";

}  // namespace

ClassPriors::ClassPriors(std::initializer_list<LabelNumber> numbers)
    : kind_(Kind::given),
      text_(label_numbers_text(priors_option, {numbers.begin(), numbers.size()})),
      given_(numbers) {}

ClassPriors ClassPriors::equal() {
  ClassPriors priors;
  priors.kind_ = Kind::equal;
  priors.text_ = equal_priors;
  return priors;
}

ClassPriors ClassPriors::parse(std::string_view text) {
  if (text == equal_priors) {
    return equal();
  }
  ClassPriors priors;
  if (!text.empty()) {
    priors.kind_ = Kind::given;
    priors.given_ = parse_label_numbers(priors_option, text);
    priors.text_ = text;
  }
  return priors;
}

std::vector<double> ClassPriors::of_levels(const std::vector<std::string>& levels,
                                           std::span<const double> shares) const {
  switch (kind_) {
    case Kind::shares:
      break;
    case Kind::equal:
      return std::vector<double>(levels.size(), 1.0);
    case Kind::given:
      return numbers_of_levels(priors_option, given_, levels);
  }
  return {shares.begin(), shares.end()};
}

}  // namespace mercer
