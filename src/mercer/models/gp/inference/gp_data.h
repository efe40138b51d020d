// The rows of a Gaussian process with Gaussian noise, and what their weights mean: a row of weight w is w equal rows, each
// with noise of its own of the variance s. For the function f at the row that is one observation with noise s/w,
//
//   N(y; f, s)^w = N(y; f, s/w) · (2πs)^((1−w)/2) w^(−½),
//
// and the factor after it belongs to the evidence: it does not depend on f, but on the noise. Functions that are integrated
// out under a flat prior are orthonormal over the copies, HᵀWH = 1; with HᵀH = 1 the evidence has ½ ln|HᵀWH| more.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/expansion/parametric_part.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct GpData {
  Samples samples;
  Matrix<double> targets;       ///< n × outputs
  std::vector<double> noise;    ///< known variances of the rows; empty: none
  std::vector<double> weights;  ///< of the rows, positive: a row of weight 2 counts as two; empty: 1
  Matrix<double> basis;         ///< H, orthonormal columns, n × p

  double weight(Index i) const { return weights.empty() ? 1.0 : weights[i]; }
  /// How many rows the weights count.
  double total_weight() const;

  /// s_i = noise_i + learnt, of one observation.
  std::vector<double> row_noise(double learned) const;
  /// D_ii = s_i / weight_i.
  std::vector<double> noise_diagonal(double learned) const;
  /// ∂/∂learnt from the derivatives by every D_ii.
  double noise_slope(std::span<const double> diagonal_slopes) const;

  /// What the copies of the rows add to the log evidence of one output, and its derivative by the learnt noise; 0 without
  /// weights. Copies of a row without any noise say nothing new, and add nothing.
  struct CopyTerms {
    double value = 0;
    double slope = 0;
  };
  CopyTerms copy_terms(double learned) const;
};

/// The rows of `list`, with a basis of their own.
GpData select(const GpData& data, std::span<const Index> list, const ParametricPart& part);

}  // namespace mercer
