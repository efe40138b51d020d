#include "mercer/select/search/tune_search.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/select/folds/scaled_folds.h"

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
    const auto strategy = make_strategy(plan_.space, plan_.search, rows, run_.seed());
    std::vector<ScoredRound> history;
    std::vector<TunePoint> points;
    while (auto round = strategy->next(history, run_)) {
      std::vector<TunePoint> here = evaluate(*round, static_cast<Index>(history.size()));
      ScoredRound scored{*std::move(round), {}};
      for (const TunePoint& point : here) {
        scored.utilities.push_back(metric_.utility(point.mean));
      }
      if (history.empty()) {
        require_success(here);
      }
      history.push_back(std::move(scored));
      points.insert(points.end(), std::make_move_iterator(here.begin()), std::make_move_iterator(here.end()));
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
        if (const TuneUnit* known = log_.find(outer_, number, unit.fold, values_of(groups[g], points))) {
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
    if (!evaluator_) {
      evaluator_ = make_evaluator();
    }
    std::mutex mutex;
    evaluator_->evaluate(
        paths, thin.empty() ? folds_ : thin, missing,
        [&](FoldUnit unit, std::vector<FoldPrediction> predictions) {
          const PointGroup& group = groups[unit.path];
          TuneUnit result{outer_, number, unit.fold, fraction, values_of(group, points), {}, 0};
          predictions.resize(group.points.size());
          for (const FoldPrediction& prediction : predictions) {
            result.scores.push_back(metric_.value(prediction, folds_[unit.fold]));
            result.seconds += prediction.seconds;
          }
          const std::lock_guard lock(mutex);
          take(result, group, points);
          log_.add(result);
          progress_.done(static_cast<double>(group.points.size()));
        },
        run_.quiet());
  }

  std::unique_ptr<FoldEvaluator> make_evaluator() const {
    if (plan_.options.scale_fit == ScaleFit::within_folds) {
      return scaled_fold_evaluator(plan_.model, data_.data, metric_.needs(), plan_.scaling);
    }
    TrainingData scaled = data_.data;
    scaled.samples =
        fit_scaling(plan_.scaling, {data_.data.samples, data_.data.weights}).apply(data_.data.samples, run_);
    return make_fold_evaluator(plan_.model, std::move(scaled), metric_.needs());
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
      points[group.points[i]].scores[unit.fold] = unit.scores[i];
    }
  }

  // Where every point failed on some fold, the reason is one for all: a fit by itself says which.
  void require_success(const std::vector<TunePoint>& points) const {
    if (std::any_of(points.begin(), points.end(), [](const TunePoint& point) { return !std::isnan(point.mean); })) {
      return;
    }
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      if (std::isnan(points.front().scores[f]) && metric_.is_defined(folds_[f])) {
        const TuneData training = select_rows(data_, folds_[f].train);
        TrainingData scaled = training.data;
        scaled.samples = fit_scaling(plan_.scaling, {scaled.samples, scaled.weights}).apply(scaled.samples, run_);
        plan_.model.fit(plan_.space.kernel_at(points.front().values), plan_.space.settings_at(points.front().values),
                        scaled, run_.quiet());
      }
    }
    throw NumericalError("no point of the search gives a value of " + metric_.name() + " on every fold" +
                         (metric_.needs().log_density     ? ": " + plan_.model.name + " has no predictive distribution"
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
           chosen_rows(all.data.weights, rows), chosen_rows(all.data.noise, rows)},
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
