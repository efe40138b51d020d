// A pool of threads with blocking waits.
//
// Spinning waits (OpenMP's default) cost a factor of five to fifteen on a machine whose cores are shared; here idle
// threads sleep on a condition variable. The calling thread always works too, so `threads() == 1` starts none.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mercer {

class ThreadPool {
 public:
  /// `threads` counts the caller; 0 means one per core. Threads start with the first call that needs them.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  int threads() const { return threads_; }

  /// Calls job(worker) once for every worker in [0, helpers], helpers < threads(): worker 0 is the caller, the others
  /// run in the pool. Returns when all have returned. `job` must not throw. One job at a time: a second caller waits,
  /// and a call from inside a job runs job(0) alone.
  void run(int helpers, const std::function<void(int worker)>& job);

  /// Whether this thread is inside a job of some pool; nested parallel work then stays on this thread.
  static bool inside_job();

 private:
  void start_threads();
  void serve(int worker);

  int threads_;
  std::vector<std::thread> workers_;
  std::mutex callers_;  // serialises run()
  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable work_done_;
  const std::function<void(int)>* job_ = nullptr;
  long generation_ = 0;
  int helpers_ = 0;
  int running_ = 0;
  bool ending_ = false;
};

}  // namespace mercer
