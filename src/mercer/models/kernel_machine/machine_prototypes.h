// The prototypes μ_1 … μ_M of a kernel machine, whose features are φ(x) = [κ(x, μ_1) … κ(x, μ_M)]:
//
//   data      the training rows, or `count` of them drawn at random
//   kmeans    kernel k-means; of every cluster the row nearest to its mean in feature space
//   pivoted   rows that a greedily pivoted Cholesky factorisation of K chooses: the span of their features is close to all
//   grid      equal steps from the least to the largest value of every column, up to three numeric columns
//
// Reference: Murphy (2012), 14.3.1 and 14.3.2.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

enum class PrototypeRule { data, kmeans, pivoted, grid };
constexpr auto words_of(PrototypeRule) {
  return std::array{Word{PrototypeRule::data, "data"}, Word{PrototypeRule::kmeans, "kmeans"},
                    Word{PrototypeRule::pivoted, "pivoted"}, Word{PrototypeRule::grid, "grid"}};
}

struct PrototypeChoice {
  PrototypeRule rule = PrototypeRule::data;
  Index count = 0;                    ///< 0: all rows for `data`, at most 100 otherwise
  std::optional<Samples> given = {};  ///< these instead, of the kind of the samples

  /// `model` is named in messages.
  void validate(const char* model) const;
};

/// The kernel's widths must be numbers. `data`: no cost; kmeans: k-means on K; pivoted: n·count² flops; grid: about
/// `count` points. InvalidArgument where the kernel (kmeans, pivoted) or the samples (grid) do not allow the rule,
/// DataError for given prototypes that are not of the kind of the samples.
Samples choose_prototypes(const char* model, const PrototypeChoice& choice, const Kernel& kernel,
                          const Samples& samples, std::span<const double> weights, double memory_mb, const Run& run);

}  // namespace mercer
