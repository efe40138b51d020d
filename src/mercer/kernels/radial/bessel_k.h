// Modified Bessel functions of the second kind in the normalisation of the Matérn kernels:
//
//   M_μ(z) = 2^(1−μ)/Γ(μ) z^μ K_μ(z),  μ > 0,  M_μ(0) = 1;     M_0(z) = K_0(z)
//
// For z ≤ 2 Temme's series, above it Steed's continued fraction, both for orders −½ … 3/2; from there upward by
// M_{μ+1} = M_μ + z²/(4μ(μ−1)) M_{μ−1}, where every term is positive. Temme, "On the numerical evaluation of the
// modified Bessel function of the third kind", 1975.
#pragma once

#include <vector>

namespace mercer {

/// The largest order that the functions here are meant for.
inline constexpr double largest_matern_order = 200;

/// e^z M_μ(z) for 0 ≤ μ ≤ 200, z > 0; relative error below 1e-14.
double scaled_matern(double order, double z);

/// ln M_μ(z) by Chebyshev polynomials on two intervals per octave, 2^−40 ≤ z < 2^11: absolute error below
/// 1e-14 + 1e-15 |ln M|. Smaller z go to scaled_matern. Building takes about a millisecond, a value 40 ns.
class MaternTable {
 public:
  explicit MaternTable(double order);
  /// z > 0. −∞ from z = 2048 on, where M is below 1e-300.
  double log_value(double z) const;

 private:
  double order_;
  std::vector<double> coefficients_;
};

}  // namespace mercer
