#include "mercer/models/classes/class_weights.h"

#include <utility>

namespace mercer {

namespace {

constexpr std::string_view balanced_word = "balanced";
constexpr std::string_view alike_word = "none";

}  // namespace

ClassWeights::ClassWeights(std::vector<LabelNumber> weights)
    : text_(label_numbers_text("class_weight", weights)), given_(std::move(weights)) {}

ClassWeights ClassWeights::balanced() {
  ClassWeights weights;
  weights.text_ = balanced_word;
  weights.balanced_ = true;
  return weights;
}

ClassWeights ClassWeights::parse(std::string_view text) {
  if (text == balanced_word) {
    return balanced();
  }
  ClassWeights weights;
  if (!text.empty() && text != alike_word) {
    weights.given_ = parse_label_numbers("class_weight", text);
    weights.text_ = text;
  }
  return weights;
}

}  // namespace mercer
