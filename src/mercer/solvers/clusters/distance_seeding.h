// Starting points of clusterings, far from each other: k-means++ with several trials per point. The first is drawn by
// weight, each further one with a probability proportional to w_i D_i, D_i the distance of i to the nearest so far; of
// a few draws the one that leaves the smallest Σ w_i D_i stays. For squared distances the expected objective is within
// 8(ln k + 2) of the best. Reference: Arthur & Vassilvitskii (2007), k-means++: the advantages of careful seeding.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// Writes the distances of the listed rows to all rows, list × n.
using DistancesOfRows = std::function<void(std::span<const Index> list, MatrixView<double> out)>;

struct DistanceSeeds {
  std::vector<Index> rows;     ///< distinct
  std::vector<Index> nearest;  ///< per row, the number of the nearest seed; of equal ones the first
  double objective = 0;        ///< Σ w_i D_i
};

/// `count` seeds, or fewer where no further row is at a distance above `negligible` from those chosen. Draws go by
/// cumulated weights in the order of the rows: a weight w is the row w times one after the other.
/// (2 + ln count) · count rows of distances.
DistanceSeeds seed_by_distance(const DistancesOfRows& distances, std::span<const double> weights, Index count,
                               double negligible, RandomStream& random);

}  // namespace mercer
