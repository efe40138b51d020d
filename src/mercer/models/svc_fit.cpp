// How svc and nusvc are fitted (the model itself: svc.cpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/svc.h"
#include "mercer/models/svc_training.h"

namespace mercer {

namespace {

// A hard margin is looked for with this bound, in units of one over the mean of the kernel's diagonal: coefficients
// that reach it show that there is none.
constexpr double hard_bound = 1e6;
constexpr Index platt_folds = 5;

struct Labelled {
  std::vector<Index> rows;            // of positive weight
  std::vector<std::int32_t> classes;  // per such row
  std::vector<std::string> levels;
  std::vector<double> weights;  // per such row, class weights included
};

Labelled uncertain_labels(const TrainingData& data, const std::vector<Index>& rows) {
  const Matrix<double> values = data.targets.values();
  Labelled result{.rows = {}, .classes = {}, .levels = {"-1", "1"}, .weights = {}};
  for (const Index row : rows) {
    const double value = values(row, 0);
    if (!(std::abs(value) <= 1)) {
      throw DataError("svc: uncertain = yes needs targets between -1 and 1, row " + std::to_string(row) +
                      " (counted from 0) has " + shortest(value));
    }
    if (value != 0) {
      result.rows.push_back(row);
      result.classes.push_back(value > 0 ? 1 : 0);
      result.weights.push_back(std::abs(value) *
                               (data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(row)]));
    }
  }
  return result;
}

// Only classes that occur among the counted rows are classes of the model.
Labelled plain_labels(const TrainingData& data, const std::vector<Index>& rows) {
  const ClassLabels labels = data.targets.labels(0);
  std::vector<std::int32_t> number(labels.levels.size(), -1);
  for (const Index row : rows) {
    number[static_cast<std::size_t>(labels.codes[static_cast<std::size_t>(row)])] = 0;
  }
  Labelled result;
  for (std::size_t level = 0; level < number.size(); ++level) {
    if (number[level] == 0) {
      number[level] = static_cast<std::int32_t>(result.levels.size());
      result.levels.push_back(labels.levels[level]);
    }
  }
  result.rows = rows;
  for (const Index row : rows) {
    result.classes.push_back(
        number[static_cast<std::size_t>(labels.codes[static_cast<std::size_t>(row)])]);
    result.weights.push_back(data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(row)]);
  }
  return result;
}

std::vector<double> balanced_weights(const Labelled& labelled) {
  std::vector<double> totals(labelled.levels.size(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < labelled.classes.size(); ++i) {
    totals[static_cast<std::size_t>(labelled.classes[i])] += labelled.weights[i];
    sum += labelled.weights[i];
  }
  for (double& total : totals) {
    total = sum / (static_cast<double>(totals.size()) * total);
  }
  return totals;
}

// "label:weight,label:weight"; a label may hold colons, so the last one counts.
std::vector<double> listed_weights(const std::string& text, const std::vector<std::string>& levels) {
  std::vector<double> weights(levels.size(), 1.0);
  for (const std::string& item : split(text, ',')) {
    const std::size_t colon = item.rfind(':');
    const std::optional<double> weight =
        colon == std::string::npos ? std::nullopt : parse_double(std::string_view(item).substr(colon + 1));
    if (!weight || !(*weight > 0) || !std::isfinite(*weight)) {
      throw InvalidArgument("class_weight: '" + item + "' is not label:weight with a positive weight");
    }
    const std::string label = item.substr(0, colon);
    const auto found = std::find(levels.begin(), levels.end(), label);
    if (found == levels.end()) {
      throw InvalidArgument("class_weight: there is no class '" + label + "'." + did_you_mean(label, levels) +
                            " The classes are " + join(levels, ", "));
    }
    weights[static_cast<std::size_t>(found - levels.begin())] = *weight;
  }
  return weights;
}

void apply_class_weights(const std::string& text, Labelled& labelled) {
  if (text.empty()) {
    return;
  }
  const std::vector<double> weights =
      text == "balanced" ? balanced_weights(labelled) : listed_weights(text, labelled.levels);
  for (std::size_t i = 0; i < labelled.classes.size(); ++i) {
    labelled.weights[i] *= weights[static_cast<std::size_t>(labelled.classes[i])];
  }
}

Labelled read_labels(const char* model, const TrainingData& data, bool uncertain, const std::string& class_weight) {
  if (data.targets.size() != data.samples.size()) {
    throw DataError(std::to_string(data.samples.size()) + " samples with " + std::to_string(data.targets.size()) +
                    " targets: one target per sample is needed");
  }
  if (data.targets.outputs() != 1) {
    throw DataError(std::string(model) + ": " + std::to_string(data.targets.outputs()) +
                    " targets: a classifier predicts one. Fit one model per target");
  }
  const std::vector<Index> rows = weighted_rows(data, model);
  Labelled labelled = uncertain ? uncertain_labels(data, rows) : plain_labels(data, rows);
  std::vector<char> seen(labelled.levels.size(), 0);
  for (const std::int32_t c : labelled.classes) {
    seen[static_cast<std::size_t>(c)] = 1;
  }
  if (std::count(seen.begin(), seen.end(), 1) < 2) {
    throw DataError(std::string(model) + ": all rows that count belong to one class" +
                    (labelled.levels.empty() ? "" : " ('" + labelled.levels.front() + "')") +
                    "; a classifier needs two at least. For one class there are oneclass and svdd");
  }
  apply_class_weights(class_weight, labelled);
  return labelled;
}

ClassCode make_code(const ClassifierOptions& options, Index classes, std::uint64_t seed) {
  if (options.multiclass == "ovr") {
    return ClassCode::one_vs_rest(classes);
  }
  if (options.multiclass == "code") {
    return options.code.empty() ? ClassCode::random(classes, seed) : ClassCode::parse(options.code, classes);
  }
  return ClassCode::one_vs_one(classes, options.multiclass == "dag" ? Decoding::graph : Decoding::votes);
}

void require_consistent_options(const char* model, const ClassifierOptions& options) {
  options.validate(model);
  const std::string name(model);
  if (options.probability && options.multiclass == "code") {
    throw InvalidArgument(name + ": probability = yes needs multiclass = ovo, ovr or dag");
  }
  if (!(options.reject >= 0)) {
    reject_argument(name + ": reject", options.reject, "0 or more");
  }
  if (!std::isfinite(options.threshold)) {
    reject_argument(name + ": threshold", options.threshold, "a finite number");
  }
}

// The measures that `fit` prints.
void add_measures(const std::vector<MachineFacts>& facts, Index support, Index rows, FitReport& report) {
  report.measures.push_back({"support vectors", static_cast<double>(support)});
  report.measures.push_back(
      {"fraction of support vectors", static_cast<double>(support) / static_cast<double>(rows)});
  if (facts.size() == 1) {
    const MachineFacts& machine = facts.front();
    report.measures.push_back({"at the bound", machine.bounded});
    report.measures.push_back({"margin", machine.squared_norm > 0 ? 1 / std::sqrt(machine.squared_norm) : 0.0});
    report.measures.push_back({"margin errors", machine.margin_errors});
    report.measures.push_back({"primal value", machine.primal});
    report.measures.push_back({"dual value", machine.dual});
  }
}

std::vector<PlattSigmoid> fit_sigmoids(const std::vector<TrainedMachine>& machines) {
  std::vector<PlattSigmoid> sigmoids;
  for (const TrainedMachine& machine : machines) {
    sigmoids.push_back(fit_platt(machine.held_out, machine.task.signs).sigmoid);
  }
  return sigmoids;
}

struct Formulation {
  const char* model;
  MachineSolve solve;
  Slack slack = Slack::linear;
};

std::unique_ptr<SvcModel> fit_classifier(const Kernel& kernel, const ClassifierOptions& options,
                                         std::vector<OptionSetting> settings, const Formulation& formulation,
                                         const Labelled& labelled, const std::vector<double>& bounds,
                                         const TrainingData& data, const Run& run) {
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const Samples counted = static_cast<Index>(labelled.rows.size()) == data.samples.size()
                              ? data.samples
                              : data.samples.select(labelled.rows);
  const Kernel resolved = resolve_widths(kernel, counted, run);
  const SvmEngine engine(resolved, counted, options, run);
  const ClassCode code = make_code(options, static_cast<Index>(labelled.levels.size()), run.seed());
  std::vector<Index> numbers(labelled.rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  timer.start("solve");
  const std::vector<TrainedMachine> machines =
      train_machines(engine, machine_tasks(code, numbers, labelled.classes, bounds), formulation.solve,
                     {options.probability ? platt_folds : 0}, run);
  timer.start("model");
  std::vector<MachineCoefficients> coefficients;
  std::vector<MachineFacts> facts;
  Matrix<double> offsets(1, code.machines());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const TrainedMachine& machine = machines[m];
    coefficients.push_back({machine.task.rows, machine.dual.coefficients});
    facts.push_back(machine_facts(machine.dual, machine.task.signs, machine.task.bounds, formulation.slack));
    offsets(0, static_cast<Index>(m)) = machine.dual.offset;
    add_to_report(machine.dual, report);
    report.objective += machine.dual.objective;
  }
  report.objective_name = "dual objective";
  SupportSet support = support_set(coefficients, static_cast<Index>(labelled.rows.size()));
  std::vector<Index> support_rows;
  std::vector<Index> support_classes;
  for (const Index number : support.rows) {
    support_rows.push_back(labelled.rows[static_cast<std::size_t>(number)]);
    support_classes.push_back(labelled.classes[static_cast<std::size_t>(number)]);
  }
  add_measures(facts, static_cast<Index>(support.rows.size()), static_cast<Index>(labelled.rows.size()), report);
  const Precision precision = options.tolerance <= 1e-5 || options.verify == "double" ? Precision::double_precision
                                                                                        : Precision::single_precision;
  Expansion expansion(resolved, packed_for_svm(counted, options).select(support.rows), std::move(support.coefficients),
                      ParametricPart::constant, std::move(offsets), precision, run);
  std::vector<PlattSigmoid> sigmoids;
  if (options.probability) {
    sigmoids = fit_sigmoids(machines);
  }
  timer.stop();
  return std::make_unique<SvcModel>(SvcModel::Parts{.name = formulation.model,
                                                    .requested_kernel = kernel.spec(),
                                                    .settings = std::move(settings),
                                                    .output_name = data.targets.columns().front().name,
                                                    .classes = labelled.levels,
                                                    .code = code,
                                                    .expansion = std::move(expansion),
                                                    .support_rows = std::move(support_rows),
                                                    .support_classes = std::move(support_classes),
                                                    .sigmoids = std::move(sigmoids),
                                                    .facts = std::move(facts),
                                                    .threshold = options.threshold,
                                                    .reject = options.reject,
                                                    .report = std::move(report)});
}

SvmDual solve_hard(const SvmEngine& engine, const MachineTask& task, const Run& run) {
  const std::vector<double> diagonal = engine.diagonal();
  const double mean =
      std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / static_cast<double>(diagonal.size());
  std::vector<double> bounds(task.rows.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = task.bounds[i] > 0 ? hard_bound / std::max(mean, 1e-300) : 0.0;
  }
  SvmDual dual = engine.c_svc(task.signs, bounds, run);
  if (dual.bounded > 0) {
    throw NumericalError(
        "svc: slack = none, but the classes cannot be separated with this kernel (" + std::to_string(dual.bounded) +
        " coefficients grow without bound). Use slack = linear with a C, or a narrower kernel");
  }
  return dual;
}

}  // namespace

void SvcOptions::validate() const {
  require_consistent_options("svc", *this);
  if (!(C > 0)) {
    reject_argument("svc: C", C, "positive");
  }
}

void NuSvcOptions::validate() const {
  require_consistent_options("nusvc", *this);
  if (!(nu > 0 && nu <= 1)) {
    reject_argument("nusvc: nu", nu, "above 0 and at most 1");
  }
}

std::unique_ptr<SvcModel> fit_svc(const Kernel& kernel, const SvcOptions& options, const TrainingData& data,
                                  const Run& run) {
  options.validate();
  const Labelled labelled = read_labels("svc", data, options.uncertain, options.class_weight);
  std::vector<double> bounds = labelled.weights;
  for (double& bound : bounds) {
    bound *= options.C;
  }
  Formulation formulation{.model = "svc", .solve = {}};
  if (options.slack == "squared") {
    formulation.slack = Slack::squared;
    formulation.solve = [](const SvmEngine& engine, const MachineTask& task, std::span<const double> /*start*/,
                           const Run& inner) { return engine.l2_svc(task.signs, task.bounds, inner); };
  } else if (options.slack == "none") {
    formulation.solve = [](const SvmEngine& engine, const MachineTask& task, std::span<const double> /*start*/,
                           const Run& inner) { return solve_hard(engine, task, inner); };
  } else {
    formulation.solve = [](const SvmEngine& engine, const MachineTask& task, std::span<const double> start,
                           const Run& inner) { return engine.c_svc(task.signs, task.bounds, inner, start); };
  }
  return fit_classifier(kernel, options, settings_of(svc_option_table(), options), formulation, labelled, bounds, data,
                        run);
}

std::unique_ptr<SvcModel> fit_nusvc(const Kernel& kernel, const NuSvcOptions& options, const TrainingData& data,
                                    const Run& run) {
  options.validate();
  const Labelled labelled = read_labels("nusvc", data, false, options.class_weight);
  Formulation formulation{.model = "nusvc", .solve = {}};
  formulation.solve = [nu = options.nu](const SvmEngine& engine, const MachineTask& task,
                                        std::span<const double> start, const Run& inner) {
    // A fold may be less balanced than all rows: what is feasible for them need not be feasible there.
    const double feasible = start.empty() ? nu : std::min(nu, largest_nu(task.signs, task.bounds));
    return engine.nu_svc(task.signs, feasible, task.bounds, inner);
  };
  return fit_classifier(kernel, options, settings_of(nusvc_option_table(), options), formulation, labelled,
                        labelled.weights, data, run);
}

}  // namespace mercer
