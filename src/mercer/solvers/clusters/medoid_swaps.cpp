#include "mercer/solvers/clusters/medoid_swaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

// Candidates whose rows of D are in memory together; the best of them is swapped in.
constexpr Index swap_candidates = 64;
constexpr double swap_rounding = 1e-12;

}  // namespace

MedoidDistances::MedoidDistances(const Gram<double>& distances, std::span<const double> weights,
                                 std::vector<Index> medoids, const Run& run)
    : weights_(weights), medoids_(std::move(medoids)) {
  const Index n = distances.size();
  const auto k = static_cast<Index>(medoids_.size());
  Matrix<double> rows(k, n);
  distances.rows(medoids_, rows.view(), run);
  const auto size = static_cast<std::size_t>(n);
  nearest_.assign(size, 0);
  near_.assign(size, std::numeric_limits<double>::infinity());
  second_.assign(size, std::numeric_limits<double>::infinity());
  removal_.assign(k, 0.0);
  for (Index c = 0; c < k; ++c) {
    for (std::size_t i = 0; i < size; ++i) {
      const double distance = rows(c, static_cast<Index>(i));
      if (distance < near_[i]) {
        second_[i] = near_[i];
        near_[i] = distance;
        nearest_[i] = c;
      } else if (distance < second_[i]) {
        second_[i] = distance;
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    objective_ += weights_[i] * near_[i];
    removal_[nearest_[i]] += weights_[i] * (second_[i] - near_[i]);
  }
  if (!std::isfinite(objective_)) {
    throw NumericalError("k-medoids: distances that are not finite numbers");
  }
}

MedoidDistances::Swap MedoidDistances::best_swap(Index candidate, std::span<const double> distances) const {
  std::vector<double> change = removal_;
  double gained = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const double distance = distances[i];
    if (distance < near_[i]) {
      gained += weights_[i] * (distance - near_[i]);
      change[nearest_[i]] -= weights_[i] * (second_[i] - near_[i]);
    } else if (distance < second_[i]) {
      change[nearest_[i]] -= weights_[i] * (second_[i] - distance);
    }
  }
  const auto least = std::min_element(change.begin(), change.end());
  return {gained + *least, static_cast<Index>(least - change.begin()), candidate};
}

MedoidDistances swap_medoids(const Gram<double>& distances, std::span<const double> weights, MedoidDistances start,
                             Index limit, std::vector<double>& objectives, const Run& run) {
  const Index n = distances.size();
  if (start.medoids().size() < 2) {
    return start;  // the alternation has looked at every sample as the one medoid
  }
  const Index blocks = block_count(n, swap_candidates);
  Matrix<double> rows(swap_candidates, n);
  Index swaps = 0;
  Index unchanged = 0;  // blocks in a row without a swap
  for (Index b = 0; unchanged < blocks && swaps < limit; b = (b + 1) % blocks) {
    run.check_stop();
    const IndexRange range = block_range(n, swap_candidates, b);
    std::vector<MedoidDistances::Swap> found(range.size());
    std::vector<Index> list(range.size());
    std::iota(list.begin(), list.end(), range.begin);
    const MatrixView<double> block = rows.view().row_block({0, range.size()});
    distances.rows(list, block, run);
    parallel_for(run, range.size(), [&](Index a) { found[a] = start.best_swap(range.begin + a, block.row(a)); });
    const auto best =
        std::min_element(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.change < y.change; });
    ++unchanged;
    if (best->change < -swap_rounding * start.objective()) {
      std::vector<Index> medoids = start.medoids();
      medoids[best->place] = best->row;
      MedoidDistances next(distances, weights, std::move(medoids), run);
      if (next.objective() < start.objective()) {
        start = std::move(next);
        objectives.push_back(start.objective());
        ++swaps;
        unchanged = 0;
      }
    }
    run.progress("swaps", static_cast<double>(unchanged), static_cast<double>(blocks));
  }
  return start;
}

}  // namespace mercer
