// What leaving a row out would do to a one-class machine, without refitting:
//
//   min ½αᵀKα,  Σα = 1,  0 ≤ α_i ≤ 1/(νm),   f(x) = Σ α_i k(x_i, x),   outside where f(x) < ρ
//
// The cap 1/(νm) is kept when a row is left out, and left out every support vector is outside by a little, so that only
// an excess counts: row l is an error where it is outside by more than Δρ.
//
//   span   where the other support vectors can take α_l over under their caps (n* − 1 ≥ νm). Where no other row changes
//          its kind, ρ^l − f^l(x_l) = ρ − f(x_l) + α_l S_l², S_l the relaxed span of span.h with all signs equal: the rule.
//          An error is possible only where α_l S_l max(D/Δρ, νm/D) ≥ 1, S_l with the box, or α_l is at its cap: the bound.
//   swap   elsewhere a row that is none has to become one, and the rule does not hold. With
//          Swap²(l) = min over rows j that are none of α_l(f(x_j) − f(x_l)) + ½α_l²‖Φ(x_l) − Φ(x_j)‖²
//          an error is possible only where Swap²(l) ≥ ½ min((Δρ/D)², (D/νm)²): the bound.
//
// D is the diameter of the data in feature space. Both bounds take it that the machine without row l could give the row
// min(Δρ/D², 1/νm) from its free support vectors: refits whose free coefficients sum to less are not covered. Reference: Schölkopf & Smola (2002), (12.49)-(12.57).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/select/estimates/span.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

struct OneClassSpan {
  std::vector<Index> rows;           ///< support vectors, ascending
  std::vector<double> squared_span;  ///< S_l²; NaN where it is a matter of swaps
  std::vector<double>
      excess;  ///< estimated ρ^l − f^l(x_l), in the units of `dual`; NaN likewise, infinite for the only free one
  std::optional<LeaveOneOutCount> rule;  ///< rows with an excess above Δρ; none where a row is a matter of swaps
  LeaveOneOutCount bound;                ///< rows that may be outside by more than Δρ
};

/// dual: of solve_one_class with these weights; `allowance` is Δρ ≥ 0 in its units (there ρ = −offset). None where no
/// support vector is free or there are more than options.max_free, unless all is a matter of swaps. Cost as
/// span_estimate, or one pass over the kernel values of support vectors with all rows; and the smallest ball.
std::optional<OneClassSpan> one_class_span(const Gram<double>& gram, const SvmDual& dual,
                                           std::span<const double> weights, double allowance,
                                           const SpanOptions& options, const Run& run);

/// The same of a fitted `oneclass` model (not of svdd: InvalidArgument) and its training data, scaled as at the fit, with
/// Δρ = allowance · ρ. InvalidArgument where the solver did not converge: all this is about optimal coefficients.
/// DataError where they are not optimal for these data.
std::optional<OneClassSpan> one_class_span(const OneClassModel& model, const TrainingData& data, double allowance,
                                           const SpanOptions& options, const Run& run);

}  // namespace mercer
