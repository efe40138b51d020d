// The linear programming machines beside that of lapc.h, as columns and rows of the problem of laplacian_map.h:
//
//   signed   f = Σ_j y_j α_j k(x_j, ·) + b, α ≥ 0: a row speaks for its own label
//   loo      y_i (Σ_{j≠i} y_j α_j K_ij + b) + s α_i K_ii ≥ 1 − ξ_i, α ≥ 0: what the other rows say of a row, and a share s
//            of what it says of itself. s = 1: signed. Σξ bounds the rows that the others would have wrong, Σξ ≥ #{… ≤ 0}
//   joint    f_{y_i}(x_i) − f_c(x_i) ≥ 2 − ξ_ic, c ≠ y_i: all classes in one program of n (k − 1) rows and k M columns, with
//            one constant per class, Σ_c b_c = 0. Halved, these are margins of 1: for two classes this is the machine above
//
// References: Schölkopf & Smola (2002), (7.59), problems 7.19 and 7.20, (12.42)-(12.43); Weston (1999), Leave-one-out support
// vector machines; Weston & Herbrich (2000), Adaptive margin support vector machines.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class MarginMachine { l1, signed_labels, leave_one_out };
constexpr auto words_of(MarginMachine) {
  return std::array{Word{MarginMachine::l1, "l1"}, Word{MarginMachine::signed_labels, "signed"},
                    Word{MarginMachine::leave_one_out, "loo"}};
}

/// y_j Φ_ij, with `own_share` of the entries of rows with themselves. `basis_rows`: the row of each column.
Matrix<double> signed_columns(ConstMatrixView<double> features, std::span<const double> labels,
                              std::span<const Index> basis_rows, double own_share);

struct JointRows {
  Matrix<double> features;  ///< a row per sample and other class, ±Φ/2 in the columns of two classes; class by class
  Matrix<double> unpriced;  ///< ±½ for the constants of all classes but the last, whose is 0
  std::vector<double> labels;
  std::vector<double> weights;  ///< 2w: a loss of ½ costs w
};
JointRows joint_rows(ConstMatrixView<double> features, std::span<const std::int32_t> classes, Index class_count,
                     std::span<const double> weights);

}  // namespace mercer
