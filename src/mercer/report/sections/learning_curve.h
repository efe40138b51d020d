// Learning curve: the error on the rows of the fit and on others, for fits to growing parts of the training rows. A gap
// that closes asks for more data, two high curves for another model.
//
// The model is refitted at the kernel and penalty that it ended with (refit.h). Others: the data, where they are not the
// training rows; otherwise three folds, with the standard error over them.
#pragma once

#include <optional>

#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// Six sizes from a tenth to all of the rows. LearningCurve::automatic: up to 2000 rows, and no further size once half
/// a minute has passed. Nothing for novelty, or where fewer than two sizes can be fitted.
std::optional<LearningSection> learning_section(const ReportInput& input, const Run& run);

}  // namespace mercer
