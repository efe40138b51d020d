// Landmarks: the few samples whose kernel functions are to stand for those of all.
//
//   uniform    drawn with equal probabilities: cheapest, and the weakest where the data is uneven
//   kmeans     the means of clusters in input space (numeric samples; they are no rows): Zhang & Kwok (2010)
//   leverage   drawn by approximate ridge leverage scores ℓ_i = (K(K + λ1)⁻¹)_ii, estimated from a uniform draw:
//              Alaoui & Mahoney (2015), Musco & Musco (2017)
//   pivots     randomly pivoted Cholesky, drawn by what is left of k(x, x): Chen, Epperly, Tropp & Webber (2022)
//   greedy     pivoted Cholesky that takes (about) the largest rest each time
//
// A row is drawn as many times more easily as its weight says, and counts so often in a mean; greedy takes what is left
// alone into account. Work is O(n r²) at most. Where n·r numbers would not fit, pivots and greedy choose from a uniform draw of the rows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

enum class LandmarkRule { uniform, kmeans, leverage, pivots, greedy };
constexpr auto words_of(LandmarkRule) {
  return std::array{Word{LandmarkRule::pivots, "pivots"}, Word{LandmarkRule::greedy, "greedy"},
                    Word{LandmarkRule::leverage, "leverage"}, Word{LandmarkRule::kmeans, "kmeans"},
                    Word{LandmarkRule::uniform, "uniform"}};
}

struct Landmarks {
  Samples samples;
  std::vector<Index> rows;         ///< which rows they are; empty for means of clusters
  std::vector<std::string> notes;  ///< plain sentences: candidates were drawn, …
};

struct LandmarkOptions {
  Index count = 100;  ///< all rows where there are not more
  LandmarkRule rule = LandmarkRule::pivots;
  double memory = 1e9;  ///< bytes that pivots and greedy may use
};

/// `count` different rows, ascending, drawn by their weights; all where there are no more. Random numbers come from
/// run.seed() and the stream.
std::vector<Index> rows_drawn_by_weight(const WeightedSamples& all, Index count, std::uint64_t stream, const Run& run);

/// Fewer than `count` where the rows span no more. Widths of the kernel must be numbers; pivots, greedy and leverage need
/// a positive definite kernel: others get a uniform draw, and a note. kmeans needs numeric samples: DataError. Random
/// numbers come from run.seed().
Landmarks choose_landmarks(const Kernel& kernel, const WeightedSamples& all, const LandmarkOptions& options,
                           const Run& run);

}  // namespace mercer
