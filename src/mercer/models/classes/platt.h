// Platt's sigmoid: probabilities from the decision values of a classifier,
//
//   P(y = +1 | f) = 1 / (1 + exp(A f + B)),
//
// by maximum likelihood with the targets t₊ = (N₊ + 1)/(N₊ + 2) and t₋ = 1/(N₋ + 2) in place of 1 and 0, which is the
// posterior mean under a uniform prior and keeps A finite for separable values. The likelihood is convex in (A, B):
// Newton's method with backtracking, every exponential taken of a negative number.
//
// References: J. Platt, Probabilistic outputs for support vector machines (1999); H.-T. Lin, C.-J. Lin and R. C. Weng,
// A note on Platt's probabilistic outputs for support vector machines, Machine Learning 68 (2007).
#pragma once

#include <span>

#include "mercer/base/index.h"

namespace mercer {

struct PlattSigmoid {
  double a = 0;
  double b = 0;

  /// P(y = +1 | f); never overflows.
  double probability(double decision) const;
};

struct PlattFit {
  PlattSigmoid sigmoid;
  Index iterations = 0;
  double gradient = 0;  ///< its largest component at the end, relative to the sum of the weights
};

/// Fits the sigmoid. Labels are +1 and −1; decision values should come from data that the classifier was not fitted to.
/// Weights (empty: all 1) multiply the terms of the likelihood and the counts N₊, N₋. O(n) per step, about ten steps.
/// InvalidArgument for no samples, lengths that differ, labels that are not ±1, decision values that are not finite,
/// weights that are negative or all zero.
PlattFit fit_platt(std::span<const double> decisions, std::span<const double> labels,
                   std::span<const double> weights = {});

/// The function that fit_platt minimises, −Σ w (t ln p + (1 − t) ln(1 − p)).
double platt_loss(const PlattSigmoid& sigmoid, std::span<const double> decisions, std::span<const double> labels,
                  std::span<const double> weights = {});

}  // namespace mercer
