// How svc and nusvc are fitted (the model itself: svc.cpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/svm/hull_machine.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svc_training.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/convex/grouped_slack.h"

namespace mercer {

namespace {

constexpr Index platt_folds = 5;

// Two classes are one machine, however several would be told apart.
bool is_solved_jointly(const ClassifierOptions& options, Index classes) {
  return classes > 2 && is_joint(options.multiclass);
}

void require_consistent_options(const char* model, const ClassifierOptions& options) {
  const std::string name(model);
  if (options.probability && !is_pairs_or_rest(options.multiclass)) {
    throw InvalidArgument(name + ": probability = yes needs multiclass = ovo, ovr or dag");
  }
  if (options.decoding != CodeDecoding::usual && (options.probability || !is_code(options.multiclass))) {
    throw InvalidArgument(name + ": decoding = " + std::string(word_of(options.decoding)) +
                          (options.probability
                               ? " decides by values, and probability = yes by the most probable class: "
                                 "give one of them"
                               : " needs multiclass = code or ovr, whose machines form a code"));
  }
  if (options.probability && options.threshold != 0) {
    throw InvalidArgument(name +
                          ": threshold moves decision values, and with probability = yes the most probable class " +
                          "is predicted: give one of them, or use class_weight");
  }
}

}  // namespace

void ClassifierOptions::require_usable_threshold(const char* model, const ClassCode& class_code) const {
  if (threshold != 0 && (class_code.classes() != 2 || class_code.machines() != 1)) {
    throw InvalidArgument(std::string(model) + ": threshold = " + shortest(threshold) +
                          " moves the one decision value of two classes, and there are " +
                          std::to_string(class_code.classes()) + " classes with " +
                          std::to_string(class_code.machines()) +
                          " machines. Leave it at 0, or weigh the classes with class_weight");
  }
}

namespace {

// The measures that `fit` prints.
void add_measures(const std::vector<MachineFacts>& facts, Index support, Index rows, FitReport& report) {
  report.measure(Fact::support_vectors, static_cast<double>(support));
  report.measure(Fact::support_fraction, static_cast<double>(support) / static_cast<double>(rows));
  if (facts.size() == 1) {
    const MachineFacts& machine = facts.front();
    report.measures.push_back({"at the bound", machine.bounded});
    report.measures.push_back({"margin", machine.squared_norm > 0 ? 1 / std::sqrt(machine.squared_norm) : 0.0});
    report.measures.push_back({"margin errors", machine.margin_errors});
    report.measures.push_back({"primal value", machine.primal});
    report.measures.push_back({"dual value", machine.dual});
  }
}

// ρ of one machine, and the ν that all machines could take.
void add_nu_measures(const std::vector<MachineFacts>& facts, FitReport& report) {
  if (facts.size() == 1) {
    report.measure(Fact::rho, facts.front().rho);
  }
  const auto tightest = std::ranges::min_element(facts, {}, &MachineFacts::largest_nu);
  report.measures.push_back({"largest feasible nu", tightest->largest_nu});
}

std::vector<PlattSigmoid> fit_sigmoids(const std::vector<TrainedMachine>& machines) {
  std::vector<PlattSigmoid> sigmoids;
  for (const TrainedMachine& machine : machines) {
    sigmoids.push_back(fit_platt(machine.held_out, machine.task.signs).sigmoid);
  }
  return sigmoids;
}

// With what is found of the margin where ν is given.
struct JointFit {
  JointResult machine;
  double rho = 0;
  double largest_nu = 0;
};

JointFit solve_jointly(const SvmEngine& engine, const AnySvcOptions& chosen, const LabeledRows& labeled,
                       const std::vector<double>& bounds, const Run& run) {
  const JointProblem problem{
      .classes = labeled.classes, .class_count = static_cast<Index>(labeled.levels.size()), .bounds = bounds};
  if (const auto* const nu = std::get_if<NuSvcOptions>(&chosen)) {
    JointNuResult found = engine.joint_nu(problem, nu->nu, run);
    return {.machine = std::move(found.machine),
            .rho = found.rho,
            .largest_nu = largest_joint_nu(problem.classes, problem.class_count, bounds, run)};
  }
  const bool crammer_singer = shared_options(chosen).multiclass == Multiclass::crammer_singer;
  return {.machine = engine.joint(problem, crammer_singer ? JointLoss::crammer_singer : JointLoss::weston_watkins,
                                  crammer_singer ? JointOffsets::none : JointOffsets::exact, run)};
}

// One machine per class, all from one problem.
std::vector<TrainedMachine> joint_machines(const JointResult& joint, std::vector<MachineTask> tasks) {
  std::vector<TrainedMachine> machines;
  for (Index c = 0; c < joint.coefficients.columns(); ++c) {
    SvmDual dual;
    for (Index i = 0; i < joint.coefficients.rows(); ++i) {
      dual.coefficients.push_back(joint.coefficients(i, c));
      dual.values.push_back(joint.values(i, c));
    }
    dual.offset = joint.offsets[c];
    dual.objective = joint.objective / static_cast<double>(joint.coefficients.columns());
    dual.gap = joint.gap;
    dual.steps = c == 0 ? joint.steps : 0;
    dual.status = joint.status;
    dual.bounded = joint.bounded;
    dual.kernel_precision = joint.kernel_precision;
    machines.push_back({std::move(tasks[c]), std::move(dual), {}});
  }
  return machines;
}

// Slacks and values belong to the joint problem, not to one class.
void share_facts(const JointFit& fit, std::vector<MachineFacts>& facts, FitReport& report) {
  const JointResult& joint = fit.machine;
  for (MachineFacts& machine : facts) {
    machine.rho = fit.rho;
    machine.largest_nu = fit.largest_nu;
    machine.slack = joint.slack;
    machine.margin_errors = static_cast<double>(joint.margin_errors);
    machine.primal = joint.primal;
    machine.dual = -joint.objective;
  }
  report.measures.push_back({"margin errors", static_cast<double>(joint.margin_errors)});
  report.measures.push_back({"primal value", joint.primal});
  report.measures.push_back({"dual value", -joint.objective});
  if (fit.rho > 0) {
    report.measure(Fact::rho, fit.rho);
  }
}

struct Formulation {
  const char* model;
  MachineSolve solve;
  Slack slack = Slack::linear;
  std::vector<std::int32_t> groups = {};  // of the labeled rows, where they share slacks
};

std::unique_ptr<SvcModel> fit_classifier(const Kernel& kernel, const AnySvcOptions& chosen,
                                         std::vector<OptionSetting> settings, const Formulation& formulation,
                                         const LabeledRows& labeled, const std::vector<double>& bounds,
                                         const TrainingData& data, const Run& run) {
  const ClassifierOptions& options = shared_options(chosen);
  const ClassCode code = ClassCode::of(options.multiclass, static_cast<Index>(labeled.levels.size()), options.code,
                                       run.seed(), options.decoding);
  options.require_usable_threshold(formulation.model, code);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const Samples counted = counted_samples(data.samples, labeled.rows);
  const Kernel resolved = resolve_widths(kernel, counted, labeled.rows, data, run);
  const auto* const svc = std::get_if<SvcOptions>(&chosen);
  const ParametricPart part = parametric_part(chosen);
  if (!formulation.groups.empty()) {
    require_definite(formulation.model, resolved, counted, part, NormRemedies::none, run);
  }
  const SvmEngine engine = svc != nullptr ? SvmEngine("svc", resolved, counted, options, *svc, run)
                                          : SvmEngine(resolved, counted, options, run);
  std::vector<Index> numbers(labeled.rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  timer.start("solve");
  std::vector<MachineTask> tasks = machine_tasks(code, numbers, labeled.classes, bounds, formulation.groups);
  std::optional<JointFit> joint;
  if (is_solved_jointly(options, code.classes())) {
    joint = solve_jointly(engine, chosen, labeled, bounds, run);
  }
  const std::vector<TrainedMachine> machines =
      joint ? joint_machines(joint->machine, std::move(tasks))
            : train_machines(engine, std::move(tasks), formulation.solve, {options.probability ? platt_folds : 0}, run);
  timer.start("model");
  std::vector<MachineCoefficients> coefficients;
  std::vector<MachineFacts> facts;
  Precision precision = Precision::single_precision;  // double where one machine needs it
  Matrix<double> parametric(parametric_count(part, counted), code.machines());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const TrainedMachine& machine = machines[m];
    precision = std::max(precision, machine.dual.kernel_precision);
    coefficients.push_back({machine.task.rows, machine.dual.coefficients});
    facts.push_back(
        machine_facts(machine.dual, machine.task.signs, machine.task.bounds, formulation.slack, machine.task.groups));
    for (Index p = 0; p < parametric.rows(); ++p) {
      parametric(p, static_cast<Index>(m)) =
          machine.dual.parametric.empty() ? machine.dual.offset : machine.dual.parametric[static_cast<std::size_t>(p)];
    }
    facts.back().offset = parametric.rows() > 0 ? parametric(0, static_cast<Index>(m)) : 0.0;
    note_dependence(machine.dual, report);
    add_to_report(machine.dual, report);
    report.objective += machine.dual.objective;
  }
  report.objective_name = "dual objective";
  SupportSet support = support_set(resolved, coefficients, static_cast<Index>(labeled.rows.size()));
  std::vector<Index> support_rows;
  std::vector<Index> support_classes;
  for (const Index number : support.rows) {
    support_rows.push_back(labeled.rows[number]);
    support_classes.push_back(labeled.classes[number]);
  }
  add_measures(facts, static_cast<Index>(support.rows.size()), static_cast<Index>(labeled.rows.size()), report);
  if (joint) {
    share_facts(*joint, facts, report);
  }
  if (formulation.slack == Slack::nu) {
    add_nu_measures(facts, report);
    add_hull_distance(facts, bounds, std::get<NuSvcOptions>(chosen).hull, report);
  }
  Expansion expansion(resolved, packed_for_svm(counted, support.rows), std::move(support.coefficients), part,
                      std::move(parametric), precision, run);
  std::vector<PlattSigmoid> sigmoids;
  if (options.probability) {
    sigmoids = fit_sigmoids(machines);
  }
  timer.stop();
  return std::make_unique<SvcModel>(ModelHead{.name = formulation.model,
                                              .requested_kernel = kernel.spec(),
                                              .settings = std::move(settings),
                                              .output_names = {data.targets.columns().front().name},
                                              .classes = labeled.levels,
                                              .report = std::move(report)},
                                    SvcModel::Parts{.options = chosen,
                                                    .code = code,
                                                    .expansion = std::move(expansion),
                                                    .support_rows = std::move(support_rows),
                                                    .support_classes = std::move(support_classes),
                                                    .sigmoids = std::move(sigmoids),
                                                    .facts = std::move(facts)});
}

// With slack at a price that no coefficient reaches: the same machine, where the nearest points of the hulls were not found.
SvmDual solve_with_high_bounds(const SvmEngine& engine, const MachineTask& task, SvmDual found, const Run& run) {
  const std::vector<double> diagonal = engine.diagonal();
  const double mean = std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / static_cast<double>(diagonal.size());
  for (const double bound : {1e6, 1e9, 1e12}) {
    std::vector<double> bounds(task.bounds.size());
    std::transform(task.bounds.begin(), task.bounds.end(), bounds.begin(),
                   [&](double weight) { return weight > 0 ? bound / std::max(mean, 1e-300) : 0.0; });
    SvmDual dual = engine.c_svc(task.signs, bounds, run);
    dual.steps += found.steps;
    if (dual.status == SolveStatus::converged && dual.bounded == 0) {
      return dual;
    }
    found.steps = dual.steps;
  }
  return found;
}

SvmDual solve_hard(const SvmEngine& engine, const MachineTask& task, const Run& run) {
  try {
    SvmDual dual = engine.hard_svc(task.signs, task.bounds, run);
    return dual.status == SolveStatus::converged ? dual : solve_with_high_bounds(engine, task, std::move(dual), run);
  } catch (const NumericalError& error) {
    throw NumericalError(std::string("svc: slack = none, but ") + error.what() +
                         ". Use slack = linear with a C, or a narrower kernel");
  }
}

}  // namespace

void SvcOptions::validate() const {
  check_options<SvcOptions>("svc", svc_option_table(), *this);
  require_consistent_options("svc", *this);
  require_consistent("svc");
  if (slack == SvcSlack::group && uncertain) {
    throw InvalidArgument("svc: slack = group needs labels that are sure (uncertain = no)");
  }
  if (!is_usual() && (slack != SvcSlack::linear || is_joint(multiclass))) {
    throw InvalidArgument(
        "svc: parametric = " + parametric.text() +
        " needs slack = linear and machines of two classes each (multiclass = ovo, ovr, dag or code)");
  }
  if (formulation == SvcFormulation::primal &&
      (slack != SvcSlack::linear || is_joint(multiclass) || !is_usual() || probability)) {
    throw InvalidArgument(
        "svc: formulation = primal needs slack = linear, parametric = constant, probability = no and machines of two "
        "classes each (multiclass = ovo, ovr, dag or code)");
  }
  if (slack != SvcSlack::linear && is_joint(multiclass)) {
    throw InvalidArgument("svc: multiclass = " + std::string(word_of(multiclass)) + " needs slack = linear");
  }
}

void NuSvcOptions::validate() const {
  check_options<NuSvcOptions>("nusvc", nusvc_option_table(), *this);
  require_consistent_options("nusvc", *this);
  if (slack == NuSvcSlack::group && is_joint(multiclass)) {
    throw InvalidArgument("nusvc: multiclass = " + std::string(word_of(multiclass)) + " needs slack = linear");
  }
  if (slack == NuSvcSlack::group && infeasible == InfeasibleNu::limit) {
    throw InvalidArgument(
        "nusvc: infeasible = limit needs slack = linear; with slack = group take infeasible = refuse");
  }
  if (hull && (slack == NuSvcSlack::group || is_joint(multiclass))) {
    throw InvalidArgument(
        "nusvc: hull needs slack = linear and machines of two classes each (multiclass = ovo, ovr, dag or code)");
  }
}

std::unique_ptr<SvcModel> fit_svc(const Kernel& kernel, const SvcOptions& options, const TrainingData& data,
                                  const Run& run) {
  options.validate();
  const LabeledRows labeled = read_labels(
      "svc", data, options.uncertain ? LabelReading::uncertain : LabelReading::classes, options.class_weight);
  std::vector<double> bounds = labeled.weights;
  for (double& bound : bounds) {
    bound *= options.C;
  }
  Formulation formulation{.model = "svc", .solve = {}};
  const bool is_primal = options.formulation == SvcFormulation::primal;
  switch (options.slack) {
    case SvcSlack::linear:
      formulation.solve = [is_primal](const SvmEngine& engine, const MachineTask& task, std::span<const double> start,
                                      const Run& inner) {
        return is_primal ? engine.primal_svc(task.signs, task.bounds, inner)
                         : engine.c_svc(task.signs, task.bounds, inner, start);
      };
      break;
    case SvcSlack::squared:
      formulation.slack = Slack::squared;
      formulation.solve = [](const SvmEngine& engine, const MachineTask& task, std::span<const double> /*start*/,
                             const Run& inner) { return engine.l2_svc(task.signs, task.bounds, inner); };
      break;
    case SvcSlack::none:
      formulation.solve = [](const SvmEngine& engine, const MachineTask& task, std::span<const double> /*start*/,
                             const Run& inner) { return solve_hard(engine, task, inner); };
      break;
    case SvcSlack::group:
      formulation.groups = groups_of_rows("svc", data, labeled.rows);
      formulation.solve = [](const SvmEngine& engine, const MachineTask& task, std::span<const double> /*start*/,
                             const Run& inner) {
        return engine.grouped_svc(task.signs, slack_groups(task.groups, task.bounds), inner);
      };
      break;
  }
  return fit_classifier(kernel, options, settings_of(svc_option_table(), options), formulation, labeled, bounds, data,
                        run);
}

namespace {

// Beyond the largest feasible ν the margin grows without end, and every row is on the heavier side. At that ν all rows of
// the lighter class are at their bounds, which leaves the offset open on that side: it is taken beyond every value that
// Σ β_i k(x_i, x) has where k(x, x) is as on the rows, |k(x_i, x)|² ≤ k(x_i, x_i) k(x, x).
SvmDual widest_margin(const SvmEngine& engine, const MachineTask& task, double largest, const Run& run) {
  SvmDual dual = engine.nu_svc(task.signs, largest, task.bounds, run);
  double heavier = 0;
  double most = 0;
  double size = 0;
  for (std::size_t i = 0; i < task.signs.size(); ++i) {
    heavier += task.signs[i] * task.bounds[i];
    most = std::max(most, std::abs(dual.values[i]));
    size += std::abs(dual.coefficients[i]);
  }
  const std::vector<double> diagonal = engine.diagonal();
  most = std::max(most, size * std::max(0.0, *std::ranges::max_element(diagonal)));
  dual.offset = (heavier > 0 ? 2 : -2) * most;
  return dual;
}

}  // namespace

std::unique_ptr<SvcModel> fit_nusvc(const Kernel& kernel, const NuSvcOptions& options, const TrainingData& data,
                                    const Run& run) {
  options.validate();
  const LabeledRows labeled = read_labels("nusvc", data, LabelReading::classes, options.class_weight);
  Formulation formulation{.model = "nusvc", .solve = {}, .slack = Slack::nu};
  if (options.slack == NuSvcSlack::group) {
    formulation.groups = groups_of_rows("nusvc", data, labeled.rows);
  }
  formulation.solve = [&options](const SvmEngine& engine, const MachineTask& task, std::span<const double> start,
                                 const Run& inner) {
    if (options.slack == NuSvcSlack::group) {
      const SlackGroups groups = slack_groups(task.groups, task.bounds);
      const double most = largest_grouped_nu({task.signs, groups.of_row, groups.bounds});
      return engine.grouped_nu_svc(task.signs, start.empty() ? options.nu : std::min(options.nu, most), groups, inner);
    }
    const double largest = largest_nu(task.signs, task.bounds);
    const double nu = options.hull ? nu_of_hulls(task, *options.hull, options.infeasible, start) : options.nu;
    if (options.infeasible == InfeasibleNu::limit && nu > largest) {
      return widest_margin(engine, task, largest, inner);
    }
    // A fold may be less balanced than all rows: what is feasible for them need not be feasible there.
    const double feasible = start.empty() ? nu : std::min(nu, largest);
    if (options.hull) {
      return solve_hulls_apart(engine, task, feasible, *options.hull, inner);
    }
    return engine.nu_svc(task.signs, feasible, task.bounds, inner);
  };
  return fit_classifier(kernel, options, settings_of(nusvc_option_table(), options), formulation, labeled,
                        labeled.weights, data, run);
}

}  // namespace mercer
