// Models of series in files: the embedding is kept, and one that means nothing is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/io/model_file.h"
#include "mercer/io/model_header.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/series_forecast.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

Samples wave_table(Index rows) {
  Matrix<double> block(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    block(i, 0) = std::sin(0.3 * static_cast<double>(i));
  }
  return make_table(Table(make_dense(std::move(block)), {"y"}, {}));
}

StoredModel wave_model(const Samples& raw) {
  const Embedding embedding{.series = {.name = "y"}, .delays = {4, 2}};
  EmbeddedRows rows = embed_rows(raw, {}, embedding, SeriesValue::needed);
  Preparation preparation = fit_preparation(rows.samples);
  preparation.embedding = embedding;
  const TrainingData data{preparation.apply(rows.samples), Targets::numeric(rows.values, "y")};
  return fit_stored_model(find_model("ridge"), parse_kernel("rbf(gamma=0.2)"), {}, data, std::move(preparation));
}

TEST(EmbeddedModel, FilesKeepTheEmbedding) {
  const Samples raw = wave_table(50);
  const StoredModel stored = wave_model(raw);
  const std::string bytes = model_to_bytes(stored);
  const StoredModel loaded = model_from_bytes(bytes, "memory");
  EXPECT_EQ(loaded.preparation.embedding, stored.preparation.embedding);
  EXPECT_EQ(model_to_bytes(loaded), bytes);
  EXPECT_EQ(forecast_series(loaded, raw, {}, 7), forecast_series(stored, raw, {}, 7));
}

TEST(EmbeddedModel, HostileEmbeddingsAreRefused) {
  const Schema schema = schema_of(embed_rows(wave_table(9), {}, {{.name = "y"}, {1, 1}}, SeriesValue::any).samples);
  // As a file has it: its numbers have no sign.
  const nlohmann::json value =
      nlohmann::json::parse(store_embedding({.series = {.name = "y"}, .delays = {1, 1}}).dump());
  EXPECT_EQ(restore_embedding(value, schema).delays.lags, 1);
  const auto with = [&](const char* name, const nlohmann::json& part) {
    nlohmann::json other = value;
    other[name] = part;
    return nlohmann::json::parse(other.dump());
  };
  EXPECT_ERROR(restore_embedding(with("lags", 0), schema), InvalidArgument, "lags of a series = 0");
  EXPECT_ERROR(restore_embedding(with("lags", -1), schema), DataError, "'lags' is not a whole number");
  EXPECT_ERROR(restore_embedding(with("delay", 9223372036854775807), schema), InvalidArgument, "delay of a series");
  EXPECT_ERROR(restore_embedding(with("delay", "1"), schema), DataError, "'delay' is not a whole number");
  EXPECT_ERROR(restore_embedding(with("series", 1), schema), DataError, "'series' is not an object");
  nlohmann::json text = value["series"];
  text["kind"] = "text";
  EXPECT_ERROR(restore_embedding(with("series", text), schema), DataError, "the series 'y' is no column of numbers");
  nlohmann::json lag = value["series"];
  lag["name"] = "y(t-1)";
  EXPECT_ERROR(restore_embedding(with("series", lag), schema), DataError, "or is one of the inputs, too");
}

}  // namespace
}  // namespace mercer
