// Strategies on functions whose optimum is known: how near they come, and that they depend on the seed alone.
#include "mercer/select/search/search_strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

SearchSpace two_axes() {
  const std::vector<OptionSetting> settings = {{"C", "2^-5..2^15"}};
  return make_search_space(find_model("svc"), parse_kernel("rbf(gamma=2^-15..2^3)"), settings);
}

using Utility = std::function<double(const SearchPoint&)>;

std::vector<ScoredRound> run_through(const SearchStrategy& strategy, const Utility& utility,
                                     std::vector<ScoredRound> history = {}) {
  const mercer::Run run{{.threads = 1}};
  while (auto round = strategy.next(history, run)) {
    ScoredRound scored{*round, {}};
    for (const SearchPoint& point : round->points) {
      scored.utilities.push_back(utility(point));
    }
    history.push_back(std::move(scored));
  }
  return history;
}

std::vector<SearchPoint> all_points(const std::vector<ScoredRound>& history) {
  std::vector<SearchPoint> points;
  for (const ScoredRound& round : history) {
    points.insert(points.end(), round.round.points.begin(), round.round.points.end());
  }
  return points;
}

double best_of(const std::vector<ScoredRound>& history) {
  double best = -INFINITY;
  for (const ScoredRound& round : history) {
    best = std::max(best, *std::max_element(round.utilities.begin(), round.utilities.end()));
  }
  return best;
}

// A smooth hill whose top lies between the points of a grid.
double hill(const SearchPoint& point) {
  const double x = std::log2(point[0]) - 6.1;
  const double y = std::log2(point[1]) + 7.3;
  return -(x * x / 40 + y * y / 20 + x * y / 60);
}

TEST(Grid, AllCombinationsOnce) {
  const SearchSpace space = two_axes();
  const auto strategy = make_strategy(space, SearchOptions{}.resolved(space), 100, 0);
  const auto points = all_points(run_through(*strategy, hill));
  EXPECT_EQ(points.size(), 100U);
  EXPECT_EQ(std::set<SearchPoint>(points.begin(), points.end()).size(), 100U);
  EXPECT_EQ(strategy->expected_points(), 100);
}

TEST(Bayes, FindsASmoothOptimumWithFewerPointsThanAGrid) {
  const SearchSpace space = two_axes();
  const auto grid = run_through(*make_strategy(space, SearchOptions{}.resolved(space), 100, 0), hill);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto bayes = run_through(*bayes_strategy(space, 30, seed), hill);
    EXPECT_EQ(all_points(bayes).size(), 30U);
    EXPECT_GT(best_of(bayes), best_of(grid)) << seed;
    EXPECT_GT(best_of(bayes), -0.01) << seed;
  }
}

TEST(Bayes, DependsOnTheSeedAndWhatItWasTold) {
  const SearchSpace space = two_axes();
  const auto whole = run_through(*bayes_strategy(space, 24, 5), hill);
  // A search that was stopped after three rounds and goes on.
  const std::vector<ScoredRound> part(whole.begin(), whole.begin() + 3);
  EXPECT_EQ(all_points(run_through(*bayes_strategy(space, 24, 5), hill, part)), all_points(whole));
  EXPECT_NE(all_points(run_through(*bayes_strategy(space, 24, 6), hill)), all_points(whole));
  const auto points = all_points(whole);
  EXPECT_EQ(std::set<SearchPoint>(points.begin(), points.end()).size(), points.size());
}

TEST(Bayes, ConstantAndFailingScoresDoNotStopIt) {
  const SearchSpace space = two_axes();
  EXPECT_EQ(all_points(run_through(*bayes_strategy(space, 20, 0), [](const SearchPoint&) { return 0.5; })).size(), 20U);
  EXPECT_EQ(all_points(run_through(*bayes_strategy(space, 20, 0), [](const SearchPoint&) { return -INFINITY; })).size(),
            20U);
  // Half of the space fails.
  const auto history = run_through(*bayes_strategy(space, 30, 0),
                                   [](const SearchPoint& point) { return point[0] > 1024 ? -INFINITY : hill(point); });
  EXPECT_GT(best_of(history), -0.05);
}

TEST(Bayes, EndsWhereAllPointsAreSeen) {
  const std::vector<OptionSetting> settings = {{"C", "1|10|100"}, {"slack", "linear|squared"}};
  const SearchSpace space = make_search_space(find_model("svc"), parse_kernel("rbf(gamma=1)"), settings);
  const auto points = all_points(run_through(*bayes_strategy(space, 50, 0), [](const SearchPoint& p) { return p[0]; }));
  EXPECT_EQ(points.size(), 6U);
}

TEST(Random, UniformOnTheAxesAndBySeed) {
  const SearchSpace space = two_axes();
  const auto points = random_points(space, 2000, 3);
  double mean = 0;
  for (const SearchPoint& point : points) {
    mean += space.axes[0].unit_of(point[0]) / 2000;
  }
  EXPECT_NEAR(mean, 0.5, 0.03);  // 4 standard errors are 0.026
  EXPECT_EQ(points, random_points(space, 2000, 3));
  EXPECT_NE(points, random_points(space, 2000, 4));
}

TEST(Halving, ThirdsOfThePointsOnThreeTimesTheRows) {
  const SearchSpace space = two_axes();
  const auto strategy = halving_strategy(grid_points(space, 9), 1000);
  const auto history = run_through(*strategy, hill);
  ASSERT_EQ(history.size(), 3U);  // 111, 333 and 1000 rows; 37 would be too few
  EXPECT_EQ(history[0].round.points.size(), 81U);
  EXPECT_EQ(history[1].round.points.size(), 27U);
  EXPECT_EQ(history[2].round.points.size(), 9U);
  EXPECT_EQ(strategy->expected_points(), 117);
  EXPECT_NEAR(history[0].round.fraction, 1.0 / 9, 1e-15);
  EXPECT_EQ(history[2].round.fraction, 1);
  // The survivors are the best of the round before.
  for (std::size_t r = 1; r < 3; ++r) {
    std::vector<double> before = history[r - 1].utilities;
    std::sort(before.rbegin(), before.rend());
    for (const double utility : history[r].utilities) {
      EXPECT_GE(utility, before[history[r].utilities.size() - 1]);
    }
  }
}

TEST(Halving, FewRowsAreNotHalved) {
  const auto history = run_through(*halving_strategy(grid_points(two_axes(), 5), 60), hill);
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].round.fraction, 1);
}

TEST(SearchOptions, DefaultsByTheNumberOfAxes) {
  const SearchSpace two = two_axes();
  EXPECT_EQ(SearchOptions{}.resolved(two).kind, SearchKind::grid);
  EXPECT_EQ(SearchOptions{}.resolved(two).grid, 10);
  const std::vector<OptionSetting> settings = {{"C", "1..2"}, {"epsilon", "0.1..1"}};
  const SearchSpace three = make_search_space(find_model("svr"), parse_kernel("rbf(gamma=1..2)"), settings);
  EXPECT_EQ(SearchOptions{}.resolved(three).kind, SearchKind::bayes);
  EXPECT_EQ(SearchOptions{.grid = 4}.resolved(three).kind, SearchKind::grid);
  EXPECT_EQ((SearchOptions{.kind = SearchKind::grid}.resolved(three).grid), 5);
  EXPECT_ERROR((SearchOptions{.kind = SearchKind::grid, .grid = 1000}.resolved(three)), InvalidArgument,
               "a grid of 1000 points on each of 3 axes has more than 1000000 points");
  EXPECT_ERROR(SearchOptions{.grid = -1}.resolved(two), InvalidArgument, "grid = -1");
  EXPECT_ERROR(parse_search_kind("gird"), InvalidArgument, "there is no search 'gird'");
}

}  // namespace
}  // namespace mercer
