// Laws that every model of the registry obeys.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/fitted_variants.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::problem_data;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

constexpr testing::LawProblem law_problem{.rows = 60, .seed = 41};

const FittedModel& fitted(const ModelEntry& entry) { return *testing::shared_fit(entry, {}, law_problem).model; }

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

TEST_P(ModelLaws, NamesItsLikeForTheOtherKindOfTargets) {
  const ModelEntry& entry = *GetParam();
  if (!predicts_targets(entry.task)) {
    EXPECT_EQ(entry.counterpart, "");
    return;
  }
  const ModelEntry& other = find_model(entry.counterpart);
  EXPECT_EQ(other.name, entry.counterpart);  // not an alias
  EXPECT_TRUE(predicts_targets(other.task));
  EXPECT_NE(other.task, entry.task);
}

TEST_P(ModelLaws, LoadedStatePredictsTheSameBits) {
  const FittedModel& model = fitted(*GetParam());
  EXPECT_EQ(model.name(), fitted_name(*GetParam()));
  const auto again = GetParam()->load(state_of(model), {});
  const Samples x = random_samples(33, 3, 43);
  EXPECT_EQ(again->name(), model.name());
  ASSERT_EQ(again->has_kernel(), model.has_kernel());
  if (model.has_kernel()) {
    EXPECT_EQ(again->kernel(), model.kernel());
  }
  EXPECT_EQ(again->output_names(), model.output_names());
  EXPECT_TRUE(same_bits(again->predict(x, {}), model.predict(x, {})));
}

TEST_P(ModelLaws, DistributionsAgreeWithThemselves) {
  const FittedModel& model = fitted(*GetParam());
  const Samples x = random_samples(33, 3, 48);
  const std::vector<double> levels = {0.1, 0.5, 0.9};
  if (!model.has_distribution()) {
    EXPECT_ERROR(model.moments(x, PredictionOf::function, {}), InvalidArgument,
                 "gives values without a predictive distribution");
    EXPECT_ERROR(model.quantiles(x, levels, PredictionOf::function, {}), InvalidArgument,
                 "gives values without a predictive distribution");
    EXPECT_ERROR(model.draws(x, 1, PredictionOf::function, {}), InvalidArgument,
                 "gives values without a predictive distribution");
    EXPECT_ERROR(model.log_density(x, random_matrix(33, 1, 49).view(), {}), InvalidArgument,
                 "gives values without a predictive distribution");
    return;
  }
  if (model.has_distribution_of(PredictionOf::function)) {
    const PredictiveMoments f = model.moments(x, PredictionOf::function, {});
    const PredictiveMoments y = model.moments(x, PredictionOf::observation, {});
    for (Index i = 0; i < 33; ++i) {
      EXPECT_GE(f.variance(i, 0), 0);
      EXPECT_GE(y.variance(i, 0), f.variance(i, 0));
    }
  } else {
    EXPECT_ERROR(model.moments(x, PredictionOf::function, {}), InvalidArgument, "not how sure it is of its functions");
    EXPECT_ERROR(model.quantiles(x, levels, PredictionOf::function, {}), InvalidArgument,
                 "not how sure it is of its functions");
    EXPECT_ERROR(model.draws(x, 1, PredictionOf::function, {}), InvalidArgument, "not how sure it is of its functions");
  }
  const PredictiveMoments y = model.moments(x, PredictionOf::observation, {});
  const Matrix<double> quantiles = model.quantiles(x, levels, PredictionOf::observation, {});
  for (Index i = 0; i < 33; ++i) {
    EXPECT_GE(y.variance(i, 0), 0);
    EXPECT_LT(quantiles(i, 0), quantiles(i, 1));
    EXPECT_LT(quantiles(i, 1), quantiles(i, 2));
  }
  const auto again = GetParam()->load(state_of(model), {});
  EXPECT_TRUE(same_bits(again->moments(x, PredictionOf::observation, {}).variance, y.variance));
  EXPECT_TRUE(
      same_bits(again->draws(x, 2, PredictionOf::observation, {}), model.draws(x, 2, PredictionOf::observation, {})));
  const mercer::Run three{{.threads = 3}};
  EXPECT_TRUE(same_bits(model.moments(x, PredictionOf::observation, three).variance, y.variance));
}

// What reduced sets need: the functions can be taken out of a model and put back.
TEST_P(ModelLaws, FunctionsCanBeReplacedWhereThereAreAny) {
  const FittedModel& model = fitted(*GetParam());
  const Expansion* functions = model.expansion_form();
  if (functions == nullptr) {
    const Expansion any(parse_kernel("linear()"), random_samples(1, 3, 1), Matrix<double>(1, 1), ParametricPart::none,
                        Matrix<double>(0, 1), Precision::double_precision, {});
    EXPECT_ERROR(model.with_expansion(any, {}), InvalidArgument, "is not a kernel expansion");
    return;
  }
  const auto again = model.with_expansion(*functions, {});
  EXPECT_EQ(again->task(), model.task());
  const Samples x = random_samples(20, 3, 50);
  const Matrix<double> expected = model.predict(x, {});
  const Matrix<double> values = again->predict(x, {});
  ASSERT_EQ(values.columns(), expected.columns());
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index o = 0; o < values.columns(); ++o) {
      EXPECT_NEAR(values(i, o), expected(i, o), 1e-9 * (1 + std::abs(expected(i, o))));
    }
  }
}

TEST_P(ModelLaws, ReconstructionsHaveTheColumnsOfTheSamples) {
  const FittedModel& model = fitted(*GetParam());
  const Samples x = random_samples(5, 3, 51);
  if (!model.has_reconstruction()) {
    EXPECT_ERROR(model.reconstruct(x, {}), InvalidArgument, "has no way back from its predictions to inputs");
    return;
  }
  const Matrix<double> back = model.reconstruct(x, {});
  EXPECT_EQ(back.rows(), 5);
  EXPECT_EQ(back.columns(), 3);
  for (Index i = 0; i < back.rows(); ++i) {
    for (Index j = 0; j < back.columns(); ++j) {
      EXPECT_TRUE(std::isfinite(back(i, j)));
    }
  }
}

TEST_P(ModelLaws, ClustersAreNumberedFromZero) {
  if (GetParam()->task != Task::clustering) {
    return;
  }
  const Matrix<double> clusters = fitted(*GetParam()).predict(random_samples(40, 3, 52), {});
  ASSERT_EQ(clusters.columns(), 1);
  for (Index i = 0; i < clusters.rows(); ++i) {
    EXPECT_GE(clusters(i, 0), 0);
    EXPECT_EQ(clusters(i, 0), std::floor(clusters(i, 0)));
  }
}

TEST_P(ModelLaws, PredictsAnyNumberOfRows) {
  const FittedModel& model = fitted(*GetParam());
  const auto outputs = static_cast<Index>(model.output_names().size());
  for (const Index rows : {0, 1, 5}) {
    const Matrix<double> values = model.predict(random_samples(rows, 3, 44), {});
    EXPECT_EQ(values.rows(), rows);
    EXPECT_EQ(values.columns(), outputs);
  }
}

TEST_P(ModelLaws, RefusesOtherColumns) {
  const FittedModel& model = fitted(*GetParam());
  EXPECT_ERROR(model.predict(random_samples(2, 4, 45), {}), DataError, "columns");
  EXPECT_ERROR(model.predict(random_samples(2, 2, 45), {}), DataError, "columns");
}

TEST_P(ModelLaws, RefusesTargetsThatAreNotFinite) {
  const ModelEntry& entry = *GetParam();
  if (entry.task != Task::regression) {
    return;
  }
  std::vector<double> numbers = {0.5, 1, 2.5, 0, 1.5, 3, 2, 0.25, 1.25, 2.25};
  for (const auto& [wrong, word] : {std::pair(std::nan(""), "nan"), std::pair(double{INFINITY}, "inf")}) {
    numbers[3] = wrong;
    EXPECT_ERROR(entry.fit(kernel_for(entry), {}, {random_samples(10, 3, 47), Targets::numeric(numbers, "price")}, {}),
                 DataError, std::string("the target 'price' of row 3 (counted from 0) is ") + word);
  }
}

TEST_P(ModelLaws, SameSeedSameBitsForAnyNumberOfThreads) {
  const Samples x = random_samples(500, 3, 46);
  const auto predictions = [&](int threads) {
    const mercer::Run run{{.threads = threads, .seed = 5}};
    return testing::fit_stored(*GetParam(), {}, {.rows = 600, .seed = 41}, run).model->predict(x, run);
  };
  const Matrix<double> one = predictions(1);
  EXPECT_TRUE(same_bits(one, predictions(2)));
  EXPECT_TRUE(same_bits(one, predictions(3)));
}

TEST_P(ModelLaws, UnknownOptionsAreRefused) {
  const std::vector<OptionSetting> settings = {{"no_such_option", "1"}};
  EXPECT_ERROR(GetParam()->fit(kernel_for(*GetParam()), settings, problem_data(*GetParam(), {.rows = 10}), {}),
               InvalidArgument, "has no option 'no_such_option'");
}

TEST_P(ModelLaws, DefaultsReadBack) {
  std::vector<OptionSetting> settings;
  for (const OptionDescription& option : GetParam()->options) {
    if (!option.default_value.empty()) {
      settings.push_back({option.name, option.default_value});
    }
  }
  const auto spelled = GetParam()->fit(kernel_for(*GetParam()), settings, problem_data(*GetParam(), law_problem), {});
  const Samples x = random_samples(10, 3, 47);
  EXPECT_TRUE(same_bits(spelled->predict(x, {}), fitted(*GetParam()).predict(x, {})));
}

TEST_P(ModelLaws, PartsAreGivenByName) {
  const FittedModel& model = fitted(*GetParam());
  const ModelParts whole = parts_of(model);
  for (const auto& [name, values] : whole.numbers) {
    const ModelParts part = part_of(model, name);
    ASSERT_EQ(part.numbers.size(), 1U) << name;
    EXPECT_TRUE(same_bits(part.numbers.at(name), values)) << name;
    EXPECT_TRUE(part.integers.empty() && part.words.empty() && part.samples.empty()) << name;
  }
  for (const auto& [name, values] : whole.integers) {
    EXPECT_EQ(part_of(model, name).integers.size(), 1U) << name;
  }
  for (const auto& [name, samples] : whole.samples) {
    EXPECT_EQ(part_of(model, name).samples.at(name).size(), samples.size()) << name;
  }
  EXPECT_TRUE(part_of(model, "no such part").numbers.empty());
}

// The state without any one of these parts.
template <class Part>
void expect_all_are_needed(const ModelEntry& entry, std::map<std::string, Part> ModelParts::* kind, const char* words) {
  const FittedModel& model = fitted(entry);
  const ModelParts whole = parts_of(model);
  for (const auto& [name, part] : whole.*kind) {
    ModelState state = state_of(model);
    (state.parts.*kind).erase(name);
    if (name == "kernel_precision") {
      // Files of before do not have it: the options, or the kind of the model, say what they meant.
      EXPECT_EQ(entry.load(std::move(state), {})->output_names(), model.output_names());
      continue;
    }
    EXPECT_ERROR(entry.load(std::move(state), {}), DataError, words) << name;
  }
}

TEST_P(ModelLaws, IncompleteStatesAreRefused) {
  expect_all_are_needed(*GetParam(), &ModelParts::numbers, "a stored ");
  expect_all_are_needed(*GetParam(), &ModelParts::integers, "a stored ");
  expect_all_are_needed(*GetParam(), &ModelParts::words, "a stored ");
  expect_all_are_needed(*GetParam(), &ModelParts::samples, "model without the samples ");
}

// What a file says of outputs and classes must be what its parts are made for. Each family has its own words for it.
TEST_P(ModelLaws, StatesOfOtherOutputsOrClassesAreRefused) {
  const FittedModel& model = fitted(*GetParam());
  const auto load = [&](const std::vector<std::string>& output_names, const std::vector<std::string>& classes) {
    ModelState state = state_of(model);
    state.head.output_names = output_names;
    state.head.classes = classes;
    return GetParam()->load(std::move(state), {});
  };
  std::vector<std::string> more = model.output_names();
  more.emplace_back("more");
  EXPECT_NO_THROW(load(model.output_names(), model.classes()));
  EXPECT_ERROR(load({}, model.classes()), Error, "");
  EXPECT_ERROR(load(more, model.classes()), Error, "");
  const std::vector<std::string> others(model.classes().empty() ? 2 : 1, "one");
  EXPECT_ERROR(load(model.output_names(), others), Error, "");
}

INSTANTIATE_TEST_SUITE_P(Registry, ModelLaws, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

TEST(ModelRegistry, UnknownNamesSuggestTheNearest) {
  EXPECT_ERROR(find_model("rigde"), InvalidArgument, "Did you mean 'ridge'?");
}

}  // namespace
}  // namespace mercer
