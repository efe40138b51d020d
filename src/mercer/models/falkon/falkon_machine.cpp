#include "mercer/models/falkon/falkon_machine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/kernels/definiteness_on.h"

namespace mercer {

void FalkonMachineOptions::require_one_lambda(const char* model) const {
  if (lambda && mean_lambda) {
    throw InvalidArgument(std::string(model) + ": lambda = " + shortest(*lambda) + " and mean_lambda = " +
                          shortest(*mean_lambda) + ": give one of them, they are two scales of the same penalty");
  }
}

double FalkonMachineOptions::penalty(double total) const {
  return mean_lambda ? *mean_lambda * total : lambda.value_or(1.0);
}

namespace {

// What is chosen and stored must not depend on the number of threads: memory is planned for this many, and as many
// work as the budget has room for.
constexpr int planned_threads = 8;

// All that a fit on `threads` threads allocates beyond the data and the stored matrix.
double needed_bytes(const FalkonTask& task, Index landmarks, int threads = planned_threads) {
  const auto n = static_cast<double>(task.samples.size());
  const auto m = static_cast<double>(landmarks + 1);
  const auto c = static_cast<double>(task.outputs);
  const double sketch = m * 2 * 2048 * sizeof(double);
  return FalkonFactor::bytes(landmarks) +
         FalkonRows::working_bytes(task.samples.columns(), landmarks, task.outputs, threads) + sketch +
         n * (static_cast<double>(task.row_blocks) * c + 1) * sizeof(double) + 12 * m * c * sizeof(double);
}

Index landmark_count(const FalkonTask& task, const FalkonMachineOptions& options, double budget) {
  const Index n = task.samples.size();
  if (options.landmarks > 0) {
    const Index count = std::min(n, options.landmarks);
    const double needed = needed_bytes(task, count, 1);
    if (needed > budget) {
      throw InvalidArgument(std::string(task.model) + ": " + std::to_string(count) + " landmarks need " +
                            std::to_string(std::llround(needed / bytes_per_megabyte)) + " MB, the fit may use " +
                            std::to_string(std::llround(budget / bytes_per_megabyte)) +
                            " MB; try fewer landmarks, or a larger memory_mb");
    }
    return count;
  }
  const double root = std::sqrt(static_cast<double>(n));
  Index count = std::min(n, std::clamp<Index>(static_cast<Index>(root * std::log(root * root + 1)), 500, 10000));
  while (count > 1 && needed_bytes(task, count) > budget) {
    count = count * 9 / 10;
  }
  return count;
}

// Those whose stripes fit into `bytes`.
int affordable_threads(const FalkonTask& task, Index landmarks, double bytes) {
  const double without = needed_bytes(task, landmarks, 0);
  const double stripe = needed_bytes(task, landmarks, 1) - without;
  return static_cast<int>(std::clamp((bytes - without) / stripe, 1.0, 1e6));
}

// Where a pass takes milliseconds, single precision saves nothing.
FalkonPrecision falkon_precision(FalkonPrecision asked, const FalkonRows& rows) {
  constexpr double few_entries = 2e6;
  const bool small = static_cast<double>(rows.rows()) * static_cast<double>(rows.landmarks()) < few_entries;
  return asked == FalkonPrecision::mixed && small ? FalkonPrecision::double_precision : asked;
}

// Other rows than the landmarks make a better preconditioner, for 8M³ operations (in units of single precision): worth it
// where that is less than a few passes over the rows, and needed where landmarks are no uniform sample.
FalkonSample preconditioner_sample(const FalkonTask& task, const FalkonMachineOptions& options, const FalkonRows& rows,
                                   std::vector<Index> chosen, const Run& run) {
  const auto m = static_cast<double>(rows.landmarks());
  const auto d = static_cast<double>(task.samples.columns());
  const double entry = rows.is_stored() ? 4 * static_cast<double>(task.outputs) : 2 * d + 30;
  const double pass = static_cast<double>(rows.rows()) * m * entry;
  if (options.choice == FalkonLandmarks::pivoted || 8 * m * m * m < 10 * pass) {
    return {FalkonSample::Kind::rows, sketch_sample(rows.rows(), rows.landmarks(), run)};
  }
  return {FalkonSample::Kind::landmarks, std::move(chosen)};
}

}  // namespace

FalkonMachine make_falkon_machine(const FalkonTask& task, const FalkonMachineOptions& options, PhaseTimer& timer,
                                  FitReport& report, const Run& run) {
  if (const Definiteness known = definiteness_on(task.kernel, task.samples, run); !known.is_positive()) {
    throw InvalidArgument(std::string(task.model) + ": the kernel " + task.kernel.spec() + " is " + to_string(known) +
                          ": the squared norm of a function would not be one. Use a positive definite kernel such as "
                          "rbf, matern or poly");
  }
  const double budget = allowed_memory(options.memory_mb);
  const Index n = task.samples.size();
  const Index count = landmark_count(task, options, budget);
  const double spare = std::max(0.0, budget - needed_bytes(task, count));
  timer.start("landmarks");
  std::vector<Index> chosen;
  if (count == n) {
    chosen.resize(n);
    std::iota(chosen.begin(), chosen.end(), Index{0});
  } else {
    chosen = options.choice == FalkonLandmarks::pivoted
                 ? pivoted_landmarks(task.kernel, task.samples, count, spare / 2, run)
                 : uniform_landmarks(n, count, run);
  }
  FalkonMachine machine;
  machine.landmarks = task.samples.select(chosen);
  timer.start("kernel values");
  machine.rows =
      std::make_unique<FalkonRows>(task.kernel, task.samples, machine.landmarks, options.offset(), spare, run);
  const double stored = machine.rows->is_stored() ? machine.rows->stored_bytes() : 0.0;
  machine.threads = affordable_threads(task, count, budget - stored);
  machine.options = {.lambda = options.penalty(task.total_weight),
                     .tolerance = options.tolerance,
                     .max_iterations = options.max_iterations,
                     .precision = falkon_precision(options.precision, *machine.rows)};
  timer.start("landmark factor");
  machine.factor = std::make_unique<FalkonFactor>(
      *machine.rows, machine.options.precision == FalkonPrecision::double_precision ? 0.0 : machine.options.lambda,
      run);
  machine.sample = preconditioner_sample(task, options, *machine.rows, std::move(chosen), run);
  report.measures.push_back({"landmarks", static_cast<double>(machine.landmarks.size())});
  report.measures.push_back({"added to the diagonal of the landmarks", machine.factor->shift()});
  report.notes.push_back(machine.rows->is_stored() ? "kernel values of all rows with the landmarks were stored (float)"
                                                   : "kernel values were evaluated again in every pass");
  return machine;
}

}  // namespace mercer
