// All that is asked of the same samples follows from one evaluation of the kernel: a kernel that counts its calls says so,
// for every model of the registry that takes it.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra/custom.h"
#include "mercer/models/classes/label_numbers.h"
#include "mercer/models/model.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::random_matrix;

constexpr Index rows = 24;
constexpr Index queries = 7;

class Counted : public ::testing::Test {
 protected:
  // Positive definite, and of a form that no part of the library can look through.
  const Kernel kernel = from_function(
      "counted",
      [this](std::span<const double> x, std::span<const double> y) {
        ++calls;
        double squares = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
          squares += (x[j] - y[j]) * (x[j] - y[j]);
        }
        return std::exp(-0.5 * squares);
      },
      Definiteness::positive());
  std::atomic<Index> calls = 0;

  template <class Work>
  Index calls_of(Work work) {
    calls = 0;
    work();
    return calls;
  }

  std::unique_ptr<FittedModel> fitted(const ModelEntry& entry, std::vector<OptionSetting> settings = {}) const {
    Matrix<double> x = Matrix<double>::copy_of(random_matrix(rows, 2, 5).view());
    std::vector<double> values;
    std::vector<std::string> labels;
    for (Index i = 0; i < rows; ++i) {
      values.push_back(x(i, 0) + 0.1 * x(i, 1));
      labels.emplace_back(x(i, 0) > 0.1 * x(i, 1) ? "a" : "b");
    }
    const bool of_classes = entry.task == Task::classification;
    return entry.fit(kernel, settings,
                     {make_dense(std::move(x)), of_classes ? Targets::classes(labels) : Targets::numeric(values)}, {});
  }

  const Samples samples = make_dense(random_matrix(queries, 2, 9));
};

std::vector<OptionSetting> with_probabilities(const ModelEntry& entry) {
  for (const OptionDescription& option : entry.options) {
    if (option.name == "probability") {
      return {{"probability", "yes"}};
    }
  }
  return {};
}

TEST_F(Counted, ClassesDecisionsAndProbabilitiesAreOne) {
  int judged = 0;
  for (const ModelEntry* entry : model_registry()) {
    if (entry->task != Task::classification || entry->default_kernel.empty()) {
      continue;
    }
    std::unique_ptr<FittedModel> model;
    try {
      model = fitted(*entry, with_probabilities(*entry));
    } catch (const InvalidArgument&) {
      continue;  // wants a kernel with features or a sum of kernels
    }
    const AnswersWanted all{.predictions = true,
                            .decisions = !model->decision_names().empty(),
                            .probabilities = model->has_probabilities()};
    model->answer(samples, all, {});  // what is made at the first call
    const Index together = calls_of([&] { model->answer(samples, all, {}); });
    const Index alone = calls_of([&] { model->predict(samples, {}); });
    const Index probable = all.probabilities ? calls_of([&] { model->probabilities(samples, {}); }) : 0;
    EXPECT_GT(together, 0) << entry->name;
    EXPECT_LE(together, queries * rows + queries + rows) << entry->name;  // the block, and diagonals of both sides
    EXPECT_LE(together, std::max(alone, probable)) << entry->name;
    ++judged;
  }
  EXPECT_GE(judged, 10);
}

TEST_F(Counted, MeansVariancesQuantilesAndDensitiesAreOne) {
  int judged = 0;
  for (const ModelEntry* entry : model_registry()) {
    if (entry->task != Task::regression || entry->default_kernel.empty()) {
      continue;
    }
    std::unique_ptr<FittedModel> model;
    try {
      model = fitted(*entry);
    } catch (const InvalidArgument&) {
      continue;
    }
    if (!model->has_distribution()) {
      continue;
    }
    const auto everything = [&] {
      const auto distribution = model->distribution(samples, {});
      const std::vector<double> levels = {0.1, 0.9};
      const PredictiveMoments moments = distribution->moments(PredictionOf::observation);
      if (model->has_distribution_of(PredictionOf::function)) {
        distribution->quantiles(levels, PredictionOf::function);
      }
      distribution->log_density(moments.mean.view());
    };
    everything();
    const Index together = calls_of(everything);
    EXPECT_GT(together, 0) << entry->name;
    EXPECT_LE(together, queries * rows + queries) << entry->name;  // the block, and its diagonal
    ++judged;
  }
  EXPECT_GE(judged, 3);
}

TEST_F(Counted, WhatIsNotWantedIsEmpty) {
  const auto model = fitted(find_model("svc"), {{"probability", "yes"}});
  const Answers answers = model->answer(samples, {.decisions = true}, {});
  EXPECT_EQ(answers.decisions.rows(), queries);
  EXPECT_EQ(answers.predictions.rows(), 0);
  EXPECT_EQ(answers.probabilities.rows(), 0);
}

}  // namespace
}  // namespace mercer
