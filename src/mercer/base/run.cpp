#include "mercer/base/run.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/thread_pool.h"

namespace mercer {

// The first event is always reported.
Run::Run(RunOptions options)
    : options_(std::move(options)),
      last_progress_(std::make_shared<std::chrono::steady_clock::time_point>(std::chrono::steady_clock::now() -
                                                                             options_.progress_interval)) {
  if (options_.threads < 0) {
    reject_argument("threads", options_.threads, "0 (one per core) or a positive number");
  }
  if (options_.progress_interval.count() < 0) {
    reject_argument("progress_interval", static_cast<double>(options_.progress_interval.count()),
                    "0 (every event) or a positive number of milliseconds");
  }
  pool_ = std::make_shared<ThreadPool>(options_.threads);
}

int Run::threads() const { return std::min(pool_->threads(), most_threads_); }

void Run::log(LogLevel level, std::string_view message) const {
  if (options_.log) {
    options_.log(level, message);
  }
}

void Run::progress(std::string_view task, double done, double total) const {
  if (!options_.progress) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const bool final_event = total > 0 && done >= total;
  if (!final_event && now - *last_progress_ < options_.progress_interval) {
    return;
  }
  *last_progress_ = now;
  options_.progress({task, done, total});
}

void Run::check_stop() const {
  if (stop_requested()) {
    throw Stopped();
  }
}

Run Run::stop_only() const { return Run({.threads = 1, .seed = options_.seed, .stop = options_.stop}); }

Run Run::on_at_most(int threads) const {
  Run inner = *this;
  inner.most_threads_ = std::clamp(threads, 1, most_threads_);
  return inner;
}

Run Run::quiet() const {
  Run inner = *this;
  inner.options_.log = {};
  inner.options_.progress = {};
  return inner;
}

}  // namespace mercer
