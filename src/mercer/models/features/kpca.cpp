#include "mercer/models/features/kpca.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/features/kernel_hebbian.h"
#include "mercer/features/kernel_pca.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/features/feature_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

namespace {

constexpr Index always_exact_rows = 1000;
constexpr Index most_leading_rows = 100000;
constexpr Index most_lapack_rows = 32000;
// Below this share of the largest variance float kernel values leave too little of a component.
constexpr double single_precision_share = 1e-4;
constexpr Index most_listed_variances = 20;

bool exact_fits(Index n, double memory) {
  return n <= most_lapack_rows && 5.0 * 8.0 * static_cast<double>(n) * static_cast<double>(n) <= memory;
}

KpcaMethod chosen_kpca_method(const KpcaOptions& options, const Definiteness& known, Index n) {
  if (options.method != KpcaMethod::automatic) {
    return options.method;
  }
  const bool many = options.components == 0 || options.components > n / 10;
  if (n <= always_exact_rows || (many && exact_fits(n, allowed_memory(options.memory_mb)))) {
    return KpcaMethod::exact;
  }
  // Pivots are for positive kernels.
  const bool pivots = known.is_conditional_up_to(1) && (many || n > most_leading_rows);
  return pivots ? KpcaMethod::pivoted : many ? KpcaMethod::exact : KpcaMethod::leading;
}

void check_definiteness(const Kernel& kernel, const Definiteness& known, const KpcaOptions& options,
                        KpcaMethod method) {
  if (known.kind == DefinitenessKind::conditional && !options.center) {
    throw InvalidArgument("kpca: " + kernel.spec() + " is " + to_string(known) +
                          ": its components exist only with center=yes");
  }
  if (!known.is_conditional_up_to(1) && (method == KpcaMethod::pivoted || method == KpcaMethod::hebbian)) {
    throw InvalidArgument("kpca: method=" + std::string(word_of(method)) + " needs a positive kernel, " +
                          kernel.spec() + " is " + to_string(known) +
                          "; method=exact and method=leading leave the negative part out");
  }
}

KernelPca solve_kpca(const KpcaOptions& options, KpcaMethod method, const FeatureRows& rows, FitReport& report,
                     const Run& run) {
  const Index n = rows.size();
  const KernelPcaOptions pca{.components = options.components,
                             .origin = options.center ? FeatureOrigin::mean : FeatureOrigin::zero,
                             .tolerance = options.tolerance};
  const KernelGram<double>& gram = *rows.gram;
  switch (method) {
    case KpcaMethod::leading: {
      if (options.precision == KpcaPrecision::double_precision) {
        return leading_kernel_pca<double>(gram, rows.weights, pca, run);
      }
      const auto single =
          std::make_shared<const PreparedKernel>(rows.kernel(), rows.samples, Precision::single_precision, run);
      return leading_kernel_pca<float>(KernelGram<float>(single), rows.weights, pca, run);
    }
    case KpcaMethod::hebbian:
      return kernel_hebbian(gram, rows.weights, pca, {.epochs = options.epochs}, run);
    case KpcaMethod::pivoted: {
      const double affordable = allowed_memory(options.memory_mb) / (3.0 * 8.0 * static_cast<double>(n));
      const Index rank = std::clamp<Index>(static_cast<Index>(std::min(affordable, 1e9)), 1, std::min(options.rank, n));
      if (rank < std::min(options.rank, n)) {
        report.notes.push_back("rank cut to " + std::to_string(rank) + " by memory_mb");
      }
      return pivoted_kernel_pca(gram, rows.weights, rank, pca, run);
    }
    case KpcaMethod::automatic:
    case KpcaMethod::exact:
      break;
  }
  if (!exact_fits(n, allowed_memory(options.memory_mb))) {
    throw InvalidArgument("kpca: method=exact on " + std::to_string(n) +
                          " rows exceeds memory_mb, or 32000 rows: try method=leading or method=pivoted");
  }
  return kernel_pca(gram, rows.weights, pca, run);
}

// The share of what all components together would explain. The leading eigenvalues of an indefinite kernel do not say
// what that is: its trace lacks what the negative ones take away.
void describe_variance(const KernelPca& pca, const Definiteness& known, KpcaMethod method, FitReport& report) {
  const double explained = std::accumulate(pca.variances.begin(), pca.variances.end(), 0.0);
  report.measures.push_back({"explained variance", explained});
  if (method == KpcaMethod::leading && !known.is_conditional_up_to(1)) {
    report.objective_name = "explained variance";
    report.objective = explained;
    report.notes.emplace_back(
        "the kernel is indefinite, so that its trace is not the total variance: method=exact knows which share the "
        "components explain");
    return;
  }
  const double ratio = pca.total_variance > 0 ? explained / pca.total_variance : 0.0;
  report.objective_name = "explained variance ratio";
  report.objective = ratio;
  report.measures.push_back({"explained variance ratio", ratio});
  report.measure(Fact::total_variance, pca.total_variance);
}

void describe_kpca(const KernelPca& pca, const Definiteness& known, const KpcaOptions& options, KpcaMethod method,
                   FitReport& report) {
  report.status = pca.status;
  report.iterations = pca.iterations;
  report.measures.push_back({"components", static_cast<double>(pca.components())});
  describe_variance(pca, known, method, report);
  const auto listed = std::min<std::size_t>(pca.variances.size(), most_listed_variances);
  for (std::size_t c = 0; c < listed; ++c) {
    report.measures.push_back({"variance of component" + std::to_string(c + 1), pca.variances[c]});
  }
  report.notes.emplace_back("method " + std::string(word_of(method)),
                            method == KpcaMethod::pivoted ? NoteKind::pivoted_rows : NoteKind::plain);
  if (method == KpcaMethod::pivoted) {
    report.notes.push_back("components in the span of " + std::to_string(pca.rows.size()) +
                           " rows; the total variance is an upper bound");
  }
  if (method == KpcaMethod::leading || method == KpcaMethod::hebbian) {
    report.measures.push_back({"largest relative residual", pca.residual});
  }
  if (options.components > pca.components()) {
    report.notes.push_back(std::to_string(pca.components()) + " of " + std::to_string(options.components) +
                           " components: the samples vary in no more directions");
  }
  if (pca.negative > 0) {
    report.notes.push_back(
        std::to_string(pca.negative) +
        " negative eigenvalues were dropped (the kernel is indefinite on these samples); the largest is " +
        shortest(-pca.most_negative));
  }
}

Precision evaluation_precision(const KpcaOptions& options, const std::vector<double>& variances) {
  switch (options.precision) {
    case KpcaPrecision::single_precision:
      return Precision::single_precision;
    case KpcaPrecision::double_precision:
      return Precision::double_precision;
    case KpcaPrecision::automatic:
      break;
  }
  return variances.empty() || variances.back() >= single_precision_share * variances.front()
             ? Precision::single_precision
             : Precision::double_precision;
}

}  // namespace

void KpcaOptions::validate() const {
  check_options<KpcaOptions>("kpca", kpca_option_table(), *this);
  if (components == 0 && (method == KpcaMethod::leading || method == KpcaMethod::hebbian)) {
    throw InvalidArgument("kpca: method=" + std::string(word_of(method)) +
                          " finds as many components as asked for: components must be 1 or more");
  }
}

std::span<const Option<KpcaOptions>> kpca_option_table() {
  static const std::vector<Option<KpcaOptions>> table = {
      {"components", &KpcaOptions::components, "how many, from the largest variance down; 0: all",
       Constraint::nonnegative},
      {"center", &KpcaOptions::center, "measure from the mean of the samples in feature space"},
      {"whiten", &KpcaOptions::whiten, "scale every component to variance 1"},
      {"method", &KpcaOptions::method,
       "exact: all eigenvalues; leading: block Krylov steps, nothing stored; pivoted: in the span of a few rows; "
       "hebbian: sample by sample; auto: by size"},
      {"rank", &KpcaOptions::rank, "rows that method=pivoted works with", Constraint::positive},
      {"tolerance", &KpcaOptions::tolerance, "components below this share of the largest variance are dropped",
       Limits::from_to_below(0, 1)},
      {"epochs", &KpcaOptions::epochs, "most passes of method=hebbian over the rows", Constraint::positive},
      {"precision", &KpcaOptions::precision,
       "of kernel values in method=leading and in features; auto: float, and double in features where a variance is "
       "below 1e-4 "
       "of the largest"},
      {"memory_mb", &KpcaOptions::memory_mb, "what the fit may take; 0: half of the machine's memory",
       Constraint::nonnegative},
  };
  return table;
}

std::unique_ptr<FeatureModel> fit_kpca(const Kernel& kernel, const KpcaOptions& options, const TrainingData& data,
                                       const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  FeatureRows rows = feature_rows("kpca", kernel, data, run);
  const Definiteness known = definiteness_on(rows.kernel(), rows.samples, run);
  const KpcaMethod method = chosen_kpca_method(options, known, rows.size());
  check_definiteness(rows.kernel(), known, options, method);
  timer.start("components");
  KernelPca pca = solve_kpca(options, method, rows, report, run);
  timer.start("model");
  describe_kpca(pca, known, options, method, report);
  rows.precision = evaluation_precision(options, pca.variances);
  const Index count = pca.components();
  FeatureResidual residual;
  for (Index c = 0; c < count; ++c) {
    const auto k = static_cast<std::size_t>(c);
    residual.scales.push_back(options.whiten ? 1 / std::sqrt(pca.variances[k]) : 1.0);
    pca.offsets[k] *= residual.scales[k];
    for (Index i = 0; i < pca.coefficients.rows(); ++i) {
      pca.coefficients(i, c) *= residual.scales[k];
    }
  }
  FeatureFunctions functions =
      feature_functions(rows, pca.rows, pca.coefficients.view(), pca.offsets, pca.mean_weights, run);
  residual.mean_weights = std::move(functions.center_values);
  residual.mean_norm = pca.mean_norm;
  timer.stop();
  const bool has_lengths = known.is_conditional_up_to(1);
  return std::make_unique<FeatureModel>(
      ModelHead{.name = "kpca",
                .requested_kernel = rows.requested_kernel,
                .settings = settings_of(kpca_option_table(), options),
                .output_names = component_names(count),
                .report = std::move(report)},
      FeatureModel::Parts{.expansion = std::move(functions.expansion),
                          .value = ComponentValue::variance,
                          .values = std::move(pca.variances),
                          .center_rows = std::move(functions.center_rows),
                          .residual = has_lengths ? std::optional(std::move(residual)) : std::nullopt});
}

const ModelEntry& kpca_entry() {
  static const ModelEntry entry =
      make_entry<FeatureModel>({.name = "kpca",
                                .aliases = {"kernelpca", "kernel-pca"},
                                .summary = "kernel PCA: the directions of feature space in which the samples vary most",
                                .task = Task::features,
                                .default_kernel = "rbf(gamma=scale)"},
                               kpca_option_table(), fit_kpca);
  return entry;
}

}  // namespace mercer
