// parallel_for: the only way the library uses several threads.
//
// Tasks are handed out one by one, so which thread runs a task depends on the machine. Results must not: a task
// writes only to places of its own, and sums over tasks are added in task order (see sum_in_order). Work is cut into
// tasks by its size alone, never by the number of threads. Then any number of threads gives the same bits.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/run.h"

namespace mercer {

/// Calls task(i) for every i in [0, count), on run.threads() threads, and returns when all are done. The first
/// exception (by time) stops the hand-out of further tasks and is rethrown here. Between tasks the stop token is
/// polled: Stopped is thrown once it is set. A call from inside a task runs on the calling thread.
void parallel_for(const Run& run, Index count, const std::function<void(Index task)>& task);

/// The same, and reports progress under `name` as tasks finish.
void parallel_for(const Run& run, Index count, std::string_view name, const std::function<void(Index task)>& task);

/// The same, and tells the task which worker runs it: worker in [0, run.threads()) owns one set of scratch buffers.
void parallel_for_workers(const Run& run, Index count, const std::function<void(Index task, int worker)>& task,
                          std::string_view name = {});

/// Σ_b partial(b) over blocks, computed in parallel and added in the order of b.
template <class Partial>
double sum_in_order(const Run& run, Index blocks, Partial partial) {
  std::vector<double> parts(blocks);
  parallel_for(run, blocks, [&](Index b) { parts[b] = partial(b); });
  double sum = 0;
  for (const double part : parts) {
    sum += part;
  }
  return sum;
}

}  // namespace mercer
