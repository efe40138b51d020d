// The log of a search: JSON texts, one per line, each written at once as soon as it is known. A search that was killed
// goes on from it; a report draws its surface.
//
//   {"mercer_tune":1, "version":…, "model":…, "kernel":…, "axes":[…], …}                    first: what is searched
//   {"round":0, "fold":2, "points":[[1,0.1],[10,0.1]], "scores":[0.9,0.92], "seconds":0.1}  one per unit of work
//                                      with "given_up":1 where the last point was below the baseline after many steps
//   {"outer":[1,5], "score":0.91, "chosen":[10,0.1]}                                        one per fold of a nested search
//   {"result":{"choose":"best", "best":3, "chosen":3, "points":[…], "mean":[…], …}}         last, when all is done
//
// Numbers are in shortest form that reads back as the same double; null is a score that does not exist. Lines of the
// searches inside a nested one carry "outer" (fold, number of folds) too. A last line without its end (the program was
// killed while writing) is taken away. Files from outside are not trusted: whatever they hold, reading ends with a
// table or a DataError.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "mercer/select/search/tune_table.h"

namespace mercer {

/// Fold `number` of the `count` outer folds of a nested search; by default the search itself.
struct OuterFold {
  Index number = -1;
  Index count = 0;
  auto operator<=>(const OuterFold&) const = default;
};

/// One path on one fold.
struct TuneUnit {
  OuterFold outer = {};
  Index round = 0;
  Index fold = 0;
  double fraction = 1;
  std::vector<SearchPoint> points;
  std::vector<double> scores;  ///< one per point
  double seconds = 0;
  Index given_up = 0;  ///< of the points, the last ones: their scores were below the baseline after many steps
};

/// What one outer fold of a nested search gave.
struct OuterScore {
  OuterFold outer = {};
  double score = 0;
  SearchPoint chosen;
};

/// What nested cross-validation says about models that are tuned in this way.
struct NestedEstimate {
  std::vector<OuterScore> folds;
  double mean = 0;
  double error = 0;
};

/// continue_or_set_aside: a log of the same search is gone on with, one of another search gets another name (nothing is
/// lost), any other file is refused. must_continue: there must be a log of this very search.
enum class LogStart { continue_or_set_aside, must_continue };

class TuneLog {
 public:
  /// Writes no file.
  TuneLog() = default;
  /// Opens or begins the file. InvalidArgument naming what differs for must_continue, or where the file is no log;
  /// DataError for a damaged log; IoError where it cannot be written or another process is writing it.
  TuneLog(std::string path, const TuneHeader& header, LogStart start);
  ~TuneLog();
  TuneLog(const TuneLog&) = delete;
  TuneLog& operator=(const TuneLog&) = delete;
  TuneLog(TuneLog&&) = delete;
  TuneLog& operator=(TuneLog&&) = delete;

  /// The unit with these numbers and points, null where it is not there yet. `whole`: none with points that were given up.
  enum class Wanted { any, whole };
  const TuneUnit* find(OuterFold outer, Index round, Index fold, const std::vector<SearchPoint>& points,
                       Wanted wanted = Wanted::any) const;
  const OuterScore* find_outer(OuterFold outer) const;
  void add(const TuneUnit& unit);
  void add(const OuterScore& score);
  void add_result(const TuneTable& table, Choice choice, const std::optional<NestedEstimate>& nested);

  Index units_found() const { return units_found_; }
  /// Where another search's log went; empty: there was none.
  const std::string& set_aside() const { return set_aside_; }

 private:
  void open_file(int more_flags);
  bool is_regular_file() const;
  void begin_on_device(const TuneHeader& header, LogStart start);
  void move_aside();
  void cut(std::size_t bytes);
  void write_line(const std::string& line);

  std::string path_;
  int descriptor_ = -1;
  std::string set_aside_;
  std::string last_result_;
  Index units_found_ = 0;
  std::map<std::tuple<OuterFold, Index, Index>, std::vector<TuneUnit>> units_;
  std::map<OuterFold, OuterScore> outer_scores_;
};

/// A log as others read it.
struct TuneRecord {
  TuneTable table;
  Choice choice = Choice::best;
  bool is_complete = false;  ///< otherwise means are over the folds that are there
  std::optional<NestedEstimate> nested;
};

/// DataError naming file and line for what is no log of a search or damaged; IoError where it cannot be read.
TuneRecord read_tune_log(const std::string& path);
/// The same from the file's text; errors call it `name`.
TuneRecord parse_tune_log(const std::string& text, const std::string& name);

}  // namespace mercer
