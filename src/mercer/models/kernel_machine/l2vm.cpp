#include "mercer/models/kernel_machine/l2vm.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/kernel_machine/coefficient_ridge.h"
#include "mercer/models/kernel_machine/machine_options.h"
#include "mercer/models/kernel_machine/machine_select.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

// Of the scale of ΦΦᵀ, what λ is looked for in.
constexpr double largest_ridge = 100;
constexpr double least_ridge = 1e-7;

NetIntercept l2vm_intercept(const L2vmOptions& options) {
  return options.intercept ? NetIntercept::fitted : NetIntercept::none;
}

PenaltyPath l2vm_path_of(const L2vmOptions& options) {
  return [options](ConstMatrixView<double> features, const GlmTargets& targets, std::span<const double> lambdas,
                   const std::function<bool(std::size_t, const GlmPoint&)>& show, const Run& run) {
    CoefficientRidge ridge(features, targets, l2vm_intercept(options), run);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      if (!show(l, ridge.solve(lambdas[l]).point)) {
        return;
      }
    }
  };
}

double choose_l2vm_penalty(const MachineRows& all, const MachineFeatures& features, const L2vmOptions& options,
                           FitReport& report, const Run& run) {
  // Several classes cost as many factors.
  const Index most = all.family == GlmFamily::multinomial ? (options.select_rows + 1) / 2 : options.select_rows;
  const std::vector<Index> numbers = drawn_rows(all, most, run);
  const MachineRows rows = all.select(numbers);
  const Matrix<double> part = matrix_rows(features.values.view(), numbers);
  if (rows.size() < all.size()) {
    report.notes.push_back("lambda chosen by " + std::to_string(rows.size()) + " of " + std::to_string(all.size()) +
                           " rows (select_rows)");
  }
  CoefficientRidge ridge(part.view(), rows.targets(), l2vm_intercept(options), run);
  const double scale = ridge.scale() > 0 ? ridge.scale() : 1.0;
  if (options.select == L2vmSelection::evidence || rows.size() < 2) {
    return largest_evidence(
        largest_ridge * scale, least_ridge * scale, [&](double lambda) { return ridge.solve(lambda).log_evidence; },
        run);
  }
  const std::vector<double> lambdas = penalty_sequence(largest_ridge * scale, least_ridge / largest_ridge,
                                                       1 + 2 * std::lround(std::log10(largest_ridge / least_ridge)));
  const HeldOutLosses losses = held_out_losses(part.view(), rows, options.folds, lambdas, l2vm_path_of(options), run);
  report.measures.push_back({"held-out loss", losses.means[losses.best]});
  return lambdas[losses.best] * all.targets().total_weight() / rows.targets().total_weight();
}

std::unique_ptr<KernelMachine> fit_l2vm(MachineRows rows, const Kernel& kernel, const L2vmOptions& options,
                                        std::span<const Option<L2vmOptions>> table, const Run& run) {
  FitReport report;
  note_rows_left_out(rows.left_out, report);
  PhaseTimer timer(report);
  timer.start("kernel");
  const MachineFeatures features =
      machine_features(rows, kernel, {options.prototypes, options.count, options.given}, options.memory_mb, 1, run);
  require_machine_memory(rows.model,
                         CoefficientRidge::memory_bytes(rows.size(), features.values.columns(), rows.targets()),
                         options.memory_mb, "fewer prototypes (prototypes=kmeans or pivoted, with count)");
  L2vmOptions used = options;
  if (!used.lambda) {
    timer.start("select");
    used.lambda = choose_l2vm_penalty(rows, features, options, report, run);
  }
  timer.start("solve");
  CoefficientRidge ridge(features.values.view(), rows.targets(), l2vm_intercept(options), run);
  const CoefficientRidgeSolution solution = ridge.solve(*used.lambda);
  timer.start("model");
  Expansion expansion = machine_expansion(features.kernel, features.prototypes, solution.point, run);
  timer.stop();
  report.status = solution.status;
  report.iterations = solution.iterations;
  report.objective_name = "objective";
  report.objective = solution.objective;
  report.measures.insert(report.measures.begin(), {{Fact::lambda, *used.lambda},
                                                   {"prototypes", static_cast<double>(features.prototypes.size())},
                                                   {Fact::log_evidence, solution.log_evidence},
                                                   {"training loss", solution.loss}});
  return std::make_unique<KernelMachine>(ModelHead{.name = rows.model,
                                                   .requested_kernel = kernel.spec(),
                                                   .settings = settings_of(table, used),
                                                   .output_names = rows.output_names,
                                                   .classes = rows.levels,
                                                   .report = std::move(report)},
                                         KernelMachine::Parts{rows.family, std::move(expansion)});
}

std::vector<Option<L2vmOptions>> l2vm_options_with(Option<L2vmOptions> own) {
  std::vector<Option<L2vmOptions>> table = {
      machine_lambda_option<L2vmOptions>(),
      {"select", &L2vmOptions::select,
       "how lambda is chosen: evidence by the marginal likelihood, cv by the loss on held-out folds"},
      {"folds", &L2vmOptions::folds, "of select=cv", Limits::from(2)},
      {"select_rows", &L2vmOptions::select_rows, "rows, drawn at random, that lambda is chosen by; 0: all",
       Constraint::nonnegative},
  };
  const std::vector<Option<L2vmOptions>> prototypes = machine_prototype_options<L2vmOptions>();
  table.insert(table.end(), prototypes.begin(), prototypes.end());
  table.push_back(std::move(own));
  table.push_back({"memory_mb", &L2vmOptions::memory_mb, "what the matrices may take; 0: half of the machine's memory",
                   Constraint::nonnegative});
  return table;
}

ChosenBy chosen_by(const L2vmOptions& options) {
  return options.lambda || options.select != L2vmSelection::cross_validation ? ChosenBy::itself : ChosenBy::folds;
}

}  // namespace

void L2vmOptions::validate(const char* model, std::span<const Option<L2vmOptions>> table) const {
  check_options<L2vmOptions>(model, table, *this);
  PrototypeChoice{prototypes, count, given}.validate(model);
}

std::span<const Option<L2vmOptions>> l2vmr_option_table() {
  static const std::vector<Option<L2vmOptions>> table = l2vm_options_with(machine_response_option<L2vmOptions>());
  return table;
}

std::span<const Option<L2vmOptions>> l2vmc_option_table() {
  static const std::vector<Option<L2vmOptions>> table = l2vm_options_with(machine_class_weight_option<L2vmOptions>());
  return table;
}

std::unique_ptr<KernelMachine> fit_l2vmr(const Kernel& kernel, const L2vmOptions& options, const TrainingData& data,
                                         const Run& run) {
  options.validate("l2vmr", l2vmr_option_table());
  return fit_l2vm(regression_rows("l2vmr", kernel, data, chosen_by(options), options.response), kernel, options,
                  l2vmr_option_table(), run);
}

std::unique_ptr<KernelMachine> fit_l2vmc(const Kernel& kernel, const L2vmOptions& options, const TrainingData& data,
                                         const Run& run) {
  options.validate("l2vmc", l2vmc_option_table());
  return fit_l2vm(
      class_rows("l2vmc", merged_unless_in_folds("l2vmc", kernel, data, chosen_by(options)), options.class_weight),
      kernel, options, l2vmc_option_table(), run);
}

const ModelEntry& l2vmr_entry() {
  static const ModelEntry entry =
      make_entry<KernelMachine>({.name = "l2vmr",
                                 .aliases = {"l2vm", "rbf-network"},
                                 .summary = "regression on kernel features with ridge on the coefficients",
                                 .task = Task::regression,
                                 .default_kernel = "rbf(gamma=scale)",
                                 .counterpart = "l2vmc"},
                                l2vmr_option_table(), fit_l2vmr, regression_machine_parts<L2vmOptions>);
  return entry;
}

const ModelEntry& l2vmc_entry() {
  static const ModelEntry entry = make_entry<KernelMachine>(
      {.name = "l2vmc",
       .aliases = {},
       .summary = "logistic and multinomial regression on kernel features with ridge on the coefficients",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "l2vmr"},
      l2vmc_option_table(), fit_l2vmc, class_machine_parts);
  return entry;
}

}  // namespace mercer
