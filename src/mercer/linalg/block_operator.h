// A linear map that is known only by what it does to a block of columns: Y = A X. Solvers that never store A take it.
#pragma once

#include <functional>

#include "mercer/linalg/view.h"

namespace mercer {

/// Writes Y = A X; X and Y are n x b for any b >= 1 and do not overlap.
template <class T>
using BlockOperator = std::function<void(ConstMatrixView<T> x, MatrixView<T> y)>;

}  // namespace mercer
