// Forecasts by iteration: of series whose law a model can learn exactly, and what a forecast needs.
#include "mercer/models/series_forecast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

Samples series_table(const Numbers& y, const Numbers& u = {}) {
  Matrix<double> block(static_cast<Index>(y.size()), u.empty() ? 1 : 2);
  for (Index i = 0; i < block.rows(); ++i) {
    block(i, 0) = y[i];
    if (!u.empty()) {
      block(i, 1) = u[i];
    }
  }
  std::vector<std::string> names = {"y"};
  if (!u.empty()) {
    names.emplace_back("u");
  }
  return make_table(Table(make_dense(std::move(block)), std::move(names), {}));
}

StoredModel fit_series(const Samples& raw, const Delays& delays, const std::string& model, const std::string& kernel,
                       const std::vector<OptionSetting>& settings) {
  const Embedding embedding{.series = {.name = "y"}, .delays = delays};
  EmbeddedRows rows = embed_rows(raw, {}, embedding, SeriesValue::needed);
  Preparation preparation = fit_preparation(schema_of(rows.samples), {}, ScalingRule{}, rows.samples);
  preparation.embedding = embedding;
  const TrainingData data{preparation.apply(rows.samples), Targets::numeric(rows.values, "y")};
  return fit_stored_model(find_model(model), parse_kernel(kernel), settings, data, std::move(preparation));
}

// z(t) = 2 cos(θ) z(t − 1) − z(t − 2): a linear law, without noise.
Numbers linear_wave(Index n) {
  Numbers z;
  for (Index t = 0; t < n; ++t) {
    z.push_back(3 * std::cos(0.31 * static_cast<double>(t) + 0.4));
  }
  return z;
}

TEST(SeriesForecast, LinearRecurrencesGoOnExactly) {
  const Numbers all = linear_wave(160);
  const Samples raw = series_table({all.begin(), all.begin() + 80});
  const StoredModel stored = fit_series(raw, {2, 1}, "ridge", "linear()", {{"lambda", "1e-12"}});
  const Numbers forecast = forecast_series(stored, raw, {}, 80);
  ASSERT_EQ(forecast.size(), 80U);
  for (std::size_t h = 0; h < 80; ++h) {
    EXPECT_NEAR(forecast[h], all[80 + h], 1e-6) << h;  // 80 steps of a recurrence with eigenvalues on the circle
  }
  // The first of several steps is that of one, and answers of the rows are one-step forecasts.
  EXPECT_EQ(forecast_series(stored, raw, {}, 1).front(), forecast.front());
  const Matrix<double> answers = stored.predict(raw);
  ASSERT_EQ(answers.rows(), 80);
  EXPECT_TRUE(std::isnan(answers(0, 0)) && std::isnan(answers(1, 0)));
  for (Index i = 2; i < 80; ++i) {
    EXPECT_NEAR(answers(i, 0), all[i], 1e-9);
  }
}

TEST(SeriesForecast, IsTheLoopThatItSays) {
  Numbers z = {0.3};
  for (int t = 1; t < 120; ++t) {
    z.push_back(3.6 * z.back() * (1 - z.back()));  // the logistic map
  }
  const Samples raw = series_table(z);
  const StoredModel stored = fit_series(raw, {2, 3}, "ridge", "rbf(gamma=2)", {{"lambda", "1e-6"}});
  const Numbers forecast = forecast_series(stored, raw, {}, 10);
  Numbers longer = z;
  for (const double value : forecast) {
    Numbers with_room = longer;
    with_room.push_back(NAN);
    const Matrix<double> answers = stored.predict(series_table(with_room));
    // Rows of a block are added in their own order: coefficients of 1e5 at most, a hundred of them.
    EXPECT_NEAR(answers(answers.rows() - 1, 0), value, 1e-9);
    longer.push_back(value);
  }
}

TEST(SeriesForecast, OtherColumnsMustGoOn) {
  Numbers u;
  Numbers y = {0};
  for (int t = 0; t < 60; ++t) {
    u.push_back(std::sin(1.3 * t));
  }
  for (int t = 1; t < 60; ++t) {
    y.push_back(0.5 * y.back() + u[t]);
  }
  Numbers known = y;
  std::fill(known.begin() + 50, known.end(), NAN);
  const Samples raw = series_table(known, u);
  const StoredModel stored = fit_series(raw, {1, 1}, "ridge", "linear()", {{"lambda", "1e-12"}});
  const Numbers forecast = forecast_series(stored, raw, {}, 10);
  for (std::size_t h = 0; h < 10; ++h) {
    EXPECT_NEAR(forecast[h], y[50 + h], 1e-7);
  }
  EXPECT_ERROR(forecast_series(stored, raw, {}, 11), DataError,
               "the model looks at other columns than the series (u), so a forecast needs them of the future");
}

TEST(SeriesForecast, NeedsItsPast) {
  Numbers z = linear_wave(40);
  const StoredModel stored = fit_series(series_table(z), {3, 2}, "ridge", "linear()", {});
  EXPECT_ERROR(forecast_series(stored, series_table({1, 2, 3, 4}), {}, 1), DataError,
               "the series ends after 4 rows, and the model looks 6 rows back");
  z[36] = NAN;
  EXPECT_ERROR(forecast_series(stored, series_table(z), {}, 1), DataError,
               "the value of 'y' in row 36 (counted from 0) is missing");
  z[36] = 1;
  z[35] = NAN;
  EXPECT_EQ(forecast_series(stored, series_table(z), {}, 1).size(), 1U);
  EXPECT_ERROR(forecast_series(stored, series_table(z), {}, 2), DataError, "in row 35 (counted from 0) is missing");
  EXPECT_ERROR(forecast_series(stored, series_table(z), {}, 0), InvalidArgument, "steps of a forecast = 0");
  StoredModel plain = fit_series(series_table(linear_wave(40)), {3, 2}, "ridge", "linear()", {});
  plain.preparation.embedding.reset();
  EXPECT_ERROR(forecast_series(plain, series_table(z), {}, 1), InvalidArgument, "the ridge model is none of a series");
}

}  // namespace
}  // namespace mercer
