// The span of the support vectors of a one-class machine, and what leaving a row out would do to it:
//
//   min ½αᵀKα,  Σα = 1,  0 ≤ α_i ≤ 1/(νm),   f(x) = Σ α_i k(x_i, x),   outside where f(x) < ρ
//
// Where no other row changes its kind, ρ^l − f^l(x_l) = ρ − f(x_l) + α_l S_l², S_l the relaxed span of span.h with all
// signs equal. Left out, every support vector is outside by a little, so that only an excess counts: row l is an error
// where it is outside by more than Δρ. The cap 1/(νm) is kept when a row is left out.
// Reference: Schölkopf & Smola (2002), (12.49)-(12.53).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/models/one_class.h"
#include "mercer/select/estimates/span.h"
#include "mercer/solvers/svm_dual.h"

namespace mercer {

struct OneClassSpan {
  std::vector<Index> rows;           ///< support vectors, ascending
  std::vector<double> squared_span;  ///< S_l²
  std::vector<double> excess;  ///< estimated ρ^l − f^l(x_l), in the units of `dual`; infinite for the only free one
  LeaveOneOutCount rule;       ///< rows with an excess above the allowance
};

/// dual: of solve_one_class with these weights; `allowance` is Δρ ≥ 0 in its units (there ρ = −offset). None where no
/// support vector is free or there are more than options.max_free. Cost as span_estimate without its programmes.
std::optional<OneClassSpan> one_class_span(const Gram<double>& gram, const SvmDual& dual,
                                           std::span<const double> weights, double allowance,
                                           const SpanOptions& options, const Run& run);

/// The same of a fitted `oneclass` model (not of svdd: InvalidArgument) and its training data, scaled as at the fit, with
/// Δρ = allowance · ρ. DataError where the coefficients are not optimal for these data.
std::optional<OneClassSpan> one_class_span(const OneClassModel& model, const TrainingData& data, double allowance,
                                           const SpanOptions& options, const Run& run);

}  // namespace mercer
