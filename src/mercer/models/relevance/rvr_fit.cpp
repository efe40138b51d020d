// fit_rvr: targets to mean 0 and variance 1, one sequential fit per output, and back to the units of the targets.
#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/models/merged_rows.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/relevance/rvr.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/relevance/relevance_priors.h"

namespace mercer {

namespace {

struct ScaledRelevanceTarget {
  std::vector<double> values;
  double offset = 0;
  double scale = 0;  // 0: there is nothing but the offset
};

// The offset is the weighted mean where there is a constant function: then adding a number to all targets adds it to all
// predictions. A constant target has scale 0.
ScaledRelevanceTarget scaled_relevance_target(const std::vector<double>& targets, const std::vector<double>& weights,
                                              bool centered) {
  ScaledRelevanceTarget result{.values = targets};
  double largest = 0;
  double total = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    largest = std::max(largest, std::abs(targets[i]));
    total += weights[i];
  }
  if (largest == 0) {
    return result;
  }
  // Sums of numbers at most 1 neither overflow nor vanish.
  double mean = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    mean += weights[i] / total * (result.values[i] / largest);
  }
  result.offset = centered ? mean * largest : 0;
  double square = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    result.values[i] = result.values[i] / largest - (centered ? mean : 0);
    square += weights[i] / total * result.values[i] * result.values[i];
  }
  const double deviation = std::sqrt(square);
  if (deviation < 1e-14) {
    result.offset = centered ? targets.front() : 0;
    std::fill(result.values.begin(), result.values.end(), 0.0);
    return result;
  }
  for (double& value : result.values) {
    value /= deviation;
  }
  result.scale = deviation * largest;
  return result;
}

RelevanceFit fit_relevance_output(const RelevanceBasis& basis, const ScaledRelevanceTarget& target,
                                  const std::vector<double>& weights, const RvrOptions& options, const Run& run) {
  if (target.scale == 0) {
    return {};
  }
  RelevanceOptions solver = options.solver_options();
  const double square = target.scale * target.scale;
  if (options.noise) {
    solver.noise = *options.noise / square;
  }
  solver.noise_shape = options.noise_shape;
  solver.noise_rate = options.noise_rate / square;
  RelevanceFit fit;
  double densities = 2 * options.noise_shape;  // how often the scale enters the densities
  for (const double weight : weights) {
    densities += weight;
  }
  if (options.prior == RelevancePrior::automatic_relevance) {
    fit = relevance_regression(basis, target.values, weights, solver, run);
  } else {
    const bool is_student = options.prior == RelevancePrior::student;
    const WeightPrior prior{is_student ? WeightPriorKind::student : WeightPriorKind::gamma, options.weight_shape,
                            options.weight_rate / square};
    fit = relevance_with_prior(basis, target.values, weights, prior, solver, run);
    densities += static_cast<double>(fit.columns.size()) * (2 * options.weight_shape + (is_student ? 1 : 0));
  }
  fit.evidence -= densities * std::log(target.scale);
  fit.noise *= square;
  return fit;
}

}  // namespace

std::unique_ptr<RvrModel> fit_rvr(const Kernel& kernel, const RvrOptions& options, const TrainingData& given,
                                  const Run& run) {
  options.validate();
  require_target_numbers(given, "rvr");
  const MergedRows merged = merged_rows("rvr", &kernel, given);
  const TrainingData& data = merged.data;
  FitReport report;
  report.objective_name = options.prior == RelevancePrior::student ? "log posterior" : "log evidence";
  PhaseTimer timer(report);
  timer.start("kernel");
  const RelevanceSetup setup = relevance_setup(kernel, options, data, weighted_rows(data, "rvr"), report, run);
  const std::vector<double> weights = weights_or_ones(data.weights, setup.numbers);
  timer.start("evidence");
  std::vector<RelevanceFit> fits;
  std::vector<double> scales;
  std::vector<double> offsets;
  std::vector<double> noise;
  for (Index o = 0; o < data.targets.outputs(); ++o) {
    const TargetColumn& output = data.targets.columns()[o];
    const ScaledRelevanceTarget target =
        scaled_relevance_target(output.finite_values(setup.numbers), weights, options.bias);
    fits.push_back(fit_relevance_output(*setup.basis, target, weights, options, run));
    scales.push_back(target.scale);
    offsets.push_back(target.offset);
    noise.push_back(target.scale == 0 ? options.noise.value_or(0.0) : fits.back().noise);
    report.objective += fits.back().evidence;
    if (target.scale == 0) {
      report.notes.push_back("output " + std::to_string(o) + " is constant: it is predicted as that constant");
    }
  }
  timer.start("model");
  RelevanceFunctions functions = relevance_functions(setup.kernel, setup.samples, *setup.basis,
                                                     merged.given(setup.numbers), fits, scales, offsets, run);
  add_fits_to_report(fits, relevance_vectors(*setup.basis, fits), report);
  for (std::size_t o = 0; o < noise.size(); ++o) {
    report.measures.push_back({noise.size() == 1 ? "noise" : "noise of output " + std::to_string(o), noise[o]});
  }
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  timer.stop();
  ModelHead head{.name = "rvr",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(rvr_option_table(), options),
                 .output_names = std::move(names),
                 .report = std::move(report)};
  return std::make_unique<RvrModel>(std::move(head),
                                    RvrModel::Parts{.functions = std::move(functions), .noise = std::move(noise)});
}

}  // namespace mercer
