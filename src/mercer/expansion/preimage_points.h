// Points of input space that a method makes up, as samples like those that it was given: pre-images and constructed
// reduced sets exist for numeric samples, and for tables whose columns are all numeric.
#pragma once

#include <vector>

#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Whether new samples of this kind can be made from numbers.
bool has_numeric_points(const Samples& samples);
/// InvalidArgument, naming the kind and what can be done instead, where they cannot.
void require_numeric_points(const Samples& samples);

/// The numeric columns, written out densely: n × d.
Matrix<double> points_of(const Samples& samples);

/// How far a step in every column may go before it matters: the standard deviation of the points; where they do not
/// differ the size of their value, or else the largest length of the other columns (1 where there is none). Searches
/// measure their steps by it, so that they find the same points whatever the units are.
std::vector<double> column_lengths(ConstMatrixView<double> points);

/// `points` as samples with the columns (and their names) of `pattern`; new samples, never the same as any of it.
Samples points_like(const Samples& pattern, ConstMatrixView<double> points);

}  // namespace mercer
