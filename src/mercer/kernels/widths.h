// Widths that the data decides: gamma=scale, auto, median (lengthscale likewise, through gamma = 1/(2ℓ²)).
//
//   scale   γ = 1/(d · Var)        d columns, Var the variance over all entries of those columns (as scikit-learn)
//   auto    γ = 1/d
//   median  γ = 1/median ‖x−x'‖²   over pairs of distinct rows; a seeded sample of rows where there are many
//   ard     ℓ_j = √(d · Var_j / 2)  one length scale per column, Var_j its variance: `scale` for every column by itself
//
// All on the columns that the kernel sees, after scaling. Rows count by their weights: variances divide by Σw, a pair has
// the weight w_i·w_k; a common factor of the weights changes nothing. Constant data: γ = 1.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// The number that γ takes on these (numeric) samples.
double width_gamma(WidthRule rule, const WeightedSamples& all, const Run& run);

/// One length scale per column of these (numeric) samples; constant columns get that of `scale`.
std::vector<double> column_lengthscales(const WeightedSamples& all, const Run& run);

/// The kernel with every symbolic width replaced by its number; a kernel without any comes back as it is.
Kernel resolve_widths(const Kernel& kernel, const WeightedSamples& all, const Run& run);

}  // namespace mercer
