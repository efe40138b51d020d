#include "mercer/models/kernel_machine/l1vm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/models/kernel_machine/machine_options.h"
#include "mercer/models/kernel_machine/machine_select.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/glm/glm_net.h"
#include "mercer/solvers/glm/net_sharpening.h"

namespace mercer {

namespace {

constexpr double path_ratio = 1e-4;
constexpr double path_tolerance = 1e-3;
constexpr double fit_tolerance = 1e-8;
constexpr Index least_points = 4;  // of the way from the largest penalty to a given one, per factor of ten
// A model that explains this much of the null loss has nothing to gain from smaller penalties.
constexpr double explained_share = 0.9999;

NetIntercept l1vm_intercept(const L1vmOptions& options) {
  return options.intercept ? NetIntercept::fitted : NetIntercept::none;
}

ElasticNetPenalty penalty_at(const L1vmOptions& options, double lambda) {
  return {options.mix * lambda, (1 - options.mix) * lambda};
}

struct L1vmProblem {
  MachineRows rows;
  MachineFeatures features;
};

// A fit, and where there are folds, one of them at a time: whether there is memory enough must not depend on the number
// of threads.
L1vmProblem make_l1vm_problem(MachineRows rows, const Kernel& kernel, const L1vmOptions& options, const Run& run) {
  const double copies = options.lambda || options.select == L1vmSelection::bayes_criterion ? 1.0 : 2.0;
  MachineFeatures features = machine_features(rows, kernel, {options.prototypes, options.count, options.given},
                                              options.memory_mb, copies, run);
  return {std::move(rows), std::move(features)};
}

PenaltyPath l1vm_path_of(const L1vmOptions& options) {
  return [options](ConstMatrixView<double> features, const GlmTargets& targets, std::span<const double> lambdas,
                   const std::function<bool(std::size_t, const GlmPoint&)>& show, const Run& run) {
    GlmNet net(features, targets, l1vm_intercept(options), run);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      GlmNetSolution solution = net.solve(penalty_at(options, lambdas[l]), {.tolerance = path_tolerance});
      const bool explained = solution.loss <= (1 - explained_share) * net.null_loss();
      if (!show(l, {std::move(solution.coefficients), std::move(solution.intercepts)}) || explained) {
        return;
      }
    }
  };
}

// Schwarz's criterion with one degree of freedom per coefficient; least squares with the noise that fits best.
double bayes_criterion(const MachineRows& rows, const GlmNetSolution& solution) {
  const double n = rows.targets().total_weight();
  const auto outputs = static_cast<double>(rows.values.columns());
  const double per_prototype = rows.family == GlmFamily::multinomial ? outputs - 1 : outputs;
  const double freedom = per_prototype * static_cast<double>(solution.active.size());
  if (rows.family == GlmFamily::gaussian) {
    // Beyond half of the rows the residuals say nothing about the noise.
    return 2 * freedom > n * outputs
               ? std::numeric_limits<double>::infinity()
               : n * outputs * std::log(std::max(2 * solution.loss / (n * outputs), 1e-300)) + freedom * std::log(n);
  }
  return 2 * solution.loss + freedom * std::log(n);
}

std::vector<L1vmPathPoint> whole_path(const L1vmProblem& problem, const L1vmOptions& options,
                                      std::span<const double> lambdas, const Run& run) {
  std::vector<L1vmPathPoint> path;
  GlmNet net(problem.features.values.view(), problem.rows.targets(), l1vm_intercept(options), run);
  for (const double lambda : lambdas) {
    run.progress("path", static_cast<double>(path.size()), static_cast<double>(lambdas.size()));
    const GlmNetSolution solution = net.solve(penalty_at(options, lambda), {.tolerance = path_tolerance});
    path.push_back({.lambda = lambda,
                    .active = static_cast<Index>(solution.active.size()),
                    .loss = solution.loss,
                    .held_out_loss = std::numeric_limits<double>::quiet_NaN(),
                    .criterion = bayes_criterion(problem.rows, solution)});
    if (solution.loss <= (1 - explained_share) * net.null_loss()) {
      break;
    }
  }
  return path;
}

// Rows that the folds are made of: work grows with the classes, so that there are fewer rows of many classes.
Index l1vm_selection_rows(const L1vmProblem& problem, const L1vmOptions& options) {
  constexpr Index enough = 200;
  const auto classes = static_cast<Index>(problem.rows.levels.size());
  return classes > 2 && options.select_rows > enough ? std::max(enough, 2 * options.select_rows / classes)
                                                     : options.select_rows;
}

// As many folds at a time as there is memory for copies of the features, beside the features and the copy of a fit.
int folds_at_once(const L1vmProblem& problem, const L1vmOptions& options) {
  const Matrix<double>& features = problem.features.values;
  const double copy = 8.0 * static_cast<double>(features.rows()) * static_cast<double>(features.columns());
  return static_cast<int>(std::clamp(allowed_memory(options.memory_mb) / std::max(copy, 1.0) - 2, 1.0, 1e6));
}

// The losses of penalties of all rows on folds of some of them.
HeldOutLosses l1vm_losses(const L1vmProblem& problem, const L1vmOptions& options, std::span<const double> lambdas,
                          const Run& given) {
  const Run run = given.on_at_most(folds_at_once(problem, options));
  const std::vector<Index> numbers = drawn_rows(problem.rows, l1vm_selection_rows(problem, options), run);
  if (static_cast<Index>(numbers.size()) == problem.rows.size()) {
    return held_out_losses(problem.features.values.view(), problem.rows, options.folds, lambdas, l1vm_path_of(options),
                           run);
  }
  const MachineRows rows = problem.rows.select(numbers);
  const Matrix<double> features = matrix_rows(problem.features.values.view(), numbers);
  // The best λ grows with the square root of the rows, as the noise in the products of features and residuals does.
  const double share = std::sqrt(rows.targets().total_weight() / problem.rows.targets().total_weight());
  std::vector<double> scaled;
  for (const double lambda : lambdas) {
    scaled.push_back(share * lambda);
  }
  return held_out_losses(features.view(), rows, options.folds, scaled, l1vm_path_of(options), run);
}

struct L1vmChoice {
  double lambda = 0;
  double held_out_loss = std::numeric_limits<double>::quiet_NaN();
  bool at_the_end = false;   // of the path
  Index selection_rows = 0;  // 0: all
};

L1vmChoice choose_l1vm_penalty(const L1vmProblem& problem, const L1vmOptions& options, double largest, const Run& run) {
  const std::vector<double> lambdas = penalty_sequence(largest, path_ratio, options.points);
  if (options.select == L1vmSelection::bayes_criterion) {
    const std::vector<L1vmPathPoint> path = whole_path(problem, options, lambdas, run);
    const auto best = std::ranges::min_element(path, {}, &L1vmPathPoint::criterion);
    return {.lambda = best->lambda, .at_the_end = best + 1 == path.end() && path.size() == lambdas.size()};
  }
  const HeldOutLosses losses = l1vm_losses(problem, options, lambdas, run);
  const std::size_t chosen = options.select == L1vmSelection::one_standard_error ? losses.sparsest : losses.best;
  return {.lambda = lambdas[chosen],
          .held_out_loss = losses.means[chosen],
          .at_the_end = chosen + 1 == lambdas.size(),
          .selection_rows = l1vm_selection_rows(problem, options)};
}

// Along the path to the wanted penalty: every solution starts from a near one.
GlmNetSolution solve_l1vm(GlmNet& net, const L1vmOptions& options, double lambda, double largest) {
  if (lambda < largest) {
    const auto points = static_cast<Index>(std::ceil(least_points * std::log10(largest / lambda)));
    for (Index p = 1; p < points; ++p) {
      const double share = static_cast<double>(p) / static_cast<double>(points);
      net.solve(penalty_at(options, largest * std::pow(lambda / largest, share)), {.tolerance = path_tolerance});
    }
  }
  return solve_sharply(net, penalty_at(options, lambda), GlmNetOptions{.tolerance = fit_tolerance});
}

FitReport l1vm_report(const GlmNetSolution& solution, const L1vmProblem& problem, const L1vmChoice& choice,
                      double largest, FitReport report) {
  report.status = solution.status;
  report.iterations = solution.iterations;
  report.objective_name = "objective";
  report.objective = solution.objective;
  report.measures = {{Fact::lambda, choice.lambda},
                     {"lambda at which all coefficients are 0", largest},
                     {"prototypes", static_cast<double>(problem.features.prototypes.size())},
                     {"prototypes kept", static_cast<double>(solution.active.size())},
                     {"duality gap", solution.gap},
                     {"violation of the optimality conditions", solution.violation},
                     {"training loss", solution.loss}};
  if (!std::isnan(choice.held_out_loss)) {
    report.measures.push_back({"held-out loss", choice.held_out_loss});
  }
  note_rows_left_out(problem.rows.left_out, report);
  if (choice.selection_rows > 0 && choice.selection_rows < problem.rows.size()) {
    report.notes.push_back("lambda chosen by " + std::to_string(choice.selection_rows) + " of " +
                           std::to_string(problem.rows.size()) + " rows (select_rows)");
  }
  if (choice.at_the_end) {
    report.notes.push_back("the penalty that was chosen is the smallest of the path: a narrower kernel may fit better");
  }
  if (solution.active.empty()) {
    report.notes.push_back("no prototype is in use: the model is constant");
  }
  return report;
}

std::unique_ptr<KernelMachine> fit_l1vm(MachineRows rows, const Kernel& kernel, const L1vmOptions& options,
                                        std::span<const Option<L1vmOptions>> table, const Run& run) {
  FitReport timed;
  PhaseTimer timer(timed);
  timer.start("kernel");
  const L1vmProblem problem = make_l1vm_problem(std::move(rows), kernel, options, run);
  GlmNet net(problem.features.values.view(), problem.rows.targets(), l1vm_intercept(options), run);
  const double largest = net.largest_l1() / options.mix;
  L1vmChoice choice{.lambda = options.lambda.value_or(largest > 0 ? largest : 1.0)};
  if (!options.lambda && largest > 0 && problem.rows.size() > 1) {
    timer.start("select");
    choice = choose_l1vm_penalty(problem, options, largest, run);
  }
  timer.start("solve");
  GlmNetSolution solution = solve_l1vm(net, options, choice.lambda, largest);
  timer.start("model");
  FitReport report = l1vm_report(solution, problem, choice, largest, {});
  Expansion expansion = machine_expansion(problem.features.kernel, problem.features.prototypes,
                                          {std::move(solution.coefficients), std::move(solution.intercepts)}, run);
  timer.stop();
  report.phases = timed.phases;
  L1vmOptions used = options;
  used.lambda = choice.lambda;
  return std::make_unique<KernelMachine>(ModelHead{.name = problem.rows.model,
                                                   .requested_kernel = kernel.spec(),
                                                   .settings = settings_of(table, used),
                                                   .output_names = problem.rows.output_names,
                                                   .classes = problem.rows.levels,
                                                   .report = std::move(report)},
                                         KernelMachine::Parts{problem.rows.family, std::move(expansion)});
}

std::vector<L1vmPathPoint> l1vm_path(MachineRows rows, const Kernel& kernel, const L1vmOptions& options,
                                     const Run& run) {
  const L1vmProblem problem = make_l1vm_problem(std::move(rows), kernel, options, run);
  const double largest =
      GlmNet(problem.features.values.view(), problem.rows.targets(), l1vm_intercept(options), run).largest_l1() /
      options.mix;
  if (!(largest > 0)) {
    return {};
  }
  const std::vector<double> lambdas = penalty_sequence(largest, path_ratio, options.points);
  std::vector<L1vmPathPoint> path = whole_path(problem, options, lambdas, run);
  if (options.select != L1vmSelection::bayes_criterion && problem.rows.size() > 1) {
    const HeldOutLosses losses = l1vm_losses(problem, options, lambdas, run);
    for (std::size_t l = 0; l < path.size(); ++l) {
      path[l].held_out_loss = losses.means[l];
    }
  }
  return path;
}

std::vector<Option<L1vmOptions>> l1vm_options_with(Option<L1vmOptions> own) {
  std::vector<Option<L1vmOptions>> table = {
      machine_lambda_option<L1vmOptions>(),
      {"mix", &L1vmOptions::mix, "share of the l1 part in (0, 1]: 1 the lasso, below it the elastic net",
       Limits::above_to(0, 1)},
      {"select", &L1vmOptions::select,
       "how lambda is chosen along the path: cv by the loss on held-out folds, cv1se the largest within one standard "
       "error of that, bic by Schwarz's criterion without refits"},
      {"folds", &L1vmOptions::folds, "of select=cv and cv1se", Limits::from(2)},
      {"select_rows", &L1vmOptions::select_rows,
       "rows, drawn at random, that the folds are made of, fewer for more than two classes (2/classes of them, at "
       "least 200); 0: all",
       Constraint::nonnegative},
      {"points", &L1vmOptions::points, "of the path, from the penalty at which all coefficients are 0 to 1/10000 of it",
       Limits::from_to(2, 10'000)},
  };
  const std::vector<Option<L1vmOptions>> prototypes = machine_prototype_options<L1vmOptions>();
  table.insert(table.end(), prototypes.begin(), prototypes.end());
  table.push_back(std::move(own));
  table.push_back({"memory_mb", &L1vmOptions::memory_mb, "what the features may take; 0: half of the machine's memory",
                   Constraint::nonnegative});
  return table;
}

ChosenBy chosen_by(const L1vmOptions& options) {
  return options.lambda || options.select == L1vmSelection::bayes_criterion ? ChosenBy::itself : ChosenBy::folds;
}

}  // namespace

void L1vmOptions::validate(const char* model, std::span<const Option<L1vmOptions>> table) const {
  check_options<L1vmOptions>(model, table, *this);
  PrototypeChoice{prototypes, count, given}.validate(model);
}

std::span<const Option<L1vmOptions>> l1vmr_option_table() {
  static const std::vector<Option<L1vmOptions>> table = l1vm_options_with(machine_response_option<L1vmOptions>());
  return table;
}

std::span<const Option<L1vmOptions>> l1vmc_option_table() {
  static const std::vector<Option<L1vmOptions>> table = l1vm_options_with(machine_class_weight_option<L1vmOptions>());
  return table;
}

std::vector<L1vmPathPoint> l1vmr_path(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                      const Run& run) {
  options.validate("l1vmr", l1vmr_option_table());
  return l1vm_path(regression_rows("l1vmr", kernel, data, chosen_by(options), options.response), kernel, options, run);
}

std::vector<L1vmPathPoint> l1vmc_path(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                      const Run& run) {
  options.validate("l1vmc", l1vmc_option_table());
  return l1vm_path(
      class_rows("l1vmc", merged_unless_in_folds("l1vmc", kernel, data, chosen_by(options)), options.class_weight),
      kernel, options, run);
}

std::unique_ptr<KernelMachine> fit_l1vmr(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                         const Run& run) {
  options.validate("l1vmr", l1vmr_option_table());
  return fit_l1vm(regression_rows("l1vmr", kernel, data, chosen_by(options), options.response), kernel, options,
                  l1vmr_option_table(), run);
}

std::unique_ptr<KernelMachine> fit_l1vmc(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                         const Run& run) {
  options.validate("l1vmc", l1vmc_option_table());
  return fit_l1vm(
      class_rows("l1vmc", merged_unless_in_folds("l1vmc", kernel, data, chosen_by(options)), options.class_weight),
      kernel, options, l1vmc_option_table(), run);
}

const ModelEntry& l1vmr_entry() {
  static const ModelEntry entry =
      make_entry<KernelMachine>({.name = "l1vmr",
                                 .aliases = {"l1vm", "kernel-lasso"},
                                 .summary = "sparse kernel regression: l1 penalty on kernel features",
                                 .task = Task::regression,
                                 .default_kernel = "rbf(gamma=scale)",
                                 .counterpart = "l1vmc"},
                                l1vmr_option_table(), fit_l1vmr, regression_machine_parts<L1vmOptions>);
  return entry;
}

const ModelEntry& l1vmc_entry() {
  static const ModelEntry entry = make_entry<KernelMachine>(
      {.name = "l1vmc",
       .aliases = {},
       .summary = "sparse kernel logistic regression: l1 penalty (groups for several classes) on kernel features",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "l1vmr"},
      l1vmc_option_table(), fit_l1vmc, class_machine_parts);
  return entry;
}

}  // namespace mercer
