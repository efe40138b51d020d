// Geometric margins of labelled rows under a model whose decision values are functions f = ⟨w, Φ(x)⟩ + b of feature space,
//
//   ρ(x, y) = y f(x) / ‖w‖,       that of the data: the least of them                                     (7.4), (7.5)
//
// how far a row is on its side of the plane, in distances of feature space. Divided by min_i |f(x_i)| the function is in
// canonical form for these rows: the nearest row then has |f| = 1 and the distance 1/‖w‖. With several machines (pairs of classes,
// one class against the rest) each has margins of its own, of the rows whose class it knows. Where each class has a
// function and the largest wins, y = 1 for the row's own class and −1 for the others; a model of one class has y = 1.
// Reference: Schölkopf & Smola (2002), 7.1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"

namespace mercer {

/// NaN where the class of a row has no part in a machine, is unknown (−1), and where w = 0.
struct GeometricMargins {
  Matrix<double> margins;         ///< rows × machines
  Matrix<double> values;          ///< f, likewise
  std::vector<double> norms;      ///< ‖w‖ per machine
  std::vector<double> least;      ///< of the rows that count; NaN where none does
  std::vector<Index> least_row;   ///< −1 where none does
  std::vector<double> canonical;  ///< min |f| over these rows, what to divide w and b by
};

/// classes: numbers in model.classes(), one per row; empty for models of one class. One evaluation of the model, and
/// O(s²) kernel values for s centres. InvalidArgument for models without such functions.
GeometricMargins geometric_margins(const FittedModel& model, const Samples& samples,
                                   std::span<const std::int32_t> classes, const Run& run);

}  // namespace mercer
