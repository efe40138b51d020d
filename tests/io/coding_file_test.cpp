// Models of coded tables: what is stored is the coding that was fitted, and a damaged one is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/io/model_file.h"
#include "mercer/io/model_header.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge.h"
#include "models/law_answers.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::largest;
using testing::random_matrix;
using testing::same_bits;

Samples coded_table(Index rows, std::uint64_t seed) {
  Matrix<double> numbers = random_matrix(rows, 2, seed);
  std::vector<std::string> towns;
  std::vector<std::string> names;
  for (Index i = 0; i < rows; ++i) {
    numbers(i, 0) = i % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : numbers(i, 0);
    towns.push_back(i % 4 == 0 ? "" : i % 3 == 0 ? "b\xE4le" : "ulm");
    names.push_back("row " + std::to_string(i));
  }
  return make_table(
      Table(make_dense(std::move(numbers)), {"age", "size"},
            {{"town", make_categories(std::span<const std::string>(towns))}, {"name", make_strings(names)}}));
}

StoredModel fitted(const Samples& raw, const std::string& kernel) {
  const Kernel parsed = parse_kernel(kernel);
  StoredModel stored;
  stored.preparation =
      fit_preparation(schema_of(raw), usual_coding(find_model("ridge"), parsed), parse_scaling("standard"), raw);
  const Matrix<double> y = random_matrix(raw.size(), 1, 3);
  stored.model = fit_ridge(parsed, {.lambda = 0.1}, {stored.preparation.apply(raw), Targets::numeric(y.view())});
  return stored;
}

TEST(CodingFile, LoadedModelsCodeAsBefore) {
  const Samples raw = coded_table(30, 1);
  const Samples fresh = coded_table(17, 2);
  for (const char* kernel : {"rbf(gamma=scale)", "rbf(gamma=scale)*hamming()[town]", "linear()[size] + hamming()[town]",
                             "rbf() + spectrum(k=2)[name]"}) {
    const StoredModel stored = fitted(raw, kernel);
    const std::string bytes = model_to_bytes(stored);
    const StoredModel loaded = model_from_bytes(bytes, "m");
    EXPECT_EQ(loaded.preparation.schema, stored.preparation.schema) << kernel;
    const auto text = [](const StoredModel& model) { return store_coding(model.preparation.coding).dump(); };
    EXPECT_EQ(text(loaded), text(stored)) << kernel;
    EXPECT_TRUE(same_bits(loaded.predict(fresh), stored.predict(fresh))) << kernel;
    EXPECT_EQ(model_to_bytes(loaded), bytes) << kernel;
  }
}

// Written by the first version of format 4: golden_models_test.cpp has those of all models, without coded columns.
TEST(CodingFile, FilesOfTheFormatAnswerAsBefore) {
  const std::string path = std::string(MERCER_TEST_DIR) + "/io/golden/v4/coded_table";
  if (std::getenv("MERCER_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path + ".mercer")) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const StoredModel stored = fitted(coded_table(30, 1), "rbf(gamma=scale)*hamming()[town]");
    save_model(path + ".mercer", stored);
    const Matrix<double> values = stored.predict(coded_table(17, 2));
    std::ofstream(path + ".json") << nlohmann::json(std::vector<double>(values.data(), values.data() + values.rows()))
                                  << "\n";
  }
  const StoredModel stored = load_model(path + ".mercer");
  const auto expected = nlohmann::json::parse(std::ifstream(path + ".json")).get<std::vector<double>>();
  const Matrix<double> found = stored.predict(coded_table(17, 2));
  ASSERT_EQ(static_cast<Index>(expected.size()), found.rows());
  for (Index i = 0; i < found.rows(); ++i) {
    EXPECT_NEAR(found(i, 0), expected[i], 1e-12 * largest(found)) << i;
  }
}

TEST(CodingFile, DamagedCodingsAreRefused) {
  const Samples raw = coded_table(30, 1);
  const StoredModel stored = fitted(raw, "rbf(gamma=scale)*hamming()[town]");
  const Schema& schema = stored.preparation.schema;
  // As a file gives it: numbers in it have no sign of their type in memory.
  const auto good = nlohmann::json::parse(store_coding(stored.preparation.coding).dump());
  EXPECT_EQ(store_coding(restore_coding(good, schema)).dump(), good.dump());
  const auto refused = [&](const char* path, nlohmann::json value, const char* message) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(path)] = std::move(value);
    EXPECT_ERROR(restore_coding(bad, schema), DataError, message) << path;
  };
  refused("/missing", "guess", "'guess' is no rule for missing numbers");
  refused("/numbers", nlohmann::json::array({good["numbers"][0]}), "of 1 numeric columns, the schema of 2");
  refused("/numbers/0/indicator", 1, "'indicator' is neither true nor false");
  refused("/numbers/0/missing", -1, "'missing' is not a whole number");
  refused("/categories/0/column", "age", "the schema has no such column beside its numbers");
  refused("/categories/0/column", "rome", "the schema has no such column beside its numbers");
  refused("/categories/0/levels", {0, 3}, "do not ascend within its 3 levels");
  refused("/categories/0/levels", {1, 1}, "do not ascend within its 3 levels");
  refused("/categories/0/levels", {-1}, "do not ascend within its 3 levels");
  refused("/categories/1", good["categories"][0], "column 'town' is coded twice");
  refused("/beside/1", "town", "column 'town' is coded twice");
  refused("/left_out/0/reason", "dull", "'dull' is no reason to leave a column out");
}

}  // namespace
}  // namespace mercer
