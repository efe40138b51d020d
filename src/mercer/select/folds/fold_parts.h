// What every evaluator takes from its data and its paths: the training rows of a fold, the settings of a point.
#pragma once

#include <vector>

#include "mercer/select/folds/fold_evaluator.h"

namespace mercer {

/// The training rows of a fold, in the order of the split, and all that belongs to them.
TrainingData training_part(const TrainingData& data, const Split& split);

/// Those of the path, and its option at this value.
std::vector<OptionSetting> settings_at(const PointPath& path, double value);

}  // namespace mercer
