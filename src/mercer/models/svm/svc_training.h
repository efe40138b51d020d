// The machines of a support vector classifier: which rows each sees, their bounds, their solutions, and the decision
// values of held-out folds for Platt's sigmoids.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/models/classes/class_code.h"
#include "mercer/models/svm/svm_engine.h"

namespace mercer {

/// Rows of the training set and what a machine sees of them.
struct MachineTask {
  std::vector<Index> rows;
  std::vector<double> signs;              ///< ±1
  std::vector<double> bounds;             ///< C_i, or the weights of ν-SVC
  std::vector<std::int32_t> groups = {};  ///< rows of one group share a slack (slack_groups.h); empty: none do
};

struct TrainedMachine {
  MachineTask task;
  SvmDual dual;
  std::vector<double> held_out;  ///< decision values of folds that the machine was not fitted to; empty unless asked
};

/// How one machine is solved; bounds of 0 take a row out. `start` is a feasible solution or empty.
using MachineSolve = std::function<SvmDual(const SvmEngine& engine, const MachineTask& task,
                                           std::span<const double> start, const Run& run)>;

std::vector<MachineTask> machine_tasks(const ClassCode& code, std::span<const Index> rows,
                                       std::span<const std::int32_t> classes, std::span<const double> bounds,
                                       std::span<const std::int32_t> groups = {});

/// Folds for held-out decision values; 0: none.
struct HeldOut {
  Index folds = 0;
};

/// Solves every task on the engine's rows (numbered as the tasks' rows). Several machines run in parallel, each with a
/// fixed share of the memory, so that any number of threads gives the same bits.
std::vector<TrainedMachine> train_machines(const SvmEngine& given, std::vector<MachineTask> tasks,
                                           const MachineSolve& solve, HeldOut held_out, const Run& run);

}  // namespace mercer
