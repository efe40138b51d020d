// parallel_in_order: tasks that need results of earlier ones, without a barrier between groups of them.
//
// Tasks are numbered so that each needs only tasks of smaller numbers, and are handed out in that order. A task waits
// itself for what it needs, at the point where it needs it; what it waits for is done or running, never queued behind
// it, so there is no deadlock on any number of threads. Tiled factorisations lose little to waiting this way where a
// barrier after every column would leave threads idle (Buttari, Langou, Kurzak, Dongarra, "A class of parallel tiled
// linear algebra algorithms for multicore architectures", 2009).
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/run.h"

namespace mercer {

/// Which tasks of a parallel_in_order are done.
class TaskBoard {
 public:
  TaskBoard(Index count, const Run& run) : done_(static_cast<std::size_t>(count)), run_(run) {}

  /// Returns once `task`, a smaller number than the caller's own, is done. Throws where it never will be: another task
  /// failed, or a stop was asked for.
  void wait_for(Index task) const;
  void mark_done(Index task) { done_[task].store(true, std::memory_order_release); }
  void abandon() { abandoned_.store(true, std::memory_order_release); }

  /// Thrown by wait_for after a failure; parallel_in_order does not pass it on.
  struct Abandoned {};

 private:
  bool is_done(Index task) const { return done_[task].load(std::memory_order_acquire); }

  std::vector<std::atomic<bool>> done_;
  std::atomic<bool> abandoned_{false};
  const Run& run_;
};

/// Calls task(i, board) for i in [0, count); exceptions, stops, nesting and progress as parallel_for.
void parallel_in_order(const Run& run, Index count, const std::function<void(Index task, const TaskBoard& board)>& task,
                       std::string_view name = {});

}  // namespace mercer
