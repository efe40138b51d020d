// QuantilePredictions: the distribution that quantiles at a few levels τ_1 < … < τ_L make. At every row they are put in order
// first, so that they do not cross (rearrangement: no further from the true ones than before). Then
//
//   between two levels     uniform: density (τ_{k+1} − τ_k) / (q_{k+1} − q_k)
//   beyond the outer ones  exponential, with a density that goes on from the interval beside it: below q_1 it is
//                          (τ_1/s) exp((y − q_1)/s), s = τ_1 (q_2 − q_1)/(τ_2 − τ_1), likewise above q_L
//   of one level alone     both tails, with s = σ/(1−τ) below and σ/τ above: Laplace's distribution, skewed, where σ is the
//                          mean of ρ_τ(y − f(x)) over the training rows, its most probable value
//
// Levels whose quantiles are equal are a point of that probability. Of the function itself, as apart from observations of it,
// nothing is known. References: Chernozhukov, Fernández-Val & Galichon (2010); Koenker & Machado (1999).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/base/words.h"
#include "mercer/models/predictive_distribution.h"

namespace mercer {

/// What is said where functions of different levels cross: values in order, or those of the functions.
enum class Crossing { rearranged, allowed };
constexpr auto words_of(Crossing) {
  return std::array{Word{Crossing::rearranged, "rearranged"}, Word{Crossing::allowed, "allowed"}};
}

class QuantilePredictions final : public PredictiveDistribution {
 public:
  struct Parts {
    Matrix<double> functions;         ///< n × (outputs · levels), as fitted, the levels of one output side by side
    std::vector<double> levels = {};  ///< ascending
    Index middle = 0;                 ///< the level that is the prediction
    std::vector<double> losses = {};  ///< σ per output
    Crossing crossing = Crossing::rearranged;
  };
  explicit QuantilePredictions(Parts parts);

  /// Mean and variance of observations. InvalidArgument for those of the function; likewise of its quantiles.
  PredictiveMoments moments(PredictionOf of) const override;
  /// The middle level, in its place where values are put in order.
  Matrix<double> predictions(PredictionOf of) const override;
  /// n × (outputs · count), each of its own distribution alone. InvalidArgument for those of the function.
  Matrix<double> draws(Index count, PredictionOf of, RandomStream& random) const;

 private:
  void fill_quantiles(std::span<const double> levels, PredictionOf of, MatrixView<double> out) const override;
  void fill_log_density(ConstMatrixView<double> truth, MatrixView<double> out) const override;

  // The distribution of one row and output.
  struct Row {
    std::span<const double> levels;
    std::span<const double> quantiles;  // ascending
    double lower_scale;
    double upper_scale;

    double quantile(double level) const;
    double log_density(double y) const;
  };
  Row row(Index i, Index output) const;

  Parts parts_;
  Matrix<double> ordered_;
};

}  // namespace mercer
