// Targets as samples of their own: a second view for correlations and tests of independence.
#pragma once

#include <span>

#include "mercer/data/samples.h"
#include "mercer/data/targets.h"

namespace mercer {

/// The listed rows: numbers standardised over them (mean 0, variance 1 with these weights; empty: all 1; constant columns
/// become 0), labels as one column of 0 and 1 per class. DataError where a number is not finite.
Samples target_samples(const Targets& targets, std::span<const Index> rows, std::span<const double> weights);

}  // namespace mercer
