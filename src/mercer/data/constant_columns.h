// Whether the columns that a model is left with tell rows apart at all. A table of constants is fitted all the same, since
// a model without columns is none; whoever fits it says so.
#pragma once

#include <string>

#include "mercer/data/preparation.h"

namespace mercer {

/// A sentence that names the columns, where the coding leaves numbers alone and each of them holds one value; else empty.
/// O(n d) where there are no categories.
std::string said_of_constants(const Preparation& preparation, const Samples& raw);

}  // namespace mercer
