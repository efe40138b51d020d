// How gpc is fitted (the model itself: gpc.cpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/random.h"
#include "mercer/gram/contraction.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/gp/gp_method.h"
#include "mercer/models/gp/gpc.h"
#include "mercer/models/gp/inference/expectation_propagation.h"
#include "mercer/models/gp/inference/hyperparameters.h"
#include "mercer/models/gp/inference/laplace.h"
#include "mercer/models/gp/inference/variational_logistic.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr std::uint64_t subset_stream = 0x67706331;

// The rows that an evidence is taken over.
struct ClassRows {
  Samples samples;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;  // empty: all 1
  Index count = 2;

  std::vector<double> signs() const {
    std::vector<double> y;
    for (const std::int32_t number : classes) {
      y.push_back(number == 1 ? 1.0 : -1.0);
    }
    return y;
  }
  SoftmaxTargets targets() const { return {classes, count, weights}; }
};

void require_usable(const Kernel& kernel, const GpcOptions& options, Index classes, const ClassRows& rows,
                    const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, rows.samples, run);
  if (!definiteness.is_positive()) {
    throw InvalidArgument("gpc: the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ", so that it is no covariance. Use a positive definite kernel such as rbf, matern or poly");
  }
  if (classes > 2 &&
      (options.link != GpcLink::logistic || options.inference != GpcInference::laplace || options.label_noise > 0)) {
    throw InvalidArgument(
        "gpc: " + std::to_string(classes) + " classes are fitted by the softmax with Laplace's approximation: link = " +
        std::string(word_of(options.link)) + ", inference = " + std::string(word_of(options.inference)) +
        " and label_noise are for two classes");
  }
  if (!rows.weights.empty() && options.inference != GpcInference::laplace) {
    throw InvalidArgument("gpc: inference = " + std::string(word_of(options.inference)) +
                          ": takes no weights of rows or classes; use inference = laplace");
  }
  const auto n = static_cast<double>(rows.classes.size());
  const double matrices = classes == 2 ? 2.0 : static_cast<double>(classes) + 3;
  const double allowed = allowed_memory(options.memory_mb, gp_memory_share);
  if (8 * n * n * matrices > allowed) {
    throw InvalidArgument("gpc: " + std::to_string(rows.classes.size()) + " rows need " +
                          std::to_string(std::llround(8 * n * n * matrices / bytes_per_megabyte)) +
                          " MB of matrices, the fit may use " +
                          std::to_string(std::llround(allowed / bytes_per_megabyte)) + " MB: fit to " +
                          std::to_string(std::llround(std::floor(std::sqrt(allowed / 8 / matrices)))) +
                          " rows or fewer, allow more (memory_mb), or use falkonc or svc");
  }
}

// At most `most` rows, from every class in proportion and at least one.
ClassRows drawn(const ClassRows& all, Index most, const Run& run) {
  const auto n = static_cast<Index>(all.classes.size());
  if (most == 0 || n <= most) {
    return all;
  }
  std::vector<Index> quota(all.count, 0);
  for (const std::int32_t number : all.classes) {
    ++quota[number];
  }
  for (Index& share : quota) {
    share = std::max<Index>(1, share * most / n);
  }
  RandomStream random(run.seed(), subset_stream);
  std::vector<Index> chosen;
  for (const Index row : random_permutation(random, n)) {
    Index& left = quota[all.classes[row]];
    if (left > 0) {
      --left;
      chosen.push_back(row);
    }
  }
  std::ranges::sort(chosen);
  ClassRows part{all.samples.select(chosen), {}, {}, all.count};
  for (const Index row : chosen) {
    part.classes.push_back(all.classes[row]);
    if (!all.weights.empty()) {
      part.weights.push_back(all.weights[row]);
    }
  }
  return part;
}

// What an engine can start from, of its last call.
struct WarmStart {
  std::vector<double> alpha;
  Sites sites;
  std::vector<double> nu;
  Matrix<double> several;
};

LatentApproximation approximate_two(const GpcOptions& options, const Likelihood& likelihood, ConstMatrixView<double> k,
                                    std::span<const double> y, std::span<const double> weights, ApproximationGoal goal,
                                    WarmStart& warm, const Run& run) {
  switch (options.inference) {
    case GpcInference::expectation_propagation: {
      ExpectationPropagation result = expectation_propagation(k, y, likelihood, warm.sites, {.goal = goal}, run);
      warm.sites = result.sites;
      return std::move(static_cast<LatentApproximation&>(result));
    }
    case GpcInference::variational: {
      VariationalLogistic result = variational_logistic(k, y, warm.nu, {.goal = goal}, run);
      warm.nu = result.nu;
      return std::move(static_cast<LatentApproximation&>(result));
    }
    case GpcInference::laplace:
      break;
  }
  LatentApproximation result = laplace(k, {y, weights}, likelihood, warm.alpha, {.goal = goal}, run);
  warm.alpha = result.alpha;
  return result;
}

Matrix<double> gram_matrix(const PreparedKernel& kernel, const Run& run) {
  Matrix<double> k(kernel.reference().size(), kernel.reference().size());
  evaluate_gram<double>(kernel, Triangle::lower, k.view(), run);
  return k;
}

// Kernel parameters, then the label noise where there is one.
struct SearchSpace {
  Kernel kernel;
  GpcOptions options;
  std::vector<HyperParameter> parameters;

  bool learns_label_noise() const { return options.label_noise > 0; }
  Kernel kernel_at(std::span<const double> values) const {
    return kernel.with_scale_parameters(values.first(values.size() - (learns_label_noise() ? 1 : 0)));
  }
  GpcOptions options_at(std::span<const double> values) const {
    GpcOptions result = options;
    if (learns_label_noise()) {
      result.label_noise = values.back();
    }
    return result;
  }
};

SearchSpace make_space(const Kernel& kernel, const GpcOptions& options) {
  SearchSpace space{kernel, options, kernel_hyperparameters(kernel)};
  for (const ScaleParameter& parameter : class_likelihood(options)->parameters()) {
    space.parameters.push_back({.name = parameter.path,
                                .value = parameter.value,
                                .lower = std::min(parameter.value, parameter.bounds->lower),
                                .upper = std::max(parameter.value, parameter.bounds->upper)});
  }
  set_priors(options.priors, space.parameters);
  return space;
}

EvidenceValue evidence_at(const SearchSpace& space, const ClassRows& rows, std::span<const double> y,
                          std::span<const double> values, WarmStart& warm, const Run& run) {
  try {
    const PreparedKernel kernel(space.kernel_at(values), rows.samples, Precision::double_precision, run);
    const Matrix<double> k = gram_matrix(kernel, run);
    if (rows.count > 2) {
      SoftmaxLaplace result =
          softmax_laplace(k.view(), rows.targets(), warm.several.view(), {.goal = ApproximationGoal::gradient}, run);
      warm.several = std::move(result.alpha);
      return {result.log_evidence, contract(kernel, result.kernel_weights.view(), run)};
    }
    const GpcOptions options = space.options_at(values);
    const LatentApproximation result = approximate_two(options, *class_likelihood(options), k.view(), y, rows.weights,
                                                       ApproximationGoal::gradient, warm, run);
    if (!result.can_guide()) {
      return {.value = -std::numeric_limits<double>::infinity(), .gradient = {}};
    }
    EvidenceValue value{result.log_evidence, contract(kernel, result.kernel_weights.view(), run)};
    value.gradient.insert(value.gradient.end(), result.likelihood_gradient.begin(), result.likelihood_gradient.end());
    return value;
  } catch (const NumericalError&) {
    return {.value = -std::numeric_limits<double>::infinity(), .gradient = {}};
  }
}

std::vector<double> learn(const SearchSpace& space, const ClassRows& all, FitReport& report, const Run& run) {
  std::vector<double> values;
  for (const HyperParameter& parameter : space.parameters) {
    values.push_back(parameter.value);
  }
  if (!space.options.optimize || std::ranges::all_of(space.parameters, &HyperParameter::fixed)) {
    return values;
  }
  const Index most = all.count > 2 ? (space.options.search_rows + 1) / 2 : space.options.search_rows;
  const ClassRows rows = drawn(all, most, run);
  const std::vector<double> y = rows.signs();
  // Starts that run side by side share no memory of the last mode: the result must not depend on their order.
  WarmStart shared;
  const bool alone = space.options.restarts == 0;
  const EvidenceFunction evidence = [&](std::span<const double> at, const Run& inner) {
    WarmStart own;
    return evidence_at(space, rows, y, at, alone ? shared : own, inner);
  };
  const EvidenceSearchResult found = maximize_evidence(evidence, space.parameters,
                                                       {.restarts = space.options.restarts,
                                                        .max_evaluations = space.options.max_evaluations,
                                                        .steps = EvidenceSteps::long_first},
                                                       run);
  report.status = found.status;
  report.iterations = found.evaluations;
  report.notes.insert(report.notes.end(), found.notes.begin(), found.notes.end());
  if (rows.classes.size() < all.classes.size()) {
    report.notes.push_back("hyper-parameters learnt from " + std::to_string(rows.classes.size()) + " of " +
                           std::to_string(all.classes.size()) + " rows (search_rows)");
  }
  return found.values;
}

void note_status(SolveStatus status, double residual, FitReport& report) {
  if (status != SolveStatus::converged) {
    report.status = status;
    report.notes.push_back("the posterior was not found to full accuracy: " + std::string(to_string(status)) +
                           " at a residual of " + std::to_string(residual));
  }
}

void solve_two(GpcModel::Parts& parts, const Kernel& kernel, const ClassRows& rows, FitReport& report, const Run& run) {
  const PreparedKernel prepared(kernel, rows.samples, Precision::double_precision, run);
  const Matrix<double> k = gram_matrix(prepared, run);
  const std::vector<double> y = rows.signs();
  WarmStart warm;
  LatentApproximation result = approximate_two(parts.options, *class_likelihood(parts.options), k.view(), y,
                                               rows.weights, ApproximationGoal::evidence, warm, run);
  note_status(result.status, result.residual, report);
  if (result.is_flat) {
    report.notes.emplace_back(
        "the posterior hardly curves at its mode in some direction: Laplace's approximation is far wider than the "
        "posterior, and its evidence too high; try inference = ep or less label_noise");
  }
  report.objective = result.log_evidence;
  parts.precision = std::move(result.precision);
  const ConstMatrixView<double> alpha(result.alpha.data(), rows.samples.size(), 1);
  parts.mean = Expansion(kernel, rows.samples, Matrix<double>::copy_of(alpha), ParametricPart::none,
                         Matrix<double>(0, 1), Precision::double_precision, run);
}

void solve_several(GpcModel::Parts& parts, const Kernel& kernel, const ClassRows& rows, FitReport& report,
                   const Run& run) {
  const PreparedKernel prepared(kernel, rows.samples, Precision::double_precision, run);
  const Matrix<double> k = gram_matrix(prepared, run);
  SoftmaxLaplace result = softmax_laplace(k.view(), rows.targets(), {}, {.goal = ApproximationGoal::evidence}, run);
  note_status(result.status, result.residual, report);
  report.objective = result.log_evidence;
  parts.mean = Expansion(kernel, rows.samples, std::move(result.alpha), ParametricPart::none,
                         Matrix<double>(0, rows.count), Precision::double_precision, run);
  parts.rows = {rows.classes, rows.weights, std::move(result.latent)};
  parts.rows.weights.resize(rows.classes.size(), 1.0);
}

struct CheckedRows {
  ClassRows rows;
  std::vector<std::string> levels;
  std::vector<Index> numbers;  // of the rows in the data
  bool one_class = false;
};

// Rows of one class are a problem of two classes in which the other one was not seen; it has a name all the same. It comes
// first, so that a decision value of 0, which is for the second class, goes to the one that was seen.
void add_unseen_class(LabeledRows& labeled) {
  labeled.levels.insert(labeled.levels.begin(), "not " + labeled.levels.front());
  std::ranges::fill(labeled.classes, 1);
}

CheckedRows check(const Kernel& kernel, const GpcOptions& options, const TrainingData& data, const Run& run) {
  LabeledRows labeled = read_labels("gpc", data, LabelReading::classes, options.class_weight, OneClass::allow);
  const bool one_class = labeled.levels.size() == 1;
  if (one_class) {
    add_unseen_class(labeled);
  }
  ClassRows rows{counted_samples(data.samples, labeled.rows), std::move(labeled.classes), std::move(labeled.weights),
                 static_cast<Index>(labeled.levels.size())};
  if (std::ranges::all_of(rows.weights, [](double weight) { return weight == 1; })) {
    rows.weights.clear();
  }
  require_usable(kernel, options, rows.count, rows, run);
  return {std::move(rows), std::move(labeled.levels), std::move(labeled.rows), one_class};
}

}  // namespace

GpcEvidence gpc_evidence(const Kernel& kernel, const GpcOptions& options, const TrainingData& data, const Run& run) {
  options.validate();
  const CheckedRows checked = check(kernel, options, data, run);
  SearchSpace space = make_space(resolve_widths(kernel, checked.rows.samples, checked.numbers, data, run), options);
  std::vector<double> values;
  for (const HyperParameter& parameter : space.parameters) {
    values.push_back(parameter.value);
  }
  const std::size_t kernel_parameters = values.size() - (space.learns_label_noise() ? 1 : 0);
  WarmStart warm;
  EvidenceValue found = evidence_at(space, checked.rows, checked.rows.signs(), values, warm, run);
  found.gradient.resize(kernel_parameters);
  return {found.value, std::move(found.gradient)};
}

std::unique_ptr<GpcModel> fit_gpc(const Kernel& kernel, const GpcOptions& options, const TrainingData& data,
                                  const Run& run) {
  options.validate();
  const CheckedRows checked = check(kernel, options, data, run);
  const ClassRows& rows = checked.rows;
  FitReport report;
  report.objective_name =
      options.inference == GpcInference::variational ? "lower bound of the log evidence" : "log evidence";
  if (checked.one_class) {
    report.notes.push_back("all rows that count belong to the class '" + checked.levels[1] +
                           "': what else there is, '" + checked.levels[0] +
                           "', has the probability that the prior leaves to it, one half far away");
  }
  PhaseTimer timer(report);
  timer.start("search");
  const SearchSpace space = make_space(resolve_widths(kernel, rows.samples, checked.numbers, data, run), options);
  const std::vector<double> values = learn(space, rows, report, run);
  const Kernel learned = space.kernel_at(values);
  GpcModel::Parts parts;
  parts.options = space.options_at(values);
  timer.start("solve");
  (rows.count == 2 ? solve_two : solve_several)(parts, learned, rows, report, run);
  timer.stop();
  ModelHead head{.name = "gpc",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(gpc_option_table(), parts.options),
                 .output_names = {data.targets.columns().front().name},
                 .classes = checked.levels,
                 .report = std::move(report)};
  return std::make_unique<GpcModel>(std::move(head), std::move(parts), run);
}

}  // namespace mercer
