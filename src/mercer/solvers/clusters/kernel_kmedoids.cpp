#include "mercer/solvers/clusters/kernel_kmedoids.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/clusters/distance_seeding.h"
#include "mercer/solvers/clusters/medoid_swaps.h"

namespace mercer {

void KernelKmedoidsOptions::validate() const {
  if (clusters < 1) {
    reject_argument("clusters", static_cast<double>(clusters), "1 at least");
  }
  if (restarts < 1) {
    reject_argument("restarts", static_cast<double>(restarts), "1 at least");
  }
  if (max_iterations < 1) {
    reject_argument("max_iterations", static_cast<double>(max_iterations), "1 at least");
  }
}

namespace {

constexpr Index kmedoids_block_numbers = Index{1} << 24;

struct MedoidRestart {
  MedoidDistances present;
  std::vector<double> objectives;
  SolveStatus status = SolveStatus::iteration_limit;
  bool active = true;
};

MedoidRestart medoid_start(const Gram<double>& distances, std::span<const double> weights,
                           const KernelKmedoidsOptions& options, Index number, const Run& run) {
  std::vector<Index> medoids = options.start;
  if (medoids.empty()) {
    RandomStream random(run.seed(), static_cast<std::uint64_t>(number) + 0x6d65646f6964);
    const DistancesOfRows rows = [&](std::span<const Index> list, MatrixView<double> out) {
      distances.rows(list, out, run);
    };
    medoids = seed_by_distance(rows, weights, std::min(options.clusters, distances.size()), 0.0, random).rows;
  }
  return {MedoidDistances(distances, weights, std::move(medoids), run), {}};
}

// The member of every cluster with the least sum of distances; the medoid stays where none is better.
std::vector<Index> central_members(const MedoidRestart& restart, ConstMatrixView<double> sums) {
  std::vector<Index> medoids = restart.present.medoids();
  const std::vector<Index>& nearest = restart.present.nearest();
  std::vector<double> least(medoids.size());
  for (std::size_t c = 0; c < medoids.size(); ++c) {
    least[c] = sums(medoids[c], static_cast<Index>(c));
  }
  for (Index i = 0; i < sums.rows(); ++i) {
    const Index c = nearest[i];
    if (sums(i, c) < least[c]) {
      least[c] = sums(i, c);
      medoids[c] = i;
    }
  }
  return medoids;
}

// One product with D for one step of every active restart. False where there is none.
bool alternate(const Gram<double>& distances, std::span<const double> weights, const KernelKmedoidsOptions& options,
               std::span<MedoidRestart> restarts, const Run& run) {
  std::vector<MedoidRestart*> active;
  Index columns = 0;
  for (MedoidRestart& restart : restarts) {
    if (restart.active) {
      active.push_back(&restart);
      columns += static_cast<Index>(restart.present.medoids().size());
    }
  }
  if (active.empty()) {
    return false;
  }
  const Index n = distances.size();
  Matrix<double> indicators = Matrix<double>::filled(n, columns, 0.0);
  Index first = 0;
  for (const MedoidRestart* restart : active) {
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      indicators(i, first + restart->present.nearest()[at]) = weights[at];
    }
    first += static_cast<Index>(restart->present.medoids().size());
  }
  Matrix<double> sums(n, columns);
  distances.multiply(std::as_const(indicators).view(), sums.view(), run);
  first = 0;
  for (MedoidRestart* restart : active) {
    const auto k = static_cast<Index>(restart->present.medoids().size());
    restart->objectives.push_back(restart->present.objective());
    MedoidDistances next(distances, weights,
                         central_members(*restart, std::as_const(sums).view().block(0, first, n, k)), run);
    if (next.objective() < restart->present.objective()) {
      restart->present = std::move(next);
      restart->active = static_cast<Index>(restart->objectives.size()) < options.max_iterations;
    } else {
      restart->active = false;
      restart->status = SolveStatus::converged;
    }
    first += k;
  }
  return true;
}

void require_kmedoids_input(const Gram<double>& distances, std::span<const double> weights,
                            const KernelKmedoidsOptions& options) {
  options.validate();
  const Index n = distances.size();
  if (n == 0) {
    throw InvalidArgument("k-medoids: there are no samples to sort into clusters");
  }
  if (!weights.empty() && static_cast<Index>(weights.size()) != n) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(n) + " samples");
  }
  std::vector<Index> sorted = options.start;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() &&
      (sorted.front() < 0 || sorted.back() >= n || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())) {
    throw InvalidArgument("k-medoids: a start must name different rows from 0 to " + std::to_string(n - 1));
  }
}

KernelKmedoidsSolution solution_of(const MedoidRestart& best, std::span<const double> weights) {
  KernelKmedoidsSolution solution;
  const std::vector<Index>& medoids = best.present.medoids();
  std::vector<Index> order(medoids.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return medoids[a] < medoids[b]; });
  std::vector<Index> number(medoids.size());
  for (std::size_t c = 0; c < order.size(); ++c) {
    number[order[c]] = static_cast<Index>(c);
    solution.medoids.push_back(medoids[order[c]]);
  }
  solution.cluster_weights.assign(medoids.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    solution.assignment.push_back(number[best.present.nearest()[i]]);
    solution.cluster_weights[solution.assignment.back()] += weights[i];
  }
  solution.status = best.status;
  solution.objective = best.present.objective();
  solution.objectives = best.objectives;
  return solution;
}

}  // namespace

KernelKmedoidsSolution kernel_kmedoids(const Gram<double>& distances, std::span<const double> given,
                                       const KernelKmedoidsOptions& options, const Run& run) {
  require_kmedoids_input(distances, given, options);
  const Index n = distances.size();
  std::vector<double> weights(given.begin(), given.end());
  weights.resize(n, 1.0);
  const Index restarts = options.start.empty() ? options.restarts : 1;
  const Index k = std::min(options.clusters, n);
  const Index together = std::clamp<Index>(kmedoids_block_numbers / (n * k), 1, restarts);
  std::optional<MedoidRestart> best;
  std::vector<double> finals;
  for (Index b = 0; b < block_count(restarts, together); ++b) {
    const IndexRange range = block_range(restarts, together, b);
    std::vector<MedoidRestart> group;
    for (Index r = range.begin; r < range.end; ++r) {
      group.push_back(medoid_start(distances, weights, options, r, run));
    }
    while (alternate(distances, weights, options, group, run)) {
      run.check_stop();
      run.progress("k-medoids", static_cast<double>(range.begin), static_cast<double>(restarts));
    }
    for (MedoidRestart& restart : group) {
      finals.push_back(restart.present.objective());
      if (!best || restart.present.objective() < best->present.objective()) {
        best = std::move(restart);
      }
    }
  }
  Index swaps = 0;
  if (options.swaps == MedoidSwaps::search) {
    const auto before = static_cast<Index>(best->objectives.size());
    best->present =
        swap_medoids(distances, weights, std::move(best->present), options.max_iterations, best->objectives, run);
    swaps = static_cast<Index>(best->objectives.size()) - before;
    if (swaps == options.max_iterations) {
      best->status = SolveStatus::iteration_limit;
    }
  }
  KernelKmedoidsSolution solution = solution_of(*best, weights);
  solution.final_objectives = std::move(finals);
  solution.swaps = swaps;
  return solution;
}

}  // namespace mercer
