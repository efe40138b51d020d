#include "mercer/models/features/kfa.h"

#include <array>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/features/sparse_features.h"
#include "mercer/models/features/feature_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/required_definiteness.h"

namespace mercer {

namespace {

// Beyond it a search over all rows takes minutes.
constexpr Index rows_searched_in_full = 10000;

bool searches_at_random(KfaSearch search, Index rows) {
  switch (search) {
    case KfaSearch::all:
      return false;
    case KfaSearch::random:
      return true;
    case KfaSearch::automatic:
      break;
  }
  return rows > rows_searched_in_full;
}

SparseFeatureOptions kfa_search_options(const KfaOptions& options, Index rows) {
  SparseFeatureOptions result;
  result.features = options.components;
  result.mode = options.mode;
  result.norm = options.norm;
  result.candidates = searches_at_random(options.search, rows) ? options.candidates : 0;
  result.confidence = options.confidence;
  result.tolerance = options.tolerance;
  return result;
}

SparseFeatures search_features(const FeatureRows& rows, const KfaOptions& options, FitReport& report, const Run& run) {
  const SparseFeatureOptions search = kfa_search_options(options, rows.size());
  if (search.candidates > 0 && search.candidates < rows.size()) {
    report.notes.push_back("the best of " + std::to_string(search.candidates) + " random rows for every component; " +
                           "search=all looks at every row");
  }
  const bool all = search.candidates == 0 && search.confidence == 0;
  const auto bytes = static_cast<double>(rows.size()) * static_cast<double>(rows.size()) * 8;
  if (all && bytes <= allowed_memory(options.memory_mb, whole_machine) / 2) {
    return sparse_features(DenseGram<double>(rows.gram->kernel(), run), rows.weights, search, run);
  }
  return sparse_features(*rows.gram, rows.weights, search, run);
}

}  // namespace

void KfaOptions::validate() const { check_options<KfaOptions>("kfa", kfa_option_table(), *this); }

std::span<const Option<KfaOptions>> kfa_option_table() {
  static const std::array<Option<KfaOptions>, 8> table{{
      {"components", &KfaOptions::components, "how many features, each with one more training row",
       Constraint::positive},
      {"mode", &KfaOptions::mode,
       "projection: what the features before it explain is taken away from every row; normalized: and rows are "
       "compared "
       "at coefficients of norm 1; removal: only the chosen row is left out"},
      {"norm", &KfaOptions::norm, "p of the norm of the coefficients (mode normalized)", Limits::from(1)},
      {"search", &KfaOptions::search,
       "which rows may become the next feature: all, or the best of some random ones; automatic: all up to 10000 rows"},
      {"candidates", &KfaOptions::candidates,
       "random rows per feature (search random): the best of 59 is among the best 5 % with probability 95 %",
       Constraint::positive},
      {"confidence", &KfaOptions::confidence,
       "0: exact variances; otherwise rows are given up as soon as part of the sample shows with this confidence that "
       "they are not the best",
       Limits::from_to_below(0, 1)},
      {"tolerance", &KfaOptions::tolerance, "the part of k(x, x) that counts as nothing left", Limits::between(0, 1)},
      {"memory_mb", &KfaOptions::memory_mb, "what the matrix may take; 0: the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<FeatureModel> fit_kfa(const Kernel& kernel, const KfaOptions& options, const TrainingData& data,
                                      const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const FeatureRows rows = feature_rows("kfa", kernel, data, run, EqualRows::merged);
  if (options.mode != SparseFeatureMode::removal) {
    require_definite("kfa", rows.kernel(), rows.samples, ParametricPart::none, NormRemedies::none, run);
  }
  timer.start("search");
  const SparseFeatures found = search_features(rows, options, report, run);
  timer.start("model");
  const auto count = static_cast<Index>(found.chosen.size());
  if (count == 0) {
    throw DataError("kfa: no kernel function varies over the samples: they are all alike to " + rows.kernel().spec());
  }
  if (count < std::min(options.components, rows.size())) {
    report.notes.push_back("after " + std::to_string(count) + " components nothing is left to explain");
  }
  const std::vector<double> offsets(found.chosen.size(), 0.0);
  FeatureFunctions functions = feature_functions(rows, found.chosen, found.coefficients.view(), offsets, {}, run);
  report.iterations = count;
  report.objective_name = "variance of all components";
  report.objective = std::accumulate(found.variances.begin(), found.variances.end(), 0.0);
  report.measures.push_back({"kernel evaluations of the search", static_cast<double>(found.evaluations)});
  timer.stop();
  FeatureModel::Parts parts{.expansion = std::move(functions.expansion),
                            .value = ComponentValue::variance,
                            .values = found.variances,
                            .center_rows = std::move(functions.center_rows),
                            .residual = std::nullopt};
  if (options.mode != SparseFeatureMode::removal) {
    FeatureResidual residual;
    residual.scales = found.norms;
    parts.residual = std::move(residual);
  }
  return std::make_unique<FeatureModel>(ModelHead{.name = "kfa",
                                                  .requested_kernel = rows.requested_kernel,
                                                  .settings = settings_of(kfa_option_table(), options),
                                                  .output_names = component_names(count),
                                                  .report = std::move(report)},
                                        std::move(parts));
}

const ModelEntry& kfa_entry() {
  static const ModelEntry entry = make_entry<FeatureModel>(
      {.name = "kfa",
       .aliases = {"sparse-features"},
       .summary = "sparse kernel feature analysis: features of few training rows, chosen by their variance",
       .task = Task::features,
       .default_kernel = "rbf(gamma=scale)"},
      kfa_option_table(), fit_kfa);
  return entry;
}

}  // namespace mercer
