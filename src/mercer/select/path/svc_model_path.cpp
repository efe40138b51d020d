#include "mercer/select/path/svc_model_path.h"

#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/svm/svc_training.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

void require_memory(std::size_t rows, double memory_mb) {
  // The matrix is made once and checked in place; half as much again is left for the factor of the margin.
  const double needed = 12 * static_cast<double>(rows) * static_cast<double>(rows) / 1048576;
  if (memory_mb > 0 && needed > memory_mb) {
    throw InvalidArgument("regularisation path: the kernel matrix of " + std::to_string(rows) + " rows needs " +
                          shortest(std::ceil(needed)) + " MB, and memory_mb = " + shortest(memory_mb) +
                          " is allowed. Use fewer rows, or fit single values of C");
  }
}

}  // namespace

SvcModelPath svc_model_path(const Kernel& kernel, const SvcOptions& options, const TrainingData& data,
                            const SvcPathOptions& path_options, const Run& run) {
  if (!options.is_usual()) {
    throw InvalidArgument("svc: parametric = " + options.parametric.text() +
                          ": the path of all C is known beside a constant alone; set parametric=constant");
  }
  const LabeledRows labeled = read_labels(
      "svc", data, options.uncertain ? LabelReading::uncertain : LabelReading::classes, options.class_weight);
  const Samples counted = counted_samples(data.samples, labeled.rows);
  SvcModelPath result{resolve_widths(kernel, counted, labeled.rows, data, run), {}};
  const ClassCode code = ClassCode::one_vs_one(static_cast<Index>(labeled.levels.size()), Decoding::votes);
  std::vector<Index> numbers(labeled.rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  const std::vector<MachineTask> tasks = machine_tasks(code, numbers, labeled.classes, labeled.weights);
  const std::vector<std::string> names = code.names(labeled.levels);
  for (std::size_t m = 0; m < tasks.size(); ++m) {
    require_memory(tasks[m].rows.size(), options.memory_mb);
    const auto prepared = std::make_shared<const PreparedKernel>(result.kernel, counted.select(tasks[m].rows),
                                                                 Precision::double_precision, run);
    SvcPath path = svc_path(KernelGram<double>(prepared), tasks[m].signs, tasks[m].bounds, path_options, run);
    std::vector<Index> rows;
    for (const Index number : tasks[m].rows) {
      rows.push_back(labeled.rows[number]);
    }
    result.machines.push_back({names[m], std::move(rows), std::move(path)});
  }
  return result;
}

}  // namespace mercer
