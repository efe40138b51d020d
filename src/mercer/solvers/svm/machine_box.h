// The box and the linear term of a support vector machine's programme, for matrices that are stored (box_path.h) and that
// are not (svm_dual.h):
//
//   C-SVC   q = −y, 0 ≤ y_iβ_i ≤ C_i                                        one block of n variables
//   ε-SVR   q = ±ε − y, 0 ≤ β_i ≤ C_i above the tube, −C_i ≤ β_i ≤ 0 below  two blocks that share the n rows
#pragma once

#include <span>
#include <vector>

namespace mercer {

struct MachineBox {
  std::vector<double> linear;  ///< q; n or 2n
  std::vector<double> lower;   ///< ≤ 0
  std::vector<double> upper;   ///< ≥ 0
};

/// signs are ±1; a row whose bound is 0 may have the sign 0.
MachineBox classifier_box(std::span<const double> signs, std::span<const double> bounds);
MachineBox tube_box(std::span<const double> targets, double epsilon, std::span<const double> bounds);
/// The same with a width per row.
MachineBox tube_box(std::span<const double> targets, std::span<const double> epsilons, std::span<const double> bounds);

}  // namespace mercer
