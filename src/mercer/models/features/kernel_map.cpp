#include "mercer/models/features/kernel_map.h"

#include <algorithm>
#include <numeric>

#include "mercer/features/empirical_map.h"
#include "mercer/features/landmarks.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/features/feature_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr std::uint64_t landmark_draw_stream = 0x6b6d6170ULL;

std::vector<Index> chosen_landmarks(const FeatureRows& rows, const KernelMapOptions& options, FitReport& report,
                                    const Run& run) {
  const Index count = options.size == 0 ? rows.size() : std::min(options.size, rows.size());
  if (count == rows.size()) {
    std::vector<Index> all(count);
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  if (options.landmarks == KernelMapLandmarks::pivots &&
      definiteness_on(rows.kernel(), rows.samples, run).is_positive()) {
    return pivot_coordinates(*rows.gram, {.max_rank = count}, run).pivots;
  }
  if (options.landmarks == KernelMapLandmarks::pivots) {
    report.notes.push_back("landmarks drawn at random: pivots need a positive kernel");
  }
  return rows_drawn_by_weight({rows.samples, rows.weights}, count, landmark_draw_stream, run);
}

}  // namespace

void KernelMapOptions::validate() const {
  check_options<KernelMapOptions>("kernelmap", kernel_map_option_table(), *this);
}

std::span<const Option<KernelMapOptions>> kernel_map_option_table() {
  static const std::vector<Option<KernelMapOptions>> table = {
      {"size", &KernelMapOptions::size, "how many landmarks; 0: all rows", Constraint::nonnegative},
      {"whiten", &KernelMapOptions::whiten,
       "yes: inner products of the features are kernel values (kernel PCA map); no: the features are kernel values"},
      {"landmarks", &KernelMapOptions::landmarks,
       "pivots: one after the other, each what those before it leave most of; random: drawn from the rows"},
      {"tolerance", &KernelMapOptions::tolerance,
       "eigenvalues below this share of the largest are dropped where whitened", Limits::from_to_below(0, 1)},
      {"precision", &KernelMapOptions::precision, "of kernel values in features"},
  };
  return table;
}

std::unique_ptr<FeatureModel> fit_kernel_map(const Kernel& kernel, const KernelMapOptions& options,
                                             const TrainingData& data, const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("landmarks");
  FeatureRows rows = feature_rows("kernelmap", kernel, data, run);
  if (options.landmarks == KernelMapLandmarks::pivots || options.size == 0) {
    refuse_unused_weights("kernelmap", kernel, counted_rows("kernelmap", data),
                          "landmarks are all rows, or those that the others leave most of, however often they occur",
                          run);
  }
  rows.precision = options.precision;
  if (options.whiten) {
    refuse_conditional("kernelmap: whiten=yes", rows.kernel());
  }
  const std::vector<Index> landmarks = chosen_landmarks(rows, options, report, run);
  timer.start("map");
  EmpiricalMap map = empirical_map(*rows.gram, landmarks, options.whiten ? MapForm::kernel_pca : MapForm::values,
                                   options.tolerance, run);
  const auto count = map.coefficients.columns();
  report.measures.push_back({"landmarks", static_cast<double>(landmarks.size())});
  report.measures.push_back({"components", static_cast<double>(count)});
  if (map.negative > 0) {
    report.notes.push_back(std::to_string(map.negative) + " negative eigenvalues of the landmarks were dropped");
  }
  const std::vector<double> offsets(count, 0.0);
  FeatureFunctions functions = feature_functions(rows, landmarks, map.coefficients.view(), offsets, {}, run);
  std::optional<FeatureResidual> residual;
  if (options.whiten && definiteness_on(rows.kernel(), rows.samples, run).is_positive()) {
    residual = FeatureResidual{std::vector<double>(count, 1.0), {}, 0};
  }
  timer.stop();
  return std::make_unique<FeatureModel>(
      ModelHead{.name = "kernelmap",
                .requested_kernel = rows.requested_kernel,
                .settings = settings_of(kernel_map_option_table(), options),
                .output_names = component_names(count),
                .report = std::move(report)},
      FeatureModel::Parts{.expansion = std::move(functions.expansion),
                          .value = options.whiten ? ComponentValue::eigenvalue : ComponentValue::squared_length,
                          .values = std::move(map.values),
                          .center_rows = std::move(functions.center_rows),
                          .residual = std::move(residual)});
}

const ModelEntry& kernel_map_entry() {
  static const ModelEntry entry = make_entry<FeatureModel>(
      {.name = "kernelmap",
       .aliases = {"kernel-map"},
       .summary = "kernel map: features from the kernel's values at landmarks, whose inner products are kernel values",
       .task = Task::features,
       .default_kernel = "rbf(gamma=scale)"},
      kernel_map_option_table(), fit_kernel_map);
  return entry;
}

}  // namespace mercer
