// The span of support vectors: how far Φ(x_l) is from what the other free support vectors can take over when row l is
// left out, and what follows for the leave-one-out error.
//
//   S_l² = min βᵀKβ over the free support vectors,  β_l = −1, Σβ = 0                            relaxed
//   and  0 ≤ α_i + y_i y_l α_l β_i ≤ C_i                                                        with the box
//
//   rule    row l is an error if y_l f(x_l) ≤ α_l S_l² (relaxed; of a bound support vector the squared distance to the
//           affine hull of the free ones). Exact where no row changes its kind when l is left out.
//   bound   a free row l can be an error only if α_l S_l max(D, 1/√C) ≥ 1, S_l with the box, D the diameter of the
//           data in feature space; every bound support vector counts. With the relaxed span this would be no bound.
//
// The relaxed spans are one factorisation (free_support.h): S_l² = 1/[(PKP)⁺]_ll, which is the inverse that the
// mean-field estimate of Opper and Winther uses, with an offset. The box needs a quadratic programme for each row whose
// relaxed solution leaves it. References: Vapnik & Chapelle, "Bounds on error expectation for SVM" (2000); Chapelle,
// Vapnik, Bousquet & Mukherjee (2002); Schölkopf & Smola (2002), (12.44)-(12.48), (12.83).
#pragma once

#include <optional>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/select/estimates/two_class_machine.h"

namespace mercer {

/// Which quadratic programmes are solved: all, or only those on which the count of the bound depends.
enum class BoxSpans { deciding, all };

struct SpanOptions {
  Index max_free = 3000;  ///< free support vectors; beyond there is no estimate (f³ operations, f² numbers)
  BoxSpans box_spans = BoxSpans::deciding;
  std::optional<double> reach = {};  ///< of the bound α_l S_l · reach ≥ 1, in the place of max(D, 1/√C)
};

struct SpanEstimate {
  std::vector<Index> rows;           ///< support vectors, ascending
  std::vector<double> squared_span;  ///< relaxed; infinite for the only free one
  /// With the box, an upper bound to 1e-6 relative to the kernel's size; infinite where no other rows can take over,
  /// NaN for bound support vectors and where not computed.
  std::vector<double> squared_box_span;
  LeaveOneOutCount rule;   ///< an estimate
  LeaveOneOutCount bound;  ///< an upper bound on the number of errors
};

/// diameter: of a ball that holds all samples (enclosing_ball.h). None where there is no free support vector (the
/// offset is not unique), more than max_free, or where the kernel is not positive on differences of the free ones.
/// As for the Lagrange bound, refits without a free support vector are not covered. About f³ + f²·(number of bound ones)
/// operations and what the programmes take.
std::optional<SpanEstimate> span_estimate(const Gram<double>& gram, const TwoClassMachine& machine, double diameter,
                                          const SpanOptions& options, const Run& run);

}  // namespace mercer
