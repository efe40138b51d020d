// Nyström logistic regression for many rows (Falkon with logistic loss): the functions of the span of M landmarks, plus
// unpenalised constants, that minimise
//
//   F = Σ_i w_i ℓ(t_i, f(x_i) + b) + ½ λ Σ_o ‖f_o‖²
//
//   two classes   one function, the log-odds of the second:    ℓ = ln(1 + e^f) − t f
//   k classes     k functions, the logarithms of p up to one:  ℓ = ln Σ_c e^(f_c) − f_t
//
// by Newton's method along a path of falling penalties, each step by a few conjugate gradients in the coordinates of
// falkon_factor.h, whose preconditioner takes the curvature of the losses as weights. Steps are cut until F falls. The
// end is judged by Newton's decrement: half of it estimates F − min F.
// References: Marteau-Ferey, Bach & Rudi (2019), Globally convergent Newton methods for ill-conditioned generalized
// self-concordant losses; Meanti, Carratino, Rosasco & Rudi (2020).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/solvers/falkon/falkon.h"

namespace mercer {

struct FalkonLogisticSolution {
  Matrix<double> coefficients;  ///< M × outputs: 1 for two classes, else one per class
  std::vector<double> offsets;
  SolveStatus status = SolveStatus::converged;
  Index newton_steps = 0;
  Index iterations = 0;  ///< of conjugate gradients
  Index passes = 0;      ///< over K
  double objective = 0;  ///< F
  double decrement = 0;  ///< the last estimate of (F − min F) / F
  /// Per Newton step: the penalty, F with it, and the estimate of what is left, relative to F.
  struct Step {
    double lambda = 0;
    double objective = 0;
    double decrement = 0;
  };
  std::vector<Step> history;
};

/// `classes` numbers 0 … class_count − 1 per row, `weights` n positive numbers. options.tolerance is on (F − min F)/F,
/// options.max_iterations on conjugate gradients in all. Memory: two n × outputs blocks beside that of solve_falkon().
/// A stop gives the best solution so far and the status stopped.
FalkonLogisticSolution solve_falkon_logistic(const FalkonRows& rows, FalkonFactor& factor, const FalkonSample& sample,
                                             std::span<const std::int32_t> classes, Index class_count,
                                             std::span<const double> weights, const FalkonOptions& options,
                                             const Run& run);

/// The probabilities of the classes (k numbers) from the values of the functions (1 for two classes, else k).
void logistic_probabilities(std::span<const double> values, std::span<double> probabilities);

}  // namespace mercer
