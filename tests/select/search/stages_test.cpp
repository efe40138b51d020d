// Choices of words before ranges: which word is taken, at what cost, and that nothing but scores decides.
#include "mercer/select/search/stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "mercer/kernels/spec.h"
#include "mercer/kernels/widths.h"
#include "mercer/select/search/linear_limit.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const std::vector<ScalingRule> four_scalings = {
    {ScalingKind::standard}, {ScalingKind::none}, {ScalingKind::minmax}, {ScalingKind::robust}};

SearchSpace svc_space() {
  const ModelEntry& svc = find_model("svc");
  return make_search_space(svc, parse_kernel(svc.default_kernel), {});
}

SearchSpace with_scalings() {
  SearchSpace space = svc_space();
  add_scalings(space, four_scalings);
  return space;
}

using Score = std::function<double(const SearchPoint&)>;

std::vector<ScoredRound> run_staged(const SearchStrategy& strategy, const Score& score, double error) {
  std::vector<ScoredRound> history;
  const mercer::Run run{{.threads = 1}};
  while (auto round = strategy.next(history, run)) {
    ScoredRound scored{*round, {}, {}};
    for (const SearchPoint& point : round->points) {
      scored.utilities.push_back(score(point));
      scored.errors.push_back(error);
    }
    history.push_back(std::move(scored));
  }
  return history;
}

Index count_points(const std::vector<ScoredRound>& history) {
  Index count = 0;
  for (const ScoredRound& round : history) {
    count += static_cast<Index>(round.round.points.size());
  }
  return count;
}

double peak(const SearchPoint& point) {
  const double x = std::log2(point[0]) - 3;
  const double y = std::log2(point[1]) + 7;
  return -(x * x + y * y) / 100;
}

TEST(Stages, TheBestWordIsSearchedAlone) {
  const SearchSpace space = with_scalings();
  for (std::size_t winner = 0; winner < 4; ++winner) {
    const auto score = [&](const SearchPoint& point) { return peak(point) + (point[2] == double(winner) ? 1 : 0); };
    const auto strategy = make_strategy(space, SearchOptions{}.resolved(space), 100, 1);
    EXPECT_EQ(strategy->opening_rounds(), 1);
    const auto history = run_staged(*strategy, score, 0.1);
    ASSERT_EQ(history.size(), 2U);
    std::set<SearchPoint> of_winner;
    for (const ScoredRound& round : history) {
      for (const SearchPoint& point : round.round.points) {
        if (point[2] == static_cast<double>(winner)) {
          EXPECT_TRUE(of_winner.insert(point).second) << "looked at twice";
        }
      }
    }
    // The grid is complete, and no word has more than nine places of its own.
    EXPECT_EQ(of_winner.size(), 100U);
    EXPECT_EQ(count_points(history), 100 + 3 * 9);
    EXPECT_LE(count_points(history), strategy->expected_points());
  }
}

TEST(Stages, TheUsualWordStaysUnlessAnotherIsClearlyBetter) {
  const SearchSpace space = with_scalings();
  const auto chosen = [&](double advantage, double error) {
    const auto strategy = make_strategy(space, SearchOptions{}.resolved(space), 100, 1);
    const auto history = run_staged(
        *strategy, [&](const SearchPoint& point) { return peak(point) + (point[2] == 3 ? advantage : 0); }, error);
    return history.back().round.points.front()[2];
  };
  EXPECT_EQ(chosen(0.04, 0.1), 0);
  EXPECT_EQ(chosen(0.06, 0.1), 3);
  EXPECT_EQ(chosen(0, 0), 0);
  EXPECT_EQ(chosen(1e-9, std::nan("")), 3);  // one fold has no error
}

TEST(Stages, PlacesGrowWithTheSearch) {
  const SearchSpace space = with_scalings();
  const auto opening = [&](SearchOptions options) {
    const auto strategy = make_strategy(space, options.resolved(space), 100, 1);
    return strategy->next({}, {})->points.size();
  };
  EXPECT_EQ(opening({.kind = SearchKind::grid, .grid = 10}), 4 * 9U);
  EXPECT_EQ(opening({.kind = SearchKind::bayes, .points = 24}), 4 * 3U);
  EXPECT_EQ(opening({.kind = SearchKind::grid, .grid = 5}), 4 * 2U);  // two of three are one line of the grid
  EXPECT_EQ(opening({.kind = SearchKind::grid, .grid = 4}), 4 * 1U);
  EXPECT_EQ(opening({.kind = SearchKind::random, .points = 5}), 4 * 1U);
  EXPECT_EQ(opening({.kind = SearchKind::bayes, .points = 72}), 4 * 9U);
}

TEST(Stages, EveryStrategyGoesOnWithTheWord) {
  const SearchSpace space = with_scalings();
  for (const SearchKind kind : {SearchKind::random, SearchKind::halving, SearchKind::bayes}) {
    const SearchOptions options = SearchOptions{.kind = kind, .points = 24}.resolved(space);
    const auto strategy = make_strategy(space, options, 1000, 7);
    const auto history =
        run_staged(*strategy, [](const SearchPoint& point) { return peak(point) + (point[2] == 1 ? 1 : 0); }, 0.01);
    for (std::size_t r = 1; r < history.size(); ++r) {
      for (const SearchPoint& point : history[r].round.points) {
        EXPECT_EQ(point[2], 1);
      }
    }
    EXPECT_GE(count_points(history), 24 + 12);
    EXPECT_LE(count_points(history), strategy->expected_points());
  }
}

TEST(Stages, SecondChoicesAreMadeWithTheFirst) {
  SearchSpace space = with_scalings();
  ASSERT_EQ(add_class_weights(space), 1);
  EXPECT_EQ(space.axes.back().words, (std::vector<std::string>{"none", "balanced"}));
  const auto strategy = make_strategy(space, SearchOptions{}.resolved(space), 100, 1);
  const auto history = run_staged(
      *strategy,
      [](const SearchPoint& point) { return peak(point) + (point[2] == 2 ? 1 : 0) + (point[3] == 1 ? 1 : 0); }, 0.01);
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].round.points.size(), 36U);
  EXPECT_EQ(history[1].round.points.size(), 9U);
  for (const SearchPoint& point : history[1].round.points) {
    EXPECT_EQ((SearchPoint{point[2], point[3]}), (SearchPoint{2, 1}));
  }
  const SearchPoint& point = history[2].round.points.front();
  EXPECT_EQ(to_string(space.scaling_at(point).value()), "minmax:-1,1");
  const auto settings = space.settings_at(point);
  EXPECT_TRUE(std::ranges::any_of(settings, [](const OptionSetting& setting) {
    return setting.name == "class_weight" && setting.value == "balanced";
  }));
  SearchSpace fixed = make_search_space(find_model("svc"), parse_kernel("rbf()"), {{{"class_weight", "balanced"}}});
  EXPECT_EQ(add_class_weights(fixed), 0);
}

// Scalings are compared at their own widths.
TEST(Stages, PlacesStandAroundTheUsualWidth) {
  const SearchSpace space = with_scalings();
  const UsualValues usual = {{NAN, 0.25}, {NAN, 0.001}, {NAN, 1}, {NAN, 100}};
  const SearchOptions options = SearchOptions{.kind = SearchKind::random, .points = 100}.resolved(space);
  const auto points = make_strategy(space, options, 100, 1, usual)->next({}, {})->points;
  std::set<double> of_none;
  std::set<double> of_robust;
  for (const SearchPoint& point : points) {
    EXPECT_LE(point[0], 128);  // where fits are dear nothing is chosen
    if (point[2] == 1) {
      of_none.insert(point[1]);
    } else if (point[2] == 3) {
      of_robust.insert(point[1]);
    }
  }
  EXPECT_EQ(of_none, (std::set<double>{0.00025, 0.001, 0.004}));
  EXPECT_EQ(of_robust, (std::set<double>{8}));  // the end of the range
}

TEST(Stages, UsualValuesAreThoseOfTheRanges) {
  const ModelEntry& svc = find_model("svc");
  const Kernel kernel = parse_kernel("rbf(gamma=scale) + 2*matern(nu=1.5, lengthscale=0.5..2) + rbf(gamma=3)");
  SearchSpace space = make_search_space(svc, kernel, {});
  add_scalings(space, four_scalings);
  const Samples samples = make_dense(std::vector<double>{0, 0, 2, 2}, 2, 2);
  const std::vector<double> values = usual_values(space, resolve_widths(kernel, samples, {}));
  ASSERT_EQ(values.size(), 3U);
  EXPECT_TRUE(std::isnan(values[0]));  // C
  EXPECT_DOUBLE_EQ(values[1], 0.5);    // 1/(2 · variance 1)
  EXPECT_TRUE(std::isnan(values[2]));  // a range that was given
}

Samples cloud(Index rows) {
  std::vector<double> values;
  for (Index i = 0; i < rows; ++i) {
    values.push_back(std::sin(static_cast<double>(i * i)));
    values.push_back(std::cos(static_cast<double>(3 * i + i * i * i)));
  }
  return make_dense(std::move(values), rows, 2);
}

TEST(LinearLimit, WideKernelsAreLinear) {
  const Samples samples = cloud(300);
  EXPECT_TRUE(linear_slope_on(parse_kernel("rbf(gamma=0.001)"), samples, {}).has_value());
  // k = 1 - gamma (|x|² + |z|²) + 2 gamma xᵀz
  EXPECT_NEAR(linear_slope_on(parse_kernel("rbf(gamma=1e-5)"), samples, {}).value(), 2e-5, 1e-9);
  EXPECT_FALSE(linear_slope_on(parse_kernel("rbf(gamma=0.5)"), samples, {}).has_value());
  EXPECT_TRUE(linear_slope_on(parse_kernel("rq(lengthscale=100)"), samples, {}).has_value());
  EXPECT_FALSE(
      linear_slope_on(parse_kernel("laplacian(gamma=0.001)"), samples, {}).has_value());  // a distance, not its square
  EXPECT_FALSE(linear_slope_on(parse_kernel("linear()"), samples, {}).has_value());
  EXPECT_FALSE(linear_slope_on(parse_kernel("rbf(gamma=scale)"), samples, {}).has_value());
  EXPECT_FALSE(linear_slope_on(parse_kernel("rbf(gamma=0.001)"), cloud(2), {}).has_value());
  EXPECT_FALSE(linear_slope_on(parse_kernel("rbf(gamma=0.001)"), make_dense(std::vector<double>(10, 1.0), 10, 1), {})
                   .has_value());
}

}  // namespace
}  // namespace mercer
