// Forecasts of a chaotic series by iteration: the Mackey-Glass series as rows with their past, ridge, 100 steps ahead.
//
//   example_time_series examples/data
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/embedding.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/series_forecast.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run;
  const mercer::Samples all = mercer::read_data(folder + "/mackey_glass.csv", {}, run).samples;
  const mercer::Samples known = all.slice({0, 400});

  const mercer::Embedding embedding{.series = {.name = "y"}, .delays = {.lags = 6, .delay = 6}};
  const mercer::EmbeddedRows rows = mercer::embed_rows(known, {}, embedding, mercer::SeriesValue::needed);
  mercer::Preparation preparation = mercer::fit_preparation(rows.samples);
  preparation.embedding = embedding;
  const mercer::TrainingData data{preparation.apply(rows.samples, run), mercer::Targets::numeric(rows.values, "y")};
  const mercer::StoredModel model = mercer::fit_stored_model(
      mercer::find_model("ridge"), mercer::parse_kernel("rbf(gamma=scale)"),
      std::vector<mercer::OptionSetting>{{"select", "loo"}}, data, std::move(preparation), run);

  const std::vector<double> ahead = mercer::forecast_series(model, known, {}, 100, run);
  const std::vector<double> truth = mercer::series_of(all, {}, "y");
  double squares = 0;
  for (std::size_t h = 0; h < ahead.size(); ++h) {
    const double error = ahead[h] - truth[400 + h];
    squares += error * error;
    if ((h + 1) % 20 == 0) {
      std::printf("%3zu steps: forecast %.4f, series %.4f, RMSE so far %.4f\n", h + 1, ahead[h], truth[400 + h],
                  std::sqrt(squares / static_cast<double>(h + 1)));
    }
  }
  return squares / 100 < 0.02 * 0.02 ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
