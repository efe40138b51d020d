// The rows that a classifier is fitted to: their classes and their weights, those of the classes included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/models/classes/class_weights.h"
#include "mercer/models/model.h"

namespace mercer {

struct LabeledRows {
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

/// DataError for several targets, one class only (unless it is allowed), or unusable weights and targets; InvalidArgument
/// for a class weight that names no class.
LabeledRows read_labels(const char* model, const TrainingData& data, LabelReading reading,
                        const ClassWeights& class_weight, OneClass one_class = OneClass::refuse);

}  // namespace mercer
