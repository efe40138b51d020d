// The summands of a kernel, each a kernel of its own whose weight is learnt: their starting weights, their scales, their
// Gram matrices, and the weighted sum put together again.
//
//   k = c₁k₁ + c₂k₂ + …    c·(k₁ + k₂) and (k₁ + k₂)[age] are sums too; products are not taken apart
//
// Weights of kernels of different size mean nothing, so that every summand is first brought to size 1 on the training
// rows (SummandSize).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/gram/alignment.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"

namespace mercer {

/// What is brought to 1: the mean of the diagonal (trace), the variance of the rows in the feature space, which is the
/// mean of the centred diagonal, every value of the diagonal (unit: k(x, y)/√(k(x, x)k(y, y))), or nothing.
enum class SummandSize { trace, variance, unit, none };
constexpr auto words_of(SummandSize) {
  return std::array{Word{SummandSize::trace, "trace"}, Word{SummandSize::variance, "variance"},
                    Word{SummandSize::unit, "unit"}, Word{SummandSize::none, "none"}};
}

struct Summand {
  Kernel kernel;     ///< without the number in front
  double start = 1;  ///< that number, 1 where there is none
};

/// In the order of the text; summands that are equal are one. InvalidArgument for a number in front that is negative or not resolved.
std::vector<Summand> split_sum(const Kernel& kernel);

/// Σ factor_k kernel_k without those of factor 0. InvalidArgument where none is left.
Kernel weighted_sum(std::span<const Kernel> kernels, std::span<const double> factors);

/// How the Gram matrices stand in memory: all of them, or none, their tiles computed whenever they are needed.
enum class SummandStorage { stored, tiles };

/// What each kernel is multiplied by to be of size 1; 0 for one that is 0 on these rows. Arguments and errors as those of
/// SummandGrams; a pass over n² kernel values where the size is a variance, over the diagonal otherwise.
std::vector<double> summand_scales(std::span<const Kernel> kernels, const Samples& samples,
                                   std::span<const double> row_weights, SummandSize size, Centering centering,
                                   const Run& run);

class SummandGrams {
 public:
  /// `kernels` are resolved; row_weights (empty: all 1) count rows in the means; SummandSize::unit is taken as done, its
  /// scale is 1. Centring leaves what machines with an offset see: conditionally
  /// positive kernels of order 1 need it. All matrices are stored, in double, where they and one more fit `memory_bytes`.
  /// InvalidArgument for kernels that are not positive (conditionally, where they are centred); DataError where every
  /// summand is 0 on these rows.
  SummandGrams(std::span<const Kernel> kernels, const Samples& samples, std::span<const double> row_weights,
               SummandSize size, Centering centering, double memory_bytes, const Run& run);

  Index count() const { return static_cast<Index>(grams_.size()); }
  Index size() const { return size_; }
  SummandStorage storage() const { return storage_; }
  /// As summand_scales().
  std::span<const double> scales() const { return scales_; }

  /// Matrix k, centred where that was asked for, without its scale.
  const Gram<double>& gram(Index k) const { return *grams_[k]; }
  /// Σ_k d_k s_k K_k, all of it.
  Matrix<double> combined(std::span<const double> weights, const Run& run) const;
  /// The same on some rows and columns.
  Matrix<double> combined(std::span<const double> weights, std::span<const Index> rows, const Run& run) const;
  /// s_k K_k β for all rows; β is given on `rows`.
  std::vector<double> product(Index k, std::span<const Index> rows, std::span<const double> beta, const Run& run) const;

 private:
  Index size_ = 0;
  SummandStorage storage_ = SummandStorage::stored;
  std::vector<std::shared_ptr<const Gram<double>>> grams_;
  std::vector<double> scales_;
};

}  // namespace mercer
