#include "mercer/models/multiple_kernel/mklsvc.h"

#include <algorithm>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/multiple_kernel/machine_weights.h"

namespace mercer {

namespace {

// One column of 0 and 1 per class.
Matrix<double> class_indicators(std::span<const std::int32_t> classes, std::size_t count) {
  Matrix<double> indicators =
      Matrix<double>::filled(static_cast<Index>(classes.size()), static_cast<Index>(count), 0.0);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    indicators(static_cast<Index>(i), classes[i]) = 1;
  }
  return indicators;
}

}  // namespace

void MklSvcOptions::validate() const {
  check_options<MklSvcOptions>("mklsvc", mklsvc_option_table(), *this);
  SvcOptions::validate();
  WeightLearningOptions::validate("mklsvc");
  if (slack != SvcSlack::linear || formulation != SvcFormulation::dual || uncertain || !is_usual()) {
    throw InvalidArgument(
        "mklsvc: weights are learnt with slack = linear and multiclass = ovo, ovr or dag, beside a constant");
  }
}

std::span<const Option<MklSvcOptions>> mklsvc_option_table() {
  static const std::vector<Option<MklSvcOptions>> table = [] {
    std::vector<Option<MklSvcOptions>> lines = inherited_table<MklSvcOptions>(
        svc_option_table(),
        {"slack", "formulation", "uncertain", "code", "decoding", "multiclass", "parametric", "parametric_l1"});
    std::vector<Option<MklSvcOptions>> own = WeightLearningOptions::table<MklSvcOptions>();
    own.push_back(
        {"multiclass",
         &MklSvcOptions::multiclass,
         "more than two classes: ovo pairs with votes, ovr one against the rest, dag pairs in a graph; one set "
         "of weights for all",
         {Multiclass::one_vs_one, Multiclass::one_vs_rest, Multiclass::graph}});
    lines.insert(lines.begin() + 1, own.begin(), own.end());
    return lines;
  }();
  return table;
}

std::unique_ptr<SvcModel> fit_mklsvc(const Kernel& kernel, const MklSvcOptions& options, const TrainingData& given,
                                     const Run& run) {
  options.validate();
  const MergedRows merged = merged_rows("mklsvc", &kernel, given);
  const TrainingData& data = merged.data;
  const LabeledRows labeled = read_labels("mklsvc", data, LabelReading::classes, options.class_weight);
  const Samples counted = counted_samples(data.samples, labeled.rows);
  const WeightRows rows = choose_weight_rows(options.weight_rows, counted, labeled.weights, labeled.classes, run);
  std::vector<std::int32_t> classes;
  std::vector<double> bounds;
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
    classes.push_back(labeled.classes[rows.numbers[i]]);
    bounds.push_back(options.C * rows.weights[i] / rows.share);
  }
  std::vector<Index> numbers(classes.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  const WeightTask task{
      .targets = class_indicators(classes, labeled.levels.size()),
      .machine = [&](const SummandGrams& grams, std::span<const Kernel> kernels) -> std::unique_ptr<WeightProblem> {
        return std::make_unique<MachineWeights>(
            grams, kernels, rows.samples,
            machine_tasks(ClassCode::of(options.multiclass, static_cast<Index>(labeled.levels.size())), numbers,
                          classes, bounds),
            weight_solver_options(options, options.weight_tolerance, rows.samples.size()));
      }};
  const std::vector<double> counts = select_weights(data.weights, labeled.rows);
  const LearnedKernel learned = learn_kernel("mklsvc", kernel, options, {counted, counts}, rows, task, Centering::both,
                                             allowed_memory(options.memory_mb), run);
  return with_learning(*fit_svc(learned.kernel, options, data, run), learned, merged);
}

const ModelEntry& mklsvc_entry() {
  static const ModelEntry entry = [] {
    ModelEntry made = make_entry<SvcModel>(
        {.name = "mklsvc",
         .aliases = {},
         .summary = "support vector classifier that learns the weights of a sum of kernels (multiple kernel learning)",
         .task = Task::classification,
         .default_kernel = default_kernel_sum,
         .counterpart = "mklsvr",
         .shares_of = SharesOf::rows,
         .gives = "svc"},
        mklsvc_option_table(), fit_mklsvc);
    made.load = svc_entry().load;  // what a fit gives is stored as what it is
    return made;
  }();
  return entry;
}

}  // namespace mercer
