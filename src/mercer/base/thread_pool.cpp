#include "mercer/base/thread_pool.h"

#include <algorithm>

namespace mercer {

namespace {

thread_local bool in_job = false;

}  // namespace

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_ready_.notify_all();
  for (std::thread& worker : workers_) {
    worker.join();
  }
}

bool ThreadPool::inside_job() { return in_job; }

void ThreadPool::start_threads() {
  if (!workers_.empty()) {
    return;
  }
  workers_.reserve(threads_ - 1);
  for (int worker = 1; worker < threads_; ++worker) {
    workers_.emplace_back([this, worker] { serve(worker); });
  }
}

void ThreadPool::run(int helpers, const std::function<void(int)>& job) {
  helpers = std::min(helpers, threads_ - 1);
  if (helpers <= 0 || in_job) {
    const bool outer = in_job;
    in_job = true;
    job(0);
    in_job = outer;
    return;
  }
  const std::lock_guard one_caller(callers_);
  start_threads();
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    helpers_ = helpers;
    running_ = helpers;
    ++generation_;
  }
  work_ready_.notify_all();
  in_job = true;
  job(0);
  in_job = false;
  std::unique_lock lock(mutex_);
  work_done_.wait(lock, [this] { return running_ == 0; });
  job_ = nullptr;
}

void ThreadPool::serve(int worker) {
  in_job = true;
  long seen = 0;
  while (true) {
    const std::function<void(int)>* job = nullptr;
    {
      std::unique_lock lock(mutex_);
      work_ready_.wait(lock, [&] { return ending_ || generation_ != seen; });
      if (ending_) {
        return;
      }
      seen = generation_;
      if (worker > helpers_) {
        continue;
      }
      job = job_;
    }
    (*job)(worker);
    {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    work_done_.notify_one();
  }
}

}  // namespace mercer
