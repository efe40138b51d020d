#include "mercer/models/prototypes/perceptron.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_classifier.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/prototypes/voted_perceptron.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/online/kernel_perceptron.h"

namespace mercer {

namespace {

KernelPerceptronOptions walk_options(const PerceptronOptions& options) {
  return {.max_epochs = options.epochs,
          .margin = options.margin,
          .offset = options.offset ? PerceptronOffset::radius : PerceptronOffset::none,
          .classes = options.classes,
          .order = options.shuffle ? PerceptronOrder::shuffled : PerceptronOrder::given,
          .budget = options.budget,
          .policy = options.policy,
          .history = options.form == PerceptronForm::voted ? PerceptronHistory::keep : PerceptronHistory::forget};
}

void refuse_unequal_weights(const LabeledRows& labeled) {
  if (std::any_of(labeled.weights.begin(), labeled.weights.end(), [](double w) { return w != 1; })) {
    throw InvalidArgument(
        "perceptron: weights other than 0 and 1 are not possible: it learns from one sample after the other, and a "
        "mistake is a mistake. Use svc or lssvm, or repeat rows");
  }
}

FitReport perceptron_report(const KernelPerceptronSolution& solution) {
  FitReport report;
  report.status = solution.status;
  report.iterations = solution.epochs;
  report.objective_name = "mistakes in the last pass";
  report.objective = static_cast<double>(solution.last_mistakes);
  report.measures = {{Fact::epochs, static_cast<double>(solution.epochs)},
                     {"mistakes", static_cast<double>(solution.mistakes)},
                     {"mistakes in the last pass", static_cast<double>(solution.last_mistakes)}};
  if (solution.status != SolveStatus::converged) {
    report.notes.push_back("the last of " + std::to_string(solution.epochs) + " passes still made " +
                           std::to_string(solution.last_mistakes) + " mistakes: no more passes were allowed");
  }
  return report;
}

// The changes as the model keeps them: centers instead of rows, and votes instead of times.
std::vector<VotedPerceptron::Step> voting_steps(const KernelPerceptronSolution& solution, std::vector<Index>& centers) {
  for (const PerceptronStep& step : solution.steps) {
    centers.push_back(step.row);
  }
  std::sort(centers.begin(), centers.end());
  centers.erase(std::unique(centers.begin(), centers.end()), centers.end());
  std::vector<VotedPerceptron::Step> steps;
  for (std::size_t s = 0; s < solution.steps.size(); ++s) {
    const PerceptronStep& step = solution.steps[s];
    const Index next = s + 1 < solution.steps.size() ? solution.steps[s + 1].time : solution.samples_seen + 1;
    steps.push_back({std::lower_bound(centers.begin(), centers.end(), step.row) - centers.begin(), step.output,
                     step.change, static_cast<double>(next - step.time)});
  }
  return steps;
}

// Room for all rows where the memory allows it.
RowCacheGram<double> walked_rows(const Kernel& kernel, const Samples& samples, double memory_mb, const Run& run) {
  const auto n = static_cast<double>(samples.size());
  const double allowed_mb = allowed_memory(memory_mb) / bytes_per_megabyte;
  auto prepared = std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run);
  return {std::make_shared<const KernelGram<double>>(std::move(prepared)),
          std::min(allowed_mb, 0.001 + 8 * n * n / bytes_per_megabyte)};
}

Expansion walked_expansion(const Kernel& kernel, const Samples& samples, Matrix<double> coefficients, double scale,
                           const Run& run) {
  std::vector<double> offsets(coefficients.columns(), 0.0);
  for (Index i = 0; i < coefficients.rows(); ++i) {
    for (Index o = 0; o < coefficients.columns(); ++o) {
      offsets[o] += scale * coefficients(i, o);
    }
  }
  return compact_expansion(kernel, samples, std::move(coefficients), offsets, run);
}

}  // namespace

void PerceptronOptions::validate() const {
  check_options<PerceptronOptions>("perceptron", perceptron_option_table(), *this);
  if (budget > 0 && form == PerceptronForm::voted) {
    throw InvalidArgument(
        "perceptron: form = voted keeps every function that it went through, so that a budget has no effect on its "
        "size. Use form=plain or averaged");
  }
  if (budget > 0 && form == PerceptronForm::averaged && policy != BudgetPolicy::project) {
    throw InvalidArgument("perceptron: policy = " + std::string(word_of(policy)) +
                          " with form = averaged: the average still holds what left the expansion. Use form=plain, or "
                          "policy=project, where nothing leaves it");
  }
}

std::span<const Option<PerceptronOptions>> perceptron_option_table() {
  static const std::array<Option<PerceptronOptions>, 9> table{{
      {"form", &PerceptronOptions::form,
       "plain: the last function; averaged: the average over all samples looked at; voted: the votes of all functions"},
      {"epochs", &PerceptronOptions::epochs, "limit on the passes over the samples; a clean pass is the last",
       Constraint::positive},
      {"margin", &PerceptronOptions::margin,
       "ask for this distance from the hyperplane in feature space; 0: the right side is enough",
       Constraint::nonnegative},
      {"offset", &PerceptronOptions::offset, "an offset b, changed by the largest k(x, x) at every mistake"},
      {"classes", &PerceptronOptions::classes,
       "several classes: rest: each against the rest; joint: a mistake moves the right class and the one that won"},
      {"shuffle", &PerceptronOptions::shuffle, "every pass in another random order; no: in the order of the rows"},
      {"budget", &PerceptronOptions::budget, "how many samples the expansion may have; 0: any number",
       Constraint::nonnegative},
      {"policy", &PerceptronOptions::policy,
       "beyond the budget: project mistakes onto the span of what is there, or drop the oldest or the smallest term"},
      {"memory_mb", &PerceptronOptions::memory_mb, "of kernel rows that are kept; 0: half of the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<FittedModel> fit_perceptron(const Kernel& kernel, const PerceptronOptions& options,
                                            const TrainingData& data, const Run& run) {
  options.validate();
  FitReport timed;
  PhaseTimer timer(timed);
  timer.start("solve");
  const LabeledRows labeled = read_labels("perceptron", data, LabelReading::classes, {});
  refuse_unequal_weights(labeled);
  const Samples samples = counted_samples(data.samples, labeled.rows);
  const Kernel resolved = resolve_widths(kernel, samples, labeled.rows, data, run);
  refuse_conditional("perceptron", resolved);  // the walk keeps no Σα = 0, and its steps are measured by k(x, x)
  RowCacheGram<double> gram = walked_rows(resolved, samples, options.memory_mb, run);
  KernelPerceptronSolution solution =
      kernel_perceptron(gram, labeled.classes, static_cast<Index>(labeled.levels.size()), walk_options(options), run);
  timer.start("model");
  ModelHead head{.name = "perceptron",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(perceptron_option_table(), options),
                 .output_names = {data.targets.columns().front().name},
                 .classes = labeled.levels,
                 .report = perceptron_report(solution)};
  if (options.form == PerceptronForm::voted) {
    std::vector<Index> centers;
    std::vector<VotedPerceptron::Step> steps = voting_steps(solution, centers);
    timer.stop();
    head.report.measures.push_back({"centers", static_cast<double>(centers.size())});
    head.report.phases = timed.phases;
    return std::make_unique<VotedPerceptron>(std::move(head),
                                             VotedPerceptron::Parts{.kernel = resolved,
                                                                    .centers = samples.select(centers),
                                                                    .offset_scale = solution.offset_scale,
                                                                    .steps = std::move(steps)},
                                             run);
  }
  Expansion expansion = walked_expansion(
      resolved, samples, std::move(options.form == PerceptronForm::plain ? solution.coefficients : solution.averages),
      solution.offset_scale, run);
  timer.stop();
  head.report.measures.push_back({"centers", static_cast<double>(expansion.centers().size())});
  head.report.phases = timed.phases;
  return std::make_unique<ExpansionClassifier>(std::move(head), ExpansionClassifier::Parts{std::move(expansion)});
}

const ModelEntry& perceptron_entry() {
  static const ModelEntry entry = [] {
    ModelEntry made = make_entry<ExpansionClassifier>(
        {.name = "perceptron",
         .aliases = {},
         .summary = "kernel perceptron: plain, averaged or voted, with a budget if wanted",
         .task = Task::classification,
         .default_kernel = "rbf(gamma=scale)",
         .counterpart = "svr"},
        perceptron_option_table(), fit_perceptron);
    made.load = [](ModelState state, const Run& run) {
      require_head(state.head, Task::classification);
      const auto options =
          checked_options<PerceptronOptions>("perceptron", perceptron_option_table(), state.head.settings);
      return options.form == PerceptronForm::voted ? load_parts<VotedPerceptron>(state, {}, run)
                                                   : load_parts<ExpansionClassifier>(state, {}, run);
    };
    return made;
  }();
  return entry;
}

}  // namespace mercer
