// Session: what one subcommand works with: the console, the run, the clock of its phases, and guarded files.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common_flags.h"
#include "console.h"
#include "interruption.h"
#include "mercer/base/error.h"
#include "mercer/base/run.h"
#include "mercer/data/coding.h"
#include "mercer/models/model.h"
#include "output.h"

namespace mercer::program {

class Session {
 public:
  Session(const RunFlags& flags, Interruption& interruption);

  const Run& run() const { return run_; }
  Console& console() { return console_; }
  const RunFlags& flags() const { return flags_; }

  /// Runs `work` and books its seconds under `name`.
  template <class Work>
  auto timed(const std::string& name, Work&& work) {
    const Stopwatch watch(*this, name);
    return std::forward<Work>(work)();
  }
  /// Adds phases that the library timed itself.
  void add_phases(const std::vector<FitReport::Phase>& phases);
  const std::vector<FitReport::Phase>& phases() const { return phases_; }
  double total_seconds() const;
  Json phases_as_json() const;

  /// Reads a data file. Every data error names the file; rows left out for missing values are said.
  DataFile read(const std::string& path, const ReadOptions& options);
  /// Says how many rows were left out for missing values, where any were.
  void say_dropped(Index rows);
  /// The same of rows that lack their target.
  void say_unlabeled(Index rows);
  /// Says which numbers were filled and which levels are unknown, where any are.
  void say_gaps(const CodingGaps& gaps);

  /// From now on the run's memory is bounded by --memory or by what the machine has.
  void bound_memory() const;
  double memory_mb() const;

  /// While a file is written to `path` the first Ctrl-C waits for it; nothing waits for standard output.
  template <class Write>
  void write(const std::string& path, Write&& write_file) {
    run_.check_stop();
    if (path == "-") {
      write_file();
      return;
    }
    const WriteGuard guard(interruption_);
    write_file();
  }

 private:
  class Stopwatch {
   public:
    Stopwatch(Session& session, std::string name);
    ~Stopwatch();
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    Stopwatch(Stopwatch&&) = delete;
    Stopwatch& operator=(Stopwatch&&) = delete;

   private:
    Session& session_;
    std::string name_;
    std::chrono::steady_clock::time_point start_;
  };

  RunFlags flags_;
  Interruption& interruption_;
  Console console_;
  Run run_;
  std::chrono::steady_clock::time_point start_;
  std::vector<FitReport::Phase> phases_;
};

/// Runs `work` on the contents of a file: data errors that do not know their file are given its name.
template <class Work>
auto naming_file(const std::string& path, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const DataError& error) {
    if (!error.place().file.empty()) {
      throw;
    }
    throw DataError({path == "-" ? "stdin" : path}, error.what());
  }
}

/// Throws IoError where a file of that name could not be made: said before the work, not after it.
void require_writable(const std::string& path);

}  // namespace mercer::program
