#include "mercer/models/multiple_kernel/weight_options.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/multiple_kernel/alignment_weights.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

namespace {

std::vector<double> start_weights(std::span<const Summand> summands) {
  std::vector<double> start;
  for (const Summand& summand : summands) {
    start.push_back(summand.start);
  }
  if (std::all_of(start.begin(), start.end(), [](double weight) { return weight == 0; })) {
    start.assign(start.size(), 1.0);
  }
  return start;
}

std::vector<double> aligned_weights(const WeightLearningOptions& options, const SummandGrams& grams,
                                    const WeightTask& task, const WeightRows& rows, FitReport& report, const Run& run) {
  const AlignmentSums sums = alignment_sums(grams, task.targets.view(), rows.weights, run);
  std::vector<double> weights =
      options.method == WeightMethod::alignment ? align_weights(sums) : alignf_weights(sums, run);
  const double reached = sums.alignment(weights);
  report.measures.push_back({"alignment", reached});
  if (!(reached > 0)) {
    report.notes.emplace_back("no kernel aligns with the targets: all have the same weight");
  }
  return weights;
}

std::vector<double> optimal_weights(const WeightLearningOptions& options, const SummandGrams& grams,
                                    const WeightTask& task, std::span<const Kernel> kernels,
                                    std::span<const double> start, FitReport& report, const Run& run) {
  const std::unique_ptr<WeightProblem> machine = task.machine(grams, kernels);
  KernelWeights learned =
      learn_kernel_weights(*machine, start, {options.norm, options.weight_tolerance, options.weight_rounds}, run);
  report.status = learned.status;
  report.measures.push_back({"weight rounds", static_cast<double>(learned.rounds)});
  report.measure(Fact::weight_gap, learned.relative_gap());
  report.measures.push_back({"objective of the weights", learned.upper});
  if (learned.status != SolveStatus::converged) {
    report.notes.push_back("the weights ended with a relative duality gap of " + shortest(learned.relative_gap()) +
                           " (" + std::string(to_string(learned.status)) + ")");
  }
  return std::move(learned.weights);
}

// One kernel, or all of them alike: nothing to be learnt. What is 0 on the training rows has no part.
std::vector<double> equal_weights(std::span<const double> scales) {
  const auto count = std::count_if(scales.begin(), scales.end(), [](double scale) { return scale > 0; });
  std::vector<double> weights;
  for (const double scale : scales) {
    weights.push_back(scale > 0 ? 1.0 / static_cast<double>(count) : 0.0);
  }
  return weights;
}

void report_kernel_weights(std::span<const Summand> summands, std::span<const double> weights, FitReport& report) {
  Index dropped = 0;
  for (std::size_t k = 0; k < summands.size(); ++k) {
    report.measure(Fact::kernel_weight, weights[k], summands[k].kernel.spec());
    dropped += weights[k] > 0 ? 0 : 1;
  }
  if (dropped > 0) {
    report.notes.push_back(std::to_string(dropped) + " of " + std::to_string(summands.size()) +
                           " summands have weight 0 and are not part of the kernel");
  }
}

}  // namespace

void WeightLearningOptions::validate(const char* model) const {
  if (weight_rows == 1) {
    reject_argument(std::string(model) + ": weight_rows", static_cast<double>(weight_rows), "2 or more, or 0 for all");
  }
}

WeightTargets weight_targets(const Targets& targets, const CountedRows& counted, const WeightRows& rows,
                             Standardization kind, TargetOrigin origin) {
  const Matrix<double> values = targets.finite_values(counted.rows);
  TargetScaling scaling = target_scaling(values.view(), counted.weights, kind);
  if (origin == TargetOrigin::zero) {
    std::fill(scaling.means.begin(), scaling.means.end(), 0.0);
  }
  WeightTargets result{Matrix<double>(static_cast<Index>(rows.numbers.size()), values.columns()), scaling.scales};
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
    for (Index o = 0; o < values.columns(); ++o) {
      result.values(static_cast<Index>(i), o) = scaling.standardized(values(rows.numbers[i], o), o);
    }
  }
  return result;
}

LearnedKernel learn_kernel(const char* model, const Kernel& kernel, const WeightLearningOptions& options,
                           const WeightedSamples& all, const WeightRows& rows, const WeightTask& task,
                           Centering centering, double memory_bytes, const Run& run) {
  std::vector<Summand> summands = split_sum(kernel);
  FitReport report;
  PhaseTimer timer(report);
  std::vector<Kernel> written;
  std::vector<Kernel> resolved;
  for (Summand& summand : summands) {
    if (options.normalize == SummandSize::unit) {
      summand.kernel = make_kernel("normalize", {}, {summand.kernel});
    }
    written.push_back(summand.kernel);
    resolved.push_back(resolve_widths(summand.kernel, all, run));
  }
  timer.start("kernel matrices");
  std::vector<double> weights;
  std::vector<double> scales;
  if (options.is_given(summands.size())) {
    scales = summand_scales(resolved, rows.samples, rows.weights, options.normalize, centering, run);
    weights = equal_weights(scales);
  } else {
    const SummandGrams grams(resolved, rows.samples, rows.weights, options.normalize, centering, memory_bytes, run);
    timer.start("weights");
    weights = options.method == WeightMethod::machine
                  ? optimal_weights(options, grams, task, resolved, start_weights(summands), report, run)
                  : aligned_weights(options, grams, task, rows, report, run);
    scales.assign(grams.scales().begin(), grams.scales().end());
  }
  std::vector<double> factors;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    // What is 0 on the training rows has no weight.
    weights[k] = scales[k] > 0 ? weights[k] : 0.0;
    factors.push_back(weights[k] * scales[k]);
  }
  timer.stop();
  report_kernel_weights(summands, weights, report);
  if (rows.samples.size() < all.samples.size()) {
    report.notes.push_back("weights learnt on " + std::to_string(rows.samples.size()) + " of " +
                           std::to_string(all.samples.size()) + " rows, drawn at random");
  }
  // The model is stored as one of its own kind, which has no options of the learning.
  const std::vector<Option<WeightLearningOptions>> table = WeightLearningOptions::table<WeightLearningOptions>();
  ModelOrigin origin{model, settings_of<WeightLearningOptions>(table, options)};
  std::string words;
  for (const OptionSetting& setting : origin.settings) {
    words += " " + setting.name + "=" + setting.value;
  }
  report.notes.push_back(std::string(model) + ": the kernel is the weighted sum that was learnt with" + words);
  return {weighted_sum(resolved, factors), weighted_sum(written, factors).spec(), std::move(report), std::move(origin)};
}

ModelHead with_learning(ModelHead head, const LearnedKernel& learned) {
  head.requested_kernel = learned.requested;
  head.origin = learned.origin;
  FitReport& report = head.report;
  const FitReport& more = learned.report;
  report.phases.insert(report.phases.begin(), more.phases.begin(), more.phases.end());
  report.measures.insert(report.measures.end(), more.measures.begin(), more.measures.end());
  report.notes.insert(report.notes.end(), more.notes.begin(), more.notes.end());
  report.status = report.status == SolveStatus::converged ? more.status : report.status;
  return head;
}

}  // namespace mercer
