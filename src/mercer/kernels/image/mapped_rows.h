// Rows of a sample set with a function applied to every coordinate, for kernels whose pairs would apply it over and over.
#pragma once

#include "mercer/kernels/geometry.h"
#include "mercer/kernels/prepared.h"

namespace mercer {

/// out_c = map(x_c) for sample i. The samples were prepared by a PairwiseNode.
template <class T, class Map>
void mapped_row(const Prepared& side, Index i, std::span<T> out, Map map) {
  side.geometry<T>({.weights = {}, .exact = true}).dense_row(i, out);
  for (T& value : out) {
    value = map(value);
  }
}

}  // namespace mercer
