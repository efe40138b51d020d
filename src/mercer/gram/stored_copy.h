// All of a Gram matrix in memory.
#pragma once

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// K as a stored matrix, symmetric to the last bit: entries on and below the diagonal are evaluated, the others copied.
template <class T>
Matrix<T> stored_copy(const Gram<T>& gram, const Run& run);

}  // namespace mercer
