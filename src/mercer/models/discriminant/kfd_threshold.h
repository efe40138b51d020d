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

#include <array>
#include <span>

#include "mercer/base/words.h"
#include "mercer/models/discriminant/kfd_densities.h"
#include "mercer/solvers/fisher/fisher.h"

namespace mercer {

/// automatic: least squares for two classes, the nearest mean for more.
enum class KfdThreshold { automatic, least_squares, svm, midpoint, bayes };
constexpr auto words_of(KfdThreshold) {
  return std::array{Word{KfdThreshold::automatic, "automatic"}, Word{KfdThreshold::least_squares, "least_squares"},
                    Word{KfdThreshold::svm, "svm"}, Word{KfdThreshold::midpoint, "midpoint"},
                    Word{KfdThreshold::bayes, "bayes"}};
}

/// O(n), O(n log n) for svm. Where a rule would have all values on one side, however far out, the cut is just outside of
/// them.
double discriminant_threshold(KfdThreshold rule, std::span<const double> values, const ClassRows& rows,
                              const ClassDensities& densities);

/// The class of a sample with these values: the most probable one where the rule is bayes. Otherwise of two classes by
/// the sign of the only value, of more the nearest mean.
Index discriminant_class(KfdThreshold rule, std::span<const double> values, const ClassDensities& densities);

}  // namespace mercer
