// The part of a joint multi-class machine that is solved in one go: some rows, the kernel values among them, and the
// function values there (see joint_multiclass.h).
#pragma once

#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/svm/joint_row.h"

namespace mercer {

struct JointWorkingSet {
  std::vector<Index> rows;
  std::vector<JointSample> samples;
  Matrix<double> kernel;        ///< with μ added to all entries where there are offsets
  Matrix<double> coefficients;  ///< of these rows
  Matrix<double> values;        ///< f_c at these rows, offsets included

  Index size() const { return static_cast<Index>(rows.size()); }
};

struct JointProgress {
  Index steps = 0;
  double violation = 0;  ///< the largest that is left
};

/// Solves the worst row again and again until no violation exceeds `target` or `max_steps` are made. Curvatures below
/// `least_curvature` are raised to it. A step costs O(rows · classes).
JointProgress improve(JointWorkingSet& set, JointLoss loss, double target, double least_curvature, Index max_steps);

}  // namespace mercer
