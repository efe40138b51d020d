#include "mercer/solvers/clusters/kernel_kmeans.h"

#include <algorithm>
#include <string>

#include "mercer/base/error.h"
#include "mercer/solvers/clusters/kmeans_restarts.h"

namespace mercer {

void KernelKmeansOptions::validate() const {
  if (clusters < 1) {
    reject_argument("clusters", static_cast<double>(clusters), "1 at least");
  }
  if (restarts < 1) {
    reject_argument("restarts", static_cast<double>(restarts), "1 at least");
  }
  if (max_iterations < 1) {
    reject_argument("max_iterations", static_cast<double>(max_iterations), "1 at least");
  }
  if (!(tolerance >= 0)) {
    reject_argument("tolerance", tolerance, "not negative");
  }
}

namespace {

constexpr Index kmeans_block_numbers = Index{1} << 23;

// Clusters in the order of their first samples, without empty ones.
KernelKmeansSolution numbered_by_first(const KmeansRestart& best, Index k) {
  KernelKmeansSolution solution;
  std::vector<Index> number(k, -1);
  for (const Index old : best.now.assignment) {
    const auto at = static_cast<std::size_t>(old);
    if (number[at] < 0) {
      number[at] = solution.clusters++;
      solution.cluster_weights.push_back(best.now.cluster_weights[at]);
      solution.squared_norms.push_back(best.now.squared_norms[at]);
    }
    solution.assignment.push_back(number[at]);
  }
  solution.status = best.status;
  solution.objectives = best.objectives;
  solution.objective = std::max(0.0, best.objective());
  solution.reseeded = best.reseeded;
  return solution;
}

void require_kmeans_input(const Gram<double>& gram, std::span<const double> weights,
                          const KernelKmeansOptions& options) {
  options.validate();
  if (!weights.empty() && static_cast<Index>(weights.size()) != gram.size()) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(gram.size()) + " samples");
  }
  if (gram.size() == 0) {
    throw InvalidArgument("k-means: there are no samples to sort into clusters");
  }
  if (!options.start.empty()) {
    if (static_cast<Index>(options.start.size()) != gram.size()) {
      throw InvalidArgument("a start of " + std::to_string(options.start.size()) + " clusters for " +
                            std::to_string(gram.size()) + " samples: one per sample is needed");
    }
    for (const Index c : options.start) {
      if (c < 0 || c >= std::min(options.clusters, gram.size())) {
        reject_argument("a cluster of the start", static_cast<double>(c), "a number from 0 below clusters and samples");
      }
    }
  }
}

}  // namespace

KernelKmeansSolution kernel_kmeans(const Gram<double>& gram, std::span<const double> weights,
                                   const KernelKmeansOptions& options, const Run& run) {
  require_kmeans_input(gram, weights, options);
  const KmeansRun kmeans(gram, weights, options, run);
  const Index k = std::min(options.clusters, gram.size());
  const Index restarts = options.start.empty() ? options.restarts : 1;
  const Index together = std::clamp<Index>(kmeans_block_numbers / (gram.size() * k), 1, restarts);
  KmeansRestart best;
  std::vector<double> finals;
  for (Index b = 0; b < block_count(restarts, together); ++b) {
    const IndexRange range = block_range(restarts, together, b);
    std::vector<KmeansRestart> group;
    for (Index r = range.begin; r < range.end; ++r) {
      group.push_back(kmeans.start(r));
    }
    for (Index step = 0; kmeans.step(group); ++step) {
      run.check_stop();
      run.progress("k-means",
                   static_cast<double>(range.begin) + static_cast<double>(range.size()) * static_cast<double>(step) /
                                                          static_cast<double>(options.max_iterations),
                   static_cast<double>(restarts));
    }
    for (KmeansRestart& restart : group) {
      finals.push_back(restart.objective());
      if (best.objectives.empty() || restart.objective() < best.objective()) {
        best = std::move(restart);
      }
    }
  }
  KernelKmeansSolution solution = numbered_by_first(best, k);
  solution.final_objectives = std::move(finals);
  return solution;
}

}  // namespace mercer
