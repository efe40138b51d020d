// Splits of samples into folds, or into training and test samples. All depend on the seed alone: the same seed gives
// the same split on every machine and for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/index.h"

namespace mercer {

/// Row numbers, ascending.
struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};

/// Every sample belongs to exactly one fold, where it is tested.
struct Folds {
  Index count = 0;
  std::vector<Index> number;  ///< fold of sample i

  /// Fold f is the test part, all others the training part. O(n).
  Split split(Index f) const;
};

enum class SampleOrder { shuffled, kept };

/// Sizes of folds differ by at most one. `kept`: consecutive rows form a fold. Needs 2 <= folds <= samples.
Folds k_fold(Index samples, Index folds, std::uint64_t seed, SampleOrder order = SampleOrder::shuffled);

/// For every class the numbers of its samples in the folds differ by at most one, and so do the sizes of the folds.
/// Classes are codes >= -1; a class with fewer samples than folds is spread over as many as it has.
Folds stratified_k_fold(std::span<const std::int32_t> classes, Index folds, std::uint64_t seed);

/// Samples of one group stay in one fold; the largest groups are placed first, each into the smallest fold.
Folds group_k_fold(std::span<const std::int32_t> groups, Index folds, std::uint64_t seed);

/// One fold per sample.
Folds leave_one_out(Index samples);

/// round(fraction · n) test samples, at least one and at most n - 1. 0 < fraction < 1.
Split train_test_split(Index samples, double fraction, std::uint64_t seed);

/// The same with every class split in proportion, each within one sample.
Split stratified_train_test_split(std::span<const std::int32_t> classes, double fraction, std::uint64_t seed);

}  // namespace mercer
