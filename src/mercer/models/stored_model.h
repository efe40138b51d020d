// StoredModel: a fitted model with what surrounds it in a file: how raw data becomes its samples.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mercer/data/files/data_file.h"
#include "mercer/data/label_kind.h"
#include "mercer/data/scaling.h"
#include "mercer/data/schema.h"
#include "mercer/models/model.h"

namespace mercer {

struct StoredModel {
  std::unique_ptr<FittedModel> model;
  Schema schema;    ///< columns of the training file
  Scaling scaling;  ///< replayed at prediction
  /// How labels of classes are read; nothing for models without classes, and where a file does not say (format 1).
  std::optional<LabelKind> label_kind = {};
  /// In which the numbers of the training file were read; new ones are read alike.
  StoredPrecision precision = StoredPrecision::float64;
  /// What a front keeps beside the model, by the front's name: nobody else looks at it.
  std::map<std::string, std::string> annotations = {};
};

}  // namespace mercer
