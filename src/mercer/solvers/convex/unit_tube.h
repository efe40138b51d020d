// A tube in the units in which its programme is solved.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/shaped_tube.h"

namespace mercer {

/// The same problem with what the offset takes left out of targets and matrix, and the matrix in its own unit s:
///
///   y − m,   HKH/s,   bounds and prices times s,   β times s      H = I − 11ᵀ/n
///
/// As Σβ = 0, βᵀHKHβ = βᵀKβ, and HKβ is Kβ less its mean, which the offset takes: an offset of the columns, or their unit,
/// costs no digits of the programme.
class UnitTube {
 public:
  /// Keeps a reference to the problem.
  explicit UnitTube(const ShapedTube& problem);

  UnitTube(const UnitTube&) = delete;
  UnitTube& operator=(const UnitTube&) = delete;

  const ShapedTube& problem() const { return unit_; }
  /// Of the entries of its matrix, by the sizes of the given one.
  double rounding() const { return rounding_; }

  /// The solution in the units of the given problem.
  ShapedTubeSolution undone(ShapedTubeSolution solution, const Run& run) const;

 private:
  const ShapedTube& given_;
  Matrix<double> gram_;
  ShapedTube unit_;
  std::vector<double> targets_;
  std::vector<double> bounds_;
  std::vector<double> prices_;
  double middle_ = 0;
  double scale_ = 1;
  double rounding_ = 0;
};

}  // namespace mercer
