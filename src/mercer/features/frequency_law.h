// The law that random frequencies of a kernel are drawn from: its normalised spectral density,
//
//   k(x, x') = amplitude · E_ω[cos(ωᵀ(x − x'))]
//
// Kernels bring a law of their own (kernels/spectrum.h). Of expressions it follows here: a sum is a mixture of laws, a
// product adds independent frequencies, a subscript has zeros outside of its columns. Reference: Rahimi & Recht (2007),
// Random features for large-scale kernel machines.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "mercer/base/random.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct FrequencyLaw {
  double amplitude = 1;  ///< k(x, x)
  /// Fills one frequency, one number per numeric column.
  std::function<void(RandomStream& random, std::span<double> frequency)> draw;
  /// Turns standard normal numbers, in place, into a frequency, so that normal numbers that fill space more evenly than
  /// independent ones give such frequencies. Empty where only draw() is known.
  std::function<void(RandomStream& random, std::span<double> normals)> shape;
};

/// Empty where the kernel has no spectral density on these samples. Widths must be numbers. InvalidArgument for lists of
/// length scales that do not fit the columns.
std::optional<FrequencyLaw> frequency_law(const Kernel& kernel, const Samples& samples);

}  // namespace mercer
