// Smoothing kernels: nonnegative functions of a distance that integrate to 1,
//
//   K(u) = c_d κ(‖u‖),   ∫ K(u) du = 1 over R^d,
//
//   shape         κ(r)                      support    shape         κ(r)                support
//   gaussian      exp(−r²/2)                R^d        triangle      1 − r               r ≤ 1
//   epanechnikov  1 − r²                    r ≤ 1      biweight      (1 − r²)²           r ≤ 1
//   tricube       (1 − r³)³                 r ≤ 1      cosine        cos(πr/2)           r ≤ 1
//   boxcar        1                         r ≤ 1      exponential   exp(−r)             R^d
//
// with ‖u‖ the Euclidean norm, so that a boxcar is a ball (scikit-learn's tophat). The window of the textbooks that is a
// cube, 1 where all |u_j| ≤ 1, is a shape of its own,
//
//   cube          1                         ‖u‖_∞ ≤ 1, the largest |u_j|; c_d = 2^−d. In one dimension the boxcar
//
// They average; they need not be positive definite, and nothing here is a kernel of kernels/. In one dimension c_1 is the
// usual constant: 3/4, 70/81, 1/2, 1, 15/16, π/4, 1/2. Reference: Silverman, Density Estimation (1986), 3.3 and 4.2.
#pragma once

#include <array>
#include <span>

#include "mercer/base/index.h"
#include "mercer/base/random.h"
#include "mercer/base/words.h"

namespace mercer {

enum class SmoothingShape { gaussian, epanechnikov, tricube, boxcar, triangle, biweight, cosine, exponential, cube };
constexpr auto words_of(SmoothingShape) {
  return std::array{Word{SmoothingShape::gaussian, "gaussian"}, Word{SmoothingShape::epanechnikov, "epanechnikov"},
                    Word{SmoothingShape::tricube, "tricube"},   Word{SmoothingShape::boxcar, "boxcar"},
                    Word{SmoothingShape::triangle, "triangle"}, Word{SmoothingShape::biweight, "biweight"},
                    Word{SmoothingShape::cosine, "cosine"},     Word{SmoothingShape::exponential, "exponential"},
                    Word{SmoothingShape::cube, "cube"}};
}

/// Functions of the Euclidean distance.
inline constexpr std::array radial_shapes = {
    SmoothingShape::gaussian, SmoothingShape::epanechnikov, SmoothingShape::tricube, SmoothingShape::boxcar,
    SmoothingShape::triangle, SmoothingShape::biweight,     SmoothingShape::cosine,  SmoothingShape::exponential};
inline constexpr std::array smoothing_shapes = {
    SmoothingShape::gaussian, SmoothingShape::epanechnikov, SmoothingShape::tricube,
    SmoothingShape::boxcar,   SmoothingShape::triangle,     SmoothingShape::biweight,
    SmoothingShape::cosine,   SmoothingShape::exponential,  SmoothingShape::cube};
/// Which norm of u a kernel is a function of.
enum class DistanceNorm { euclidean, largest };

/// One shape in one dimension, of bandwidth 1. A small value; constants have a relative error of about 1e-15 d.
class SmoothingKernel {
 public:
  /// Gaussian, in one dimension.
  SmoothingKernel() : SmoothingKernel(SmoothingShape::gaussian, 1) {}
  /// InvalidArgument unless dimension ≥ 1.
  SmoothingKernel(SmoothingShape shape, Index dimension);

  SmoothingShape shape() const { return shape_; }
  Index dimension() const { return dimension_; }
  DistanceNorm norm() const { return shape_ == SmoothingShape::cube ? DistanceNorm::largest : DistanceNorm::euclidean; }
  /// ‖u‖² with one more coordinate t, from ‖u‖² without it.
  double with_coordinate(double squared, double t) const {
    return norm() == DistanceNorm::euclidean ? squared + t * t : squared > t * t ? squared : t * t;
  }

  /// The largest r with κ(r) > 0 inside: 1, or infinity.
  double support() const;
  /// The radius beyond which κ(r) ≤ share, for 0 < share < 1: what may be left out of a sum.
  double reach(double share) const;

  /// κ(r) and ln κ(r) (−inf outside the support) from r².
  double profile(double squared_distance) const;
  double log_profile(double squared_distance) const;
  /// profile() of many; out may be the input itself.
  void profile(std::span<const double> squared_distances, std::span<double> out) const;

  /// ln c_d.
  double log_normalization() const { return log_normalization_; }
  /// K(u) from ‖u‖².
  double value(double squared_distance) const;

  /// ∫ u_1² K(u) du, the variance along every axis.
  double second_moment() const { return second_moment_; }
  /// ln ∫ K(u)² du.
  double log_roughness() const { return log_roughness_; }
  /// (∫K² / second_moment²)^{1/(d+4)}: bandwidths of two shapes in this ratio smooth alike (Marron and Nolan 1988).
  double canonical_bandwidth() const;

  /// ∫_{−∞}^{u} K, of the kernel in one dimension, whatever dimension().
  double cumulative(double u) const;
  /// The marginal: ∫ κ(√(s + ‖t‖²)) dt over t in R^removed, from s = r² in the other dimensions. Closed for gaussian,
  /// boxcar, epanechnikov, biweight and cube; the others by quadrature to 1e-10, some microseconds each.
  double marginal_profile(double squared_distance, Index removed) const;

  /// Fills u (of size dimension()) with a draw from K.
  void draw(RandomStream& random, std::span<double> u) const;

 private:
  SmoothingShape shape_;
  Index dimension_;
  double log_normalization_ = 0;
  double second_moment_ = 0;
  double log_roughness_ = 0;
};

/// ln Γ(twice/2) for twice ≥ 1; O(twice).
double log_gamma_of_half(Index twice);
/// ln of the volume of the unit ball, π^{d/2} / Γ(d/2 + 1).
double log_ball_volume(Index dimension);

}  // namespace mercer
