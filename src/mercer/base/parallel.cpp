#include "mercer/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/base/thread_pool.h"

namespace mercer {

namespace {

// What the workers of one parallel_for share.
struct Shared {
  std::atomic<Index> next{0};
  std::atomic<Index> done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr first_error;

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex);
    if (!first_error) {
      first_error = std::move(error);
    }
    failed = true;
  }
};

}  // namespace

void parallel_for_workers(const Run& run, Index count, const std::function<void(Index, int)>& task,
                          std::string_view name) {
  run.check_stop();
  if (count <= 0) {
    return;
  }
  const bool nested = ThreadPool::inside_job();
  Shared shared;
  const auto work = [&](int worker) {
    while (!shared.failed) {
      const Index i = shared.next++;
      if (i >= count) {
        return;
      }
      try {
        run.check_stop();
        task(i, worker);
        const Index done = ++shared.done;
        // Only the caller's own thread reports, so that a progress function need not be thread-safe.
        if (worker == 0 && !nested && !name.empty() && done < count) {
          run.progress(name, static_cast<double>(done), static_cast<double>(count));
        }
      } catch (...) {
        shared.fail(std::current_exception());
        return;
      }
    }
  };
  const int helpers = static_cast<int>(std::min<Index>(run.threads(), count)) - 1;
  run.pool().run(helpers, work);
  if (shared.first_error) {
    std::rethrow_exception(shared.first_error);
  }
  if (!nested && !name.empty()) {
    run.progress(name, static_cast<double>(count), static_cast<double>(count));
  }
}

void parallel_for(const Run& run, Index count, const std::function<void(Index)>& task) {
  parallel_for_workers(run, count, [&](Index i, int) { task(i); });
}

void parallel_for(const Run& run, Index count, std::string_view name, const std::function<void(Index)>& task) {
  parallel_for_workers(run, count, [&](Index i, int) { task(i); }, name);
}

}  // namespace mercer
