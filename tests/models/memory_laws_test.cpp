// Law: the same fit under the same memory budget gives the same bits for any number of threads, tight budgets included:
// a budget is divided by fixed numbers, never by the number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::random_samples;
using testing::targets_for;

bool has_option(const ModelEntry& entry, std::string_view name) {
  return std::ranges::any_of(entry.options, [&](const OptionDescription& option) { return option.name == name; });
}
bool has_budget(const ModelEntry& entry) { return has_option(entry, "memory_mb"); }

// What a fit gives: all predictions, or what it says where the budget is too small.
struct Answer {
  std::vector<double> predictions;
  std::string refusal;
  bool operator==(const Answer&) const = default;
};

Answer answer_of(const ModelEntry& entry, const TrainingData& data, double memory_mb, int threads) {
  const mercer::Run run{{.threads = threads, .seed = 5}};
  std::vector<OptionSetting> settings = {{"memory_mb", shortest(memory_mb)}};
  if (has_option(entry, "optimize")) {
    settings.push_back({"optimize", "no"});  // the search takes long and has no budget of its own
  }
  try {
    const Matrix<double> values =
        entry.fit(kernel_for(entry), settings, data, run)->predict(random_samples(40, 3, 62), run);
    return {{values.data(), values.data() + values.rows() * values.columns()}, {}};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

class MemoryLaws : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(MemoryLaws, SameBitsForAnyNumberOfThreadsUnderAnyBudget) {
  const TrainingData data{random_samples(300, 3, 60), targets_for(*GetParam(), 300, 61)};
  // A kernel matrix of these rows takes 0.7 MB.
  for (const double memory_mb : {0.2, 1.0, 2.5, 20.0}) {
    const Answer one = answer_of(*GetParam(), data, memory_mb, 1);
    for (const int threads : {2, 4}) {
      EXPECT_EQ(answer_of(*GetParam(), data, memory_mb, threads), one) << memory_mb << " MB, " << threads << " threads";
    }
  }
}

std::vector<const ModelEntry*> models_with_budget() {
  std::vector<const ModelEntry*> chosen;
  std::ranges::copy_if(model_registry(), std::back_inserter(chosen),
                       [](const ModelEntry* entry) { return has_budget(*entry); });
  return chosen;
}
INSTANTIATE_TEST_SUITE_P(Registry, MemoryLaws, ::testing::ValuesIn(models_with_budget()),
                         [](const auto& info) { return info.param->name; });

// Exempt, since they take no budget: what they allocate follows from the data and their options alone.
TEST(MemoryBudgets, ModelsWithoutOneAreNamed) {
  const std::set<std::string> exempt = {
      "leastsquares", "linearsvc", "linearsvr",  "classmean", "pursuit",
      "fourier",      "sinks",     "sketch",     "chi2map",  // O(n + d) numbers
      "knnc",         "knnr",      "knndensity", "kde",       "kdec",
      "histogram",    "loess",     "nw",         "nwc",  // the rows themselves
      "kernelmap",    "opca",      "kcca",               // always whole matrices
  };
  for (const ModelEntry* entry : model_registry()) {
    EXPECT_EQ(has_budget(*entry), !exempt.contains(entry->name)) << entry->name;
  }
}

}  // namespace
}  // namespace mercer
