// Run: what every long computation carries with it. No global state: log, progress, stopping, threads and seed are
// values of the caller. A default Run is silent, cannot be stopped, uses every core and seed 0.
//
//   Run run{{.threads = 2, .seed = 7}};
//   fit(options, samples, targets, run);
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "mercer/base/index.h"

namespace mercer {

class ThreadPool;

enum class LogLevel { debug, info, warning };

/// One step of long work: `done` of `total` units of `task` (total 0: unknown).
struct ProgressEvent {
  std::string_view task;
  double done = 0;
  double total = 0;
};

using LogFunction = std::function<void(LogLevel, std::string_view message)>;
using ProgressFunction = std::function<void(const ProgressEvent&)>;

struct RunOptions {
  int threads = 0;  ///< 0: one per core
  std::uint64_t seed = 0;
  LogFunction log = {};
  ProgressFunction progress = {};                   ///< called from the thread that runs the work
  std::chrono::milliseconds progress_interval{50};  ///< at least this between two events; 0: every event is reported
  std::stop_token stop = {};
};

/// Cheap to copy: copies share one thread pool, which starts its threads when it is first needed.
class Run {
 public:
  Run() : Run(RunOptions{}) {}
  explicit Run(RunOptions options);

  int threads() const;
  std::uint64_t seed() const { return options_.seed; }
  ThreadPool& pool() const { return *pool_; }

  void log(LogLevel level, std::string_view message) const;
  void warn(std::string_view message) const { log(LogLevel::warning, message); }

  /// Reports progress; events that follow the last one within the interval are dropped, except the final one of a task.
  void progress(std::string_view task, double done, double total) const;

  bool stop_requested() const { return options_.stop.stop_requested(); }
  /// Throws Stopped once a stop was requested.
  void check_stop() const;

  /// The same run on no more than `threads` threads (at least 1), for work whose memory grows with their number.
  Run on_at_most(int threads) const;
  /// The same run without log and progress, for inner work whose messages would confuse.
  Run quiet() const;
  /// What may outlive the work: only the stop token and the seed, neither log nor progress nor threads of its own.
  Run stop_only() const;

 private:
  RunOptions options_;
  std::shared_ptr<ThreadPool> pool_;
  int most_threads_ = std::numeric_limits<int>::max();
  std::shared_ptr<std::chrono::steady_clock::time_point> last_progress_;
};

}  // namespace mercer
