// The loss that a model was fitted with: its curve, its influence function, and the density of noise that it stands for,
// over the residuals of the data or over margins from −3 to 3.
#pragma once

#include "mercer/models/model.h"
#include "mercer/report/report_data.h"

namespace mercer {

/// Of the first output; nothing for models that do not say their loss. `regression`: may be null.
std::optional<LossSection> loss_section(const FittedModel& model, const RegressionSection* regression);

}  // namespace mercer
