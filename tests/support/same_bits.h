// Whether two matrices are the same to the bit.
#pragma once

#include <cstring>

#include "mercer/linalg/matrix.h"

namespace mercer::testing {

/// Shapes too. Of bits, not of values: −0 is not 0, and a NaN is itself.
template <class T>
bool same_bits(const Matrix<T>& a, const Matrix<T>& b) {
  const auto bytes = static_cast<std::size_t>(a.rows() * a.columns()) * sizeof(T);
  return a.rows() == b.rows() && a.columns() == b.columns() &&
         (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0);
}

}  // namespace mercer::testing
