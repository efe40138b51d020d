// Units of densities: a model sees scaled columns x' = base + (x − offset)·factor, and its density is one of x'. In the
// units of the file p(x) = p'(x') Π_j |factor_j|, over the columns that the density is over.
#pragma once

#include <span>

#include "mercer/models/stored_model.h"

namespace mercer {

/// ln Π |factor_j| over all columns of the model's density: what ln p' is less than ln p. 0 where nothing was scaled.
double log_density_factor(const StoredModel& stored);
/// The same over some columns, for a marginal density.
double log_density_factor(const StoredModel& stored, std::span<const Index> columns);

}  // namespace mercer
