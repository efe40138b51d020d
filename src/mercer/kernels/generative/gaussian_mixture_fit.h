// Maximum likelihood for a mixture of diagonal Gaussians by expectation-maximisation (Dempster, Laird & Rubin 1977).
//
// Starts are k-means++ seeds (Arthur & Vassilvitskii 2007) in standardised columns; each runs ten steps, the best goes on.
// Variances are kept above a thousandth of the column's, which rules out the infinite likelihood of a component on one
// point; the bounded M-step is still the maximum under that bound, so the likelihood never falls. Columns of
// constant value have variance 1. Components that nearly no point belongs to, and seeds beyond the number of different points,
// are left out. One component has its maximum in closed form, from all points; for more components at most 20 000 points are used,
// a seeded choice where there are more.
#pragma once

#include "mercer/base/run.h"
#include "mercer/kernels/generative/gaussian_mixture.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct MixtureFitOptions {
  Index components = 3;
  int starts = 3;
  int max_iterations = 200;
  double tolerance = 1e-7;           ///< on the gain of the mean log-likelihood in one step
  std::vector<double> weights = {};  ///< of the points, positive; empty: all 1
};

struct MixtureFit {
  GaussianMixture model;
  std::vector<double> log_likelihoods;  ///< mean over the points before every step of the start that was best
  bool converged = false;
};

/// O(points · components · dimension) a step. The same bits for any number of threads; the seed is the run's. No points: a
/// standard normal of that many columns.
MixtureFit fit_gaussian_mixture(ConstMatrixView<double> points, const MixtureFitOptions& options, const Run& run);

}  // namespace mercer
