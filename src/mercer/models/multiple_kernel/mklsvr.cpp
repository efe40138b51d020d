#include "mercer/models/multiple_kernel/mklsvr.h"

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/multiple_kernel/machine_weights.h"
#include "mercer/models/svm/wide_tube.h"
#include "mercer/models/training_rows.h"

namespace mercer {

void MklSvrOptions::validate() const {
  check_options<MklSvrOptions>("mklsvr", mklsvr_option_table(), *this);
  WeightLearningOptions::validate("mklsvr");
  if (!is_usual() || !has_usual_tube()) {
    throw InvalidArgument("mklsvr: weights are learnt with parametric = constant, errors = each and slack = linear");
  }
}

std::span<const Option<MklSvrOptions>> mklsvr_option_table() {
  static const std::vector<Option<MklSvrOptions>> table = [] {
    std::vector<Option<MklSvrOptions>> lines =
        inherited_table<MklSvrOptions>(svr_option_table(), {"parametric", "parametric_l1", "errors", "slack"});
    const std::vector<Option<MklSvrOptions>> own = WeightLearningOptions::table<MklSvrOptions>();
    lines.insert(lines.begin() + 2, own.begin(), own.end());
    return lines;
  }();
  return table;
}

std::unique_ptr<SvrModel> fit_mklsvr(const Kernel& kernel, const MklSvrOptions& options, const TrainingData& given,
                                     const Run& run) {
  options.validate();
  const MergedRows merged = merged_rows("mklsvr", &kernel, given);
  const TrainingData& data = merged.data;
  require_targets(data);
  const CountedRows counted = counted_rows("mklsvr", data);
  const WeightRows rows = choose_weight_rows(options.weight_rows, counted.samples, counted.weights, {}, run);
  const WeightTargets y =
      weight_targets(data.targets, counted, rows, options.standardize ? Standardization::each : Standardization::none,
                     TargetOrigin::mean);
  const WeightTask task{
      .targets = Matrix<double>::copy_of(y.values.view()),
      .machine = [&](const SummandGrams& grams, std::span<const Kernel> kernels) -> std::unique_ptr<WeightProblem> {
        std::vector<TubeTask> tubes(y.values.columns());
        for (std::size_t o = 0; o < tubes.size(); ++o) {
          tubes[o].epsilon = scaled_tube(options.epsilon, y.scales[o]);
          for (Index i = 0; i < y.values.rows(); ++i) {
            tubes[o].targets.push_back(y.values(i, static_cast<Index>(o)));
            tubes[o].bounds.push_back(options.C * rows.weights[i] / rows.share);
          }
        }
        return std::make_unique<MachineWeights>(
            grams, kernels, rows.samples, std::move(tubes),
            weight_solver_options(options, options.weight_tolerance, rows.samples.size()));
      }};
  const LearnedKernel learned = learn_kernel("mklsvr", kernel, options, counted.weighted(), rows, task, Centering::both,
                                             allowed_memory(options.memory_mb), run);
  return with_learning(*fit_svr(learned.kernel, options, data, run), learned, merged);
}

const ModelEntry& mklsvr_entry() {
  static const ModelEntry entry = [] {
    ModelEntry made = make_entry<SvrModel>(
        {.name = "mklsvr",
         .aliases = {},
         .summary = "support vector regression that learns the weights of a sum of kernels (multiple kernel learning)",
         .task = Task::regression,
         .default_kernel = default_kernel_sum,
         .counterpart = "mklsvc",
         .takes_prior = true,
         .gives = "svr"},
        mklsvr_option_table(), fit_mklsvr);
    made.load = svr_entry().load;  // what a fit gives is stored as what it is
    return made;
  }();
  return entry;
}

}  // namespace mercer
