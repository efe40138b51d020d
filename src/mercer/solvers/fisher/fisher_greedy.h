// Sparse greedy Fisher discriminant: a growing set of rows I whose kernel functions k(x_i, ·) carry the directions. Every
// step takes, of κ random rows, the one that makes the objective smallest,
//
//   ½(‖ξ‖² + λ α'Rα) = 2 (m_+ m_-/m)(1 − θ)/θ     two classes, class means at ±1; θ = J/(1 + J), see fisher.h
//   k − 1 − Σ_c θ_c                                more classes
//
// With LL' = K_I'WHK_I + λR and Z = L⁻¹K_I'WHY a new row of L and of Z changes Σθ = Σ_q ‖Z_q‖²/m_q by one square per
// class, so that a candidate costs n |I| products, as matrix products for all candidates at once. (Factors grow in place
// of the inverse of (15.22), which loses digits where functions are nearly dependent.)
// Reference: Schölkopf & Smola (2002), 15.3 and algorithm 15.1.
#pragma once

#include <array>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/fisher/fisher.h"

namespace mercer {

/// What is penalised: R = K_II (the norm of the function) or the identity (its coefficients).
enum class FisherPenalty { norm, coefficients };
constexpr auto words_of(FisherPenalty) {
  return std::array{Word{FisherPenalty::norm, "norm"}, Word{FisherPenalty::coefficients, "coefficients"}};
}

struct FisherGreedyOptions {
  double lambda = 1;
  FisherPenalty penalty = FisherPenalty::norm;
  Index size = 0;             ///< functions (fewer where all others depend on them); 0: one per row
  Index candidates = 59;      ///< per step; all where fewer are left
  double tolerance = 0;       ///< stop where three steps in a row lower the objective by less, relatively
  double dependence = 1e-10;  ///< candidates whose squared distance to the others is less, relatively, never enter

  void validate() const;
};

struct FisherGreedy {
  SolveStatus status = SolveStatus::converged;  ///< or stopped
  std::vector<Index> rows;                      ///< in the order in which they came
  std::vector<double> objectives;               ///< with 1, 2, … functions; never rising
  std::vector<double> shares;                   ///< Σθ with 1, 2, … functions
};

/// O(κ n m²) flops for m functions, (m + κ) n numbers and κ m n kernel values. Candidates come from run.seed(). Never
/// throws Stopped: a stop returns what there is.
FisherGreedy fisher_greedy(const Gram<double>& gram, const ClassRows& rows, const FisherGreedyOptions& options,
                           const Run& run);

}  // namespace mercer
