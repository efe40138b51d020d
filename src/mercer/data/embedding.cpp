#include "mercer/data/embedding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/data/numbered_column.h"

namespace mercer {

namespace {

constexpr Index most_lags = 10'000;
constexpr Index longest_delay = 1'000'000'000;

std::unordered_set<std::string> lag_set(const Embedding& embedding) {
  const std::vector<std::string> names = embedding.names();
  return {names.begin(), names.end()};
}

constexpr const char* nowhere_complete =
    "no row of the series has all of its past: between missing values it is too short everywhere. Fill them in, or "
    "take "
    "fewer lags";

std::string too_short(Index rows, const Delays& delays) {
  return "a series of " + std::to_string(rows) + " rows is too short to look " + std::to_string(delays.reach()) +
         " rows back (" + std::to_string(delays.lags) + " lags with a delay of " + std::to_string(delays.delay) +
         "): it needs " + std::to_string(delays.reach() + 1) + " or more";
}

bool is_complete(std::span<const double> row) {
  return std::ranges::all_of(row, [](double value) { return std::isfinite(value); });
}

// The place of the series among the numeric columns.
Index find_series(const Table& table, const std::string& series) {
  const auto found = std::ranges::find(table.numeric_names(), series);
  if (found != table.numeric_names().end()) {
    return found - table.numeric_names().begin();
  }
  const bool is_beside = std::ranges::any_of(table.others(), [&](const auto& other) { return other.name == series; });
  throw InvalidArgument(is_beside ? "the series '" + series + "' holds values that are no numbers"
                                  : "there is no column '" + series + "', the series that is embedded");
}

double numeric_value(const Samples& numeric, Index row, Index column) {
  if (std::holds_alternative<DenseRows<float>>(numeric.rows())) {
    return numeric.as<DenseRows<float>>()(row, column);
  }
  return numeric.as<DenseRows<double>>()(row, column);
}

// The lags, then all numeric columns but one, in the precision of these.
template <class T>
Samples joined_numbers(const DenseRows<T>& numbers, Index left_out, const Matrix<double>& lags) {
  const Index others = left_out < 0 ? numbers.columns : numbers.columns - 1;
  Matrix<T> block(lags.rows(), lags.columns() + others);
  for (Index i = 0; i < lags.rows(); ++i) {
    Index to = 0;
    for (Index j = 0; j < lags.columns(); ++j) {
      block(i, to++) = static_cast<T>(lags(i, j));
    }
    for (Index j = 0; j < numbers.columns; ++j) {
      if (j != left_out) {
        block(i, to++) = numbers(i, j);
      }
    }
  }
  return make_dense(std::move(block));
}

std::vector<Index> times_of(Index rows, std::span<const Index> given) {
  std::vector<Index> times(given.begin(), given.end());
  if (times.empty()) {
    times.resize(rows);
    std::iota(times.begin(), times.end(), Index{0});
  }
  return times;
}

}  // namespace

void Delays::validate() const {
  if (lags < 1 || lags > most_lags) {
    reject_argument("lags of a series", static_cast<double>(lags), "1 to 10000");
  }
  if (delay < 1 || delay > longest_delay) {
    reject_argument("delay of a series", static_cast<double>(delay), "1 to 1e9 rows");
  }
}

Delays parse_delays(const std::string& text) {
  const auto comma = text.find(',');
  const auto lags = parse_integer(trim(text.substr(0, comma)));
  const auto delay = comma == std::string::npos ? std::optional(1LL) : parse_integer(trim(text.substr(comma + 1)));
  if (!lags || !delay) {
    throw InvalidArgument("'" + text +
                          "' must be two whole numbers N,TAU: so many lags, so many rows apart; 6,1 or 6 "
                          "for the last six values");
  }
  const Delays delays{.lags = static_cast<Index>(*lags), .delay = static_cast<Index>(*delay)};
  delays.validate();
  return delays;
}

std::string to_string(const Delays& delays) { return std::to_string(delays.lags) + "," + std::to_string(delays.delay); }

EmbeddedSeries embed_series(std::span<const double> series, const Delays& delays) {
  delays.validate();
  const auto n = static_cast<Index>(series.size());
  if (n <= delays.reach()) {
    throw DataError(too_short(n, delays));
  }
  std::vector<Index> times(n - delays.reach());
  std::iota(times.begin(), times.end(), delays.reach());
  const Matrix<double> all = lagged(series, times, delays);
  EmbeddedSeries result;
  for (Index i = 0; i < all.rows(); ++i) {
    if (is_complete(all.view().row(i)) && std::isfinite(series[times[i]])) {
      result.times.push_back(times[i]);
      result.targets.push_back(series[times[i]]);
    }
  }
  if (result.times.empty()) {
    throw DataError(nowhere_complete);
  }
  result.inputs = lagged(series, result.times, delays);
  return result;
}

std::vector<std::string> Embedding::names() const {
  std::vector<std::string> names;
  for (Index k = 1; k <= delays.lags; ++k) {
    names.push_back(series.name + "(t-" + std::to_string(k * delays.delay) + ")");
  }
  return names;
}

Schema Embedding::before(const Schema& after) const {
  Schema schema = after;
  const std::unordered_set<std::string> lags = lag_set(*this);
  std::erase_if(schema.columns, [&](const SchemaColumn& column) { return lags.contains(column.name); });
  schema.columns.insert(schema.columns.begin(), series);
  schema.numeric_columns =
      std::ranges::count(schema.columns, ColumnKind::numeric, [](const SchemaColumn& column) { return column.kind; });
  return schema;
}

std::vector<std::string> Embedding::companions(const Schema& schema) const {
  const std::unordered_set<std::string> lags = lag_set(*this);
  std::vector<std::string> others;
  for (const SchemaColumn& column : schema.columns) {
    if (column.name != series.name && !lags.contains(column.name)) {
      others.push_back(column.name);
    }
  }
  return others;
}

Samples with_numbered_columns(const Samples& raw) {
  if (raw.kind() == SampleKind::table && !raw.table().numeric_names().empty()) {
    return raw;
  }
  const Samples numeric = default_columns(raw);
  if (numeric.kind() != SampleKind::dense) {
    throw InvalidArgument("a series is a column of a table; these samples are of kind '" +
                          std::string(to_string(numeric.kind())) + "'");
  }
  std::vector<std::string> names;
  for (Index j = 0; j < numeric.columns(); ++j) {
    names.push_back(numbered_column_name(j));
  }
  return make_table(Table(numeric, std::move(names), {})).with_identity_of(raw);
}

std::vector<double> series_of(const Samples& table, std::span<const Index> times, const std::string& series) {
  const Table& columns = table.table();
  const Index place = find_series(columns, series);
  const std::vector<Index> rows = times_of(table.size(), times);
  std::vector<double> values(rows.empty() ? 0 : rows.back() + 1, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values[rows[i]] = numeric_value(columns.numeric(), static_cast<Index>(i), place);
  }
  return values;
}

Matrix<double> lagged(std::span<const double> series, std::span<const Index> times, const Delays& delays) {
  Matrix<double> lags(static_cast<Index>(times.size()), delays.lags);
  const auto n = static_cast<Index>(series.size());
  for (Index i = 0; i < lags.rows(); ++i) {
    for (Index k = 0; k < delays.lags; ++k) {
      const Index at = times[i] - (k + 1) * delays.delay;
      lags(i, k) = at >= 0 && at < n ? series[at] : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return lags;
}

EmbeddedRows embed_rows(const Samples& table, std::span<const Index> given, const Embedding& embedding,
                        SeriesValue wanted) {
  const std::vector<Index> times = times_of(table.size(), given);
  const std::vector<double> series = series_of(table, times, embedding.series.name);
  const Matrix<double> lags = lagged(series, times, embedding.delays);
  EmbeddedRows result;
  std::vector<Index> complete;  // their times
  for (Index i = 0; i < lags.rows(); ++i) {
    const bool has_value = wanted == SeriesValue::any || std::isfinite(series[times[i]]);
    if (is_complete(lags.view().row(i)) && has_value) {
      result.rows.push_back(i);
      complete.push_back(times[i]);
      result.values.push_back(series[times[i]]);
    } else {
      ++(times[i] < embedding.delays.reach() ? result.beginning : result.missing);
    }
  }
  result.samples = with_lags(table.select(result.rows), lagged(series, complete, embedding.delays), embedding);
  return result;
}

void EmbeddedRows::require_some(const Delays& delays) const {
  if (rows.empty() && missing == 0) {
    throw DataError(too_short(beginning, delays));
  }
  if (rows.empty()) {
    throw DataError(nowhere_complete);
  }
}

Samples with_lags(const Samples& table_rows, Matrix<double> lags, const Embedding& embedding) {
  const Table& table = table_rows.table();
  const auto found = std::ranges::find(table.numeric_names(), embedding.series.name);
  const Index place = found == table.numeric_names().end() ? -1 : found - table.numeric_names().begin();
  std::vector<std::string> names = embedding.names();
  const std::unordered_set<std::string> lag_names = lag_set(embedding);
  for (const std::string& name : table.numeric_names()) {
    if (lag_names.contains(name)) {
      throw InvalidArgument("a column is called '" + name + "' as a lag of the series would be: give it another name");
    }
  }
  for (const std::string& name : table.numeric_names()) {
    if (name != embedding.series.name) {
      names.push_back(name);
    }
  }
  const Samples& numeric = table.numeric();
  Samples block = std::holds_alternative<DenseRows<float>>(numeric.rows())
                      ? joined_numbers(numeric.as<DenseRows<float>>(), place, lags)
                      : joined_numbers(numeric.as<DenseRows<double>>(), place, lags);
  std::vector<Table::Column> others(table.others().begin(), table.others().end());
  return make_table(Table(std::move(block), std::move(names), std::move(others))).with_identity_of(table_rows);
}

}  // namespace mercer
