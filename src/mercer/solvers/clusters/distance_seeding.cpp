#include "mercer/solvers/clusters/distance_seeding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

// The first row where the cumulated masses pass u · total; a row of mass 0 is never taken.
Index draw_by_mass(std::span<const double> masses, double total, RandomStream& random) {
  const double target = random.uniform() * total;
  double sum = 0;
  Index last = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (masses[i] > 0) {
      sum += masses[i];
      last = static_cast<Index>(i);
      if (sum > target) {
        break;
      }
    }
  }
  return last;
}

}  // namespace

DistanceSeeds seed_by_distance(const DistancesOfRows& distances, std::span<const double> weights, Index count,
                               double negligible, RandomStream& random) {
  const std::size_t n = weights.size();
  double total = 0;
  for (const double weight : weights) {
    total += weight;
  }
  DistanceSeeds seeds;
  seeds.nearest.assign(n, 0);
  std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
  std::vector<double> masses(weights.begin(), weights.end());
  const auto trials = 2 + static_cast<Index>(std::log(static_cast<double>(std::max<Index>(count, 1))));
  while (static_cast<Index>(seeds.rows.size()) < count && total > 0) {
    std::vector<Index> candidates;
    for (Index t = 0; t < (seeds.rows.empty() ? 1 : trials); ++t) {
      candidates.push_back(draw_by_mass(masses, total, random));
    }
    Matrix<double> rows(static_cast<Index>(candidates.size()), static_cast<Index>(n));
    distances(candidates, rows.view());
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index t = 0; t < rows.rows(); ++t) {
      double left = 0;
      for (std::size_t i = 0; i < n; ++i) {
        left += weights[i] * std::min(nearest[i], rows(t, static_cast<Index>(i)));
      }
      if (left < least) {
        least = left;
        best = t;
      }
    }
    total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = rows(best, static_cast<Index>(i));
      if (distance < nearest[i]) {
        nearest[i] = distance;
        seeds.nearest[i] = static_cast<Index>(seeds.rows.size());
      }
      masses[i] = nearest[i] > negligible ? weights[i] * nearest[i] : 0.0;
      total += masses[i];
    }
    seeds.rows.push_back(candidates[best]);
    seeds.objective = least;
  }
  return seeds;
}

}  // namespace mercer
