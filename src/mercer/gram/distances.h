// Distances from a kernel (Schölkopf & Smola (2002), (2.78) and (2.84)-(2.86)).
//
//   feature_space   d²(x, x') = k(x,x) + k(x',x') − 2k(x,x')           for positive kernels: ‖Φ(x) − Φ(x')‖²
//   conditional     d²(x, x') = ½(k(x,x) + k(x',x')) − k(x,x')         half of it; of the conditionally positive
//                                                                      kernel −‖x−x'‖² it gives back ‖x−x'‖²
#pragma once

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/view.h"

namespace mercer {

enum class DistanceScale { feature_space, conditional };

/// Writes d² (n × n, symmetric, 0 on the diagonal); rounding below 0 is clamped. One evaluation of the lower half.
template <class T>
void squared_distances(const Gram<T>& gram, DistanceScale scale, MatrixView<T> out, const Run& run);

}  // namespace mercer
