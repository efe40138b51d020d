#include "mercer/models/gp/gp_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/contraction.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/gp/gp_parts.h"
#include "mercer/models/gp/inducing/inducing.h"
#include "mercer/models/gp/inducing/inducing_evidence.h"
#include "mercer/models/gp/inference/expectation_propagation.h"
#include "mercer/models/gp/inference/laplace.h"

namespace mercer {

namespace {

constexpr std::uint64_t search_subset_stream = 0x67707375627365;
// The first stage: enough rows to tell noise from signal, few enough to cost nothing.
constexpr Index first_stage_least = 300;
constexpr Index first_stage_most = 750;
constexpr double first_stage_tolerance = 1e-5;
// Steps of the last stage on inducing points: the exact evidence of a subset has found the place before.
constexpr Index inducing_evaluations = 30;
// A column of length scale ℓ acts linearly under a prior variance v of the function: its slope has the variance v/ℓ². Of n
// rows with noise σ² that is felt from about σ²/n on; at this multiple (in units of the first length scale) it fades.
constexpr double fading_level = 50;
// Length scales that grew by this factor belong to columns that hardly matter (linear ones grow by some ten times), unless
// the function varies so much that they would have to grow further: to this part of the way to where they fade.
constexpr double idle_part = 0.25;
constexpr double idle_growth = 200;

// How many rows each stage uses, ascending.
std::vector<Index> stages(Index n, Index search_rows) {
  const Index last = search_rows == 0 ? n : std::min(n, search_rows);
  const Index first = std::clamp(last / 3, first_stage_least, first_stage_most);
  return 2 * first <= last ? std::vector<Index>{first, last} : std::vector<Index>{last};
}

// The first `count` of a random order, ascending: larger stages contain the smaller ones.
std::vector<Index> stage_rows(Index n, Index count, const Run& run) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  if (count == n) {
    return order;
  }
  RandomStream random(run.seed(), search_subset_stream);
  for (Index i = 0; i < count; ++i) {
    std::swap(order[i], order[i + static_cast<Index>(random.below(static_cast<std::uint64_t>(n - i)))]);
  }
  order.resize(count);
  std::ranges::sort(order);
  return order;
}

// Where the evidence cannot be had: the search steps back.
EvidenceValue no_value() { return {.value = -std::numeric_limits<double>::infinity(), .gradient = {}}; }

// ln Z of an approximation at one place of the space, and its gradient where that is the goal.
EvidenceValue approximate_objective(const GpSearchSpace& space, const GpData& data, std::span<const double> values,
                                    ApproximationGoal goal, const Run& run) {
  const PreparedKernel kernel(space.kernel_at(values), data.samples, Precision::double_precision, run);
  Matrix<double> k(data.targets.rows(), data.targets.rows());
  evaluate_gram<double>(kernel, Triangle::lower, k.view(), run);
  const std::span<const double> y(data.targets.data(), static_cast<std::size_t>(data.targets.rows()));
  const LikelihoodPtr likelihood = space.likelihood(values);
  const auto value_of = [&](const LatentApproximation& result) {
    if (!result.can_guide()) {
      return no_value();
    }
    EvidenceValue value{.value = result.log_evidence, .gradient = {}};
    if (goal == ApproximationGoal::gradient) {
      value.gradient = contract(kernel, result.kernel_weights.view(), run);
      value.gradient.insert(value.gradient.end(), result.likelihood_gradient.begin(), result.likelihood_gradient.end());
    }
    return value;
  };
  if (space.options.inference == GpInference::expectation_propagation ||
      space.options.inference == GpInference::posterior_mode) {
    return value_of(expectation_propagation(k.view(), y, *likelihood, {}, {.goal = goal}, run));
  }
  return value_of(laplace(k.view(), {.y = y, .weights = data.weights}, *likelihood, {}, {.goal = goal}, run));
}

// The objective on these rows. `value` alone costs a third of both where it can.
struct SearchObjective {
  const GpSearchSpace& space;
  const GpData& data;

  EvidenceValue with_gradient(std::span<const double> values, const Run& run) const {
    try {
      return space.options.likelihood != GpLikelihood::gaussian
                 ? approximate_objective(space, data, values, ApproximationGoal::gradient, run)
                 : exact_objective(space.options.objective, space.kernel_at(values), data, space.noise(values), run);
    } catch (const NumericalError&) {
      return no_value();
    }
  }

  double value(std::span<const double> values, const Run& run) const {
    try {
      if (space.options.likelihood != GpLikelihood::gaussian) {
        return approximate_objective(space, data, values, ApproximationGoal::evidence, run).value;
      }
      if (space.options.objective == GpObjective::leave_one_out) {
        return with_gradient(values, run).value;
      }
      const PreparedKernel kernel(space.kernel_at(values), data.samples, Precision::double_precision, run);
      return solve_exact(kernel, data, space.noise(values), run).log_evidence;
    } catch (const NumericalError&) {
      return -std::numeric_limits<double>::infinity();
    }
  }

  EvidenceFunction function() const {
    return [*this](std::span<const double> values, const Run& run) { return with_gradient(values, run); };
  }
};

// The bound, or the approximate evidence, of all rows for inducing points that stay where they are.
EvidenceFunction inducing_objective(const GpSearchSpace& space, const GpData& data, const Samples& inducing) {
  return [&](std::span<const double> values, const Run& run) -> EvidenceValue {
    try {
      const InducingEvidence evidence = inducing_evidence({.kernel = space.kernel_at(values),
                                                           .samples = data.samples,
                                                           .inducing = inducing,
                                                           .targets = data.targets.view(),
                                                           .noise = data.row_noise(space.noise(values)),
                                                           .method = inducing_method(space.options),
                                                           .weights = data.weights},
                                                          run);
      EvidenceValue value{.value = evidence.value, .gradient = evidence.kernel_gradient};
      value.gradient.push_back(std::accumulate(evidence.noise_gradient.begin(), evidence.noise_gradient.end(), 0.0));
      return value;
    } catch (const NumericalError&) {
      return no_value();
    }
  };
}

// Robust noise: first the kernel alone, with the noise held. Gross outliers would otherwise drive the noise up in the
// first steps, so far that the function is lost in it.
bool holds_noise_first(const GpSearchSpace& space) {
  return space.options.likelihood != GpLikelihood::gaussian && likelihood_parameter_count(space.options) == 1 &&
         !space.parameters.back().fixed;
}

std::vector<HyperParameter> starting_at(std::vector<HyperParameter> parameters, std::span<const double> values) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    parameters[p].value = values[p];
  }
  return parameters;
}

// Of the places where the starts of an earlier stage ended, the one that this objective likes best.
std::vector<double> best_of(const SearchObjective& objective, std::span<const std::vector<double>> ends,
                            FitReport& report, const Run& run) {
  std::size_t best = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < ends.size() && ends.size() > 1; ++e) {
    const double value = objective.value(ends[e], run);
    ++report.iterations;
    if (value > highest) {
      highest = value;
      best = e;
    }
  }
  return ends[best];
}

bool may_be_idle(const HyperParameter& parameter) {
  return !parameter.fixed && !parameter.prior && parameter.name.find("lengthscale") != std::string::npos;
}

// k(x, x) of the first row: what the function varies by under the prior.
double prior_variance(const SearchObjective& objective, std::span<const double> values, const Run& run) {
  const std::vector<Index> first = {0};
  const PreparedKernel kernel(objective.space.kernel_at(values), objective.data.samples.select(first),
                              Precision::double_precision, run);
  Matrix<double> k(1, 1);
  evaluate_gram<double>(kernel, Triangle::lower, k.view(), run);
  return k(0, 0);
}

// The variance of the noise, or the square of a robust one's scale, averaged over the rows as their weights count them.
double mean_noise(const SearchObjective& objective, std::span<const double> values) {
  const double own = objective.space.noise(values);
  if (objective.space.options.likelihood != GpLikelihood::gaussian) {
    return own > 0 ? own * own : 1.0;
  }
  const std::vector<double> noise = objective.data.row_noise(own);
  double sum = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    sum += objective.data.weight(static_cast<Index>(i)) * noise[i];
  }
  return sum / objective.data.total_weight();
}

// By which factor a length scale may grow from its start before its column hardly has an effect on these rows; 0: unknown.
double fading_growth(const SearchObjective& objective, std::span<const double> values, const Run& run) {
  const double growth = std::sqrt(prior_variance(objective, values, run) * objective.data.total_weight() /
                                  (fading_level * mean_noise(objective, values)));
  return std::isfinite(growth) ? growth : 0.0;
}

// The evidence is so flat in the length scale of a column that does not matter that the search stops on the way, or at a
// lower top beside. All such columns are switched off together, at the bound, where that is no worse.
void switch_off_idle_columns(const SearchObjective& objective, EvidenceSearchResult& result, FitReport& report,
                             const Run& run) {
  const std::vector<HyperParameter>& parameters = objective.space.parameters;
  std::vector<double> values = result.values;
  const double growth = std::max(idle_growth, idle_part * fading_growth(objective, values, run));
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (may_be_idle(parameters[p]) && values[p] > growth * parameters[p].value) {
      values[p] = parameters[p].upper;
    }
  }
  if (values == result.values) {
    return;
  }
  ++report.iterations;
  if (objective.value(values, run) >= result.value - log_prior(parameters, result.values)) {
    result.values = std::move(values);
    result.notes = bound_notes(parameters, result.values);
  }
}

// The parameters for the last stage, in which columns of hardly any effect may fade out.
std::vector<HyperParameter> parameters_to_finish(const SearchObjective& objective, std::span<const double> values,
                                                 const Run& run) {
  const GpSearchSpace& space = objective.space;
  std::vector<HyperParameter> parameters = starting_at(space.parameters, values);
  const double growth = fading_growth(objective, values, run);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (may_be_idle(parameters[p])) {
      parameters[p].fading_from = space.parameters[p].value * growth;
    }
  }
  return parameters;
}

// From the best of the ends that part of the rows found, with the curvature of that part: a model of the evidence of
// all rows from the first step on.
EvidenceSearchResult finish(const SearchObjective& part, const SearchObjective& all,
                            const std::vector<std::vector<double>>& ends, FitReport& report, const Run& run) {
  const std::vector<double> values = best_of(all, ends, report, run);
  const std::vector<HyperParameter> parameters = parameters_to_finish(part, values, run);
  Matrix<double> curvature = evidence_curvature(part.function(), parameters, run);
  report.iterations += curvature.rows() + 1;
  const double more = all.data.total_weight() / part.data.total_weight();
  for (Index i = 0; i < curvature.rows(); ++i) {
    for (Index j = 0; j < curvature.rows(); ++j) {
      curvature(i, j) *= more;
    }
  }
  return maximize_evidence(all.function(), parameters,
                           {.max_evaluations = all.space.options.max_evaluations,
                            .tolerance = all.space.options.tolerance,
                            .curvature = std::as_const(curvature).view()},
                           run);
}

// From the start that the data suggest and random ones.
EvidenceSearchResult search_widely(const SearchObjective& objective, double tolerance, FitReport& report,
                                   const Run& run) {
  const GpSearchSpace& space = objective.space;
  const Index limit = space.options.max_evaluations;
  std::vector<double> values = space.start();
  if (holds_noise_first(space)) {
    std::vector<HyperParameter> held = space.parameters;
    held.back().fixed = true;
    try {
      const EvidenceSearchResult result = maximize_evidence(
          objective.function(), held, {.max_evaluations = limit, .tolerance = first_stage_tolerance}, run);
      values = result.values;
      report.iterations += result.evaluations;
    } catch (const NumericalError&) {  // NOLINT(bugprone-empty-catch): see below
      // No value at the start: the random ones of the search below may have one.
    }
  }
  return maximize_evidence(objective.function(), starting_at(space.parameters, values),
                           {.restarts = space.options.restarts, .max_evaluations = limit, .tolerance = tolerance}, run);
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
  const auto rows_of = [&](Index count) { return select(data, stage_rows(n, count, run), space.options.mean); };
  const GpData selected = sizes.back() == n ? GpData{} : rows_of(sizes.back());
  const SearchObjective all{space, sizes.back() == n ? data : selected};
  EvidenceSearchResult result;
  if (sizes.size() == 1) {
    result = search_widely(all, space.options.tolerance, report, run);
  } else {
    const GpData few = rows_of(sizes.front());
    const SearchObjective part{space, few};
    result = search_widely(part, first_stage_tolerance, report, run);
    report.iterations += result.evaluations;
    result = finish(part, all, result.ends, report, run);
  }
  report.iterations += result.evaluations;
  switch_off_idle_columns(all, result, report, run);
  values = result.values;
  if (sizes.back() < n) {
    report.notes.push_back("hyper-parameters learnt from " + std::to_string(sizes.back()) + " of " + std::to_string(n) +
                           " rows (search_rows)");
  }
  if (space.options.method == GpMethod::variational || space.options.method == GpMethod::fitc) {
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
