#include "mercer/select/search/tune_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/file_descriptor.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/select/sample_mean.h"
#include "mercer/select/search/tune_json.h"

namespace mercer {

namespace {

using tune_json::Json;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw IoError(path + ": cannot be " + what + ": " + std::strerror(errno));
}

std::string contents(int descriptor, const std::string& path) {
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0) {
      fail(path, "read");
    }
    if (count == 0) {
      return text;
    }
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

struct Line {
  Json json;
  FilePlace place;
};

struct ParsedLog {
  std::vector<Line> lines;  ///< the first is the header
  std::size_t bytes = 0;    ///< up to the end of the last whole line
};

ParsedLog parse_lines(const std::string& text, const std::string& path) {
  ParsedLog log;
  for (std::int64_t number = 1; log.bytes < text.size(); ++number) {
    const std::size_t end = text.find('\n', log.bytes);
    if (end == std::string::npos) {
      break;
    }
    const FilePlace place{path, number, 0};
    const std::string_view line = std::string_view(text).substr(log.bytes, end - log.bytes);
    Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) {
      throw DataError(place, number == 1 ? "this is not the log of a search by mercer tune"
                                         : "damaged log of a search: this line is no JSON object. Take it out of the "
                                           "file: what it held is computed again");
    }
    log.lines.push_back({std::move(json), place});
    log.bytes = end + 1;
  }
  return log;
}

struct LogContents {
  std::vector<TuneUnit> units;
  std::map<OuterFold, OuterScore> outer_scores;
  const Line* result = nullptr;  ///< the last one
};

LogContents contents_of(const ParsedLog& log, const std::vector<SearchAxis>& axes) {
  LogContents result;
  for (std::size_t l = 1; l < log.lines.size(); ++l) {
    const Line& line = log.lines[l];
    if (line.json.contains("result")) {
      result.result = &line;
    } else if (line.json.contains("score")) {
      OuterScore score = tune_json::to_outer(line.json, axes, line.place);
      result.outer_scores[score.outer] = std::move(score);
    } else {
      result.units.push_back(tune_json::to_unit(line.json, axes, line.place));
    }
  }
  return result;
}

// "folds 5 there, 10 here; seed 0 there, 1 here".
std::string differences(const Json& there, const Json& here) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : here.items()) {
    const bool present = there.contains(name);
    if (present && there.at(name) == value) {
      continue;
    }
    if (name == "data") {
      parts.emplace_back("the data are not the same");
      continue;
    }
    const auto shown = [](const Json& json) {
      const std::string text = json.is_string() ? json.get<std::string>() : json.dump();
      return text.size() > 100 ? text.substr(0, 100) + "…" : text;
    };
    parts.push_back(name + ": " + (present ? shown(there.at(name)) : "nothing") + " there, " + shown(value) + " here");
  }
  return join(parts, "; ");
}

std::string free_name(const std::string& path) {
  // NAME.tune.jsonl gives NAME.tune.1.jsonl.
  const std::filesystem::path whole(path);
  for (int number = 1;; ++number) {
    std::filesystem::path other = whole;
    other.replace_extension("." + std::to_string(number) + whole.extension().string());
    if (!std::filesystem::exists(other)) {
      return other.string();
    }
  }
}

// Plain means over the folds that are there, for a search that is not complete.
void summarize_units(const std::vector<TuneUnit>& units, TuneTable& table) {
  std::map<std::pair<Index, SearchPoint>, std::size_t> places;
  for (const TuneUnit& unit : units) {
    for (std::size_t i = 0; i < unit.points.size(); ++i) {
      const auto [found, is_new] = places.try_emplace({unit.round, unit.points[i]}, table.points.size());
      if (is_new) {
        table.points.push_back({unit.points[i], unit.fraction, {}, 0, 0});
      }
      table.points[found->second].scores.push_back(unit.scores[i]);
    }
  }
  for (TunePoint& point : table.points) {
    const Mean mean = mean_of(point.scores);
    point.mean = mean.value;
    point.error = mean.standard_error;
  }
}

// The scores by fold, beside the means that the result has.
void attach_scores(const std::vector<TuneUnit>& units, TuneTable& table) {
  std::map<std::pair<double, SearchPoint>, std::size_t> places;
  for (std::size_t p = 0; p < table.points.size(); ++p) {
    places.try_emplace({table.points[p].fraction, table.points[p].values}, p);
  }
  std::vector<std::map<Index, double>> by_fold(table.points.size());
  for (const TuneUnit& unit : units) {
    for (std::size_t i = 0; i < unit.points.size(); ++i) {
      const auto found = places.find({unit.fraction, unit.points[i]});
      if (found != places.end()) {
        by_fold[found->second][unit.fold] = unit.scores[i];
      }
    }
  }
  for (std::size_t p = 0; p < table.points.size(); ++p) {
    for (const auto& [fold, score] : by_fold[p]) {
      table.points[p].scores.push_back(score);
    }
  }
}

}  // namespace

TuneLog::TuneLog(std::string path, const TuneHeader& header, LogStart start) : path_(std::move(path)) {
  open_file(start == LogStart::must_continue ? 0 : O_CREAT);
  try {
    if (!is_regular_file()) {
      begin_on_device(header, start);
      return;
    }
    const std::string text = contents(descriptor_, path_);
    const ParsedLog log = parse_lines(text, path_);
    const Json wanted = tune_json::from_header(header);
    if (log.lines.empty()) {
      // New, or killed within the first line.
      constexpr std::string_view beginning = "{\"mercer_tune\"";
      const std::size_t common = std::min(text.size(), beginning.size());
      if (text.compare(0, common, beginning, 0, common) != 0) {
        throw DataError({path_}, "this is not the log of a search by mercer tune, and is left as it is");
      }
      cut(0);
      write_line(wanted.dump());
      return;
    }
    tune_json::to_header(log.lines.front().json, log.lines.front().place);
    if (log.lines.front().json == wanted) {
      LogContents known = contents_of(log, header.axes);
      units_found_ = static_cast<Index>(known.units.size());
      for (TuneUnit& unit : known.units) {
        units_[{unit.outer, unit.round, unit.fold}].push_back(std::move(unit));
      }
      outer_scores_ = std::move(known.outer_scores);
      last_result_ = known.result == nullptr ? "" : known.result->json.dump();
      cut(log.bytes);
      return;
    }
    if (start == LogStart::must_continue) {
      throw InvalidArgument(path_ + " is the log of another search (" + differences(log.lines.front().json, wanted) +
                            "). Repeat the flags of that search, or begin a new one without resuming");
    }
    move_aside();
    write_line(wanted.dump());
  } catch (...) {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
    throw;
  }
}

bool TuneLog::is_regular_file() const {
  struct stat status{};
  return fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

// /dev/null keeps no log, a pipe hands it on: there is nothing to read back, and reading might never end.
void TuneLog::begin_on_device(const TuneHeader& header, LogStart start) {
  if (start == LogStart::must_continue) {
    throw DataError({path_}, "this is no file, and holds no search to go on with");
  }
  write_line(tune_json::from_header(header).dump());
}

void TuneLog::open_file(int more_flags) {
  descriptor_ = open_descriptor(path_, O_RDWR | O_APPEND | more_flags, 0666);
  if (descriptor_ < 0) {
    fail(path_, "opened");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(std::exchange(descriptor_, -1));
    throw IoError(path_ + ": another search is writing this log; give this one another name");
  }
}

void TuneLog::move_aside() {
  const std::string name = free_name(path_);
  if (std::rename(path_.c_str(), name.c_str()) != 0) {
    fail(path_, "renamed");
  }
  set_aside_ = name;
  close(std::exchange(descriptor_, -1));
  open_file(O_CREAT | O_EXCL);
}

void TuneLog::cut(std::size_t bytes) {
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
    fail(path_, "written");
  }
}

TuneLog::~TuneLog() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

const TuneUnit* TuneLog::find(OuterFold outer, Index round, Index fold, const std::vector<SearchPoint>& points,
                              Wanted wanted) const {
  const auto found = units_.find({outer, round, fold});
  if (found == units_.end()) {
    return nullptr;
  }
  const auto unit = std::find_if(found->second.begin(), found->second.end(), [&](const TuneUnit& other) {
    return other.points == points && (wanted == Wanted::any || other.given_up == 0);
  });
  return unit == found->second.end() ? nullptr : &*unit;
}

const OuterScore* TuneLog::find_outer(OuterFold outer) const {
  const auto found = outer_scores_.find(outer);
  return found == outer_scores_.end() ? nullptr : &found->second;
}

void TuneLog::add(const TuneUnit& unit) { write_line(tune_json::from_unit(unit).dump()); }

void TuneLog::add(const OuterScore& score) { write_line(tune_json::from_outer(score).dump()); }

void TuneLog::add_result(const TuneTable& table, Choice choice, const std::optional<NestedEstimate>& nested) {
  const std::string line = tune_json::from_result(table, choice, nested).dump();
  if (line != last_result_) {
    write_line(line);
    last_result_ = line;
  }
}

// One call of write per line: a killed program leaves at most one line torn.
void TuneLog::write_line(const std::string& line) {
  if (descriptor_ < 0) {
    return;
  }
  if (const int error = write_all(descriptor_, line + "\n"); error != 0) {
    throw WriteError(path_ + ": cannot be written: " + std::strerror(error));
  }
}

TuneRecord read_tune_log(const std::string& path) {
  InputStream stream(path);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = stream.read(buffer, sizeof buffer)) {
    text.append(buffer, count);
  }
  return parse_tune_log(text, stream.name());
}

TuneRecord parse_tune_log(const std::string& text, const std::string& name) {
  const ParsedLog log = parse_lines(text, name);
  if (log.lines.empty()) {
    throw DataError({name}, "this is not the log of a search by mercer tune");
  }
  TuneRecord record;
  record.table.header = tune_json::to_header(log.lines.front().json, log.lines.front().place);
  LogContents known = contents_of(log, record.table.header.axes);
  std::erase_if(known.units, [](const TuneUnit& unit) { return unit.outer != OuterFold{}; });
  record.is_complete = known.result != nullptr;
  if (record.is_complete) {
    tune_json::read_result(known.result->json, record, known.result->place);
    attach_scores(known.units, record.table);
  } else {
    summarize_units(known.units, record.table);
    choose_point(record.table, Choice::best);
  }
  if (record.nested) {
    for (const OuterScore& score : std::exchange(record.nested->folds, {})) {
      const auto found = known.outer_scores.find(score.outer);
      if (found != known.outer_scores.end()) {
        record.nested->folds.push_back(found->second);
      }
    }
  }
  return record;
}

}  // namespace mercer
