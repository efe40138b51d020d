#include "mercer/models/kernel_machine/klr.h"

#include <array>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/kernel_machine/machine_select.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/glm/dual_newton.h"

namespace mercer {

namespace {

// Of the (weighted) mean of k(x, x), what λ is looked for in.
constexpr double largest_klr_lambda = 100;
constexpr double least_klr_lambda = 1e-6;

Matrix<double> klr_gram(const Kernel& kernel, const Samples& samples, const Run& run) {
  const PreparedKernel prepared(kernel, samples, Precision::double_precision, run);
  Matrix<double> k(samples.size(), samples.size());
  evaluate_gram<double>(prepared, Triangle::lower, k.view(), run);
  return k;
}

NetIntercept klr_intercept(const KlrOptions& options) {
  return options.intercept ? NetIntercept::fitted : NetIntercept::none;
}

double choose_klr_penalty(const Kernel& kernel, const MachineRows& all, const KlrOptions& options, FitReport& report,
                          const Run& run) {
  // Several classes cost as many factors.
  const Index most = all.levels.size() > 2 ? (options.select_rows + 1) / 2 : options.select_rows;
  const MachineRows rows = all.select(drawn_rows(all, most, run));
  if (rows.size() < all.size()) {
    report.notes.push_back("lambda chosen by " + std::to_string(rows.size()) + " of " + std::to_string(all.size()) +
                           " rows (select_rows)");
  }
  const Matrix<double> k = klr_gram(kernel, rows.samples, run);
  const WeightedSamples counted = rows.weighted();
  double scale = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    scale += counted.weight(i) * k(i, i) / counted.total();
  }
  if (!(scale > 0)) {
    return 1;
  }
  DualNewtonSolution last;
  return largest_evidence(
      largest_klr_lambda * scale, least_klr_lambda * scale,
      [&](double lambda) {
        last = dual_newton(k.view(), rows.targets(), lambda, klr_intercept(options),
                           last.alpha.rows() > 0 ? &last : nullptr, {}, run);
        return last.log_evidence;
      },
      run);
}

void require_klr_kernel(const Kernel& kernel, const Samples& samples, const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, samples, run);
  if (!definiteness.is_positive()) {
    throw InvalidArgument("klr: the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ", so that its norm is none. Use a positive definite kernel such as rbf, matern or poly, or "
                          "l2vmc or l1vmc, which take any kernel");
  }
}

double klr_memory_bytes(const MachineRows& rows) {
  const auto n = static_cast<double>(rows.size());
  return 8 * n * n * (rows.levels.size() > 2 ? static_cast<double>(rows.levels.size()) + 3 : 2.0);
}

}  // namespace

void KlrOptions::validate() const { check_options<KlrOptions>("klr", klr_option_table(), *this); }

std::span<const Option<KlrOptions>> klr_option_table() {
  static const std::array<Option<KlrOptions>, 5> table{{
      {"lambda", &KlrOptions::lambda,
       "penalty of half the squared norm, beside the sum of the losses of all rows (1/C of svc); by Laplace's evidence "
       "where it is not given",
       Constraint::positive},
      {"select_rows", &KlrOptions::select_rows, "rows, drawn at random, that lambda is chosen by; 0: all",
       Constraint::nonnegative},
      {"intercept", &KlrOptions::intercept, "offsets that are not penalized"},
      {"class_weight", &KlrOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight"},
      {"memory_mb", &KlrOptions::memory_mb, "what the matrices may take; 0: half of the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<KernelMachine> fit_klr(const Kernel& kernel, const KlrOptions& options, const TrainingData& data,
                                       const Run& run) {
  options.validate();
  const MachineRows rows = class_rows("klr", data, options.class_weight);
  require_klr_kernel(kernel, rows.samples, run);
  require_machine_memory("klr", klr_memory_bytes(rows), options.memory_mb,
                         "fewer rows, or l2vmc with prototypes=pivoted and count");
  FitReport report;
  note_rows_left_out(rows.left_out, report);
  PhaseTimer timer(report);
  timer.start("select");
  const Kernel resolved = resolve_widths(kernel, rows.weighted(), run);
  KlrOptions used = options;
  if (!used.lambda) {
    used.lambda = choose_klr_penalty(resolved, rows, options, report, run);
  }
  timer.start("kernel");
  const Matrix<double> k = klr_gram(resolved, rows.samples, run);
  timer.start("solve");
  DualNewtonSolution solution =
      dual_newton(k.view(), rows.targets(), *used.lambda, klr_intercept(options), nullptr, {}, run);
  timer.start("model");
  Expansion expansion =
      machine_expansion(resolved, rows.samples, {std::move(solution.alpha), std::move(solution.intercepts)}, run);
  timer.stop();
  report.status = solution.status;
  report.iterations = solution.iterations;
  report.objective_name = "objective";
  report.objective = solution.objective;
  report.measures = {{Fact::lambda, *used.lambda},
                     {Fact::log_evidence, solution.log_evidence},
                     {"training loss", solution.loss},
                     {"residual", solution.residual}};
  return std::make_unique<KernelMachine>(ModelHead{.name = "klr",
                                                   .requested_kernel = kernel.spec(),
                                                   .settings = settings_of(klr_option_table(), used),
                                                   .output_names = rows.output_names,
                                                   .classes = rows.levels,
                                                   .report = std::move(report)},
                                         KernelMachine::Parts{rows.family, std::move(expansion)});
}

const ModelEntry& klr_entry() {
  static const ModelEntry entry =
      make_entry<KernelMachine>({.name = "klr",
                                 .aliases = {"kernel-logistic-regression"},
                                 .summary = "kernel logistic regression: convex, probabilities, evidence",
                                 .task = Task::classification,
                                 .default_kernel = "rbf(gamma=scale)",
                                 .counterpart = "ridge"},
                                klr_option_table(), fit_klr, class_machine_parts);
  return entry;
}

}  // namespace mercer
