// The constants of a model's functions, fitted again once its functions are written by a reduced set.
#pragma once

#include <memory>

#include "mercer/expansion/expansion.h"
#include "mercer/models/compress/compress.h"

namespace mercer {

/// `after`, or the same model with other constants: classification with labels: every machine makes as few errors on
/// the data as it can, kept only where the model as a whole makes no more than before; novelty: as many samples are
/// inside as were; otherwise the mean difference of the functions vanishes. `report` is told.
std::unique_ptr<FittedModel> with_refitted_constants(const FittedModel& before, std::unique_ptr<FittedModel> after,
                                                     const Expansion& reduced, const TrainingData& data,
                                                     CompressReport& report, const Run& run);

}  // namespace mercer
