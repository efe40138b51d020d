// Are two views of the same samples independent? The Hilbert-Schmidt independence criterion, the squared norm of their
// cross-covariance in feature space,
//
//   HSIC = tr(K H L H)/n²,   H = 1 − ee'/n        (biased; K of the first view, L of the second)
//
// judged by permutations: with the rows of one view in random order nothing but chance connects them. Both matrices are
// evaluated once; a permutation is a sum over pairs of stored values. For characteristic kernels HSIC is 0 only where the
// views are independent.
// References: Gretton, Bousquet, Smola & Schölkopf (2005), Measuring statistical dependence with Hilbert-Schmidt norms;
// Gretton, Fukumizu, Teo, Song, Schölkopf & Smola (2008), A kernel statistical test of independence.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/select/hypothesis/test_result.h"

namespace mercer {

struct IndependenceOptions {
  Index permutations = 1000;
  double level = 0.05;
  double memory_mb = 2048;  ///< what both matrices take, at most; beyond it low-rank factors take their place
  Index rank = 200;         ///< of the factors

  void validate() const;
};

/// tr(K H L H)/n². One product with K each and one pass over both; nothing stored.
double hsic(const Gram<double>& k, const Gram<double>& l, const Run& run);

/// The test. n²/2 multiply-adds per permutation and 16 n² bytes; n·rank² and 16 n·rank bytes where the matrices do not
/// fit, with the trace that the factors leave out in a note: still a valid test, of the kernels that the factors are (then
/// both matrices must be positive semidefinite). Permutations come from run.seed(). DataError for fewer than two rows.
TestResult independence_test(const Gram<double>& k, const Gram<double>& l, const IndependenceOptions& options,
                             const Run& run);

struct IndependenceResult {
  TestResult test;
  Kernel first_kernel;  ///< widths resolved
  Kernel second_kernel;
};
IndependenceResult independence_test(const Kernel& first_kernel, const Samples& x, const Kernel& second_kernel,
                                     const Samples& y, const IndependenceOptions& options, const Run& run);

}  // namespace mercer
