// Variational classification with the logistic link: bounds of s(t) = 1/(1 + e^(−t)) that are normal functions of t,
//
//   s(t) ≥ s(ν) exp((t − ν)/2 − λ(ν)(t² − ν²)),  λ(ν) = tanh(ν/2)/(4ν)       equal at t = ±ν
//   s(t) ≤ exp(μt − H(μ)),  H(μ) = −μ ln μ − (1 − μ) ln(1 − μ), 0 ≤ μ ≤ 1      equal at μ = s(−t)
//
// With the lower bounds in place of the likelihood the posterior is normal, N(Σy/2, Σ) with Σ = (K⁻¹ + 2Λ)⁻¹, and the
// evidence has a lower bound that every step ν_i² = Σ_ii + mean_i² raises. With the upper bounds the integral is normal
// too, ½ aᵀKa − Σ H(μ_i) with a_i = μ_i y_i; its minimum over μ is at μ_i = s(−y_i f_i) of the mode f.
// References: Jaakkola & Jordan (2000); Schölkopf & Smola (2002), 16.4.2.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"
#include "mercer/models/gp/inference/approximation.h"

namespace mercer {

double variational_lambda(double nu);
double logistic_lower_bound(double t, double nu);
/// InvalidArgument unless 0 ≤ mu ≤ 1.
double logistic_upper_bound(double t, double mu);

struct VariationalLogisticOptions {
  double tolerance = 1e-6;  ///< of the relative change of ν
  Index max_iterations = 2000;
  ApproximationGoal goal = ApproximationGoal::posterior;
};

/// log_evidence is the lower bound.
struct VariationalLogistic : LatentApproximation {
  std::vector<double> nu;
  std::vector<double> history;  ///< the lower bound before each step
  double upper_bound = 0;       ///< of the log evidence; goal = posterior only
};

/// Labels are ±1; K is n × n, of which the lower triangle is read. `start` is the ν of an earlier call, or empty. n³
/// flops per step. InvalidArgument for other labels, NumericalError where the matrix is not positive, Stopped.
VariationalLogistic variational_logistic(ConstMatrixView<double> kernel, std::span<const double> y,
                                         std::span<const double> start, const VariationalLogisticOptions& options,
                                         const Run& run);

}  // namespace mercer
