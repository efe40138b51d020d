// The option class_weight of classifiers: all classes alike ("none", or nothing), "balanced" (the rarer the class, the heavier), or numbers
// for some of them, "label:weight,label:weight". They multiply the weights of rows.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/models/classes/label_numbers.h"

namespace mercer {

class ClassWeights {
 public:
  /// All alike.
  ClassWeights() = default;
  /// Classes that are not named have 1. InvalidArgument for a weight that is not positive and finite, or a label with a
  /// comma, which the text could not hold.
  ClassWeights(std::initializer_list<LabelNumber> weights) : ClassWeights(std::vector<LabelNumber>(weights)) {}
  explicit ClassWeights(std::vector<LabelNumber> weights);
  static ClassWeights balanced();
  /// Texts that a search tries where some classes are rare.
  static std::vector<std::string> when_unbalanced() { return {"none", "balanced"}; }

  /// InvalidArgument where it cannot be read. That its labels are classes is checked where there are classes.
  static ClassWeights parse(std::string_view text);
  /// As it was written.
  const std::string& text() const { return text_; }

  bool are_balanced() const { return balanced_; }
  /// Neither balanced nor given for any class.
  bool are_alike() const { return !balanced_ && given_.empty(); }
  const std::vector<LabelNumber>& given() const { return given_; }

 private:
  std::string text_;
  bool balanced_ = false;
  std::vector<LabelNumber> given_;
};

}  // namespace mercer
