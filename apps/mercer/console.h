// Console: messages and the progress bar on standard error. Data never goes here.
//
// The bar is drawn only on a terminal, only for work that has taken half a second, at most ten times a second. Colour
// only on a terminal, and not where the environment variable NO_COLOR is set (https://no-color.org).
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "mercer/base/run.h"

namespace mercer::program {

enum class Verbosity { quiet, normal, verbose };

class Console {
 public:
  explicit Console(Verbosity verbosity);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  Console(Console&&) = delete;
  Console& operator=(Console&&) = delete;

  /// A plain sentence; not when quiet.
  void note(std::string_view message);
  void warn(std::string_view message);
  void log(LogLevel level, std::string_view message);
  void progress(const ProgressEvent& event);
  /// Takes the bar away.
  void clear();

 private:
  void clear_line();
  void print(std::string_view line);

  Verbosity verbosity_;
  bool terminal_;
  std::mutex mutex_;
  std::string task_;
  std::chrono::steady_clock::time_point task_start_;
  std::chrono::steady_clock::time_point last_drawn_;
  double least_left_ = 0;  // of the task, in seconds: what was said to be left does not grow
  bool drawn_ = false;
};

/// "error:" or "warning:", coloured where that is wanted.
std::string label(std::string_view word);

/// The time left as it has gone so far; infinite where too little is done to tell.
double seconds_left(const ProgressEvent& event, double seconds);

/// One line of the bar: the task, a bar, percent, the time left (none where it is infinite). `width` is the terminal's.
std::string progress_line(const ProgressEvent& event, double seconds, double left, int width);

}  // namespace mercer::program
