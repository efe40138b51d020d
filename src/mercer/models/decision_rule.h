// DecisionRule: how answers follow from probabilities or from a decision value, where that is not the model's own way:
//
//   least expected cost   argmin_k Σ_j c(j,k) p_j(x) π_j/s_j       c the costs, π the priors, s the shares of the classes that
//                                                                  the probabilities p are of; of equal ones the first
//   threshold             the second of two classes where f(x) ≥ t
//
// One rule for all classifiers: it stands in the head of a model, FittedModel::answer() applies it, model files keep it.
// Rows that the model itself declines to answer stay undecided. A model that declines what is less sure than a margin (`reject`)
// is held to that by the rule's own sureness: |f − t|, or the second least expected cost less the least.
//
// Reference: B. Schölkopf and A. Smola, Learning with Kernels (2002), 3.1.1 and problem 7.24.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer {

/// The share of negatives that may be called positive, which a threshold was chosen for.
struct RateWanted {
  double rate = 0;
  Index positive = 1;  ///< the number of the class, of two
};

struct DecisionRule {
  std::vector<double> costs = {};   ///< c(true class, decision) row by row; empty: 0 for what is right, else 1
  std::vector<double> priors = {};  ///< per class, sum 1; empty: as in training
  std::optional<double> threshold = {};
  std::optional<RateWanted> rate = {};

  /// c(true class, decision).
  double cost(Index truth, Index decision, Index classes) const;
  /// Whether it leaves the model's own answers as they are: no threshold, no priors, and all mistakes cost the same.
  bool is_plain() const;
  /// Whether something of it was asked for, if only a price that changes no answer.
  bool is_given() const;
};

/// InvalidArgument for a rule that is none of so many classes: another number of costs or priors, negative ones or such as
/// are not finite, priors that do not sum to 1, no cost above 0, a threshold of other than two classes.
void require_rule(const DecisionRule& rule, Index classes);

/// n × classes: what every decision is expected to cost, Σ_j c(j,k) q_j with q_j ∝ p_j π_j/s_j. `shares` is empty where priors
/// are. Where the classes that can occur have no probability at all, q = π.
Matrix<double> expected_costs(ConstMatrixView<double> probabilities, const DecisionRule& rule,
                              std::span<const double> shares);
/// The decisions of least expected cost take the place of answers, but for those below 0 (declined) and for rows without
/// numbers. With `reject` above 0 the rule alone says what is declined, whatever the answers were: where another decision costs
/// less than so much more.
void decide_by_costs(ConstMatrixView<double> costs, Matrix<double>& answers, double reject = 0);
/// The same by the threshold; with `reject` above 0, declined where |value - threshold| is less.
void decide_by_threshold(std::span<const double> values, double threshold, Matrix<double>& answers, double reject = 0);

/// What a threshold is compared with: the decision value where there is one, otherwise the probability of the second of two
/// classes. Empty where there is neither. The larger, the more of the second class (decision_direction() of decisions.h).
std::vector<double> threshold_values(ConstMatrixView<double> decisions, ConstMatrixView<double> probabilities);

/// "costs a:b=5, b:a=1; priors a=0.01, b=0.99; threshold 0.3", for people.
std::string describe(const DecisionRule& rule, std::span<const std::string> classes);

}  // namespace mercer
