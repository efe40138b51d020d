#include "mercer/models/multiple_kernel/mklridge.h"

#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/multiple_kernel/ridge_weights.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

double weight_penalty(const MklRidgeOptions& options, const WeightRows& rows) {
  const double total = std::accumulate(rows.weights.begin(), rows.weights.end(), 0.0);
  return options.mean_lambda ? *options.mean_lambda * total : options.lambda.value_or(1.0) * rows.share;
}

void require_matrix_room(const WeightRows& rows, double memory_bytes) {
  const auto n = static_cast<double>(rows.samples.size());
  if (8 * n * n > memory_bytes) {
    throw InvalidArgument("mklridge: the kernel matrix of " + std::to_string(rows.samples.size()) + " rows needs " +
                          std::to_string(std::llround(8 * n * n / bytes_per_megabyte)) + " MB, the fit may use " +
                          std::to_string(std::llround(memory_bytes / bytes_per_megabyte)) +
                          " MB; try a smaller weight_rows");
  }
}

}  // namespace

void MklRidgeOptions::validate() const {
  check_options<MklRidgeOptions>("mklridge", mklridge_option_table(), *this);
  RidgeOptions::validate();
  WeightLearningOptions::validate("mklridge");
  for (const auto& value : {lambda, mean_lambda}) {
    if (value && !(*value > 0) && WeightLearningOptions::method == WeightMethod::machine) {
      reject_argument("mklridge: lambda", *value, "positive for method=mkl: without a penalty all weights fit alike");
    }
  }
  if (parametric.uses_columns()) {
    throw InvalidArgument(
        "mklridge: parametric = " + parametric.text() +
        ": weights are learnt beside a constant or nothing. Set parametric=constant or parametric=none; "
        "a linear kernel in the sum does much the same");
  }
  if (select != PenaltyChoice::none || indefinite != IndefiniteKernels::refuse) {
    throw InvalidArgument("mklridge: weights are learnt without select and indefinite");
  }
}

std::span<const Option<MklRidgeOptions>> mklridge_option_table() {
  static const std::vector<Option<MklRidgeOptions>> table = [] {
    std::vector<Option<MklRidgeOptions>> lines =
        inherited_table<MklRidgeOptions>(ridge_option_table(), {"select", "select_rows", "indefinite", "method"});
    const std::vector<Option<MklRidgeOptions>> own = WeightLearningOptions::table<MklRidgeOptions>();
    lines.insert(lines.begin() + 2, own.begin(), own.end());
    return lines;
  }();
  return table;
}

std::unique_ptr<RidgeModel> fit_mklridge(const Kernel& kernel, const MklRidgeOptions& options, const TrainingData& data,
                                         const Run& run) {
  options.validate();
  require_targets(data);
  const CountedRows counted = counted_rows("mklridge", data);
  const WeightRows rows = choose_weight_rows(options.weight_rows, counted.samples, counted.weights, {}, run);
  const double memory = allowed_memory(options.memory_mb);
  if (!options.WeightLearningOptions::is_given(split_sum(kernel).size())) {
    require_matrix_room(rows, memory);
  }
  const WeightTargets y = weight_targets(data.targets, counted, rows, Standardization::each,
                                         options.parametric.is_none() ? TargetOrigin::zero : TargetOrigin::mean);
  const WeightTask task{
      .targets = Matrix<double>::copy_of(y.values.view()),
      .machine = [&](const SummandGrams& grams, std::span<const Kernel>) -> std::unique_ptr<WeightProblem> {
        return std::make_unique<RidgeWeights>(grams, Matrix<double>::copy_of(y.values.view()), rows.weights,
                                              weight_penalty(options, rows),
                                              options.parametric.is_none() ? RidgeOffset::none : RidgeOffset::fitted);
      }};
  // Alignment is of centred matrices, whatever the machine.
  const WeightMethod method = options.WeightLearningOptions::method;
  const bool aligns = method == WeightMethod::alignment || method == WeightMethod::joint_alignment;
  const LearnedKernel learned =
      learn_kernel("mklridge", kernel, options, counted.weighted(), rows, task,
                   !options.parametric.is_none() || aligns ? Centering::both : Centering::none, memory, run);
  const std::unique_ptr<RidgeModel> fitted = fit_ridge(learned.kernel, options, data, run);
  RidgeModel::Parts parts{.expansion = fitted->parts().expansion, .options = fitted->parts().options};
  if (const auto& residuals = fitted->parts().leave_one_out_residuals) {
    parts.leave_one_out_residuals = Matrix<double>::copy_of(residuals->view());
  }
  return std::make_unique<RidgeModel>(with_learning(fitted->head(), learned), std::move(parts));
}

const ModelEntry& mklridge_entry() {
  static const ModelEntry entry = [] {
    ModelEntry made = make_entry<RidgeModel>(
        {.name = "mklridge",
         .aliases = {},
         .summary = "kernel ridge regression that learns the weights of a sum of kernels (multiple kernel learning)",
         .task = Task::regression,
         .default_kernel = default_kernel_sum,
         .counterpart = "mklsvc",
         .takes_prior = true,
         .gives = "ridge"},
        mklridge_option_table(), fit_mklridge);
    made.load = ridge_entry().load;  // what a fit gives is stored as what it is
    return made;
  }();
  return entry;
}

}  // namespace mercer
