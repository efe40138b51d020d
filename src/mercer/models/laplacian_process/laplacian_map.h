// The most probable coefficients of a Laplacian process: y = f(x) + noise, f = Σ_j a_j φ_j + b with independent
// coefficients of density (λ/2) e^(−λ|a|),
//
//   min_{a,b}  Σ_i w_i ℓ(y_i, f_i) + ρ Σ_j γ(a_j)
//
//   gaussian      ℓ = ½(y − f)²                  ρ = s²λ for noise of variance s²: the lasso
//   laplacian     ℓ = |y − f|                    ρ = λ·b for noise of density e^(−|ξ|/b)/(2b): a linear program
//   insensitive   ℓ = max(0, |y − f| − ε)        the same with a tube
//                 of which ε can be found: + νεΣw, so that rows of at most the weight νΣw are outside of it
//   hinge         ℓ = max(0, 1 − y f), y = ±1    soft margin: the LP machine
//                 of which ρ can be found by ν: margin_map()
//
//   laplacian prior    γ = |a|
//   concave prior      γ = (1 − e^(−p|a|))/p     feature selection; p → 0 is the Laplacian prior. Successive linearisation:
//                                                prices ρ e^(−p|a|) at the last a; the objective never rises, and where it
//                                                stops falling a local minimum is reached
//
// φ are kernel functions of any kind: K need be neither square nor positive. References: Schölkopf & Smola (2002), 16.5;
// Bradley & Mangasarian (1998), Feature selection via concave minimization and support vector machines.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"
#include "mercer/solvers/convex/linear_program.h"

namespace mercer {

enum class ProcessLoss { gaussian, laplacian, insensitive, hinge };
constexpr auto words_of(ProcessLoss) {
  return std::array{Word{ProcessLoss::gaussian, "gaussian"}, Word{ProcessLoss::laplacian, "laplacian"},
                    Word{ProcessLoss::insensitive, "insensitive"}, Word{ProcessLoss::hinge, "hinge"}};
}
enum class ProcessPrior { laplacian, concave };
constexpr auto words_of(ProcessPrior) {
  return std::array{Word{ProcessPrior::laplacian, "laplacian"}, Word{ProcessPrior::concave, "concave"}};
}
enum class ProcessOffset { none, fitted };

/// Views: what they refer to must outlive the problem.
struct LaplacianMapProblem {
  ConstMatrixView<double> features;      ///< n × M: φ_j(x_i)
  std::span<const double> targets;       ///< n numbers; hinge: ±1
  std::span<const double> weights = {};  ///< n positive numbers; empty: all 1
  ProcessLoss loss = ProcessLoss::gaussian;
  double tube = 0;  ///< ε of insensitive
  double nu = 0;    ///< of insensitive: ε is found, at the price νΣw; 0: it is given
  ProcessOffset offset = ProcessOffset::fitted;
  double tolerance = 1e-9;                         ///< of the gap, relative
  CoefficientSigns signs = CoefficientSigns::any;  ///< any for gaussian
  ConstMatrixView<double> unpriced = {};           ///< of hinge: more columns without a price, n × q
  /// Of hinge: the row whose label is in a column; folds leave the column out with the row. Empty: labels are in none.
  std::span<const Index> labeled_by = {};
};

struct LaplacianMap {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  std::vector<double> coefficients;  ///< exact zeros where a kernel function is not used
  double offset = 0;
  std::vector<double> unpriced = {};  ///< coefficients of these columns
  double tube = 0;                    ///< ε of insensitive, given or found
  double loss = 0;                    ///< Σ w ℓ
  double objective = 0;               ///< loss + ρ Σ γ(a), + νεΣw where ε is found
  double gap = 0;                     ///< to the optimum, at most; of the last linearisation for a concave prior
  std::vector<double> objectives;     ///< after every linearisation; one for the Laplacian prior
};

/// `price` is ρ > 0, `concavity` p ≥ 0 (0: the Laplacian prior). Cost and errors as in solvers/glm/elastic_net.h and
/// solvers/convex/linear_program.h, once per linearisation (about five).
LaplacianMap laplacian_map(const LaplacianMapProblem& problem, double price, double concavity, const Run& run);

/// The concave prior; p = 0 stands for 5 over the largest coefficient under the Laplacian prior.
LaplacianMap concave_map(const LaplacianMapProblem& problem, double price, double concavity, const Run& run);

struct MarginMap {
  LaplacianMap map;  ///< objective and gap: those of the program of ρ
  double price = 0;  ///< of the problem with that price whose solution it is
  double rho = 0;    ///< y f ≥ ρ with Σ|a| = 1
};
/// Loss hinge with the margin that is found, min Σ w ξ − νρΣw with Σ|a| = 1, divided by ρ (solvers/convex/margin_program.h, and
/// its errors). Laplacian prior.
MarginMap margin_map(const LaplacianMapProblem& problem, double nu, const Run& run);

/// Without a price, of loss hinge: of the functions of the least losses the one of the least Σ|a|. Prices
/// fall by tens until the losses are what the dual of the program without one proves; objective: the losses, gap: to that
/// proof. `stalled` where rounding keeps them apart. Linear programs as often, and an interior point method of n variables.
LaplacianMap map_without_price(const LaplacianMapProblem& problem, const Run& run);

/// Σ w ℓ at the values f, with the tube of the problem. O(n).
double process_loss(const LaplacianMapProblem& problem, std::span<const double> values);
/// νεΣw at a tube that was found, 0 where it is given.
double tube_cost(const LaplacianMapProblem& problem, double tube);
/// Φa + b.
std::vector<double> process_values(ConstMatrixView<double> features, std::span<const double> coefficients,
                                   double offset);

}  // namespace mercer
