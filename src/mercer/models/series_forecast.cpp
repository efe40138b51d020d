#include "mercer/models/series_forecast.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/column_uses.h"

namespace mercer {

namespace {

[[noreturn]] void refuse_missing_companion(const std::string& column, Index time) {
  throw DataError("the value of '" + column + "' in row " + std::to_string(time) +
                  " (counted from 0) is missing, and the forecast of that row looks at it: fill it in");
}

class SeriesContinuation {
 public:
  SeriesContinuation(const StoredModel& stored, const Samples& raw, std::span<const Index> times)
      : embedding_(required(stored)), table_(with_numbered_columns(raw)), times_(times) {
    series_ = series_of(table_, times, embedding_.series.name);
    while (!series_.empty() && !std::isfinite(series_.back())) {
      series_.pop_back();
    }
    companions_ = embedding_.companions(stored.preparation.schema);
    const FittedModel& model = *stored.model;
    takes_missing_ = stored.preparation.coding.missing == MissingRule::kernel ||
                     (model.has_kernel() && column_uses(model.kernel()).takes_missing);
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
    const Samples beside = table_.select({&row, 1});
    if (!takes_missing_) {
      require_known(beside, next);
    }
    return with_lags(beside, std::move(lags), embedding_);
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

  // Nothing of the future is filled in: what it will be is not what it usually was.
  void require_known(const Samples& row, Index time) const {
    const auto names = row.table().numeric_names();
    for (const std::string& name : companions_) {
      if (std::ranges::find(names, name) != names.end() && std::isnan(series_of(row, {}, name).front())) {
        refuse_missing_companion(name, time);
      }
    }
    for (const Table::Column& column : row.table().others()) {
      if (column.values.kind() != SampleKind::categories ||
          std::ranges::find(companions_, column.name) == companions_.end()) {
        continue;
      }
      const auto& category = column.values.as<CategoryRows>();
      if (category.codes[0] >= 0 && category.levels[category.codes[0]].empty()) {
        refuse_missing_companion(column.name, time);
      }
    }
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
  bool takes_missing_ = false;
};

}  // namespace

std::vector<double> forecast_series(const StoredModel& stored, const Samples& raw, std::span<const Index> times,
                                    Index steps, const Run& run) {
  if (steps < 1) {
    reject_argument("steps of a forecast", static_cast<double>(steps), "1 or more");
  }
  SeriesContinuation continuation(stored, raw, times);
  std::vector<double> values;
  CodingGaps gaps;
  for (Index h = 0; h < steps; ++h) {
    run.check_stop();
    run.progress("forecast", static_cast<double>(h), static_cast<double>(steps));
    const Samples described = apply_schema(continuation.next_row(), stored.preparation.schema, run.quiet());
    gaps.add(find_gaps(stored.preparation.coding, described, stored.preparation.schema));
    const Samples row = stored.preparation.apply(described, run.quiet());
    const double value = stored.answer_prepared(row, {.predictions = true}, run.quiet()).predictions(0, 0);
    if (!std::isfinite(value)) {
      throw NumericalError("the forecast of step " + std::to_string(h + 1) +
                           " is not finite: the model runs away from its series. Take fewer steps, or another model");
    }
    values.push_back(value);
    continuation.append(value);
  }
  warn_of_unknown_levels(gaps, run);
  return values;
}

void require_known_categories(const StoredModel& stored, const DataFile& series, Index steps) {
  if (!stored.preparation.embedding || series.missing_categories.empty()) {
    return;
  }
  const Embedding& embedding = *stored.preparation.embedding;
  std::vector<double> values =
      series_of(with_numbered_columns(series.samples), series.kept_rows, embedding.series.name);
  while (!values.empty() && !std::isfinite(values.back())) {
    values.pop_back();
  }
  const auto first = static_cast<Index>(values.size());
  for (const std::string& name : embedding.companions(stored.preparation.schema)) {
    const auto missing = series.missing_categories.find(name);
    if (missing == series.missing_categories.end()) {
      continue;
    }
    const auto row = std::ranges::lower_bound(missing->second, first);
    if (row != missing->second.end() && *row < first + steps) {
      refuse_missing_companion(name, *row);
    }
  }
}

Samples next_series_row(const StoredModel& stored, const Samples& raw, std::span<const Index> times) {
  return SeriesContinuation(stored, raw, times).next_row();
}

}  // namespace mercer
