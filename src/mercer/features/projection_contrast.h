// How interesting a projection is: contrasts Q(f) of the values f_1 … f_n that a function takes on a sample.
//
//   fourth       Σ p_i f_i⁴                  heavy tails (3 for a standard normal)
//   square       Σ p_i f_i²                  variance: gives the principal components
//   logcosh      Σ p_i ln cosh f_i           as square for small values, less moved by outliers
//   negentropy   (Σ p_i ln cosh f_i − E ln cosh N(0, 1))²   any departure from the normal, of values of variance 1
//   entropy      Σ p_i ln p̂(f_i)             minus the entropy (nats) of the values; p̂ a Parzen window estimate
//   fisher       Σ p_i (p̂'(f_i)/p̂(f_i))²     Fisher information of location; 1 for a standard normal
//
// The first three are means of convex symmetric functions. The last three compare shapes: values must have mean 0 and
// variance 1 to be compared. The Parzen window is a Gaussian of width 1.06 n^(−1/5), for values of variance 1.
// References: Friedman & Tukey (1974), A projection pursuit algorithm; Huber (1985), Projection pursuit; Hyvärinen (1999),
// Fast and robust fixed-point algorithms for independent component analysis; Schölkopf & Smola (2002), section 14.4.
#pragma once

#include <span>

#include "mercer/base/index.h"
#include "mercer/base/words.h"

namespace mercer {

enum class Contrast { fourth, square, logcosh, negentropy, entropy, fisher };
constexpr auto words_of(Contrast) {
  return std::array{Word{Contrast::fourth, "fourth"},   Word{Contrast::square, "square"},
                    Word{Contrast::logcosh, "logcosh"}, Word{Contrast::negentropy, "negentropy"},
                    Word{Contrast::entropy, "entropy"}, Word{Contrast::fisher, "fisher"}};
}

/// Whether it is a mean of convex functions, so that the fixed-point step never lowers it.
constexpr bool is_convex(Contrast contrast) {
  return contrast == Contrast::fourth || contrast == Contrast::square || contrast == Contrast::logcosh;
}
/// Whether it compares densities by all pairs of values, in O(n²).
constexpr bool uses_density(Contrast contrast) { return contrast == Contrast::entropy || contrast == Contrast::fisher; }

/// Q(f) and, unless `gradient` is empty, ∂Q/∂f_i. `shares` are weights of sum 1. O(n), O(n²) for densities.
double contrast_of(Contrast contrast, std::span<const double> values, std::span<const double> shares,
                   std::span<double> gradient);

}  // namespace mercer
