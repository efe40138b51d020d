// Rules that choose a bandwidth from data. With n points in d dimensions,
//
//   scott            n^{−1/(d+4)} σ_j
//   silverman        (4/(d+2))^{1/(d+4)} n^{−1/(d+4)} σ_j: best for normal data
//   normal           the same with σ_j = 1.4826 · median |x − median x|, which outliers do not move
//   likelihood       maximises Σ w_i ln p_{−i}(x_i) (leave-one-out)
//   least_squares    minimises ∫p² − (2/n) Σ w_i p_{−i}(x_i), an estimate of the integrated squared error
//   isj              improved Sheather-Jones, in one dimension (Botev, Grotowski and Kroese 2010)
//
// The cross-validated rules search one factor of the silverman bandwidth, so that its form stays. All of them are rules for
// the gaussian; other shapes get the bandwidth that smooths as much (Marron and Nolan 1988). A weight counts as that many
// copies of a point: n = Σw; weights that sum to 1 or less are shares, and n is (Σw)²/Σw². References: Scott (1992);
// Silverman (1986); Bowman (1984) for least squares; Habbema, Hermans and van den Broek (1974) for likelihood.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/bandwidth.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

enum class BandwidthRule { scott, silverman, normal, likelihood, least_squares, isj };
constexpr auto words_of(BandwidthRule) {
  return std::array{Word{BandwidthRule::scott, "scott"},
                    Word{BandwidthRule::silverman, "silverman"},
                    Word{BandwidthRule::normal, "normal"},
                    Word{BandwidthRule::likelihood, "likelihood"},
                    Word{BandwidthRule::least_squares, "least_squares"},
                    Word{BandwidthRule::isj, "isj"}};
}

struct BandwidthChoice {
  Bandwidth bandwidth;
  double criterion = 0;  ///< the score that a cross-validated rule reached
  Index evaluations = 0;
  std::vector<std::string> notes;
};

/// Scalar: one width, from the root mean square of the spreads. Full: the covariance of the columns. Weights: ≥ 0, or
/// none. DataError where a column has no spread (form scalar: where none has), or there is one point only: there is
/// nothing to learn a width from. Cost: O(n d²), n ln n for `normal` and isj; cross-validation some seconds for
/// 20000 points: O(n²) pairs, of 30000 points drawn at random where there are more.
BandwidthChoice choose_bandwidth(BandwidthRule rule, BandwidthForm form, SmoothingShape shape,
                                 ConstMatrixView<double> points, std::span<const double> weights, const Run& run);

/// The improved Sheather-Jones width of one column: the fixed point t = ξ γ^[5](t) on the cosine transform of the binned
/// data, h = length √t. The grid has a margin of half the range of the data on both sides. DataError where there is no
/// fixed point (few distinct values).
double improved_sheather_jones(std::span<const double> values, std::span<const double> weights,
                               Index grid_points = 4096);

/// What the rules see of the data: sizes and spreads, weights as copies.
struct WeightedSpread {
  double count = 0;               ///< n
  std::vector<double> deviation;  ///< √(Σ w (x − mean)² / (n − 1)) per column
  Matrix<double> covariance;
  std::vector<double> largest = {};  ///< |x| per column
};
WeightedSpread weighted_spread(ConstMatrixView<double> points, std::span<const double> weights);
/// The smallest value that at least `share` of the weight is at or below, between neighbours interpolated as numpy and R
/// (type 7) do for weights of 1; weights as copies, or as shares of rows where they sum to 1 or less.
double weighted_quantile(std::vector<double> values, std::vector<double> weights, double share);

}  // namespace mercer
