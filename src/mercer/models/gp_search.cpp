#include "mercer/models/gp_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/contraction.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/gp/expectation_propagation.h"
#include "mercer/models/gp/inducing.h"
#include "mercer/models/gp/inducing_evidence.h"
#include "mercer/models/gp/laplace.h"
#include "mercer/models/gp_parts.h"

namespace mercer {

namespace {

constexpr std::uint64_t subset_stream = 0x67707375627365;
// The first stage: enough rows to tell noise from signal, few enough to cost nothing.
constexpr Index first_stage_least = 300;
constexpr Index first_stage_most = 750;
constexpr double first_stage_tolerance = 1e-5;
// Steps of the last stage on inducing points: the exact evidence of a subset has found the place before.
constexpr Index inducing_evaluations = 30;
// Length scales that grew by this factor belong to columns that hardly matter (linear ones grow by some ten times).
constexpr double idle_growth = 200;

// How many rows each stage uses, ascending.
std::vector<Index> stages(Index n, Index search_rows) {
  const Index last = search_rows == 0 ? n : std::min(n, search_rows);
  const Index first = std::clamp(last / 3, first_stage_least, first_stage_most);
  return 2 * first <= last ? std::vector<Index>{first, last} : std::vector<Index>{last};
}

// The first `count` of a random order, ascending: larger stages contain the smaller ones.
std::vector<Index> stage_rows(Index n, Index count, const Run& run) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  if (count == n) {
    return order;
  }
  RandomStream random(run.seed(), subset_stream);
  for (Index i = 0; i < count; ++i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(i + static_cast<Index>(random.below(static_cast<std::uint64_t>(n - i))))]);
  }
  order.resize(static_cast<std::size_t>(count));
  std::ranges::sort(order);
  return order;
}

// ln Z of an approximation and its gradient, at one place of the space.
EvidenceValue approximate_objective(const GpSearchSpace& space, const GpData& data, std::span<const double> values,
                                    const Run& run) {
  try {
    const PreparedKernel kernel(space.kernel_at(values), data.samples, Precision::double_precision, run);
    Matrix<double> k(data.targets.rows(), data.targets.rows());
    evaluate_gram<double>(kernel, Triangle::lower, k.view(), run);
    const std::span<const double> y(data.targets.data(), static_cast<std::size_t>(data.targets.rows()));
    const LikelihoodPtr likelihood = space.likelihood(values);
    const LatentApproximation result =
        space.options.inference == "ep" || space.options.inference == "map"
            ? expectation_propagation(k.view(), y, *likelihood, {}, {.goal = ApproximationGoal::gradient}, run)
            : laplace(k.view(), {.y = y, .weights = data.weights}, *likelihood, {},
                      {.goal = ApproximationGoal::gradient}, run);
    EvidenceValue value{.value = result.log_evidence, .gradient = contract(kernel, result.kernel_weights.view(), run)};
    value.gradient.insert(value.gradient.end(), result.likelihood_gradient.begin(), result.likelihood_gradient.end());
    return value;
  } catch (const NumericalError&) {
    return {.value = -std::numeric_limits<double>::infinity(), .gradient = {}};
  }
}

EvidenceFunction objective_on(const GpSearchSpace& space, const GpData& data) {
  if (space.options.likelihood != "gaussian") {
    return
        [&](std::span<const double> values, const Run& run) { return approximate_objective(space, data, values, run); };
  }
  const GpObjective objective = space.options.objective == "loo" ? GpObjective::leave_one_out : GpObjective::evidence;
  return [&, objective](std::span<const double> values, const Run& run) {
    return exact_objective(objective, space.kernel_at(values), data, space.noise(values), run);
  };
}

// The bound, or the approximate evidence, of all rows for inducing points that stay where they are.
EvidenceFunction inducing_objective(const GpSearchSpace& space, const GpData& data, const Samples& inducing) {
  const InducingMethod method = space.options.method == "fitc" ? InducingMethod::fitc : InducingMethod::variational;
  return [&, method](std::span<const double> values, const Run& run) -> EvidenceValue {
    try {
      const InducingEvidence evidence = inducing_evidence({.kernel = space.kernel_at(values),
                                                           .samples = data.samples,
                                                           .inducing = inducing,
                                                           .targets = data.targets.view(),
                                                           .noise = data.noise_diagonal(space.noise(values)),
                                                           .method = method},
                                                          run);
      EvidenceValue value{.value = evidence.value, .gradient = evidence.kernel_gradient};
      value.gradient.push_back(data.noise_slope(evidence.noise_gradient));
      return value;
    } catch (const NumericalError&) {
      return {.value = -std::numeric_limits<double>::infinity(), .gradient = {}};
    }
  };
}

// Robust noise: first the kernel alone, with the noise held. Gross outliers would otherwise drive the noise up in the
// first steps, so far that the function is lost in it.
bool holds_noise_first(const GpSearchSpace& space) {
  return space.options.likelihood != "gaussian" && likelihood_parameter_count(space.options) == 1 &&
         !space.parameters.back().fixed;
}

std::vector<HyperParameter> starting_at(std::vector<HyperParameter> parameters, std::span<const double> values) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    parameters[p].value = values[p];
  }
  return parameters;
}

// Of the places where the starts of an earlier stage ended, the one that this objective likes best.
std::vector<double> best_of(const EvidenceFunction& objective, std::span<const std::vector<double>> ends,
                            FitReport& report, const Run& run) {
  std::size_t best = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < ends.size() && ends.size() > 1; ++e) {
    const double value = objective(ends[e], run).value;
    ++report.iterations;
    if (value > highest) {
      highest = value;
      best = e;
    }
  }
  return ends[best];
}

// The evidence is so flat in the length scale of a column that does not matter that the search stops on the way. All
// such columns are switched off together, at the bound, where that is no worse.
void switch_off_idle_columns(const EvidenceFunction& objective, const GpSearchSpace& space,
                             EvidenceSearchResult& result, FitReport& report, const Run& run) {
  std::vector<double> values = result.values;
  for (std::size_t p = 0; p < values.size(); ++p) {
    const HyperParameter& parameter = space.parameters[p];
    if (!parameter.fixed && !parameter.prior && parameter.name.find("lengthscale") != std::string::npos &&
        values[p] > idle_growth * parameter.value) {
      values[p] = parameter.upper;
    }
  }
  if (values == result.values) {
    return;
  }
  ++report.iterations;
  if (objective(values, run).value >= objective(result.values, run).value) {
    result.values = std::move(values);
    result.notes = bound_notes(space.parameters, result.values);
  }
}

}  // namespace

std::vector<double> GpSearchSpace::start() const {
  std::vector<double> values;
  for (const HyperParameter& parameter : parameters) {
    values.push_back(parameter.value);
  }
  return values;
}

Kernel GpSearchSpace::kernel_at(std::span<const double> values) const {
  const auto count = static_cast<std::size_t>(likelihood_parameter_count(options));
  return kernel.with_scale_parameters(values.first(values.size() - count));
}

std::vector<double> GpSearchSpace::likelihood_values(std::span<const double> values) const {
  const auto own = values.last(static_cast<std::size_t>(likelihood_parameter_count(options)));
  return {own.begin(), own.end()};
}

LikelihoodPtr GpSearchSpace::likelihood(std::span<const double> values) const {
  return make_likelihood(options, likelihood_values(values), offset);
}

double GpSearchSpace::noise(std::span<const double> values) const {
  return likelihood_parameter_count(options) == 0 ? 0.0 : values.back();
}

std::vector<double> learn_parameters(const GpSearchSpace& space, const GpData& data, FitReport& report,
                                     const Run& run) {
  std::vector<double> values = space.start();
  if (std::ranges::all_of(space.parameters, &HyperParameter::fixed) || data.targets.rows() == 0) {
    return values;
  }
  const Index n = data.targets.rows();
  const std::vector<Index> sizes = stages(n, space.options.search_rows);
  EvidenceSearchResult result;
  for (std::size_t stage = 0; stage < sizes.size(); ++stage) {
    const bool last = stage + 1 == sizes.size();
    const GpData part =
        sizes[stage] == n ? GpData{} : select(data, stage_rows(n, sizes[stage], run), mean_part(space.options));
    const GpData& rows = sizes[stage] == n ? data : part;
    if (stage == 0 && holds_noise_first(space)) {
      std::vector<HyperParameter> held = space.parameters;
      held.back().fixed = true;
      result = maximize_evidence(objective_on(space, rows), held,
                                 {.max_evaluations = space.options.max_evaluations, .tolerance = first_stage_tolerance},
                                 run);
      values = result.values;
      report.iterations += result.evaluations;
    }
    const EvidenceFunction objective = objective_on(space, rows);
    if (stage > 0) {
      values = best_of(objective, result.ends, report, run);
    }
    result = maximize_evidence(objective, starting_at(space.parameters, values),
                               {.restarts = stage == 0 ? space.options.restarts : 0,
                                .max_evaluations = space.options.max_evaluations,
                                .tolerance = last ? space.options.tolerance : first_stage_tolerance},
                               run);
    report.iterations += result.evaluations;
    if (last) {
      switch_off_idle_columns(objective, space, result, report, run);
    }
    values = result.values;
  }
  if (sizes.back() < n) {
    report.notes.push_back("hyper-parameters learnt from " + std::to_string(sizes.back()) + " of " + std::to_string(n) +
                           " rows (search_rows)");
  }
  if (space.options.method == "vfe" || space.options.method == "fitc") {
    const auto prepared =
        std::make_shared<const PreparedKernel>(space.kernel_at(values), data.samples, Precision::double_precision, run);
    const Samples inducing = data.samples.select(
        choose_inducing(KernelGram<double>(prepared), std::min(space.options.inducing, n), PivotRule::random, run));
    result = maximize_evidence(inducing_objective(space, data, inducing), starting_at(space.parameters, values),
                               {.max_evaluations = inducing_evaluations, .tolerance = space.options.tolerance}, run);
    values = result.values;
    report.iterations += result.evaluations;
  }
  report.status = result.status;
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  return values;
}

}  // namespace mercer
