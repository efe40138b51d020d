#include "mercer/models/prototypes/kmeans.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/prototypes/training_gram.h"
#include "mercer/solvers/clusters/kernel_kmeans.h"

namespace mercer {

namespace {

KernelKmeansOptions kmeans_solver_options(const KmeansOptions& options) {
  return {.clusters = options.clusters,
          .restarts = options.restarts,
          .max_iterations = options.max_iterations,
          .tolerance = options.tolerance};
}

FitReport kmeans_report(const KmeansOptions& options, const KernelKmeansSolution& solution) {
  FitReport report;
  report.status = solution.status;
  report.iterations = static_cast<Index>(solution.objectives.size());
  report.objective_name = "inertia";
  report.objective = solution.objective;
  const auto [smallest, largest] =
      std::minmax_element(solution.cluster_weights.begin(), solution.cluster_weights.end());
  report.measures = {{Fact::inertia, solution.objective},
                     {"clusters", static_cast<double>(solution.clusters)},
                     {"smallest cluster", *smallest},
                     {"largest cluster", *largest}};
  if (solution.final_objectives.size() > 1) {
    report.measures.push_back(
        {"worst inertia of a restart",
         std::max(0.0, *std::max_element(solution.final_objectives.begin(), solution.final_objectives.end()))});
  }
  if (solution.clusters < options.clusters) {
    report.notes.push_back(std::to_string(solution.clusters) + " clusters instead of " +
                           std::to_string(options.clusters) + ": there are no more distinct samples");
  }
  if (solution.reseeded > 0) {
    report.notes.push_back("empty clusters were filled again " + std::to_string(solution.reseeded) + " times");
  }
  if (solution.status == SolveStatus::stalled) {
    report.notes.push_back("the kernel is indefinite: the fit ended where the inertia would have risen");
  }
  return report;
}

}  // namespace

void KmeansOptions::validate() const { check_options<KmeansOptions>("kmeans", kmeans_option_table(), *this); }

std::span<const Option<KmeansOptions>> kmeans_option_table() {
  static const std::array<Option<KmeansOptions>, 5> table{{
      {"clusters", &KmeansOptions::clusters, "how many clusters", Constraint::positive},
      {"restarts", &KmeansOptions::restarts, "k-means++ starts, all in the same passes over K; the best is kept",
       Constraint::positive},
      {"max_iterations", &KmeansOptions::max_iterations, "limit on the passes over K", Constraint::positive},
      {"tolerance", &KmeansOptions::tolerance,
       "stop where the inertia falls by less than this fraction; 0: where no sample moves", Constraint::nonnegative},
      {"memory_mb", &KmeansOptions::memory_mb,
       "K is stored up to this size, and evaluated at every pass beyond; 0: half of the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<PrototypeModel> fit_kmeans(const Kernel& kernel, const KmeansOptions& options,
                                           const TrainingData& given, const Run& run) {
  options.validate();
  const TrainingData data = merged_rows("kmeans", &kernel, given).data;
  FitReport timed;
  PhaseTimer timer(timed);
  timer.start("kernel");
  const DistanceRows counted = distance_rows("kmeans", kernel, data, run);
  const auto gram = training_gram(counted.kernel, counted.samples, options.memory_mb, run);
  timer.start("solve");
  const KernelKmeansSolution solution = kernel_kmeans(*gram, counted.weights, kmeans_solver_options(options), run);
  timer.start("model");
  const Index n = counted.samples.size();
  Matrix<double> coefficients = Matrix<double>::filled(n, solution.clusters, 0.0);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index c = solution.assignment[at];
    coefficients(i, c) = -2 * counted.weights[at] / solution.cluster_weights[c];
  }
  Expansion points =
      compact_expansion(counted.kernel, counted.samples, std::move(coefficients), solution.squared_norms, run);
  timer.stop();
  FitReport report = kmeans_report(options, solution);
  report.phases = timed.phases;
  return std::make_unique<PrototypeModel>(ModelHead{.name = "kmeans",
                                                    .requested_kernel = kernel.spec(),
                                                    .settings = settings_of(kmeans_option_table(), options),
                                                    .output_names = {"cluster"},
                                                    .report = std::move(report)},
                                          PrototypeModel::Parts{.kind = PointKind::means, .points = std::move(points)});
}

const ModelEntry& kmeans_entry() {
  static const ModelEntry entry =
      make_entry<PrototypeModel>({.name = "kmeans",
                                  .aliases = {"k-means"},
                                  .summary = "kernel k-means: clusters around means in feature space",
                                  .task = Task::clustering,
                                  .default_kernel = "linear()"},
                                 kmeans_option_table(), fit_kmeans);
  return entry;
}

}  // namespace mercer
