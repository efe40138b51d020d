// Averages over the tilted density p(y | f) N(f; m, v)/Z, over the range where it is above e^(−50) of its maximum. Where
// p is analytic in a strip around the real axis that is not too narrow, by equidistant points: the error falls like
// e^(−2π width/step). Otherwise by adaptive Gauss-Legendre panels that begin at the features of p, so that a likelihood
// far narrower, or far away, is not missed.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/models/likelihoods/likelihood.h"

namespace mercer {

struct TiltedProblem {
  std::function<LogDensity(double f)> density;  ///< ln p and its derivatives as functions of f
  double mean = 0;
  double variance = 1;  ///< > 0
  std::vector<double> landmarks;
  double analytic_width = 0;  ///< half the width of the strip; 0: p is not analytic, or not known to be
};

/// Where values are averaged.
struct TiltedPoint {
  double f = 0;
  double from_mode = 0;  ///< f − mode
  LogDensity density;
};

/// Writes the values to be averaged at one point.
using TiltedValues = std::function<void(const TiltedPoint& point, std::span<double> out)>;

struct TiltedAverages {
  double log_z = 0;
  double mode = 0;  ///< about where the tilted density is largest
  std::vector<double> averages;
};

/// Relative error of about 1e-13 of Z and of the mean absolute value of every average.
TiltedAverages tilted_averages(const TiltedProblem& problem, std::size_t count, const TiltedValues& values);

/// ln Z and its derivatives by the mean.
TiltedMoments tilted_moments(const TiltedProblem& problem);

}  // namespace mercer
