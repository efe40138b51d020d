// Bounds on the test error from the margin and the number of support vectors. All of them hold with probability 1 − δ
// over the draw of the training set, and all of them are usually vacuous (above 1) on data of ordinary size: they rank
// machines better than they predict errors. γ = 1/‖w‖, R the radius of the data in feature space, m support vectors of
// n rows.
//
//   compression     (m ln(en/m) + ln(n/δ)) / (n − m)                                     no training error
//   margin          (2/n) ((64R²/γ²) log₂(enγ²/8R²) log₂(32n) + log₂(4/δ))               no training error
//   soft margin     (R² + ‖h‖²)/γ², h_i = ξ_i γ the slacks in units of feature space     the ratio of the bound alone
//   radius/margin   R²/γ²; a hard margin with offset has at most 4R²/γ² leave-one-out errors
//
// References: Floyd & Warmuth (1995); Shawe-Taylor, Bartlett, Williamson & Anthony (1998); Shawe-Taylor & Cristianini
// (1999); Vapnik (1998), chapter 10.
#pragma once

#include <optional>

#include "mercer/select/estimates/two_class_machine.h"

namespace mercer {

/// None for no rows (or as many support vectors as rows). InvalidArgument for δ outside (0, 1).
std::optional<double> compression_bound(Index support_vectors, Index rows, double delta);

/// `radius_margin`: R²/γ². None where enγ² ≤ 8R²: too few rows for the bound to be stated.
std::optional<double> margin_bound(double radius_margin, Index rows, double delta);

struct MarginBounds {
  double margin = 0;                   ///< γ; infinite for w = 0
  double radius_margin = 0;            ///< R²/γ²
  double soft_margin_ratio = 0;        ///< (R² + ‖h‖²)/γ² = R²‖w‖² + Σξ²
  std::optional<double> compression;   ///< only without training errors
  std::optional<double> margin_bound;  ///< only where every row has y_i f(x_i) ≥ 1 (to the machine's gap)
  std::optional<double>
      leave_one_out_errors;  ///< 4R²/γ² of a hard margin; squared slacks: with the machine's own kernel
};

/// squared_radius: of the data in the kernel's space; own_squared_radius: in that of the machine, where slacks are squared.
MarginBounds margin_bounds(const TwoClassMachine& machine, double squared_radius, double delta = 0.05,
                           std::optional<double> own_squared_radius = {});

}  // namespace mercer
