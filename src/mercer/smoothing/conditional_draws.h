// Draws from a density with some columns held at values: x_R ~ p(x_R | x_G = v).
//
// A kernel density given x_G is again a mixture: its component i has the weight w_i λ_i^{−|G|} ∫K(u_G, t) dt, and the rest
// t of u follows κ(√(‖u_G‖² + ‖t‖²)), with u_G = L_GG^{−1}(v − x_iG)/λ_i for the columns put in the order G, R. The
// gaussian is drawn outright, the others by rejection. A histogram given x_G is what its cells at v say.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/smoothing/histogram.h"
#include "mercer/smoothing/kernel_density.h"

namespace mercer {

/// Different columns, counted from 0, and a finite value for each.
struct HeldColumns {
  std::vector<Index> columns = {};
  std::vector<double> values = {};
};

/// count × d whole rows, held columns at their values; a function of run.seed() alone. O(n d + count (ln n + d)), the
/// weights of shapes other than gaussian, epanechnikov, biweight and boxcar some microseconds per point. InvalidArgument
/// for columns that are not there, held twice or all of them held; DataError where the density of the values is 0.
Matrix<double> draw_given(const KernelDensity& density, const HeldColumns& held, Index count, const Run& run);
/// The same from a histogram, uniform within its cells; nothing may be held. O(cells + count (ln cells + d)).
Matrix<double> draw_given(const HistogramDensity& density, const HeldColumns& held, Index count, const Run& run);

}  // namespace mercer
