#include "mercer/solvers/svm/joint_working_set.h"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

// values += K(:, at) · changeᵀ
void follow(JointWorkingSet& set, Index at, std::span<const double> change) {
  const double* const kernel = set.kernel.view().row_data(at);
  for (Index i = 0; i < set.size(); ++i) {
    double* const values = set.values.view().row_data(i);
    for (std::size_t c = 0; c < change.size(); ++c) {
      values[c] += kernel[i] * change[c];
    }
  }
}

}  // namespace

JointProgress improve(JointWorkingSet& set, JointLoss loss, double target, double least_curvature, Index max_steps) {
  const Index classes = set.coefficients.columns();
  const auto k = static_cast<std::size_t>(classes);
  std::vector<double> linear(k);
  std::vector<double> row(k);
  // A row that is optimal up to rounding cannot be the next one again: it waits until another row has moved.
  Index resting = -1;
  JointProgress progress;
  while (true) {
    Index worst = -1;
    double largest = 0;
    progress.violation = 0;
    for (Index i = 0; i < set.size(); ++i) {
      const double violation =
          joint_violation(loss, set.samples[i], set.values.view().row(i), set.coefficients.view().row(i));
      progress.violation = std::max(progress.violation, violation);
      if (i != resting && violation > largest) {
        largest = violation;
        worst = i;
      }
    }
    if (worst < 0 || largest <= target || progress.steps >= max_steps) {
      return progress;
    }
    const std::span<double> old = set.coefficients.view().row(worst);
    const double curvature = std::max(set.kernel(worst, worst), least_curvature);
    for (std::size_t c = 0; c < k; ++c) {
      linear[c] = set.values(worst, static_cast<Index>(c)) - curvature * old[c];
    }
    minimize_joint_row(loss, set.samples[worst], curvature, linear, row);
    bool moved = false;
    for (std::size_t c = 0; c < k; ++c) {
      linear[c] = row[c] - old[c];
      moved = moved || linear[c] != 0;
      old[c] = row[c];
    }
    if (!moved && resting >= 0) {
      return progress;
    }
    resting = worst;
    if (moved) {
      follow(set, worst, linear);
      ++progress.steps;
    }
  }
}

}  // namespace mercer
