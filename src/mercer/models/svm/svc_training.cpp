#include "mercer/models/svm/svc_training.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "mercer/base/parallel.h"
#include "mercer/data/split.h"

namespace mercer {

namespace {

// So many machines at a time share the memory, whatever the number of threads.
constexpr Index machines_at_once = 16;

bool has_both_classes(const MachineTask& task) {
  bool positive = false;
  bool negative = false;
  for (std::size_t i = 0; i < task.signs.size(); ++i) {
    if (task.bounds[i] > 0) {
      positive = positive || task.signs[i] > 0;
      negative = negative || task.signs[i] < 0;
    }
  }
  return positive && negative;
}

// Whole groups; fewer folds where there are fewer groups, and two halves of the rows where there is only one.
Folds folds_of_groups(std::span<const std::int32_t> groups, Index folds, std::uint64_t seed) {
  const auto different = static_cast<Index>(std::set<std::int32_t>(groups.begin(), groups.end()).size());
  return different < 2 ? k_fold(static_cast<Index>(groups.size()), 2, seed)
                       : group_k_fold(groups, std::min(folds, different), seed);
}

// Decision values of rows that were left out of the fit by a bound of 0. A fold whose training part has one class only
// answers with that class.
std::vector<double> held_out_values(const SvmEngine& engine, const TrainedMachine& machine, const MachineSolve& solve,
                                    Index folds, std::uint64_t seed, const Run& run) {
  const auto size = static_cast<Index>(machine.task.rows.size());
  std::vector<std::int32_t> sides(machine.task.signs.size());
  std::transform(machine.task.signs.begin(), machine.task.signs.end(), sides.begin(),
                 [](double sign) { return sign > 0 ? 1 : 0; });
  const Index count = std::min(folds, std::max<Index>(2, size));
  const Folds split = machine.task.groups.empty() ? stratified_k_fold(sides, count, seed)
                                                  : folds_of_groups(machine.task.groups, count, seed);
  std::vector<double> values(machine.task.rows.size(), 0.0);
  for (Index fold = 0; fold < split.count; ++fold) {
    MachineTask part = machine.task;
    for (std::size_t i = 0; i < part.bounds.size(); ++i) {
      part.bounds[i] = split.number[i] == fold ? 0.0 : part.bounds[i];
    }
    const bool solvable = has_both_classes(part);
    SvmDual dual;
    if (solvable) {
      dual = solve(engine, part, machine.dual.coefficients, run);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (split.number[i] == fold) {
        values[i] = solvable ? dual.values[i] + dual.offset : (machine.task.signs[i] > 0 ? -1.0 : 1.0);
      }
    }
  }
  return values;
}

// A machine evaluates the rows of its support vectors and of some that were close to being one, about a fifth of its
// matrix. Where all of them together come to more than half of the whole one (one against the rest, codes), that is
// computed once for all; pairs of classes stay below.
bool sharing_pays(const std::vector<MachineTask>& tasks, Index rows) {
  constexpr double evaluated = 0.2;
  double entries = 0;
  for (const MachineTask& task : tasks) {
    entries += evaluated * static_cast<double>(task.rows.size()) * static_cast<double>(task.rows.size());
  }
  return tasks.size() > 1 && entries > 0.5 * static_cast<double>(rows) * static_cast<double>(rows);
}

TrainedMachine train(const SvmEngine& engine, MachineTask task, const MachineSolve& solve, HeldOut held_out,
                     const Run& run) {
  TrainedMachine machine{.task = std::move(task), .dual = {}, .held_out = {}};
  machine.dual = solve(engine, machine.task, {}, run);
  if (held_out.folds > 0) {
    machine.held_out = held_out_values(engine, machine, solve, held_out.folds, run.seed(), run);
  }
  return machine;
}

bool is_everything(const MachineTask& task, Index size) {
  return static_cast<Index>(task.rows.size()) == size && std::is_sorted(task.rows.begin(), task.rows.end());
}

}  // namespace

std::vector<MachineTask> machine_tasks(const ClassCode& code, std::span<const Index> rows,
                                       std::span<const std::int32_t> classes, std::span<const double> bounds,
                                       std::span<const std::int32_t> groups) {
  std::vector<MachineTask> tasks(code.machines());
  for (Index m = 0; m < code.machines(); ++m) {
    MachineTask& task = tasks[m];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double sign = code(m, classes[i]);
      if (sign != 0) {
        task.rows.push_back(rows[i]);
        task.signs.push_back(sign);
        task.bounds.push_back(bounds[i]);
        if (!groups.empty()) {
          task.groups.push_back(groups[i]);
        }
      }
    }
  }
  return tasks;
}

std::vector<TrainedMachine> train_machines(const SvmEngine& given, std::vector<MachineTask> tasks,
                                           const MachineSolve& solve, HeldOut held_out, const Run& run) {
  const auto count = static_cast<Index>(tasks.size());
  const SvmEngine engine = sharing_pays(tasks, given.size()) ? given.stored(run) : given;
  std::vector<TrainedMachine> machines(tasks.size());
  const double share = 1.0 / static_cast<double>(std::clamp<Index>(count, 1, machines_at_once));
  const auto train_one = [&](Index m, const Run& inner) {
    MachineTask& task = tasks[m];
    TrainedMachine& machine = machines[m];
    if (is_everything(task, engine.size())) {
      machine = train(engine.with_share(share), std::move(task), solve, held_out, inner);
    } else {
      const SvmEngine part = engine.subset(task.rows, share, inner);
      machine = train(part, std::move(task), solve, held_out, inner);
    }
  };
  if (count == 1) {
    train_one(0, run);
    return machines;
  }
  const Run inner = run.quiet();
  for (Index first = 0; first < count; first += machines_at_once) {
    const Index batch = std::min(machines_at_once, count - first);
    run.progress("machines", static_cast<double>(first), static_cast<double>(count));
    parallel_for(run, batch, [&](Index m) { train_one(first + m, inner); });
  }
  run.progress("machines", static_cast<double>(count), static_cast<double>(count));
  return machines;
}

}  // namespace mercer
