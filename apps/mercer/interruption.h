// Interruption: Ctrl-C and its kin, turned into the library's stop token.
//
// The signals are blocked in every thread and taken by one watcher thread, so that nothing runs inside a signal
// handler. The first one requests a stop; long work polls that and unwinds, removing what it had begun to write. Work
// that cannot poll (a read from a terminal, one LAPACK call) is ended by the watcher after 0.15 s, but never while a
// file is being written (WriteGuard). A second signal ends the program at once.
#pragma once

#include <atomic>
#include <mutex>
#include <stop_token>
#include <thread>

namespace mercer::program {

class Interruption {
 public:
  /// Call it before any other thread starts: threads inherit the blocked signals.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  Interruption(Interruption&&) = delete;
  Interruption& operator=(Interruption&&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// 128 + the signal that came (130 for Ctrl-C); 0 while none has.
  int exit_code() const;

 private:
  friend class WriteGuard;
  void watch();
  [[noreturn]] void end_now(const char* message) const;

  std::stop_source source_;
  std::atomic<int> signal_{0};
  std::mutex writing_;  // held while files are written, and by the watcher when it ends the program
  std::thread watcher_;
};

/// While it lives the program is not ended by the first signal. Throws Stopped where a stop was requested before.
class WriteGuard {
 public:
  explicit WriteGuard(Interruption& interruption);

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace mercer::program
