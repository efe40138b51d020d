// Matrices of seeded random numbers.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"

namespace mercer::testing {

/// Standard normal, the same in float and in double up to rounding.
template <class T = double>
Matrix<T> random_matrix(Index rows, Index columns, std::uint64_t seed) {
  constexpr std::uint64_t normal_stream = 77;
  Matrix<T> values(rows, columns);
  RandomStream random(seed, normal_stream);
  fill_normal(random, std::span<T>(values.data(), static_cast<std::size_t>(rows * columns)));
  return values;
}

}  // namespace mercer::testing
