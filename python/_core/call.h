// A call from Python into long work. The work runs on a thread of its own without the GIL; the calling thread waits,
// looks for signals at least every 20 ms, and hands progress and log messages to Python's functions. Ctrl-C, or an
// exception from one of those functions, sets the run's stop token; the exception is raised once the work has ended.
// No thread outlives the call, so that a process may fork between calls.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "mercer/base/run.h"

namespace mercer::python {

namespace nb = nanobind;

struct CallOptions {
  int threads = 0;
  std::uint64_t seed = 0;
  nb::object progress = nb::none();  ///< progress(task, done, total)
  nb::object log = nb::none();       ///< log(level, message)
};

/// Needs the GIL; rethrows what the work throws.
void run_call(const CallOptions& options, const std::function<void(const Run&)>& work);

/// The same for work that gives a value. The value must not be a Python object.
template <class Work>
auto call(const CallOptions& options, Work work) {
  std::optional<decltype(work(std::declval<const Run&>()))> result;
  run_call(options, [&](const Run& run) { result.emplace(work(run)); });
  return std::move(*result);
}

}  // namespace mercer::python
