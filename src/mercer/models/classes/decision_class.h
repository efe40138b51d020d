// From decision values to classes, the one rule of all our models:
//
//   two classes   sgn f with sgn 0 = +1: the second class where f ≥ 0        (novelty: inside where f ≥ 0)
//   several       the class of the largest value, the first of equal ones
//
// What stands in for another package keeps that package's rule: the LIBSVM commands (libsvm_prediction.h) call a value
// of 0 of one-class machines outside, and Python's LinearSVC and GaussianProcessClassifier the first class.
#pragma once

#include <algorithm>
#include <span>

#include "mercer/base/index.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// f ≥ 0: on the side of +1. Not so NaN.
inline bool is_positive_side(double value) { return value >= 0; }

/// The number of the class, of two.
inline Index class_of_value(double value) { return is_positive_side(value) ? 1 : 0; }

/// values: one for two classes, otherwise one per class.
inline Index class_of_values(std::span<const double> values) {
  return values.size() == 1 ? class_of_value(values[0])
                            : static_cast<Index>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// The numbers of the classes of all rows, n × 1: by class_of_values().
Matrix<double> classes_of_values(ConstMatrixView<double> values);
/// By shares, one per class: the largest, the first of equal ones.
Matrix<double> classes_of_shares(ConstMatrixView<double> shares);

}  // namespace mercer
