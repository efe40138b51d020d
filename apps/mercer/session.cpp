#include "session.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "machine.h"
#include "mercer/base/error.h"

namespace mercer::program {

namespace {

Verbosity verbosity_of(const RunFlags& flags) {
  return flags.quiet ? Verbosity::quiet : flags.verbose ? Verbosity::verbose : Verbosity::normal;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Session::Session(const RunFlags& flags, Interruption& interruption)
    : flags_(flags),
      interruption_(interruption),
      console_(verbosity_of(flags)),
      run_(RunOptions{.threads = flags.threads,
                      .seed = flags.seed,
                      .log = [this](LogLevel level, std::string_view message) { console_.log(level, message); },
                      .progress = [this](const ProgressEvent& event) { console_.progress(event); },
                      .stop = interruption.token()}),
      start_(std::chrono::steady_clock::now()) {}

Session::Stopwatch::Stopwatch(Session& session, std::string name)
    : session_(session), name_(std::move(name)), start_(std::chrono::steady_clock::now()) {}

Session::Stopwatch::~Stopwatch() {
  session_.console_.clear();
  session_.phases_.push_back({std::move(name_), seconds_since(start_)});
}

void Session::add_phases(const std::vector<FitReport::Phase>& phases) {
  phases_.insert(phases_.end(), phases.begin(), phases.end());
}

double Session::total_seconds() const { return seconds_since(start_); }

Json Session::phases_as_json() const {
  Json json = Json::object();
  for (const FitReport::Phase& phase : phases_) {
    json[phase.name] = json.value(phase.name, 0.0) + phase.seconds;
  }
  json["total"] = total_seconds();
  return json;
}

DataFile Session::read(const std::string& path, const ReadOptions& options) {
  DataFile file = timed("read", [&] { return naming_file(path, [&] { return read_data(path, options, run_); }); });
  say_dropped(file.dropped_rows - file.unlabeled_rows);
  say_unlabeled(file.unlabeled_rows);
  return file;
}

void Session::say_dropped(Index rows) {
  if (rows > 0) {
    console_.note(fmt::format("{} with missing values left out", counted(rows, "row")));
  }
}

void Session::say_unlabeled(Index rows) {
  if (rows > 0) {
    console_.note(fmt::format("{} without a target left out", counted(rows, "row")));
  }
}

void Session::say_gaps(const CodingGaps& gaps) {
  if (!gaps.filled.empty()) {
    console_.note("missing numbers filled, rows by column: " + describe(gaps.filled));
  }
  warn_of_unknown_levels(gaps, run_);
}

double Session::memory_mb() const { return flags_.memory_mb > 0 ? flags_.memory_mb : available_memory_mb(); }

void Session::bound_memory() const {
  if (memory_mb() > 0) {
    bound_further_memory(memory_mb(), run_.threads());
  }
}

void require_writable(const std::string& path) {
  if (path == "-") {
    return;
  }
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      throw IoError(path + ": cannot be written: it is a folder");
    }
    if (!S_ISREG(status.st_mode)) {
      return;
    }
    if (access(path.c_str(), W_OK) != 0) {
      throw IoError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    }
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string name = folder.empty() ? "." : folder.string();
  if (access(name.c_str(), W_OK | X_OK) != 0) {
    throw IoError(fmt::format("{}: cannot be written: {}: {}", path, name, std::strerror(errno)));
  }
}

}  // namespace mercer::program
