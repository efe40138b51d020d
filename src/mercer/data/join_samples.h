// One sample set from two: the rows of both, one after the other.
#pragma once

#include "mercer/data/samples.h"

namespace mercer {

/// A copy; its rows are new samples (they have the identity of neither). Both must be of one kind with the same columns:
/// InvalidArgument otherwise. Category levels are joined by name, tables column by column in the order of the first;
/// floats beside doubles become doubles, sparse rows take the larger number of columns.
Samples join_samples(const Samples& a, const Samples& b);

}  // namespace mercer
