// Sparse kernel feature analysis: features that are kernel functions of few samples, found by search instead of an
// eigenproblem. Feature i is the candidate direction Φ_j whose outputs vary most over the sample,
//
//   j_i = argmax_j Var_l ⟨Φ_j, Φ(x_l)⟩,   v_i = Φ_{j_i},   Φ_j ← Φ_j − v_i ⟨Φ_j, v_i⟩/‖v_i‖²   for all j
//
// with Φ_j = Φ(x_j) at first. Outputs are centred, directions are not. On the Gram matrix this is Cholesky with the
// variance of a column as pivot rule, R ← R − R_{:j}R_{j:}/R_jj, so that p features need p kernel values per sample.
//
//   removal      the chosen candidate is left out, nothing is projected: near duplicates of it come next
//   projection   as above; the directions are orthogonal. Variances need not decrease: projected candidates are new ones
//   normalized   projected candidates are scaled to expansion coefficients of ℓ_p norm 1 before they are compared, so
//                that what needs large coefficients of both signs comes later
//
// The search is a maximum over n candidates, each a mean over n samples. Two ways to look at less, alone or together:
// `candidates` random ones per feature (the best of 59 is among the best 5 % with probability 95 %), and `confidence`:
// candidates are dropped as soon as a growing random part of the sample shows, by a bound for sampling without
// replacement, that they are not the best.
// References: Smola, Mangasarian & Schölkopf (1999), Sparse kernel feature analysis; Schölkopf & Smola (2002), sections
// 14.4 and 14.5, corollary 6.34 and theorem 6.33. The first gives the ℓ_p normalisation as a principle; that the norm
// is that of all of a candidate's coefficients, and that the feature itself is scaled by it too, is our reading.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class SparseFeatureMode { projection, normalized, removal };
constexpr auto words_of(SparseFeatureMode) {
  return std::array{Word{SparseFeatureMode::projection, "projection"},
                    Word{SparseFeatureMode::normalized, "normalized"}, Word{SparseFeatureMode::removal, "removal"}};
}

struct SparseFeatureOptions {
  Index features = 10;
  SparseFeatureMode mode = SparseFeatureMode::projection;
  double norm = 1;           ///< p ≥ 1 of the ℓ_p norm (normalized)
  Index candidates = 0;      ///< random candidates per feature; 0: all
  double confidence = 0;     ///< in (0, 1): drop candidates early; right with at least this probability per feature
  double tolerance = 1e-10;  ///< residual ‖Φ_j‖², relative to the largest k(x, x), that counts as 0

  void validate() const;
};

struct SparseFeatures {
  std::vector<Index> chosen;      ///< rows, in order; fewer than asked for where nothing is left
  std::vector<double> variances;  ///< of the features over the sample
  Matrix<double> coefficients;    ///< chosen × features: f_c(x) = Σ_r coefficients(r, c) k(x_{chosen[r]}, x)
  std::vector<double> norms;      ///< ‖v_c‖; the v_c are orthogonal but for removal
  Index evaluations = 0;          ///< entries of K that were looked at (a product with K counts n²)
};

/// Weights (empty: all 1) stand for repetitions of samples; all positive. Ties go to the first row. With all candidates
/// and exact sums a feature costs one product with K and O(n·features), so that K need not be stored; with `candidates`
/// O(candidates · n). Memory O(n·features). Variances are exact to rounding; the comparison of candidates is so
/// relative to the largest variance. Random choices come from run.seed(). InvalidArgument for options and weights that
/// do not fit, NumericalError where kernel values are not finite.
SparseFeatures sparse_features(const Gram<double>& gram, std::span<const double> weights,
                               const SparseFeatureOptions& options, const Run& run);

/// The smallest number of random candidates whose best is among the best `share` of all with probability `confidence`:
/// ⌈ln(1 − confidence) / ln(1 − share)⌉, 59 for 0.05 and 0.95. Both in (0, 1).
Index candidates_needed(double share, double confidence);

}  // namespace mercer
