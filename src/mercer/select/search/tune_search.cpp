#include "mercer/select/search/tune_search.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/kernels/widths.h"
#include "mercer/select/folds/scaled_folds.h"
#include "mercer/select/search/stages.h"
#include "mercer/select/search/tune_choices.h"

namespace mercer {

namespace {

template <class T>
std::vector<T> chosen_rows(const std::vector<T>& values, std::span<const Index> rows) {
  std::vector<T> result;
  if (!values.empty()) {
    for (const Index row : rows) {
      result.push_back(values[row]);
    }
  }
  return result;
}

bool any_is_defined(const FoldMetric& metric, std::span<const Split> folds) {
  return std::any_of(folds.begin(), folds.end(), [&](const Split& fold) { return metric.is_defined(fold); });
}

// One search on one set of rows: the whole, or the training rows of an outer fold.
class Search {
 public:
  Search(const TunePlan& plan, const TuneData& data, OuterFold outer, TuneLog& log, TuneProgress& progress,
         const Run& run)
      : plan_(plan),
        data_(data),
        outer_(outer),
        log_(log),
        progress_(progress),
        run_(run),
        metric_(plan.metric, plan.model, data.data.targets, plan.folds),
        folds_(make_folds(plan.folds, data.data.samples.size(), metric_.classes(), data.groups, run.seed())) {
    if (!any_is_defined(metric_, folds_)) {
      throw DataError("metric " + metric_.name() +
                      " has no value on any fold: its validation rows or those to train on are of one class (or all "
                      "alike). Take another metric or fewer folds");
    }
  }

  std::vector<TunePoint> points() {
    const auto rows = static_cast<Index>(folds_.front().train.size());
    const auto strategy = make_strategy(plan_.space, plan_.search, rows, run_.seed(), usual_values_by_scaling());
    std::vector<ScoredRound> history;
    std::vector<TunePoint> points;
    while (auto round = strategy->next(history, run_)) {
      std::vector<TunePoint> here = evaluate(*round, static_cast<Index>(history.size()));
      if (spares_ == Sparing::below_baseline && history.empty() && none_succeeded(here) && any_given_up(here)) {
        spares_ = Sparing::nothing;  // there is nothing better here to spend the steps on
        here = evaluate(*round, 0);
      }
      ScoredRound scored{*std::move(round), {}};
      for (const TunePoint& point : here) {
        scored.utilities.push_back(metric_.utility(point.mean));
        scored.errors.push_back(point.error);
      }
      points.insert(points.end(), std::make_move_iterator(here.begin()), std::make_move_iterator(here.end()));
      if (static_cast<Index>(history.size()) == strategy->opening_rounds()) {
        require_success(points);
      }
      history.push_back(std::move(scored));
    }
    return points;
  }

 private:
  std::vector<TunePoint> evaluate(const SearchRound& round, Index number) {
    std::vector<TunePoint> points;
    for (const SearchPoint& values : round.points) {
      points.push_back({values, round.fraction, std::vector<double>(folds_.size(), unknown_value), 0, 0});
    }
    const std::vector<PointGroup> groups = plan_.space.group(round.points);
    std::vector<PointPath> paths;
    std::vector<FoldUnit> missing;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      paths.push_back(groups[g].path);
      for (std::size_t f = 0; f < folds_.size(); ++f) {
        const FoldUnit unit{static_cast<Index>(g), static_cast<Index>(f)};
        const auto wanted = spares_ == Sparing::nothing ? TuneLog::Wanted::whole : TuneLog::Wanted::any;
        if (const TuneUnit* known = log_.find(outer_, number, unit.fold, values_of(groups[g], points), wanted)) {
          take(*known, groups[g], points);
          progress_.found(static_cast<double>(groups[g].points.size()));
        } else {
          missing.push_back(unit);
        }
      }
    }
    if (!missing.empty()) {
      evaluate_missing(paths, groups, missing, round.fraction, number, points);
    }
    for (TunePoint& point : points) {
      const Mean mean = metric_.combine(point.scores, folds_);
      point.mean = mean.value;
      point.error = std::isnan(mean.value) ? unknown_value : mean.standard_error;
    }
    return points;
  }

  void evaluate_missing(const std::vector<PointPath>& paths, const std::vector<PointGroup>& groups,
                        const std::vector<FoldUnit>& missing, double fraction, Index number,
                        std::vector<TunePoint>& points) {
    std::vector<Split> thin;
    if (fraction < 1) {
      for (const Split& fold : folds_) {
        thin.push_back(thinned(fold, fraction, metric_.classes(), run_.seed()));
      }
    }
    for (const auto& [rule, units] : by_scaling(groups, missing, points)) {
      evaluate_scaled(rule, paths, groups, thin.empty() ? folds_ : thin, units, fraction, number, points);
    }
  }

  // Units whose points have the same scaling, in the order of the first of each.
  std::vector<std::pair<ScalingRule, std::vector<FoldUnit>>> by_scaling(const std::vector<PointGroup>& groups,
                                                                        const std::vector<FoldUnit>& units,
                                                                        const std::vector<TunePoint>& points) const {
    std::vector<std::pair<ScalingRule, std::vector<FoldUnit>>> result;
    for (const FoldUnit& unit : units) {
      const ScalingRule rule = plan_.scaling_at(points[groups[unit.path].points.front()].values);
      auto found = std::ranges::find(result, rule, [](const auto& entry) { return entry.first; });
      if (found == result.end()) {
        found = result.insert(found, {rule, {}});
      }
      found->second.push_back(unit);
    }
    return result;
  }

  void evaluate_scaled(const ScalingRule& rule, const std::vector<PointPath>& paths,
                       const std::vector<PointGroup>& groups, const std::vector<Split>& folds,
                       const std::vector<FoldUnit>& units, double fraction, Index number,
                       std::vector<TunePoint>& points) {
    if (!evaluator_ || scaling_ != rule) {
      evaluator_.reset();
      evaluator_ = make_evaluator(rule);
      scaling_ = rule;
    }
    std::mutex mutex;
    evaluator_->set_watch(watch(folds, mutex));
    evaluator_->evaluate(
        paths, folds, units,
        [&](FoldUnit unit, std::vector<FoldPrediction> predictions) {
          const PointGroup& group = groups[unit.path];
          TuneUnit result{.outer = outer_,
                          .round = number,
                          .fold = unit.fold,
                          .fraction = fraction,
                          .points = values_of(group, points),
                          .scores = {}};
          const auto ticked = static_cast<Index>(predictions.size());
          predictions.resize(group.points.size());
          for (const FoldPrediction& prediction : predictions) {
            result.scores.push_back(metric_.value(prediction, folds_[unit.fold]));
            result.given_up += prediction.given_up ? 1 : 0;
            result.seconds += prediction.seconds;
          }
          const std::lock_guard lock(mutex);
          take(result, group, points);
          log_.add(result);
          progress_.done(static_cast<double>(static_cast<Index>(group.points.size()) - ticked));
        },
        run_.quiet());
  }

  // A search without axes wants the score of its one point, whatever it costs.
  FoldWatch watch(const std::vector<Split>& folds, std::mutex& mutex) {
    FoldWatch watch;
    watch.point_done = [&](FoldUnit) {
      const std::lock_guard lock(mutex);
      progress_.done(1);
    };
    if (spares_ == Sparing::below_baseline && !plan_.space.axes.empty()) {
      watch.is_worth_more = [&](FoldUnit unit, const FoldPrediction& so_far) {
        const double value = metric_.value(so_far, folds[unit.fold]);
        const double baseline = metric_.baseline(folds[unit.fold]);
        return !(metric_.utility(value) < metric_.utility(baseline)) || std::isnan(baseline);
      };
    }
    return watch;
  }

  static bool none_succeeded(const std::vector<TunePoint>& points) {
    return std::ranges::all_of(points, [](const TunePoint& point) { return std::isnan(point.mean); });
  }
  static bool any_given_up(const std::vector<TunePoint>& points) {
    return std::ranges::any_of(points, &TunePoint::given_up);
  }

  std::unique_ptr<FoldEvaluator> make_evaluator(const ScalingRule& rule) const {
    if (plan_.options.scale_fit == ScaleFit::within_folds) {
      return scaled_fold_evaluator(plan_.model, data_.data, metric_.needs(), rule);
    }
    return make_fold_evaluator(plan_.model, scaled_by(rule), metric_.needs());
  }

  TrainingData scaled_by(const ScalingRule& rule) const {
    TrainingData scaled = data_.data;
    scaled.samples = fit_scaling(rule, {data_.data.samples, data_.data.weights}).apply(data_.data.samples, run_);
    return scaled;
  }

  // What the kernel's own rules of widths say of the columns by each scaling: where choices are compared.
  UsualValues usual_values_by_scaling() const {
    const bool has_choices =
        std::ranges::any_of(plan_.space.axes, [](const SearchAxis& axis) { return axis.stage == AxisStage::first; });
    if (!has_choices || !plan_.space.usual_kernel) {
      return {};
    }
    UsualValues usual;
    for (const ScalingRule& rule : searched_scalings(plan_)) {
      usual.push_back(usual_values_by(rule));
    }
    return usual;
  }

  // Nothing where a rule of widths has no value: that is said by a fit.
  std::vector<double> usual_values_by(const ScalingRule& rule) const {
    try {
      const TrainingData scaled = scaled_by(rule);
      return usual_values(plan_.space,
                          resolve_widths(*plan_.space.usual_kernel, {scaled.samples, scaled.weights}, run_.quiet()));
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      return std::vector<double>(space_of_ranges(plan_.space).axes.size(), unknown_value);
    }
  }

  static std::vector<SearchPoint> values_of(const PointGroup& group, const std::vector<TunePoint>& points) {
    std::vector<SearchPoint> values;
    for (const Index p : group.points) {
      values.push_back(points[p].values);
    }
    return values;
  }

  static void take(const TuneUnit& unit, const PointGroup& group, std::vector<TunePoint>& points) {
    for (std::size_t i = 0; i < group.points.size(); ++i) {
      TunePoint& point = points[group.points[i]];
      point.scores[unit.fold] = unit.scores[i];
      point.given_up = point.given_up || i + static_cast<std::size_t>(unit.given_up) >= group.points.size();
    }
  }

  // Where every point failed on some fold, the reason is one for all: a fit by itself says which.
  void require_success(const std::vector<TunePoint>& points) const {
    if (!none_succeeded(points)) {
      return;
    }
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      if (std::isnan(points.front().scores[f]) && metric_.is_defined(folds_[f])) {
        const TuneData training = select_rows(data_, folds_[f].train);
        TrainingData scaled = training.data;
        scaled.samples = fit_scaling(plan_.scaling_at(points.front().values), {scaled.samples, scaled.weights})
                             .apply(scaled.samples, run_);
        plan_.model.fit(plan_.space.kernel_at(points.front().values), plan_.space.settings_at(points.front().values),
                        scaled, run_.quiet());
      }
    }
    throw NumericalError("no point of the search gives a value of " + metric_.name() + " on every fold" +
                         (metric_.needs().log_density || metric_.needs().quantiles
                              ? ": " + plan_.model.name + " has no predictive distribution"
                          : metric_.needs().probabilities ? ": " + plan_.model.name + " has no class probabilities"
                                                          : std::string()));
  }

  const TunePlan& plan_;
  const TuneData& data_;
  OuterFold outer_;
  TuneLog& log_;
  TuneProgress& progress_;
  const Run& run_;
  FoldMetric metric_;
  std::vector<Split> folds_;
  std::unique_ptr<FoldEvaluator> evaluator_;
  ScalingRule scaling_;  // of the evaluator's samples
  // Whether points that are below the baseline after many steps are given up.
  enum class Sparing { below_baseline, nothing } spares_ = Sparing::below_baseline;
};

}  // namespace

void TuneProgress::done(double work) {
  done_ += work;
  if (std::this_thread::get_id() == caller_ && done_ < total_) {
    run_.progress("search", done_, total_);
  }
}

TuneData select_rows(const TuneData& all, std::span<const Index> rows) {
  return {{all.data.samples.select(rows), all.data.targets.size() > 0 ? all.data.targets.select(rows) : Targets(),
           chosen_rows(all.data.weights, rows), chosen_rows(all.data.noise, rows), chosen_rows(all.data.groups, rows)},
          chosen_rows(all.groups, rows)};
}

bool has_scored_fold(const TunePlan& plan, const TuneData& data, const Run& run) {
  const FoldMetric metric(plan.metric, plan.model, data.data.targets, plan.folds);
  const std::vector<Split> folds =
      make_folds(plan.folds, data.data.samples.size(), metric.classes(), data.groups, run.seed());
  return any_is_defined(metric, folds);
}

std::vector<TunePoint> search_points(const TunePlan& plan, const TuneData& data, OuterFold outer, TuneLog& log,
                                     TuneProgress& progress, const Run& run) {
  return Search(plan, data, outer, log, progress, run).points();
}

}  // namespace mercer
