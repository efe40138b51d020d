// New samples from a stored model of density, in the units of the training file: what the program's `sample` and
// Python's `sample` call. Which models have draws: kde and histogram (knndensity has no integral, so no draws).
#pragma once

#include "mercer/models/stored_model.h"
#include "mercer/smoothing/conditional_draws.h"

namespace mercer {

/// Whether samples can be drawn from the model.
bool has_draws(const FittedModel& model);

/// count × columns draws, held columns at their values (in the units of the file); a function of run.seed() alone. Errors
/// as draw_given(); InvalidArgument for a model that has no draws, and for a negative count.
Matrix<double> draw_samples(const StoredModel& stored, HeldColumns held, Index count, const Run& run);

/// Values of some numeric columns, one per column of the matrix, as the model sees them: scaled as at the fit.
void scale_as_at_the_fit(const StoredModel& stored, std::span<const Index> columns, MatrixView<double> values);

}  // namespace mercer
