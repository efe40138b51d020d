// Where to cut the discriminant values q of two classes (class 0 below, class 1 above; their means differ by 2).
//
//   least squares   regress y = ±1 on q: cut where the line is 0. The larger class gets the larger half
//   svm             min ½s² + Σ_i w_i max(0, 1 − y_i(s q_i + b)), cut at −b/s
//   midpoint        halfway between the class means
//   bayes           where the two class densities times their priors are equal, between their means: a zero for f only,
//                   since beyond a second such place the wider class is the more probable one on its other side, too
//
// The midpoint ignores how many rows the classes have and how they spread; it is a poor choice where they differ.
// Reference: Schölkopf & Smola (2002), 15.2 and 15.4.
#pragma once

#include <span>
#include <string_view>

#include "mercer/models/discriminant/kfd_densities.h"
#include "mercer/solvers/fisher/fisher.h"

namespace mercer {

/// `rule` is least_squares, svm, midpoint or bayes. O(n), O(n log n) for svm. Where a rule would have all values on one
/// side, however far out, the cut is just outside of them.
double discriminant_threshold(std::string_view rule, std::span<const double> values, const ClassRows& rows,
                              const ClassDensities& densities);

/// The class of a sample with these values: the most probable one where the rule is bayes. Otherwise of two classes by
/// the sign of the only value, of more the nearest mean.
Index discriminant_class(std::string_view rule, std::span<const double> values, const ClassDensities& densities);

}  // namespace mercer
