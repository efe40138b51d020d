// What single precision costs a kernel on given samples: the error δ of one kernel value, measured rather than bounded,
// so that it holds for every kernel: distances that cancel, values that grow, data far from the origin.
//
// A sum Σ_i α_i k(z_i, x) of values with independent errors of size δ is off by about δ √Σα², and by the largest error e
// times the largest |α| where one pair stands out (a query that equals a centre). Where
//
//   8 δ √Σα² + e max|α| ≤ tolerance
//
// single precision is enough.
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct EntryError {
  double typical = 0;  ///< δ: root mean square of k in float − k in double over a row, the worst of the rows
  double worst = 0;    ///< e: the largest; infinite where float cannot hold the data or a value
  double largest = 0;  ///< |k|
  double spread = 0;   ///< of the rows in feature space: the mean of k(x, x) less that of k(x, x′), ≥ 0;
                       ///< `largest` where values are not compared
};

/// By when the numbers of the samples become float: as the kernel's geometry asks for it (centred first), or before.
struct EntryErrors {
  EntryError by_the_kernel;
  EntryError rounded_before;
};

/// Over pairs of at most 64 of the rows: some spread evenly, and those farthest from the mean, each also with a copy of
/// itself; at least half a unit in the last place of the largest value, since sums round even where values are exact. For
/// kernels that compute in double anyhow, or hold their values, that of the largest k(x, x). The kernel's widths are
/// numbers. O(n d) and 3 · 64² values (32² where a pair takes long).
EntryErrors single_precision_errors(const Kernel& kernel, const Samples& samples, const Run& run);

/// The rule above.
bool single_precision_suffices(const EntryError& entry, std::span<const double> coefficients, double tolerance);

}  // namespace mercer
