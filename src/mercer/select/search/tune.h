// Tuning: looks for the options and kernel parameters whose models predict held-out rows best.
//
//   const TuneResult result = tune(find_model("svc"), parse_kernel("rbf(gamma=2^-15..2^3)"), {{"C", "2^-5..2^15"}},
//                                  {.data = training}, {}, run);
//   const auto model = find_model("svc").fit(result.kernel, result.settings, scaled, run);
//
// The scaling of the columns is fitted once, on all tuning rows: one matrix of distances then serves every width and
// every fold. What validation rows tell it are means and deviations of the inputs, never targets; ScaleFit::within_folds
// fits it on the training rows of every fold instead. The same seed gives the same table for any number of threads, and
// whether or not the search was stopped and gone on with.
//
// Where nothing is left to search, the one point there is is scored by the folds.
//
// A nested estimate repeats the whole search inside every outer fold and scores the winner on the rows that the search
// did not see: the score of the best point itself is too good, having been picked for it (Varma & Simon 2006).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/scaling.h"
#include "mercer/select/folds/fold_metric.h"
#include "mercer/select/search/tune_log.h"

namespace mercer {

enum class ScaleFit { once, within_folds };

/// What is chosen beside the ranges. usual: the scaling of dense columns among none, standard, minmax and robust (of sparse ones
/// between maxabs and none) unless it is given or nothing else is searched; weights of classes, none or balanced, where the
/// rarest class has less than 20 % of the rows and the metric counts classes alike.
enum class TuneChoices { none, usual };

struct TuneOptions {
  std::optional<FoldPlan> folds = {};  ///< empty: 5 folds, stratified for classes, grouped where there are groups
  SearchOptions search = {};
  std::string metric = {};  ///< empty: default_fold_metric
  Choice choice = Choice::best;
  std::optional<ScalingRule> scaling = {};  ///< empty: usual_scaling, or what `choices` finds
  TuneChoices choices = TuneChoices::none;
  ScaleFit scale_fit = ScaleFit::once;
  Index nested = 0;      ///< outer folds of a nested estimate; 0: none
  std::string log = {};  ///< file; empty: none
  LogStart log_start = LogStart::continue_or_set_aside;
  std::function<void(const TuneLog& log)> started = {};  ///< called once, when the log is open and work begins
};

struct TuneData {
  TrainingData data;                      ///< not scaled
  std::vector<std::int32_t> groups = {};  ///< per row; empty: none
};

struct TuneResult {
  TuneTable table;
  std::optional<Kernel> kernel = {};         ///< of the chosen point; empty for models without
  std::vector<OptionSetting> settings = {};  ///< likewise, with those that were given
  Scaling scaling = {};                      ///< fitted on all rows
  std::optional<NestedEstimate> nested = {};
  /// What the best constant answer scores, the mean over the same folds; NaN where folds are single rows or there is none.
  double baseline = unknown_value;
  /// Whole sentences about what was found, and what was not searched and why.
  std::vector<std::string> notes = {};
};

/// `settings`: options of the model, fixed or ranges (search_space.h). InvalidArgument for what does not fit together,
/// DataError for unusable targets, the error of a fit where none succeeds, Stopped after a stop: finished work is in
/// the log. Time: that of points × folds fits; what they share is up to make_fold_evaluator.
TuneResult tune(const ModelEntry& model, const std::optional<Kernel>& kernel, std::span<const OptionSetting> settings,
                const TuneData& data, const TuneOptions& options, const Run& run = {});

}  // namespace mercer
