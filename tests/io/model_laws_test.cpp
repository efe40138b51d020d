// Every model of the registry survives the way into a file and back.
#include <gtest/gtest.h>

#include "mercer/io/model_file.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

class ModelFileLaws : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(ModelFileLaws, LoadedFilesPredictTheSameBits) {
  TrainingData data{random_samples(40, 3, 51), Targets::numeric(random_matrix(40, 1, 52).view())};
  if (GetParam()->task == Task::classification) {
    std::vector<std::string> labels;
    for (Index i = 0; i < 40; ++i) {
      labels.push_back(i % 2 == 0 ? "yes" : "no");
    }
    data.targets = Targets::classes(labels);
  }
  StoredModel stored;
  stored.schema = schema_of(data.samples);
  stored.model = GetParam()->fit(parse_kernel(GetParam()->default_kernel), {}, data, {});
  const std::string bytes = model_to_bytes(stored);
  const StoredModel loaded = model_from_bytes(bytes, "memory");
  const Samples x = random_samples(25, 3, 53);
  EXPECT_TRUE(same_bits(stored.model->predict(x, {}), loaded.model->predict(x, {})));
  EXPECT_EQ(model_to_bytes(loaded), bytes);
}

INSTANTIATE_TEST_SUITE_P(Registry, ModelFileLaws, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
