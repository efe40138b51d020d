#include "mercer/models/series_forecast.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

class SeriesContinuation {
 public:
  SeriesContinuation(const StoredModel& stored, const Samples& raw, std::span<const Index> times)
      : embedding_(required(stored)), table_(with_numbered_columns(raw)), times_(times) {
    series_ = series_of(table_, times, embedding_.series.name);
    while (!series_.empty() && !std::isfinite(series_.back())) {
      series_.pop_back();
    }
    companions_ = embedding_.companions(stored.preparation.schema);
  }

  // The row at the end of the series, its past and what stands beside it.
  Samples next_row() const {
    const auto next = static_cast<Index>(series_.size());
    Matrix<double> lags = lagged(series_, {&next, 1}, embedding_.delays);
    for (Index k = 0; k < lags.columns(); ++k) {
      if (!std::isfinite(lags(0, k))) {
        refuse_past(next, next - (k + 1) * embedding_.delays.delay);
      }
    }
    if (companions_.empty()) {
      return make_table(Table(make_dense(std::move(lags)), embedding_.names(), {}));
    }
    const Index row = row_at(next);
    return with_lags(table_.select({&row, 1}), std::move(lags), embedding_);
  }
  void append(double value) { series_.push_back(value); }

 private:
  static const Embedding& required(const StoredModel& stored) {
    if (!stored.preparation.embedding) {
      throw InvalidArgument("the " + stored.model->name() +
                            " model is none of a series, so there is nothing to go on with: fit one to rows with their "
                            "past (--embed)");
    }
    return *stored.preparation.embedding;
  }

  [[noreturn]] void refuse_past(Index next, Index missing) const {
    if (missing < 0) {
      throw DataError("the series ends after " + std::to_string(next) + " rows, and the model looks " +
                      std::to_string(embedding_.delays.reach()) + " rows back");
    }
    throw DataError("the value of '" + embedding_.series.name + "' in row " + std::to_string(missing) +
                    " (counted from 0) is missing, and a forecast behind row " + std::to_string(next - 1) +
                    " looks back at it: fill it in");
  }

  // Of the table, at this time.
  Index row_at(Index time) const {
    if (times_.empty() && time < table_.size()) {
      return time;
    }
    const auto found = std::ranges::lower_bound(times_, time);
    if (found == times_.end() || *found != time) {
      throw DataError("the model looks at other columns than the series (" + join(companions_, ", ") +
                      "), so a forecast needs them of the future: give rows behind the last value of '" +
                      embedding_.series.name + "', with these columns and without it. There is none for row " +
                      std::to_string(time) + " (counted from 0)");
    }
    return found - times_.begin();
  }

  const Embedding& embedding_;
  Samples table_;
  std::span<const Index> times_;
  std::vector<double> series_;
  std::vector<std::string> companions_;
};

}  // namespace

std::vector<double> forecast_series(const StoredModel& stored, const Samples& raw, std::span<const Index> times,
                                    Index steps, const Run& run) {
  if (steps < 1) {
    reject_argument("steps of a forecast", static_cast<double>(steps), "1 or more");
  }
  SeriesContinuation continuation(stored, raw, times);
  std::vector<double> values;
  for (Index h = 0; h < steps; ++h) {
    run.check_stop();
    run.progress("forecast", static_cast<double>(h), static_cast<double>(steps));
    const Samples row = stored.preparation.apply(continuation.next_row(), run.quiet());
    const double value = stored.answer_prepared(row, {.predictions = true}, run.quiet()).predictions(0, 0);
    if (!std::isfinite(value)) {
      throw NumericalError("the forecast of step " + std::to_string(h + 1) +
                           " is not finite: the model runs away from its series. Take fewer steps, or another model");
    }
    values.push_back(value);
    continuation.append(value);
  }
  return values;
}

Samples next_series_row(const StoredModel& stored, const Samples& raw, std::span<const Index> times) {
  return SeriesContinuation(stored, raw, times).next_row();
}

}  // namespace mercer
