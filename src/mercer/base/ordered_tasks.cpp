#include "mercer/base/ordered_tasks.h"

#include <chrono>
#include <thread>

#include "mercer/base/parallel.h"

namespace mercer {

void TaskBoard::wait_for(Index task) const {
  // Most waits are short. A thread that keeps looking would take the core from the one that it waits for where there
  // are more threads than cores, so after a while it sleeps between looks.
  constexpr int eager_looks = 64;
  for (int look = 0; !is_done(task); ++look) {
    if (abandoned_.load(std::memory_order_acquire)) {
      throw Abandoned{};
    }
    run_.check_stop();
    if (look < eager_looks) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

void parallel_in_order(const Run& run, Index count, const std::function<void(Index, const TaskBoard&)>& task,
                       std::string_view name) {
  if (count <= 0) {
    run.check_stop();
    return;
  }
  TaskBoard board(count, run);
  parallel_for(run, count, name, [&](Index i) {
    try {
      task(i, board);
      board.mark_done(i);
    } catch (const TaskBoard::Abandoned&) {  // NOLINT(bugprone-empty-catch): see below
      // The task that failed reports its own exception.
    } catch (...) {
      board.abandon();
      throw;
    }
  });
}

}  // namespace mercer
