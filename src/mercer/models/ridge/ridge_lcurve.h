// The L-curve of a ridge problem: the error R(λ) = Σ w_i e_i² against the size Ω(λ) = ‖f‖² of the penalised part, both on
// logarithmic axes, and its corner, where more smoothing begins to cost error and less of it begins to cost size.
//
// With the spectrum of ridge_spectrum.h, c_j = u_jᵀỹ (summed over the outputs):
//
//   R = Σ_j (λ/(s_j + λ))² c_j² + ‖Rỹ‖²      Ω = Σ_j s_j c_j²/(s_j + λ)²      dR/dλ = −λ dΩ/dλ
//
// so that −λ is the slope of R over Ω, and the curvature of (ln √R, ln √Ω) is a closed formula: no differences.
// References: Hansen (1992), Analysis of discrete ill-posed problems by means of the L-curve; Schölkopf & Smola (2002),
// problem 4.1.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/models/ridge/ridge_spectrum.h"

namespace mercer {

class RidgeLCurve {
 public:
  explicit RidgeLCurve(const RidgeSpectrum& spectrum);

  struct Point {
    double lambda = 0;
    double residual_squares = 0;  ///< R
    double squared_norm = 0;      ///< Ω
    double curvature = 0;         ///< positive where the curve bends as an L does; NaN where R or Ω is 0
  };
  Point at(double lambda) const;

  /// The greatest curvature between the ends of the ascending list, and, by golden section, between its neighbors there.
  /// None where the curve does not bend as an L does.
  std::optional<Point> corner(std::span<const double> lambdas) const;

 private:
  struct Part {
    double value;    // s_j
    double squares;  // c_j², of all outputs
  };
  std::vector<Part> parts_;
  double rest_squares_ = 0;
};

}  // namespace mercer
