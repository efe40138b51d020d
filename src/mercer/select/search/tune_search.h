// One search on one set of rows: rounds of points, units that the log does not have yet, scores, the next round. tune()
// runs it on all rows, and on the training rows of every outer fold for a nested estimate.
#pragma once

#include <span>
#include <thread>
#include <vector>

#include "mercer/select/search/tune.h"

namespace mercer {

/// Everything that is decided before the first fit.
struct TunePlan {
  const ModelEntry& model;
  SearchSpace space;
  SearchOptions search;  ///< resolved
  FoldPlan folds;
  std::string metric;
  ScalingRule scaling;  ///< where it is not searched
  const TuneOptions& options;
  std::vector<std::string> notes = {};

  ScalingRule scaling_at(const SearchPoint& point) const { return space.scaling_at(point).value_or(scaling); }
};

/// Work done, over the search and those inside its outer folds; what an earlier start did is not counted, so that the
/// time that is left can be told from the time that has gone.
class TuneProgress {
 public:
  TuneProgress(double total, const Run& run) : total_(total), run_(run) {}
  void found(double work) { total_ -= work; }
  /// One thread at a time; only the thread that made the object reports, as parallel_for does.
  void done(double work);
  void finish() const { run_.progress("search", 1, 1); }

 private:
  double total_;
  double done_ = 0;
  const Run& run_;
  std::thread::id caller_ = std::this_thread::get_id();
};

/// The rows `rows` of everything that there is.
TuneData select_rows(const TuneData& all, std::span<const Index> rows);

/// Whether some fold of a search on these rows can have a score; searches throw DataError where none can.
bool has_scored_fold(const TunePlan& plan, const TuneData& data, const Run& run);

/// All points of the search, in the order of its rounds. Throws the error of a fit where no point of the first round
/// could be fitted, and Stopped after a stop; finished units are in the log.
std::vector<TunePoint> search_points(const TunePlan& plan, const TuneData& data, OuterFold outer, TuneLog& log,
                                     TuneProgress& progress, const Run& run);

}  // namespace mercer
