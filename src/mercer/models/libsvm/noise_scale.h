// Two estimates that LIBSVM's `-b 1` makes besides Platt's.
//
// Regression: the target is the prediction plus noise of a Laplace distribution, density e^(−|z|/σ)/(2σ). The maximum
// likelihood of σ is the mean absolute residual; residuals beyond five standard deviations (√2 σ each) are left out
// and the mean is taken again.
//
// One-class: the probability of being normal, in steps. Ten marks cut the training decision values into bins of equal
// count, five on either side of 0; a value is given the share of marks below it.
//
// References: C.-J. Lin and R. C. Weng, Simple probabilistic predictions for support vector regression (2004);
// Z. Que and C.-J. Lin, One-class SVM probabilistic outputs (2022).
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace mercer {

/// σ from residuals of held-out samples; 0 where all are 0. InvalidArgument where there are none.
double laplace_scale(std::span<const double> residuals);

/// The ten marks, ascending; empty where fewer than five decision values are negative or fewer than five are not.
/// O(n log n).
std::optional<std::vector<double>> one_class_marks(std::span<const double> decisions);

/// The probability of being normal: 0.001 below all marks, 0.999 above them, otherwise tenths.
double one_class_probability(std::span<const double> marks, double decision);

}  // namespace mercer
