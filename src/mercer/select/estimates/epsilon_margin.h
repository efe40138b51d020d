// The ε-margin of a regression f, m_ε(f) = inf {‖x − x'‖ : |f(x) − f(x')| ≥ 2ε}: how far apart two inputs are at least whose
// predictions a tube of half the width ε tells apart. By the inequality of Cauchy and Schwarz it is at least 2ε/‖w‖ for distances in
// feature space, and equal to it where f is linear in the inputs; 2ε/L for a function of Lipschitz constant L.
// Reference: Schölkopf & Smola (2002), 9.7 and problems 9.10-9.12.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/models/svm/svr.h"

namespace mercer {

/// 2ε/‖w‖ per output, in distances of feature space; infinite where f is a constant. O(s² d) for s support vectors.
std::vector<double> epsilon_margins(const SvrModel& model, const Run& run);

}  // namespace mercer
