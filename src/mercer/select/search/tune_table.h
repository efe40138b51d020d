// TuneTable: every point that a search looked at, with its score on every fold, and which point is taken.
//
//   best     the best mean over folds; of equal ones the simplest
//   1se      the simplest point whose mean is within one standard error of the best one's, and which is on no axis less
//            simple than that (Breiman, Friedman, Olshen & Stone 1984): a smaller C, a larger lambda, a wider kernel
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/select/folds/fold_plan.h"
#include "mercer/select/metrics.h"
#include "mercer/select/search/search_strategy.h"

namespace mercer {

enum class Choice { best, one_standard_error };
constexpr auto words_of(Choice) {
  return std::array{Word{Choice::best, "best"}, Word{Choice::one_standard_error, "1se"}};
}
/// "best", "1se".
constexpr std::string_view to_string(Choice choice) { return word_of(choice); }
Choice parse_choice(std::string_view name);

struct TunePoint {
  SearchPoint values;          ///< one per axis
  double fraction = 1;         ///< of the training rows that it was fitted to; only points on all of them are chosen
  std::vector<double> scores;  ///< per fold; NaN: failed or not defined
  double mean = 0;             ///< NaN: failed on some fold
  double error = 0;            ///< standard error of the mean; NaN: one fold only
  bool given_up = false;       ///< on some fold: below the baseline after many steps
};

/// What a search is: everything that its table depends on.
struct TuneHeader {
  std::string version;
  std::string model;
  std::string kernel;  ///< with its ranges
  std::vector<OptionSetting> settings;
  std::vector<SearchAxis> axes;
  SearchOptions search;
  FoldPlan folds;
  std::string metric;
  Better better = Better::higher;
  std::string scaling;
  std::string scaled;  ///< "once" or "within folds"
  std::uint64_t seed = 0;
  Index rows = 0;
  Index columns = 0;
  std::string data;  ///< data_fingerprint
};

struct TuneTable {
  TuneHeader header;
  std::vector<TunePoint> points;
  Index best = -1;  ///< −1: no point could be fitted
  Index chosen = -1;
};

/// Finds best and chosen.
void choose_point(TuneTable& table, Choice choice);

/// A chosen value at an end of its range, where no equally good point lies further inside.
struct RangeEnd {
  Index axis = 0;
  bool is_upper = false;
};
std::vector<RangeEnd> range_ends(const TuneTable& table);

/// The numbers of the points from best to worst mean; failed ones last, those on fewer rows after all others.
std::vector<Index> ranked_points(const TuneTable& table);

/// One line per point, values and scores in shortest form: equal texts mean equal tables.
std::string table_text(const TuneTable& table);

}  // namespace mercer
