// Every model that takes a kernel takes a table of numbers, a category and a sequence; those that need coordinates say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

Samples mixed_table(Index rows, std::uint64_t seed) {
  RandomStream random(seed, 3);
  std::vector<double> ages;
  std::vector<std::string> sexes;
  std::vector<std::string> sequences;
  for (Index i = 0; i < rows; ++i) {
    ages.push_back(random.normal());
    sexes.emplace_back(random.uniform() < 0.5 ? "f" : "m");
    std::string sequence;
    for (int c = 0; c < 8; ++c) {
      sequence += "ACGT"[random.below(4)];
    }
    sequences.push_back(sequence);
  }
  return make_table(Table(make_dense(std::move(ages), rows, 1), {"age"},
                          {{"sex", make_categories(sexes)}, {"sequence", make_strings(sequences)}}));
}

Kernel mixed_kernel() {
  return parse_kernel(
      "rbf(gamma=0.5)[age] * normalize(spectrum(k=2))[sequence] + 0.1*delta()[sex] + 0.5*rbf(gamma=1)[age]");
}

// Models of one family of kernels, whose features they write down: they name another model for all other kernels.
bool knows_few_kernels(const ModelEntry& entry) {
  constexpr std::array<std::string_view, 6> names = {"linearsvc", "linearsvr", "fourier", "sinks", "sketch", "chi2map"};
  return std::find(names.begin(), names.end(), entry.name) != names.end();
}

class MixedTableLaws : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(MixedTableLaws, ModelsTakeTablesOfAllKinds) {
  const ModelEntry& entry = *GetParam();
  if (entry.default_kernel.empty()) {
    return;  // windows, neighbours and histograms in input space
  }
  const TrainingData data{mixed_table(60, 1), testing::targets_for(entry, 60, 42)};
  if (knows_few_kernels(entry)) {
    EXPECT_ERROR(entry.fit(mixed_kernel(), {}, data, {}), InvalidArgument,
                 "the kernel rbf(gamma=0.5)[age] * normalize(spectrum(k=2");
    return;
  }
  const auto model = entry.fit(mixed_kernel(), {}, data, {});
  const Samples x = mixed_table(17, 2);
  const Matrix<double> values = model->predict(x, {});
  EXPECT_EQ(values.rows(), 17);
  EXPECT_TRUE(testing::same_bits(entry.load(state_of(*model), {})->predict(x, {}), values));
  EXPECT_TRUE(
      testing::same_bits(entry.fit(mixed_kernel(), {}, data, mercer::Run{{.threads = 3}})->predict(x, {}), values));
}

INSTANTIATE_TEST_SUITE_P(Registry, MixedTableLaws,
                         ::testing::ValuesIn(std::vector<const ModelEntry*>(model_registry().begin(),
                                                                            model_registry().end())),
                         [](const ::testing::TestParamInfo<const ModelEntry*>& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
