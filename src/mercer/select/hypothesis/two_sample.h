// Are two samples from one distribution? The maximum mean discrepancy, the distance of their means in feature space,
//
//   MMD²(P, Q) = E k(x, x') + E k(y, y') − 2 E k(x, y) = ‖μ_P − μ_Q‖²
//
//   quadratic   all pairs, unbiased: Σ_{i≠j} k(x_i, x_j)/(n(n−1)) + Σ_{i≠j} k(y_i, y_j)/(m(m−1)) − 2 Σ_ij k(x_i, y_j)/(nm)
//   block       the mean of it over blocks of both samples, O(n·block): nearly normal for many blocks
//   linear      the mean of k(x₁, x₂) + k(y₁, y₂) − k(x₁, y₂) − k(x₂, y₁) over pairs, O(n)
//
// The quadratic statistic is judged by permutations: how large is it where rows change between the samples at random? With
// z the 0/1 vector of who belongs to the first sample, all of a permutation is zᵀKz, so that one product of K with a
// block of such vectors judges all permutations in one pass. The others are means of independent values, judged by their
// standard error. For a characteristic kernel (rbf, laplacian, matern …) MMD is 0 only where P = Q.
// References: Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), A kernel two-sample test; Zaremba, Gretton & Blaschko
// (2013), B-tests: low variance kernel two-sample tests.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/select/hypothesis/test_result.h"

namespace mercer {

enum class MmdStatistic { quadratic, block, linear };

struct TwoSampleOptions {
  MmdStatistic statistic = MmdStatistic::quadratic;
  Index permutations = 1000;  ///< of the quadratic statistic
  double level = 0.05;
  Index block_size = 0;    ///< rows of each sample per block; 0: √n
  double memory_mb = 512;  ///< what the vectors of the permutations take, and then the stored matrix, each at most

  void validate() const;
};

/// MMD² (unbiased) of the first `first` rows against the rest, from their joint Gram matrix; both parts have two rows or
/// more: DataError otherwise. One product with K.
double mmd_squared(const Gram<double>& gram, Index first, const Run& run);

/// The same of many splits: members(i, c) = 1 where row i belongs to the first sample of split c, 0 elsewhere. One product
/// with K.
std::vector<double> mmd_squared(const Gram<double>& gram, ConstMatrixView<double> members, const Run& run);

/// The test on a joint Gram matrix. Permutations and the order of blocks come from run.seed(). Quadratic: 2 N² flops per
/// permutation for N rows in all, one pass over K where the vectors fit into memory_mb; otherwise K is stored where it
/// fits and evaluated once per part of the permutations where not. The smaller sample decides how many rows blocks use.
TestResult two_sample_test(const Gram<double>& gram, Index first, const TwoSampleOptions& options, const Run& run);

struct TwoSampleResult {
  TestResult test;
  Kernel kernel;  ///< widths resolved on both samples together
};
/// The test of two sample sets of one kind.
TwoSampleResult two_sample_test(const Kernel& kernel, const Samples& x, const Samples& y,
                                const TwoSampleOptions& options, const Run& run);

}  // namespace mercer
