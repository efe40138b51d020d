// How a Gaussian process is fitted: rows and targets, the search for its parameters, the final solution.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/gp/gp_method.h"
#include "mercer/models/gp/gp_parts.h"
#include "mercer/models/gp/gp_search.h"
#include "mercer/models/gp/gp_solve.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

// Bounds of a learnt noise variance, as parts of the variance of the targets, and where it starts.
constexpr double least_noise = 1e-6;
constexpr double most_noise = 10;
constexpr double first_noise = 0.1;
// The scale of robust noise starts at half of the spread of the targets.
constexpr double first_scale = 0.5;

void require_positive(const Kernel& kernel, const Samples& samples, const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, samples, run);
  if (!definiteness.is_positive()) {
    throw InvalidArgument("gp: the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ", but a covariance function must be positive definite: use rbf, matern, rq, …");
  }
}

// The unknown of the likelihood in standardised units: a variance, or a scale. `spread` is what the targets deviate by in
// these units.
HyperParameter noise_parameter(const GpOptions& options, bool noise_known, double scale, double spread) {
  const GpNoise& wish = options.noise;
  const bool variance = options.likelihood == GpLikelihood::gaussian;
  const auto unit = [&](double value) { return variance ? value / (scale * scale) : std::sqrt(value) / scale; };
  HyperParameter parameter{.name = variance ? "noise" : "likelihood.scale"};
  const double square = spread * spread;
  parameter.value = wish.is_given() ? unit(wish.variance()) : variance ? first_noise * square : first_scale * spread;
  parameter.fixed = wish.is_known();
  if (variance && noise_known && !wish.is_given()) {
    parameter.value = 0;
    parameter.fixed = true;
  }
  parameter.lower = wish.bounds() ? unit(wish.bounds()->lower)
                    : variance    ? least_noise * square
                                  : std::sqrt(least_noise) * spread;
  parameter.upper = wish.bounds() ? unit(wish.bounds()->upper)
                    : variance    ? most_noise * square
                                  : std::sqrt(most_noise) * spread;
  if (!wish.bounds() && parameter.value > 0) {
    parameter.lower = std::min(parameter.lower, parameter.value / 100);
    parameter.upper = std::max(parameter.upper, parameter.value * 100);
  }
  if (wish.bounds() && !(parameter.lower > 0)) {
    parameter.lower = std::min(parameter.upper, parameter.value) * 1e-4;
  }
  return parameter;
}

// The rows that count, their standardised targets, noise and weights.
struct Training {
  GpData data;
  TargetScaling scaling;
  std::vector<Index> rows;
};

Standardization standardization(const GpOptions& options, const TrainingData& data) {
  if (!options.standardize || options.likelihood == GpLikelihood::poisson) {
    return Standardization::none;
  }
  if (options.likelihood != GpLikelihood::gaussian) {
    return Standardization::robust;
  }
  return !options.noise.is_given() && data.noise.empty() ? Standardization::each : Standardization::common;
}

// The deviation of the targets as the fit sees them: 1, unless they stay in the user's units.
double target_spread(const GpOptions& options, const GpData& data) {
  if (options.standardize || options.likelihood == GpLikelihood::poisson) {
    return 1;
  }
  const Standardization kind =
      options.likelihood == GpLikelihood::gaussian ? Standardization::common : Standardization::robust;
  return target_scaling(data.targets.view(), data.weights, kind).scale(0);
}

std::vector<double> known_noise(const TrainingData& data, std::span<const Index> rows, double scale) {
  std::vector<double> noise;
  if (data.noise.empty()) {
    return noise;
  }
  if (static_cast<Index>(data.noise.size()) != data.samples.size()) {
    throw DataError(std::to_string(data.noise.size()) + " noise variances for " + std::to_string(data.samples.size()) +
                    " rows");
  }
  for (const Index row : rows) {
    const double value = data.noise[row];
    if (!(value >= 0) || !std::isfinite(value)) {
      throw DataError("the noise variance of row " + std::to_string(row) + " (counted from 0) is " + shortest(value) +
                      "; it must be 0 or more");
    }
    noise.push_back(value / (scale * scale));
  }
  return noise;
}

// Q, and a warning where rounding has taken the digits by which the functions differ: squares of columns far from 0.
Matrix<double> mean_basis(const Samples& samples, const GpOptions& options, const Run& run) {
  constexpr double far = 1e5;
  const ParametricBasis basis(samples, options.mean);
  if (options.mean == ParametricPart::quadratic && basis.farthest_mean() > far) {
    run.warn(
        "gp: products of columns far from 0 differ in their last digits only, and mean=quadratic is no better than "
        "those. Move the columns nearer to 0 (--scale standard)");
  }
  return Matrix<double>::copy_of(basis.q());
}

Training make_training(const GpOptions& options, const TrainingData& data, const Run& run) {
  require_target_numbers(data, "gp");
  Training training;
  training.rows = weighted_rows(data, "gp");
  const auto n = static_cast<Index>(training.rows.size());
  Matrix<double> targets = data.targets.finite_values(training.rows);
  std::vector<double>& weights = training.data.weights;
  weights = select_weights(data.weights, training.rows);
  if (std::ranges::all_of(weights, [](double weight) { return weight == 1; })) {
    weights.clear();
  }
  training.scaling = target_scaling(targets.view(), weights, standardization(options, data));
  for (Index i = 0; i < n; ++i) {
    for (Index o = 0; o < targets.columns(); ++o) {
      targets(i, o) = training.scaling.standardized(targets(i, o), o);
    }
  }
  training.data.samples = counted_samples(data.samples, training.rows);
  training.data.noise = known_noise(data, training.rows, training.scaling.scale(0));
  training.data.targets = std::move(targets);
  training.data.basis = mean_basis(training.data.samples, options, run);
  return training;
}

void require_likelihood_targets(const GpOptions& options, const TrainingData& data, const Training& training,
                                const Likelihood& likelihood) {
  if (options.likelihood == GpLikelihood::gaussian) {
    return;
  }
  const std::string likelihood_word(word_of(options.likelihood));
  if (training.data.targets.columns() != 1) {
    throw InvalidArgument("gp: likelihood = " + likelihood_word + ": takes one target at a time, there are " +
                          std::to_string(training.data.targets.columns()));
  }
  if (!data.noise.empty()) {
    throw InvalidArgument("gp: likelihood = " + likelihood_word +
                          ": known noise variances are for likelihood = gaussian");
  }
  // What map learns by is expectation propagation, too.
  const bool propagates =
      options.inference == GpInference::expectation_propagation ||
      (options.inference == GpInference::posterior_mode && options.optimize) ||
      (options.inference == GpInference::automatic && options.likelihood == GpLikelihood::laplacian);
  if (propagates && !training.data.weights.empty()) {
    throw InvalidArgument(
        std::string(options.inference == GpInference::posterior_mode
                        ? "gp: inference = map: learns by expectation propagation, which"
                        : "gp: inference = ep:") +
        " takes no weights of rows but 0 and 1; repeat rows, or use " +
        (options.likelihood == GpLikelihood::laplacian ? "inference = map with optimize = no" : "inference = laplace"));
  }
  for (Index i = 0; i < training.data.targets.rows(); ++i) {
    if (!likelihood.accepts(training.data.targets(i, 0))) {
      throw DataError("the target of row " + std::to_string(training.rows[i]) + " (counted from 0) is " +
                      shortest(training.data.targets(i, 0)) + ", but likelihood = " + likelihood_word + " needs " +
                      std::string(likelihood.target_text()));
    }
  }
}

// Counts vary about their mean: f is measured from its logarithm.
double poisson_offset(const GpOptions& options, const GpData& data) {
  if (options.likelihood != GpLikelihood::poisson) {
    return 0;
  }
  double sum = 0.5;
  for (Index i = 0; i < data.targets.rows(); ++i) {
    sum += data.weight(i) * data.targets(i, 0);
  }
  return std::log(sum / data.total_weight());
}

void add_evidence(const GpOptions& options, const GpSolution& solution, const Training& training, FitReport& report) {
  double scales = 0;
  for (const double scale : training.scaling.scales) {
    scales += std::log(scale);
  }
  const double rows = training.data.total_weight() - static_cast<double>(training.data.basis.columns());
  report.objective_name = options.inference == GpInference::posterior_mode ? "log posterior"
                          : options.method == GpMethod::greedy             ? "Q of the greedy basis (standardised)"
                          : options.method == GpMethod::variational        ? "lower bound of the log evidence"
                                                                           : "log evidence";
  report.objective = solution.log_evidence - (options.method == GpMethod::greedy ? 0.0 : rows * scales);
}

void add_noise(const GpOptions& options, double noise, const Training& training, std::span<const std::string> names,
               FitReport& report) {
  for (std::size_t o = 0; o < training.scaling.scales.size() && options.likelihood != GpLikelihood::poisson; ++o) {
    const double scale = training.scaling.scales[o];
    const std::string output = names.size() > 1 ? names[o] : std::string();
    if (options.likelihood == GpLikelihood::gaussian) {
      report.measure(Fact::noise_variance, noise * scale * scale, output);
    } else {
      report.measure(Fact::noise_scale, noise * scale, output);
    }
  }
}

void add_leave_one_out(const LeaveOneOutPredictions& loo, const Training& training, FitReport& report) {
  double squares = 0;
  double scales = 0;
  const auto& targets = training.data.targets;
  for (Index o = 0; o < targets.columns(); ++o) {
    const double scale = training.scaling.scale(o);
    scales += std::log(scale);
    for (Index i = 0; i < targets.rows(); ++i) {
      const double error = scale * (targets(i, o) - loo.means(i, o));
      squares += training.data.weight(i) * error * error;
    }
  }
  const double rows = training.data.total_weight();
  const double count = rows * static_cast<double>(targets.columns());
  report.measures.push_back({"leave-one-out RMSE", std::sqrt(squares / count)});
  report.measures.push_back({"leave-one-out mean log density", (loo.log_density - rows * scales) / count});
}

// What an observation at a new place is taken to have: the learnt noise, or the mean of the known ones.
double predicted_noise(const GpOptions& options, double noise, const Training& training) {
  if (options.likelihood != GpLikelihood::gaussian || training.data.noise.empty()) {
    return noise;
  }
  double mean = 0;
  for (Index i = 0; i < training.data.targets.rows(); ++i) {
    mean += training.data.weight(i) * training.data.noise[i] / training.data.total_weight();
  }
  return noise + mean;
}

}  // namespace

std::unique_ptr<GpModel> fit_gp(const Kernel& kernel, const GpOptions& options, const TrainingData& data,
                                const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("prepare");
  const Training training = make_training(options, data, run);
  require_positive(kernel, training.data.samples, run);
  std::vector<std::string> choices;
  GpOptions used =
      chosen_gp_method(options, static_cast<Index>(training.rows.size()), training.data.targets.columns(), choices);
  report.notes.assign(choices.begin(), choices.end());
  const double offset = poisson_offset(options, training.data);
  std::vector<HyperParameter> parameters =
      kernel_hyperparameters(resolve_widths(kernel, training.data.samples, training.rows, data, run));
  if (likelihood_parameter_count(options) == 1) {
    parameters.push_back(noise_parameter(options, !data.noise.empty(), training.scaling.scale(0),
                                         target_spread(options, training.data)));
  }
  set_priors(options.priors, parameters);
  const GpSearchSpace space{.kernel = resolve_widths(kernel, training.data.samples, training.rows, data, run),
                            .parameters = parameters,
                            .options = used,
                            .offset = offset};
  require_likelihood_targets(options, data, training, *space.likelihood(space.start()));
  if (training.data.targets.rows() <= training.data.basis.columns() && options.mean != ParametricPart::none) {
    throw DataError("gp: mean = " + std::string(word_of(options.mean)) + " has " +
                    std::to_string(training.data.basis.columns()) +
                    " free functions, as many as there are rows: use a simpler mean");
  }

  timer.start("hyper-parameters");
  std::vector<double> values = space.start();
  if (options.optimize) {
    values = learn_parameters(space, training.data, report, run);
  }

  timer.start("solve");
  const Kernel learned = space.kernel_at(values);
  GpSolution solution = solve_gp(space, values, training.data, run);
  report.notes.insert(report.notes.end(), solution.notes.begin(), solution.notes.end());
  if (solution.parts.covariance.kind == CovarianceKind::iterative) {
    used.method = GpMethod::conjugate_gradients;  // also where a factor in single precision turned out to be of no use
  }
  add_evidence(used, solution, training, report);
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  std::vector<double> likelihood_parameters = space.likelihood_values(values);
  if (!likelihood_parameters.empty()) {
    add_noise(used, likelihood_parameters[0], training, names, report);
    likelihood_parameters[0] = predicted_noise(used, likelihood_parameters[0], training);
  }
  if (solution.parts.loo) {
    add_leave_one_out(*solution.parts.loo, training, report);
  }
  if (report.status == SolveStatus::converged) {
    report.status = solution.status;
  }
  timer.stop();
  ModelHead head{.name = "gp",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(gp_option_table(), used),
                 .output_names = std::move(names),
                 .report = std::move(report)};
  GpModel::Parts parts = std::move(solution.parts);
  parts.options = std::move(used);
  parts.scaling = training.scaling;
  parts.likelihood_parameters = std::move(likelihood_parameters);
  parts.latent_offset = offset;
  return std::make_unique<GpModel>(std::move(head), std::move(parts), run);
}

}  // namespace mercer
