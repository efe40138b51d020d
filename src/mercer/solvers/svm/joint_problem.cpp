// What solve_joint_multiclass() takes (joint_multiclass.h), checked.
#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/solvers/svm/joint_multiclass.h"

namespace mercer {

namespace {

void require(bool condition, const std::string& what) {
  if (!condition) {
    throw InvalidArgument("a joint multi-class machine " + what);
  }
}

void check_shapes(const JointProblem& problem, const JointOptions& options, Index n) {
  require(n > 0, "needs samples");
  require(problem.class_count >= 2, "needs two classes at least");
  require(static_cast<Index>(problem.classes.size()) == n && static_cast<Index>(problem.bounds.size()) == n,
          "needs one class and one bound per sample, " + std::to_string(n));
  require(problem.start.empty() || (problem.start.rows() == n && problem.start.columns() == problem.class_count),
          "needs a start of one row per sample and one column per class");
  require(problem.start_offsets.empty() || static_cast<Index>(problem.start_offsets.size()) == problem.class_count,
          "needs one offset per class to start from");
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "needs a positive tolerance");
  require(options.memory_mb > 0 && options.max_steps >= 0, "needs memory, and max_steps of 0 or more");
  std::vector<char> seen(problem.class_count, 0);
  for (std::size_t i = 0; i < problem.classes.size(); ++i) {
    const Index c = problem.classes[i];
    require(c >= 0 && c < problem.class_count, "has a sample of class " + std::to_string(c) + ", of " +
                                                   std::to_string(problem.class_count) + " counted from 0");
    require(problem.bounds[i] >= 0 && std::isfinite(problem.bounds[i]), "needs bounds that are finite and 0 or more");
    if (problem.bounds[i] > 0) {
      seen[c] = 1;
    }
  }
  const auto missing = std::find(seen.begin(), seen.end(), 0);
  require(missing == seen.end(), "has no sample with a positive bound in class " +
                                     std::to_string(missing - seen.begin()) + " (counted from 0)");
}

// A start is feasible where its rows obey their bounds, but for the rounding of their sums, which the solver clips; others
// would never be put right.
void check_start(const JointProblem& problem, JointLoss loss) {
  for (Index i = 0; i < problem.start.rows(); ++i) {
    const Index own = problem.classes[i];
    const double bound = problem.bounds[i];
    const double rounding = 1e-9 * bound;
    double sum = 0;
    bool feasible = true;
    for (Index c = 0; c < problem.class_count; ++c) {
      const double value = problem.start(i, c);
      sum += value;
      const bool in_box = c == own ? value >= 0 : value <= 0 && -value <= bound + rounding;
      feasible = feasible && in_box;
    }
    const double most = loss == JointLoss::crammer_singer ? bound : bound * static_cast<double>(problem.class_count);
    feasible = feasible && problem.start(i, own) <= most + rounding && std::abs(sum) <= rounding;
    require(feasible, "needs a feasible start: row " + std::to_string(i) + " (counted from 0) breaks its bounds");
  }
}

}  // namespace

void require_valid(const JointProblem& problem, const JointOptions& options, Index samples) {
  check_shapes(problem, options, samples);
  check_start(problem, options.loss);
}

}  // namespace mercer
