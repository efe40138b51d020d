// Kernel perceptron: goes over the samples, and where one is on the wrong side adds it to the expansion,
//
//   y_i f(x_i) ≤ r‖w‖:   α_i += y_i, b += y_i R²          f(x) = Σ_j α_j k(x_j, x) + b,   R² = max_i k(x_i, x_i)
//
// until a pass over all of them is clean. With the offset this is the perceptron without one for the kernel k + R².
// r = 0 is the perceptron itself, which makes at most (R/γ)² mistakes on samples that some w of norm 1 separates with
// margin γ (kernel k + R² and its R, γ where there is an offset). r > 0 asks for a ball of radius r around every sample
// on the right side; as r approaches the largest possible margin the solution approaches the hyperplane of the largest
// margin. Several classes: one function each, against the rest, or jointly, where the right class loses against c:
// α_i,right += 1, α_i,c −= 1.
//
// A budget B bounds the number of samples in the expansion:
//   project   the B first stay; what a further mistake adds is projected onto their span (Projectron)
//   oldest    the one that came first goes
//   smallest  the one whose term has the least norm goes, Σ_o α_jo² k(x_j, x_j)
//
// References: Rosenblatt (1958); Novikoff (1962) for the bound; Freund & Schapire (1999), Large margin classification
// using the perceptron algorithm, for votes and averages; Crammer & Singer (2003) for several classes; Orabona, Keshet
// & Caputo (2009), Bounded kernel-based online learning; Schölkopf & Smola (2002), chapter 7, for r.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/gram/row_cache.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

enum class PerceptronOffset { none, radius };
enum class PerceptronClasses { one_vs_rest, joint };
constexpr auto words_of(PerceptronClasses) {
  return std::array{Word{PerceptronClasses::one_vs_rest, "rest"}, Word{PerceptronClasses::joint, "joint"}};
}
enum class PerceptronOrder { given, shuffled };
enum class BudgetPolicy { project, oldest, smallest };
constexpr auto words_of(BudgetPolicy) {
  return std::array{Word{BudgetPolicy::project, "project"}, Word{BudgetPolicy::oldest, "oldest"},
                    Word{BudgetPolicy::smallest, "smallest"}};
}
/// Whether every change is kept: what votes need.
enum class PerceptronHistory { forget, keep };

struct KernelPerceptronOptions {
  Index max_epochs = 100;
  double margin = 0;  ///< r
  PerceptronOffset offset = PerceptronOffset::radius;
  PerceptronClasses classes = PerceptronClasses::one_vs_rest;
  PerceptronOrder order = PerceptronOrder::shuffled;
  Index budget = 0;  ///< 0: none
  BudgetPolicy policy = BudgetPolicy::project;
  PerceptronHistory history = PerceptronHistory::forget;

  void validate() const;
};

/// One change of one coefficient.
struct PerceptronStep {
  Index row = 0;
  Index output = 0;
  double change = 0;
  Index time = 0;  ///< how many samples had been looked at, this one included
};

struct KernelPerceptronSolution {
  SolveStatus status = SolveStatus::converged;  ///< converged: the last pass was clean
  Index epochs = 0;
  Index mistakes = 0;
  Index last_mistakes = 0;  ///< in the last pass
  Index samples_seen = 0;
  double offset_scale = 0;            ///< R², or 0 without offset: b_o = R² Σ_j α_jo
  Matrix<double> coefficients;        ///< n × outputs, where the walk ended; outputs as in kernel_perceptron()
  Matrix<double> averages;            ///< of the coefficients after every sample looked at
  std::vector<PerceptronStep> steps;  ///< where the history is kept
};

/// `classes` ≥ 2 numbers classes from 0; labels[i] is that of sample i. Two classes have one output (positive: class
/// 1), more have one each. Cost: one row of K and n · outputs operations per mistake (times the budget where it
/// projects). Memory: the cache, 3 n · outputs numbers, and the history where it is kept. Shuffles come from
/// run.seed(). Throws Stopped; NumericalError where K is not finite.
KernelPerceptronSolution kernel_perceptron(RowCacheGram<double>& gram, std::span<const std::int32_t> labels,
                                           Index classes, const KernelPerceptronOptions& options, const Run& run);

}  // namespace mercer
