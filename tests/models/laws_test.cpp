// Laws that every model of the registry obeys.
#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

TrainingData training_data(const ModelEntry& entry, Index rows) {
  TrainingData data{random_samples(rows, 3, 41), {}};
  const Matrix<double> noise = random_matrix(rows, 1, 42);
  if (entry.task == Task::regression) {
    data.targets = Targets::numeric(noise.view());
  } else {
    std::vector<std::string> labels;
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(noise(i, 0) > 0 ? "yes" : "no");
    }
    data.targets = Targets::classes(labels);
  }
  return data;
}

std::unique_ptr<FittedModel> fitted(const ModelEntry& entry, const mercer::Run& run = {}, Index rows = 60) {
  return entry.fit(parse_kernel(entry.default_kernel), {}, training_data(entry, rows), run);
}

class ModelLaws : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(ModelLaws, IsFoundByItsNames) {
  EXPECT_EQ(&find_model(GetParam()->name), GetParam());
  for (const std::string& alias : GetParam()->aliases) {
    EXPECT_EQ(&find_model(alias), GetParam());
  }
  EXPECT_FALSE(GetParam()->summary.empty());
  for (const OptionDescription& option : GetParam()->options) {
    EXPECT_FALSE(option.meaning.empty()) << option.name;
  }
}

TEST_P(ModelLaws, LoadedStatePredictsTheSameBits) {
  const auto model = fitted(*GetParam());
  const auto again = GetParam()->load(model->state(), {});
  const Samples x = random_samples(33, 3, 43);
  EXPECT_EQ(again->name(), model->name());
  EXPECT_EQ(again->kernel(), model->kernel());
  EXPECT_EQ(again->output_names(), model->output_names());
  EXPECT_TRUE(same_bits(again->predict(x, {}), model->predict(x, {})));
}

TEST_P(ModelLaws, DistributionsAgreeWithThemselves) {
  const auto model = fitted(*GetParam());
  const Samples x = random_samples(33, 3, 48);
  const std::vector<double> levels = {0.1, 0.5, 0.9};
  if (!model->has_distribution()) {
    EXPECT_THROW(model->moments(x, PredictionOf::function, {}), InvalidArgument);
    EXPECT_THROW(model->quantiles(x, levels, PredictionOf::function, {}), InvalidArgument);
    EXPECT_THROW(model->draws(x, 1, PredictionOf::function, {}), InvalidArgument);
    EXPECT_THROW(model->log_density(x, random_matrix(33, 1, 49).view(), {}), InvalidArgument);
    return;
  }
  const PredictiveMoments f = model->moments(x, PredictionOf::function, {});
  const PredictiveMoments y = model->moments(x, PredictionOf::observation, {});
  const Matrix<double> quantiles = model->quantiles(x, levels, PredictionOf::observation, {});
  for (Index i = 0; i < 33; ++i) {
    EXPECT_GE(f.variance(i, 0), 0);
    EXPECT_GE(y.variance(i, 0), f.variance(i, 0));
    EXPECT_LT(quantiles(i, 0), quantiles(i, 1));
    EXPECT_LT(quantiles(i, 1), quantiles(i, 2));
  }
  const auto again = GetParam()->load(model->state(), {});
  EXPECT_TRUE(same_bits(again->moments(x, PredictionOf::observation, {}).variance, y.variance));
  EXPECT_TRUE(
      same_bits(again->draws(x, 2, PredictionOf::observation, {}), model->draws(x, 2, PredictionOf::observation, {})));
  const mercer::Run three{{.threads = 3}};
  EXPECT_TRUE(same_bits(model->moments(x, PredictionOf::observation, three).variance, y.variance));
}

TEST_P(ModelLaws, PredictsAnyNumberOfRows) {
  const auto model = fitted(*GetParam());
  const auto outputs = static_cast<Index>(model->output_names().size());
  for (const Index rows : {0, 1, 5}) {
    const Matrix<double> values = model->predict(random_samples(rows, 3, 44), {});
    EXPECT_EQ(values.rows(), rows);
    EXPECT_EQ(values.columns(), outputs);
  }
}

TEST_P(ModelLaws, RefusesOtherColumns) {
  const auto model = fitted(*GetParam());
  EXPECT_THROW(model->predict(random_samples(2, 4, 45), {}), DataError);
  EXPECT_THROW(model->predict(random_samples(2, 2, 45), {}), DataError);
}

TEST_P(ModelLaws, SameSeedSameBitsForAnyNumberOfThreads) {
  const Samples x = random_samples(500, 3, 46);
  const auto predictions = [&](int threads) {
    const mercer::Run run{{.threads = threads, .seed = 5}};
    return fitted(*GetParam(), run, 600)->predict(x, run);
  };
  const Matrix<double> one = predictions(1);
  EXPECT_TRUE(same_bits(one, predictions(1)));
  EXPECT_TRUE(same_bits(one, predictions(2)));
  EXPECT_TRUE(same_bits(one, predictions(3)));
}

TEST_P(ModelLaws, UnknownOptionsAreRefused) {
  const std::vector<OptionSetting> settings = {{"no_such_option", "1"}};
  EXPECT_THROW(GetParam()->fit(parse_kernel(GetParam()->default_kernel), settings, training_data(*GetParam(), 10), {}),
               InvalidArgument);
}

TEST_P(ModelLaws, DefaultsReadBack) {
  std::vector<OptionSetting> settings;
  for (const OptionDescription& option : GetParam()->options) {
    if (!option.default_value.empty()) {
      settings.push_back({option.name, option.default_value});
    }
  }
  const auto spelled =
      GetParam()->fit(parse_kernel(GetParam()->default_kernel), settings, training_data(*GetParam(), 60), {});
  const Samples x = random_samples(10, 3, 47);
  EXPECT_TRUE(same_bits(spelled->predict(x, {}), fitted(*GetParam())->predict(x, {})));
}

TEST_P(ModelLaws, IncompleteStatesAreRefused) {
  const auto model = fitted(*GetParam());
  const ModelState whole = model->state();
  for (const auto& [name, array] : whole.arrays) {
    ModelState part = model->state();
    part.arrays.erase(name);
    EXPECT_THROW(GetParam()->load(part, {}), Error) << name;
  }
  for (const auto& [name, samples] : whole.samples) {
    ModelState part = model->state();
    part.samples.erase(name);
    EXPECT_THROW(GetParam()->load(part, {}), Error) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ModelLaws, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

TEST(ModelRegistry, UnknownNamesSuggestTheNearest) {
  try {
    find_model("rigde");
    FAIL() << "an unknown model was found";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("ridge"), std::string::npos);
  }
}

}  // namespace
}  // namespace mercer
