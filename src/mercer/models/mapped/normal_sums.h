// Normal equations of least squares on explicit features, summed over blocks of rows in one pass, and their ridge
// solutions. Features and targets are shifted by the means of the first block while summing, so that centring at the
// end does not cancel.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/features/feature_map.h"
#include "mercer/models/mapped/map_options.h"

namespace mercer {

/// Sums about the means serve a model with an intercept, sums about the origin one without.
enum class SumsAbout { origin, means };

/// Everything about the rows' (centred) means: S = Σ w (z − z̄)(z − z̄)ᵀ, B = Σ w (z − z̄)(y − ȳ)ᵀ.
struct NormalSums {
  double weight = 0;  ///< Σ w
  Index rows = 0;     ///< n: those of positive weight
  std::vector<double> feature_means;
  std::vector<double> target_means;
  Matrix<double> matrix;        ///< S, lower triangle
  Matrix<double> right;         ///< B
  std::vector<double> squares;  ///< Σ w (y − ȳ)² per target
  SumsAbout about = SumsAbout::means;
};
/// n q² operations. Stopped.
NormalSums normal_sums(const FeatureMap& map, const CountedRows& rows, const Matrix<double>& targets, SumsAbout about,
                       const Run& run);

/// (S + λ1)⁻¹ B for λ > 0, by Cholesky.
Matrix<double> ridge_weights(const NormalSums& sums, double lambda, const Run& run);

/// S = V diag(values) Vᵀ without the directions that rounding made, and C = VᵀB: weights of any λ in O(q²).
struct RidgeDirections {
  std::vector<double> values;  ///< ascending, positive
  Matrix<double> vectors;      ///< q × kept
  Matrix<double> right;        ///< kept × outputs
};
RidgeDirections ridge_directions(const NormalSums& sums, const Run& run);
Matrix<double> ridge_weights(const RidgeDirections& directions, double lambda, const Run& run);

struct ChosenPenalty {
  double lambda = 1;
  double score = 0;  ///< root of the criterion, of the first target, in its units
};
/// Minimises (RSS/Σw) / (1 − df/n)², summed over the targets in units of their variances; n counts rows, as in ridge: a
/// common factor of the weights changes λ by that factor and the score by nothing.
ChosenPenalty choose_by_gcv(const NormalSums& sums, const RidgeDirections& directions);
/// Minimises the leave-one-out squared error over the same range of λ, in one more pass.
ChosenPenalty choose_by_leave_one_out(const NormalSums& sums, const RidgeDirections& directions, const FeatureMap& map,
                                      const CountedRows& rows, const Matrix<double>& targets, const Run& run);

}  // namespace mercer
