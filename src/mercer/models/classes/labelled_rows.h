// The rows that a classifier is fitted to: their classes and their weights, those of the classes included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/models/model.h"

namespace mercer {

struct LabelledRows {
  std::vector<Index> rows;            ///< of positive weight
  std::vector<std::int32_t> classes;  ///< per such row
  std::vector<std::string> levels;
  std::vector<double> weights;  ///< per such row, class weights included
};

/// classes: every level that occurs among the counted rows is a class. uncertain: targets in [−1, 1], whose sign is the
/// class and whose size multiplies the weight.
enum class LabelReading { classes, uncertain };

/// What to do where all rows that count belong to one class.
enum class OneClass { refuse, allow };

/// "label:number,label:number" as one positive number per level; levels that are not named have 1. `option` is named in
/// messages. InvalidArgument where the text cannot be read or names no level.
std::vector<double> read_label_numbers(const std::string& option, const std::string& text,
                                       const std::vector<std::string>& levels);

/// class_weight: empty, "balanced", or "label:weight,label:weight". DataError for several targets, one class only (unless
/// it is allowed), or unusable weights and targets; InvalidArgument for a class weight that cannot be read or names no
/// class.
LabelledRows read_labels(const char* model, const TrainingData& data, LabelReading reading,
                         const std::string& class_weight, OneClass one_class = OneClass::refuse);

}  // namespace mercer
