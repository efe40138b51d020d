// What a machine fitted without row l would say of it, for every support vector l: f(x_l) − f^l(x_l), from one
// factorisation over the free support vectors (free_support.h). Exact where no other row changes its kind.
//
//   f = Σ β_j k(x_j, ·) + b      C-SVC and ε-SVR: Σβ = 0; without offset: no sum is held; ν-SVC and ν-SVR: both signs
//
// The bounds of the coefficients, and with ν the sums Σ₊β and Σ₋β, are those of the fit, as if ν grew to νm/(m − 1).
// Reference: Schölkopf & Smola (2002), 12.2.4-12.2.5: (12.83), (12.84) with N = 0 or 1, (12.89)-(12.92).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/select/estimates/free_support.h"
#include "mercer/select/estimates/two_class_machine.h"

namespace mercer {

struct MeanField {
  std::vector<Index> rows;      ///< support vectors, ascending
  std::vector<double> changes;  ///< f(x_l) − f^l(x_l); infinite where no other row can take over
};

/// coefficients: β of every row; bounds: the largest |β|. None where a held sum has no free row, there are more than
/// max_free of them, or the kernel is not positive on what they can take over.
std::optional<MeanField> mean_field(const Gram<double>& gram, std::span<const double> coefficients,
                                    std::span<const double> bounds, HeldSums held, Index max_free, const Run& run);

/// Rows of a classifier that are wrong without themselves, y_l f^l(x_l) ≤ 0, by the changes of its support vectors.
LeaveOneOutCount errors_without(const MeanField& field, const TwoClassMachine& machine);

/// The same by the mean field of a machine with a constant. gram: with the machine's ridge.
std::optional<LeaveOneOutCount> mean_field_errors(const Gram<double>& gram, const TwoClassMachine& machine,
                                                  Index max_free, const Run& run);

}  // namespace mercer
