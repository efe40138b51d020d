// Files of every model, written by earlier versions of the format, with answers beside them: later versions read them and
// answer as before.
//
// A folder golden/vN holds what version N wrote: MODEL.mercer and MODEL.json. A model that is added later gets its file
// from the version of that day: run this test once with MERCER_WRITE_GOLDEN set. Files that are there stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "mercer/io/model_file.h"
#include "mercer/models/model_parts.h"
#include "models/law_answers.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::largest;
using testing::random_matrix;
using testing::random_samples;
using testing::targets_for;
using Json = nlohmann::json;

constexpr Index training_rows = 16;
constexpr Index kept_columns = 6;  // of hundreds of features

// Two rows of the training samples and three others.
Samples asked_samples() {
  Matrix<double> rows = random_matrix(5, 3, 63);
  const Matrix<double> training = random_matrix(training_rows, 3, 61);
  for (Index i = 0; i < 2; ++i) {
    std::copy_n(&training(i, 0), 3, &rows(i, 0));
  }
  return make_dense(std::move(rows));
}

std::string golden_folder(int version) {
  return std::string(MERCER_TEST_DIR) + "/io/golden/v" + std::to_string(version) + "/";
}

// ln 0, of densities, is null.
Json store(const Matrix<double>& values) {
  Json rows = Json::array();
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < std::min(values.columns(), kept_columns); ++j) {
      rows[i].push_back(values(i, j));
    }
  }
  return rows;
}

// Everything that the model answers for a few rows.
std::map<std::string, Matrix<double>> answers(const FittedModel& model) {
  const Samples x = asked_samples();
  std::map<std::string, Matrix<double>> result;
  result.emplace("predictions", model.predict(x, {}));
  if (!model.decision_names().empty()) {
    result.emplace("decisions", model.decide(x, {}));
  }
  if (model.has_probabilities()) {
    result.emplace("probabilities", model.probabilities(x, {}));
  }
  if (model.has_distribution()) {
    result.emplace("variances", model.moments(x, PredictionOf::observation, {}).variance);
  }
  return result;
}

bool has_option(const ModelEntry& entry, std::string_view name) {
  return std::ranges::any_of(entry.options, [&](const OptionDescription& option) { return option.name == name; });
}

void write_golden(const ModelEntry& entry) {
  const TrainingData data{random_samples(training_rows, 3, 61), targets_for(entry, training_rows, 62)};
  std::vector<OptionSetting> settings;
  if (has_option(entry, "probability")) {
    settings.push_back({"probability", "yes"});
  }
  StoredModel stored;
  stored.preparation.schema = schema_of(data.samples);
  stored.model = entry.fit(kernel_for(entry), settings, data, {});
  const std::string path = golden_folder(model_format_version) + entry.name;
  std::filesystem::create_directories(golden_folder(model_format_version));
  save_model(path + ".mercer", stored);
  Json expected = {{"classes", stored.model->classes()}};
  for (const auto& [name, values] : answers(*stored.model)) {
    expected[name] = store(values);
  }
  std::ofstream(path + ".json") << expected.dump() << "\n";
}

// Kernels of models in float differ in their last bits from one machine's instructions to another's.
double tolerance(const StoredModel& stored) {
  const ModelParts parts = parts_of(*stored.model);
  const auto precision = parts.words.find("kernel_precision");
  return precision != parts.words.end() && precision->second == word_of(Precision::single_precision) ? 2e-5 : 1e-9;
}

double largest_finite(const Matrix<double>& values) {
  Matrix<double> finite = Matrix<double>::copy_of(values.view());
  std::replace_if(
      finite.data(), finite.data() + finite.rows() * finite.columns(), [](double v) { return !std::isfinite(v); }, 0.0);
  return largest(finite);
}

void expect_answers_as_before(const std::string& path) {
  SCOPED_TRACE(path);
  const StoredModel stored = load_model(path + ".mercer");
  const Json expected = Json::parse(std::ifstream(path + ".json"));
  EXPECT_EQ(Json(stored.model->classes()), expected.at("classes"));
  const auto found = answers(*stored.model);
  ASSERT_EQ(found.size() + 1, expected.size());
  for (const auto& [name, values] : found) {
    const Json& rows = expected.at(name);
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(values.rows()));
    for (Index i = 0; i < values.rows(); ++i) {
      const Json& row = rows[i];
      ASSERT_EQ(row.size(), static_cast<std::size_t>(std::min(values.columns(), kept_columns)));
      for (std::size_t j = 0; j < row.size(); ++j) {
        const double value = values(i, static_cast<Index>(j));
        SCOPED_TRACE(name + ", row " + std::to_string(i) + ", column " + std::to_string(j));
        if (row[j].is_null()) {
          EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
        } else {
          EXPECT_NEAR(value, row[j].get<double>(), tolerance(stored) * largest_finite(values));
        }
      }
    }
  }
}

class GoldenModels : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(GoldenModels, AnswerAsBefore) {
  const std::string& name = GetParam()->name;
  if (std::getenv("MERCER_WRITE_GOLDEN") != nullptr &&
      !std::filesystem::exists(golden_folder(model_format_version) + name + ".mercer")) {
    write_golden(*GetParam());
  }
  int files = 0;
  for (int version = 1; version <= model_format_version; ++version) {
    if (std::filesystem::exists(golden_folder(version) + name + ".mercer")) {
      expect_answers_as_before(golden_folder(version) + name);
      ++files;
    }
  }
  EXPECT_GT(files, 0) << "write a file of the new model: MERCER_WRITE_GOLDEN=1 test_io --gtest_filter='*GoldenModels*'";
}

INSTANTIATE_TEST_SUITE_P(Registry, GoldenModels, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
