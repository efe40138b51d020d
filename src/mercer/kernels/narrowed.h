// Values of kernels that are computed in double, brought into the precision of a tile.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

/// NumericalError where k(x_i, y_j) is beyond single precision, which would be ∞ there.
template <class T>
T narrowed(double value, const KernelNode& node, Index i, Index j) {
  if constexpr (std::is_same_v<T, float>) {
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
      throw NumericalError("the value " + shortest(value) + " of " + node.entry().name + " for rows " +
                           std::to_string(i) + " and " + std::to_string(j) +
                           " (counted from 0) is beyond single precision; take normalize(" + node.entry().name +
                           "(…)) or double precision (--precision double)");
    }
  }
  return static_cast<T>(value);
}

}  // namespace mercer
