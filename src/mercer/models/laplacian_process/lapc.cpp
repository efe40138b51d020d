#include "mercer/models/laplacian_process/lapc.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/laplacian_process/price_selection.h"
#include "mercer/models/laplacian_process/process_features.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

void LapcOptions::validate() const {
  check_options<LapcOptions>("lapc", lapc_option_table(), *this);
  if (concavity > 0 && prior != ProcessPrior::concave) {
    throw InvalidArgument("lapc: concavity belongs to prior=concave, not to prior=" + std::string(word_of(prior)));
  }
}

std::span<const Option<LapcOptions>> lapc_option_table() {
  static const std::array<Option<LapcOptions>, 10> table{{
      {"lambda", &LapcOptions::lambda,
       "price of coefficients, where a row on the boundary costs 1: the larger, the fewer kernel functions",
       Constraint::positive, SearchRange{"2^-10..2^5", RangeUnit::absolute, "select"}},
      {"select", &LapcOptions::select, "cv: lambda by cross-validation, in place of the one that is given"},
      {"class_weight", &LapcOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies the losses"},
      {"prior", &LapcOptions::prior,
       "laplacian: lambda |a|; concave: lambda (1 - exp(-p |a|))/p, which takes still fewer kernel functions (a local "
       "minimum)"},
      {"concavity", &LapcOptions::concavity,
       "p of prior=concave; 0: 5 over the largest coefficient under the laplacian prior", Constraint::nonnegative},
      {"intercept", &LapcOptions::intercept, "add a constant that is not penalised"},
      {"folds", &LapcOptions::folds, "of the cross-validation", Limits::from(2)},
      {"select_rows", &LapcOptions::select_rows, "rows, drawn at random, that cross-validation looks at; 0: all",
       Constraint::nonnegative},
      {"basis", &LapcOptions::basis,
       "number of kernel functions, of rows drawn at random; 0: of all rows, or as many as the memory allows",
       Constraint::nonnegative},
      {"memory_mb", &LapcOptions::memory_mb, "what matrices may take; 0: the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<ExpansionClassifier> fit_lapc(const Kernel& kernel, const LapcOptions& options,
                                              const TrainingData& given, const Run& run) {
  options.validate();
  const bool by_folds = options.select == LapcSelection::cross_validation;
  const TrainingData data =
      merged_unless_in_folds("lapc", kernel, given, by_folds ? ChosenBy::folds : ChosenBy::itself);
  const LabeledRows labeled = read_labels("lapc", data, LabelReading::classes, options.class_weight);
  FitReport report;
  report.objective_name = "loss and prior";
  PhaseTimer timer(report);
  timer.start("kernel");
  const ProcessFeatures features =
      process_features("lapc", kernel, data, labeled.rows, options.basis, options.memory_mb, 1, report, run);
  timer.start("solve");
  const ClassCode code = ClassCode::one_vs_rest(static_cast<Index>(labeled.levels.size()));
  Matrix<double> coefficients(features.matrix.columns(), code.machines());
  Matrix<double> offsets(1, code.machines());
  double gap = 0;
  for (Index o = 0; o < code.machines(); ++o) {
    std::vector<double> labels;
    for (const std::int32_t c : labeled.classes) {
      labels.push_back(code(o, c));
    }
    const LaplacianMapProblem problem{.features = features.matrix.view(),
                                      .targets = labels,
                                      .weights = labeled.weights,
                                      .loss = ProcessLoss::hinge,
                                      .offset = options.intercept ? ProcessOffset::fitted : ProcessOffset::none};
    double price = options.lambda;
    if (by_folds) {
      const PriceChoice choice = choose_price(problem, {options.folds, options.select_rows}, run);
      price = choice.price;
      report.measure(Fact::lambda, price);
      report.measures.push_back({"cross-validated loss", choice.held_out});
    }
    const LaplacianMap map = options.prior == ProcessPrior::concave
                                 ? concave_map(problem, price, options.concavity, run)
                                 : laplacian_map(problem, price, 0, run);
    for (Index j = 0; j < coefficients.rows(); ++j) {
      coefficients(j, o) = map.coefficients[j];
    }
    offsets(0, o) = map.offset;
    gap = std::max(gap, map.gap);
    report.objective += map.objective;
    report.iterations += map.iterations;
    if (map.status != SolveStatus::converged) {
      report.status = map.status;
    }
    run.progress("classes", static_cast<double>(o + 1), static_cast<double>(code.machines()));
  }
  Expansion expansion = process_function(features, std::move(coefficients), std::move(offsets), run).expansion;
  report.measures.push_back({"duality gap", gap});
  report.measures.push_back({"kernel functions", static_cast<double>(expansion.centers().size())});
  timer.stop();
  ModelHead head{.name = "lapc",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(lapc_option_table(), options),
                 .output_names = {data.targets.columns().front().name},
                 .classes = labeled.levels,
                 .report = std::move(report)};
  return std::make_unique<ExpansionClassifier>(std::move(head),
                                               ExpansionClassifier::Parts{.expansion = std::move(expansion)});
}

const ModelEntry& lapc_entry() {
  static const ModelEntry entry = make_entry<ExpansionClassifier>(
      {.name = "lapc",
       .aliases = {"lp-machine"},
       .summary = "linear programming machine: soft margin with few kernel functions of any kernel",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "lapr"},
      lapc_option_table(), fit_lapc);
  return entry;
}

}  // namespace mercer
