// Embedding of a time series z(0), z(1) …, so that a function of vectors can go on with it:
//
//   x(t) = (z(t − τ), z(t − 2τ), …, z(t − Nτ))  ──►  z(t),      N lags, τ rows of delay
//
// By Takens' theorem the past of one coordinate of a smooth dynamical system of dimension d tells its state once N > 2d.
// The rows of a table are in the order of time; other columns than the series stay as they are at t. A row whose past is
// not known to its end, at the beginning of the series or for a missing value, is left out.
// References: Takens (1981), Detecting strange attractors in turbulence; Schölkopf & Smola (2002), 9.6; Müller et al.
// (1997), Predicting time series with support vector machines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/data/schema.h"

namespace mercer {

struct Delays {
  Index lags = 1;   ///< N
  Index delay = 1;  ///< τ
  bool operator==(const Delays&) const = default;

  /// Nτ: how far back a row looks.
  Index reach() const { return lags * delay; }
  /// InvalidArgument for lags outside of 1 … 10 000 or delays outside of 1 … 10⁹.
  void validate() const;
};

/// "12,3", or "12" for a delay of 1. InvalidArgument for other texts and for what validate() refuses.
Delays parse_delays(const std::string& text);
std::string to_string(const Delays& delays);

/// Row i of inputs is x(times[i]), targets[i] is z(times[i]). Numbers that are not finite are missing.
struct EmbeddedSeries {
  Matrix<double> inputs;
  std::vector<double> targets;
  std::vector<Index> times;  ///< ascending
};

/// All rows that are complete. DataError where the series is no longer than Nτ or no row is. O(nN).
EmbeddedSeries embed_series(std::span<const double> series, const Delays& delays);

/// How a table with a series among its columns becomes rows with a past.
struct Embedding {
  SchemaColumn series;  ///< as files hold it
  Delays delays;
  bool operator==(const Embedding&) const = default;

  /// "y(t-3)", "y(t-6)" … for a delay of 3.
  std::vector<std::string> names() const;
  /// The columns that a file must have, where these are the columns after the embedding: the series in place of its lags.
  Schema before(const Schema& after) const;
  /// Those of a schema that are neither lags nor the series.
  std::vector<std::string> companions(const Schema& schema) const;
};

/// Rows of numbers as a table whose columns are called after their places; tables stay.
Samples with_numbered_columns(const Samples& raw);

/// Values of the series by time, as a table holds it; `times` are those of its rows, ascending, as a reader that left out
/// rows says (empty: 0, 1, …). NaN where there is none. InvalidArgument where the table has no such column of numbers.
std::vector<double> series_of(const Samples& table, std::span<const Index> times, const std::string& series);

/// x(t) for every one of these times, NaN where a value is missing or lies before the beginning. Times may be as late as the
/// series is long, and with large delays later. O(N · times).
Matrix<double> lagged(std::span<const double> series, std::span<const Index> times, const Delays& delays);

/// Rows with their past: the lags, then the other columns of the table.
struct EmbeddedRows {
  Samples samples;
  std::vector<double> values;  ///< z(t), NaN where it is not known
  std::vector<Index> rows;     ///< of the table, ascending: those whose past is complete
  Index beginning = 0;         ///< rows left out for the beginning
  Index missing = 0;           ///< rows left out for missing values

  /// DataError where no row is left.
  void require_some(const Delays& delays) const;
};

/// `needed`: rows without a value of the series are left out as well, for missing values.
enum class SeriesValue { needed, any };
/// Throws as series_of(), and InvalidArgument where a column of the table is called as a lag.
EmbeddedRows embed_rows(const Samples& table, std::span<const Index> times, const Embedding& embedding,
                        SeriesValue wanted);

/// The other columns of these rows behind lags that are given: what embed_rows() makes, for a past of one's own.
Samples with_lags(const Samples& table_rows, Matrix<double> lags, const Embedding& embedding);

}  // namespace mercer
