// Once: something is made when it is first asked for, by whichever thread asks first.
//
// As std::call_once, but an exception passes through it wherever the library is linked: that of the standard library goes
// through a function of C, and ends the process in a module that carries its own copy of the C++ runtime.
#pragma once

#include <atomic>
#include <mutex>

namespace mercer {

class Once {
 public:
  /// Calls `make` unless a call of it has succeeded before; others wait meanwhile.
  template <class Make>
  void operator()(const Make& make) {
    if (done_.load(std::memory_order_acquire)) {
      return;
    }
    const std::scoped_lock lock(mutex_);
    if (!done_.load(std::memory_order_relaxed)) {
      make();
      done_.store(true, std::memory_order_release);
    }
  }

 private:
  std::atomic<bool> done_{false};
  std::mutex mutex_;
};

}  // namespace mercer
