// Every model of the registry survives the way into a file and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "mercer/io/model_file.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;
using testing::targets_for;

class ModelFileLaws : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(ModelFileLaws, LoadedFilesPredictTheSameBits) {
  const TrainingData data{random_samples(40, 3, 51), targets_for(*GetParam(), 40, 52)};
  StoredModel stored;
  stored.schema = schema_of(data.samples);
  stored.model = GetParam()->fit(kernel_for(*GetParam()), {}, data, {});
  const std::string bytes = model_to_bytes(stored);
  const StoredModel loaded = model_from_bytes(bytes, "memory");
  const Samples x = random_samples(25, 3, 53);
  EXPECT_TRUE(same_bits(stored.model->predict(x, {}), loaded.model->predict(x, {})));
  EXPECT_EQ(loaded.model->classes(), stored.model->classes());
  EXPECT_EQ(loaded.model->decision_names(), stored.model->decision_names());
  if (!stored.model->decision_names().empty()) {
    EXPECT_TRUE(same_bits(stored.model->decide(x, {}), loaded.model->decide(x, {})));
  }
  EXPECT_EQ(model_to_bytes(loaded), bytes);
}

// Three classes, with probabilities where the model has them.
class ClassifierFileLaws : public ModelFileLaws {};

TEST_P(ClassifierFileLaws, SeveralClassesSurviveToo) {
  const Matrix<double> x = random_matrix(90, 3, 54);
  std::vector<std::string> labels;
  for (Index i = 0; i < 90; ++i) {
    labels.push_back(x(i, 0) > 0.4 ? "high" : x(i, 1) > 0 ? "left" : "right");
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels), {}};
  std::vector<OptionSetting> settings;
  for (const OptionDescription& option : GetParam()->options) {
    if (option.name == "probability") {
      settings.push_back({"probability", "yes"});
    }
    if (option.name == "nu") {
      settings.push_back({"nu", "0.3"});
    }
  }
  StoredModel stored;
  stored.schema = schema_of(data.samples);
  stored.model = GetParam()->fit(kernel_for(*GetParam()), settings, data, {});
  const StoredModel loaded = model_from_bytes(model_to_bytes(stored), "memory");
  const Samples test = random_samples(25, 3, 55);
  EXPECT_EQ(loaded.model->classes(), (std::vector<std::string>{"high", "left", "right"}));
  EXPECT_TRUE(same_bits(stored.model->predict(test, {}), loaded.model->predict(test, {})));
  ASSERT_EQ(loaded.model->has_probabilities(), stored.model->has_probabilities());
  if (stored.model->has_probabilities()) {
    EXPECT_TRUE(same_bits(stored.model->probabilities(test, {}), loaded.model->probabilities(test, {})));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ModelFileLaws, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

std::vector<const ModelEntry*> classifiers() {
  std::vector<const ModelEntry*> chosen;
  std::ranges::copy_if(model_registry(), std::back_inserter(chosen),
                       [](const ModelEntry* entry) { return entry->task == Task::classification; });
  return chosen;
}
INSTANTIATE_TEST_SUITE_P(Registry, ClassifierFileLaws, ::testing::ValuesIn(classifiers()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
