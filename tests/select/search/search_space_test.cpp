// Search spaces: ranges in kernels and options, defaults, points along axes, paths.
#include "mercer/select/search/search_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/select/search/default_ranges.h"
#include "mercer/select/search/search_strategy.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

SearchSpace space_of(const char* model, const char* kernel, std::vector<OptionSetting> settings = {}) {
  const ModelEntry& entry = find_model(model);
  return make_search_space(entry, kernel_for(entry, kernel), settings);
}

std::vector<std::string> names(const SearchSpace& space) {
  std::vector<std::string> result;
  for (const SearchAxis& axis : space.axes) {
    result.push_back(axis.name);
  }
  return result;
}

TEST(SearchSpace, DefaultsOfSvcAreTheUsualOnes) {
  const SearchSpace space = space_of("svc", "");
  ASSERT_EQ(names(space), (std::vector<std::string>{"C", "gamma"}));
  EXPECT_EQ(space.axes[0].lower, std::exp2(-5));
  EXPECT_EQ(space.axes[0].upper, std::exp2(15));
  EXPECT_EQ(space.axes[1].lower, std::exp2(-15));
  EXPECT_EQ(space.axes[1].upper, std::exp2(3));
  EXPECT_EQ(space.path_axis, 0);
}

TEST(SearchSpace, WhatIsSetIsNotSearched) {
  EXPECT_EQ(names(space_of("svc", "", {{"C", "10"}})), std::vector<std::string>{"gamma"});
  EXPECT_EQ(names(space_of("svc", "rbf(gamma=0.5)")), std::vector<std::string>{"C"});
  EXPECT_EQ(names(space_of("svc", "rbf(gamma=scale!)")), std::vector<std::string>{"C"});
  EXPECT_EQ(names(space_of("ridge", "rbf(gamma=0.1..1)", {{"mean_lambda", "0.1"}})), std::vector<std::string>{"gamma"});
}

TEST(SearchSpace, EveryModelHasDefaultsOrLearnsThem) {
  for (const ModelEntry* entry : model_registry()) {
    if (!is_scored(entry->task)) {
      continue;
    }
    // These find what they need in the fit.
    const std::set<std::string> learners = {"gp", "gpc", "nw", "nwc", "kdec", "leastsquares"};
    EXPECT_EQ(space_of(entry->name.c_str(), "").axes.empty(), learners.contains(entry->name)) << entry->name;
  }
}

TEST(SearchSpace, ModelsWithoutKernelsHaveOptions) {
  const SearchSpace space = space_of("loess", "", {{"degree", "0|1|2"}});
  ASSERT_EQ(names(space), (std::vector<std::string>{"span", "degree"}));
  EXPECT_FALSE(space.kernel_at({0.5, 1}).has_value());
  EXPECT_EQ(names(space_of("loess", "", {{"bandwidth", "1..2"}})), std::vector<std::string>{"bandwidth"});
}

TEST(SearchSpace, RangesOfAKernelAreReplacedWhereTheyStand) {
  const SearchSpace space = space_of("svc", "rbf(gamma=0.1..10) + 0.5*poly(degree=2..4, gamma=1..2)", {{"C", "1"}});
  ASSERT_EQ(names(space), (std::vector<std::string>{"0.gamma", "degree", "1.gamma"}));
  EXPECT_EQ(space.axes[1].kind, NumberKind::whole);
  const SearchPoint point = {0.5, 3, 1.5};
  const Kernel expected = parse_kernel("rbf(gamma=0.5) + 0.5*poly(degree=3, gamma=1.5)");
  EXPECT_EQ(space.kernel_at(point)->spec(), expected.spec());
  EXPECT_TRUE(space.kernel_at(point)->is_resolved());
}

TEST(SearchSpace, ModelsThatLearnLeaveSearchedValuesAlone) {
  const SearchSpace space = space_of("gp", "1*rbf(lengthscale=0.1..10)");
  EXPECT_EQ(space.kernel_at({2})->spec(), parse_kernel("1*rbf(lengthscale=2!)").spec());
}

TEST(SearchSpace, ListsAndWords) {
  const SearchSpace space =
      space_of("svc", "rbf(gamma=1)", {{"C", "100|1|10|1"}, {"slack", "squared|linear"}, {"tolerance", "0.01"}});
  ASSERT_EQ(names(space), (std::vector<std::string>{"C", "slack"}));
  EXPECT_EQ(space.axes[0].grid(99), (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(space.axes[1].grid(99), (std::vector<double>{0, 1}));
  const auto settings = space.settings_at({10, 0});
  ASSERT_EQ(settings.size(), 3U);
  EXPECT_EQ(settings[0].name + settings[0].value, "tolerance0.01");
  EXPECT_EQ(settings[1].value, "10");
  EXPECT_EQ(settings[2].value, "squared");
  EXPECT_EQ(space.describe({10, 1}), "C=10 slack=linear");
}

TEST(SearchSpace, MistakesAreNamed) {
  const auto message = [](std::vector<OptionSetting> settings) -> std::string {
    try {
      space_of("svc", "", settings);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{"C", "10..1"}}).find("C=10..1"), std::string::npos);
  EXPECT_NE(message({{"C", "1..1"}}).find("below"), std::string::npos);
  EXPECT_NE(message({{"C", "1..x"}}).find("'x'"), std::string::npos);
  EXPECT_NE(message({{"C", ".."}}).find("not a number"), std::string::npos);
  EXPECT_NE(message({{"C", "1..inf"}}).find("'inf'"), std::string::npos);
  EXPECT_NE(message({{"C", "1|"}}).find("not a number"), std::string::npos);
  EXPECT_NE(message({{"c", "1..2"}}).find("Did you mean 'C'"), std::string::npos);
  EXPECT_NE(message({{"slack", "linear|cubic"}}).find("'cubic'"), std::string::npos);
  EXPECT_NE(message({{"max_steps", "1.5..3"}}).find("whole"), std::string::npos);
  // Values that the option does not take are found at the ends, before anything is fitted.
  EXPECT_NE(message({{"C", "-1..1"}}).find("svc: C = -1"), std::string::npos);
  EXPECT_NE(message({{"tolerance", "soon"}}).find("tolerance"), std::string::npos);
}

TEST(SearchSpace, WhatEveryRowHasOfItsOwnIsNotSearched) {
  const ModelEntry& svr = find_model("svr");
  const auto names = [&](const SearchScale& scale) {
    std::vector<std::string> found;
    for (const SearchAxis& axis : make_search_space(svr, parse_kernel("rbf(gamma=1)"), {}, scale).axes) {
      found.push_back(axis.name);
    }
    return found;
  };
  EXPECT_EQ(names({}), (std::vector<std::string>{"C", "epsilon"}));
  EXPECT_EQ(names({.per_row = true}), std::vector<std::string>{"C"});
}

TEST(SearchAxis, GridsAreLogarithmicWithExactEnds) {
  const SearchSpace space = space_of("svc", "rbf(gamma=0.01..100)", {{"C", "2^-5..2^15"}});
  const auto powers = space.axes[0].grid(21);
  ASSERT_EQ(powers.size(), 21U);
  for (int i = 0; i < 21; ++i) {
    EXPECT_EQ(powers[i], std::exp2(i - 5));
  }
  EXPECT_EQ(space.axes[1].grid(5), (std::vector<double>{0.01, 0.1, 1, 10, 100}));
  EXPECT_EQ(space.axes[1].grid(1), std::vector<double>{1});
  const auto ten = space.axes[0].grid(10);
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_NEAR(std::log2(ten[i] / ten[i - 1]), 20.0 / 9, 1e-10);
  }
}

TEST(SearchAxis, WholeNumbersAndSignsOfRanges) {
  const SearchSpace whole = space_of("svc", "poly(degree=1..4, gamma=1)", {{"C", "1"}});
  EXPECT_EQ(whole.axes[0].grid(10), (std::vector<double>{1, 2, 3, 4}));
  const SearchSpace linear = space_of("svc", "rbf(gamma=1)", {{"C", "1"}, {"threshold", "-1..1"}});
  EXPECT_EQ(linear.axes[0].grid(5), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
}

TEST(SearchAxis, UnitsInvertValues) {
  const SearchSpace space =
      space_of("svc", "poly(degree=1..40, gamma=2^-9..5)", {{"C", "0.3|2|9"}, {"reject", "0..2"}});
  for (const SearchAxis& axis : space.axes) {
    for (int i = 0; i <= 20; ++i) {
      const double value = axis.value_at(i / 20.0);
      EXPECT_NEAR(axis.value_at(axis.unit_of(value)), value, 1e-9 * std::abs(value)) << axis.name;
    }
  }
}

TEST(SearchSpace, PointsThatDifferInThePathOptionShareAPath) {
  const SearchSpace space = space_of("svc", "rbf(gamma=0.1..10)", {{"C", "1..100"}});
  const std::vector<SearchPoint> points = {{100, 0.1}, {1, 10}, {1, 0.1}, {10, 0.1}};
  const auto groups = space.group(points);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].points, (std::vector<Index>{2, 3, 0}));
  EXPECT_EQ(groups[0].path.option, "C");
  EXPECT_EQ(groups[0].path.values, (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(groups[0].path.kernel->spec(), "rbf(gamma=0.1)");
  EXPECT_TRUE(groups[0].path.settings.empty());
  EXPECT_EQ(groups[1].points, std::vector<Index>{1});
}

TEST(SearchSpace, EveryModelAllowsItsDefaultRanges) {
  int ranges = 0;
  for (const ModelEntry* model : model_registry()) {
    for (const OptionDescription& option : model->options) {
      if (option.search) {
        const SearchSpace space = make_search_space(*model, kernel_for(*model), {});
        EXPECT_TRUE(std::ranges::any_of(space.axes, [&](const SearchAxis& axis) { return axis.name == option.name; }))
            << model->name << ' ' << option.name;
        ++ranges;
      }
    }
  }
  EXPECT_GT(ranges, 20);
}

TEST(SearchSpace, EndsThatTheTableDoesNotAllowAreRefused) {
  const ModelEntry& model = find_model("nusvc");
  const std::vector<OptionSetting> beyond = {{"nu", "0.5..2"}};
  EXPECT_ERROR(make_search_space(model, kernel_for(model), beyond), InvalidArgument,
               "nusvc: nu = 2: must be a number above 0 and at most 1");
}

}  // namespace
}  // namespace mercer
