// The rows of a training file that folds are cut from, with their targets and groups.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/data/files/data_file.h"
#include "mercer/models/model.h"
#include "mercer/select/folds/fold_plan.h"

namespace mercer::program {

struct FoldRows {
  TrainingData data;
  std::vector<std::int32_t> groups;
};

/// A row of weight 0 is a row deleted. Fits see the groups where the model takes them. `command` is named where no row is
/// left.
FoldRows counted_rows(const DataFile& file, const ModelEntry& entry, const char* command);

std::vector<Split> folds_of(const FoldPlan& plan, const FoldRows& rows, std::uint64_t seed);

}  // namespace mercer::program
