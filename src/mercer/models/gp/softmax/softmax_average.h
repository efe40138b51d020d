// The softmax averaged over normal latent values, f ~ N(m, S):
//
//   P(c) = E[e^(f_c) / Σ_a e^(f_a)]
//
// by a rank-1 lattice through the normal quantile, in the classes − 1 differences to the class of the largest mean, on
// which alone the softmax depends. Shifted by ½ the lattice is its own mirror image, so that one exponential per class
// and point serves the point and its mirror. The generating vectors minimise, coordinate by coordinate, the worst-case
// error of periodic functions with square-integrable mixed derivatives, coordinate j with weight 1/j. References:
// Sloan & Joe (1994), Lattice methods for multiple integration; Nuyens & Cools (2006).
#pragma once

#include <span>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class SoftmaxAverage {
 public:
  /// Memory of a call; kept between calls it is allocated once.
  struct Workspace {
    Matrix<double> root;
    Matrix<double> shifts;    // classes − 1 × points: e^(f_c − m_c), relative to the reference class
    Matrix<double> mirrored;  // their inverses
    std::vector<double> shares;
    std::vector<double> factors;
    std::vector<Index> others;
  };

  /// At least two classes. 1021 points up to four classes, 2039 beyond.
  explicit SoftmaxAverage(Index classes);

  /// mean has `classes` entries, covariance (symmetric, may be singular) is classes × classes; out sums to 1. With
  /// latent deviations around 1.5: root mean square error 1e-4 for three classes, 4e-4 for five, 1e-3 for ten. Every
  /// sample sees the same points.
  void probabilities(std::span<const double> mean, ConstMatrixView<double> covariance, std::span<double> out,
                     Workspace& workspace) const;

 private:
  Index classes_;
  Matrix<double> points_;  // classes − 1 × half of the points: the others are the mirror images and 0
};

}  // namespace mercer
