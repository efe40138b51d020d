// Points of input space that a method makes up, as samples like those that it was given: pre-images and constructed
// reduced sets exist for numeric samples, and for tables whose columns are all numeric.
#pragma once

#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Whether new samples of this kind can be made from numbers.
bool has_numeric_points(const Samples& samples);
/// InvalidArgument, naming the kind and what can be done instead, where they cannot.
void require_numeric_points(const Samples& samples);

/// The numeric columns, written out densely: n × d.
Matrix<double> points_of(const Samples& samples);

/// `points` as samples with the columns (and their names) of `pattern`; new samples, never the same as any of it.
Samples points_like(const Samples& pattern, ConstMatrixView<double> points);

}  // namespace mercer
