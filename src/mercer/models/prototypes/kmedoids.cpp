#include "mercer/models/prototypes/kmedoids.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/prototypes/training_gram.h"
#include "mercer/solvers/clusters/kernel_kmedoids.h"

namespace mercer {

namespace {

template <class Options>
KernelKmedoidsOptions medoid_solver_options(const Options& options, Index clusters) {
  return {.clusters = clusters,
          .restarts = options.restarts,
          .max_iterations = options.max_iterations,
          .swaps = options.swaps ? MedoidSwaps::search : MedoidSwaps::skip};
}

template <class Options>
std::vector<Option<Options>> medoid_search_options() {
  return {
      {"restarts", &Options::restarts, "k-means++ starts of the alternation, all in the same passes; the best is kept",
       Constraint::positive},
      {"max_iterations", &Options::max_iterations, "limit on alternations, and on swaps", Constraint::positive},
      {"swaps", &Options::swaps, "after the alternation, exchange medoids for other samples while that helps (PAM)"},
      {"distance", &Options::distance, "what is summed: distances in feature space, or their squares"},
      {"memory_mb", &Options::memory_mb,
       "distances are stored up to this size, and evaluated at every pass beyond; 0: half of the machine's memory",
       Constraint::nonnegative},
  };
}

template <class Options>
KernelKmedoidsSolution find_medoids(const Kernel& kernel, const Samples& samples, std::span<const double> weights,
                                    const Options& options, Index clusters, const Run& run) {
  const auto distances = training_distances(kernel, samples, options.distance, options.memory_mb, run);
  return kernel_kmedoids(*distances, weights, medoid_solver_options(options, clusters), run);
}

std::vector<Index> rows_at(const std::vector<Index>& rows, const std::vector<Index>& numbers) {
  std::vector<Index> result;
  for (const Index number : numbers) {
    result.push_back(rows[number]);
  }
  return result;
}

void add_medoid_search(const KernelKmedoidsSolution& solution, FitReport& report) {
  if (solution.status != SolveStatus::converged) {
    report.status = solution.status;
  }
  report.iterations += static_cast<Index>(solution.objectives.size());
  report.objective += solution.objective;
}

}  // namespace

void KmedoidsOptions::validate() const { check_options<KmedoidsOptions>("kmedoids", kmedoids_option_table(), *this); }

void MedoidClassifierOptions::validate() const {
  check_options<MedoidClassifierOptions>("medoidc", medoid_classifier_option_table(), *this);
}

std::span<const Option<KmedoidsOptions>> kmedoids_option_table() {
  static const std::vector<Option<KmedoidsOptions>> table = [] {
    std::vector<Option<KmedoidsOptions>> lines = medoid_search_options<KmedoidsOptions>();
    lines.insert(lines.begin(), {"clusters", &KmedoidsOptions::clusters, "how many clusters", Constraint::positive});
    return lines;
  }();
  return table;
}

std::span<const Option<MedoidClassifierOptions>> medoid_classifier_option_table() {
  static const std::vector<Option<MedoidClassifierOptions>> table = [] {
    std::vector<Option<MedoidClassifierOptions>> lines = medoid_search_options<MedoidClassifierOptions>();
    lines.insert(lines.begin(), {"medoids", &MedoidClassifierOptions::medoids, "how many medoids per class",
                                 Constraint::positive, SearchRange{"1..20"}});
    return lines;
  }();
  return table;
}

std::unique_ptr<PrototypeModel> fit_kmedoids(const Kernel& kernel, const KmedoidsOptions& options,
                                             const TrainingData& given, const Run& run) {
  options.validate();
  const MergedRows merged = merged_rows("kmedoids", &kernel, given);
  const TrainingData& data = merged.data;
  FitReport report;
  PhaseTimer timer(report);
  timer.start("solve");
  const DistanceRows counted = distance_rows("kmedoids", kernel, data, run);
  const KernelKmedoidsSolution solution =
      find_medoids(counted.kernel, counted.samples, counted.weights, options, options.clusters, run);
  timer.start("model");
  Expansion points = row_points(counted.kernel, counted.samples.select(solution.medoids), run);
  timer.stop();
  report.objective_name = "sum of distances";
  add_medoid_search(solution, report);
  const auto [smallest, largest] =
      std::minmax_element(solution.cluster_weights.begin(), solution.cluster_weights.end());
  report.measures = {{Fact::distance_sum, solution.objective},
                     {"clusters", static_cast<double>(solution.medoids.size())},
                     {"smallest cluster", *smallest},
                     {"largest cluster", *largest},
                     {"swaps", static_cast<double>(solution.swaps)}};
  if (static_cast<Index>(solution.medoids.size()) < options.clusters) {
    report.notes.push_back(std::to_string(solution.medoids.size()) + " clusters instead of " +
                           std::to_string(options.clusters) + ": there are no more distinct samples");
  }
  return std::make_unique<PrototypeModel>(
      ModelHead{.name = "kmedoids",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(kmedoids_option_table(), options),
                .output_names = {"cluster"},
                .report = std::move(report)},
      PrototypeModel::Parts{.kind = PointKind::medoids,
                            .points = std::move(points),
                            .point_rows = merged.given(rows_at(counted.rows, solution.medoids))});
}

std::unique_ptr<PrototypeModel> fit_medoid_classifier(const Kernel& kernel, const MedoidClassifierOptions& options,
                                                      const TrainingData& given, const Run& run) {
  options.validate();
  const MergedRows merged = merged_rows("medoidc", &kernel, given);
  const TrainingData& data = merged.data;
  FitReport report;
  PhaseTimer timer(report);
  timer.start("solve");
  const LabeledRows labeled = read_labels("medoidc", data, LabelReading::classes, {});
  const DistanceRows counted = distance_rows("medoidc", kernel, data, run);
  std::vector<Index> medoids;
  std::vector<Index> point_classes;
  report.objective_name = "sum of distances";
  for (std::size_t c = 0; c < labeled.levels.size(); ++c) {
    std::vector<Index> members;
    std::vector<double> weights;
    for (std::size_t i = 0; i < labeled.classes.size(); ++i) {
      if (static_cast<std::size_t>(labeled.classes[i]) == c) {
        members.push_back(static_cast<Index>(i));
        weights.push_back(counted.weights[i]);
      }
    }
    const KernelKmedoidsSolution solution =
        find_medoids(counted.kernel, counted.samples.select(members), weights, options, options.medoids, run);
    add_medoid_search(solution, report);
    for (const Index number : rows_at(members, solution.medoids)) {
      medoids.push_back(number);
      point_classes.push_back(static_cast<Index>(c));
    }
  }
  timer.start("model");
  Expansion points = row_points(counted.kernel, counted.samples.select(medoids), run);
  timer.stop();
  report.measures = {{"medoids", static_cast<double>(medoids.size())}, {Fact::distance_sum, report.objective}};
  return std::make_unique<PrototypeModel>(
      ModelHead{.name = "medoidc",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(medoid_classifier_option_table(), options),
                .output_names = {data.targets.columns().front().name},
                .classes = labeled.levels,
                .report = std::move(report)},
      PrototypeModel::Parts{.kind = PointKind::class_medoids,
                            .points = std::move(points),
                            .point_rows = merged.given(rows_at(counted.rows, medoids)),
                            .point_classes = std::move(point_classes)});
}

namespace {

// What a load begins with.
template <PointKind kind>
PrototypeModel::Parts no_points() {
  return {.kind = kind};
}

}  // namespace

const ModelEntry& kmedoids_entry() {
  static const ModelEntry entry =
      make_entry<PrototypeModel>({.name = "kmedoids",
                                  .aliases = {"k-medoids", "pam"},
                                  .summary = "kernel k-medoids: clusters around samples, by distances in feature space",
                                  .task = Task::clustering,
                                  .default_kernel = "linear()"},
                                 kmedoids_option_table(), fit_kmedoids, no_points<PointKind::medoids>);
  return entry;
}

const ModelEntry& medoid_classifier_entry() {
  static const ModelEntry entry = make_entry<PrototypeModel>(
      {.name = "medoidc",
       .aliases = {"nearest-medoid"},
       .summary = "nearest medoid: a few samples stand for every class",
       .task = Task::classification,
       .default_kernel = "linear()",
       .counterpart = "knnr"},
      medoid_classifier_option_table(), fit_medoid_classifier, no_points<PointKind::class_medoids>);
  return entry;
}

}  // namespace mercer
