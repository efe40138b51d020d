// A positive kernel from a conditionally positive one, by a point that becomes the origin of the feature space:
//
//   ½ (k(x, y) − k(x, x₀) − k(x₀, y) + k(x₀, x₀)),   x₀ = 0 or the mean of the training samples
//
// Positive exactly where k is conditionally positive of order 1. Spec C3: with the factor ½, unlike `center`.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& from_cpd_entry();

}  // namespace mercer
