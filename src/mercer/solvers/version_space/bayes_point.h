// The version space of a two-class machine without offset, and its Bayes point:
//
//   V = {w in the span of Φ(x_1), …, Φ(x_n), ‖w‖ = 1:  y_i ⟨w, Φ(x_i)⟩ > 0 for all i},   Bayes point = the mean of V
//
// In coordinates in which the inner product is the usual one, K + λI = FFᵀ (rows of F are the Φ(x_i), F by a Cholesky
// factorisation with pivots), V is a cone cut with a sphere, and hit-and-run draws from it (hit_and_run.h). A direction v
// is the function with coefficients a on the pivots, F_pᵀ a = v. The ridge λ gives every row a dimension of its own in which
// it may be told from the others: there is a version space whatever the labels, and errors cost what they need of it. In
// terms of probabilities, w is normal noise seen through signs: V is the posterior of a Gaussian process with covariance k
// and a probit likelihood of noise variance λ, and the Bayes point has the direction of its mean.
// References: Ruján & Marchand (2000); Herbrich, Graepel & Campbell (2001), Bayes point machines, JMLR 1.
#pragma once

#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/solvers/version_space/hit_and_run.h"

namespace mercer {

struct BayesPoint {
  std::vector<double> coefficients;  ///< of the mean; its length is at most 1
  Matrix<double> draws;              ///< coefficients of every draw, rows × draws
  double length = 0;                 ///< of the mean: 1 where the version space is a point
  double split_r_hat = 1;
  double effective_size = 0;
  double given_up = 0;  ///< share of the steps between draws that were of too many reflections and led nowhere
  Index dimension = 0;
};

/// `signs`: ±1. Dense: three matrices of n². NumericalError where the classes cannot be separated by a plane through the
/// origin within the accuracy of the kernel values (a ridge makes sure that they can), or K + λI is not positive.
BayesPoint sample_bayes_point(const Gram<double>& gram, std::span<const double> signs, double ridge,
                              const HitAndRunOptions& options, const Run& run);

}  // namespace mercer
