// Fold plans: what every kind keeps apart, checked row by row.
#include "mercer/select/folds/fold_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::vector<std::int32_t> random_codes(Index rows, int levels, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<std::int32_t> codes;
  for (Index i = 0; i < rows; ++i) {
    codes.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(levels))));
  }
  return codes;
}

// How often every row is validated; training and validation rows never meet.
std::vector<int> times_tested(const std::vector<Split>& folds, Index rows) {
  std::vector<int> times(rows, 0);
  for (const Split& fold : folds) {
    std::set<Index> train(fold.train.begin(), fold.train.end());
    for (const Index row : fold.test) {
      EXPECT_EQ(train.count(row), 0U);
      ++times[row];
    }
  }
  return times;
}

TEST(FoldPlan, EveryRowIsTestedOncePerRepetition) {
  for (const Index rows : {7, 40, 101}) {
    const auto classes = random_codes(rows, 3, 1);
    for (const FoldKind kind : {FoldKind::shuffled, FoldKind::stratified}) {
      const auto folds = make_folds({kind, 4, 3}, rows, classes, {}, 9);
      ASSERT_EQ(folds.size(), 12U);
      const auto times = times_tested(folds, rows);
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int t) { return t == 3; }));
    }
  }
}

TEST(FoldPlan, RepetitionsDifferAndTheFirstIsThePlainPlan) {
  const auto plain = make_folds({FoldKind::shuffled, 3, 1}, 30, {}, {}, 5);
  const auto repeated = make_folds({FoldKind::shuffled, 3, 2}, 30, {}, {}, 5);
  EXPECT_EQ(plain[0].test, repeated[0].test);
  EXPECT_NE(repeated[0].test, repeated[3].test);
}

TEST(FoldPlan, StratifiedFoldsKeepProportions) {
  std::vector<std::int32_t> classes(60, 0);
  std::fill(classes.begin(), classes.begin() + 10, 1);
  for (const Split& fold : make_folds({FoldKind::stratified, 5, 1}, 60, classes, {}, 3)) {
    EXPECT_EQ(std::count_if(fold.test.begin(), fold.test.end(), [](Index row) { return row < 10; }), 2);
  }
}

TEST(FoldPlan, GroupsDoNotLeak) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto groups = random_codes(80, 11, seed);
    const auto folds = make_folds({FoldKind::grouped, 4, 2}, 80, {}, groups, seed);
    const auto times = times_tested(folds, 80);
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int t) { return t == 2; }));
    for (const Split& fold : folds) {
      std::set<std::int32_t> trained;
      for (const Index row : fold.train) {
        trained.insert(groups[row]);
      }
      for (const Index row : fold.test) {
        EXPECT_EQ(trained.count(groups[row]), 0U);
      }
    }
  }
}

TEST(FoldPlan, TimeOrderNeverLooksAhead) {
  const auto folds = make_folds({FoldKind::time_ordered, 4, 1}, 23, {}, {}, 0);
  ASSERT_EQ(folds.size(), 4U);
  Index next = folds[0].test.front();
  for (const Split& fold : folds) {
    // An expanding window: all rows before the block, and nothing else.
    EXPECT_EQ(fold.test.front(), next);
    EXPECT_EQ(static_cast<Index>(fold.train.size()), fold.test.front());
    EXPECT_EQ(fold.train.back(), fold.test.front() - 1);
    next = fold.test.back() + 1;
  }
  EXPECT_EQ(next, 23);
}

TEST(FoldPlan, LeaveOneOutHasOneRowPerFold) {
  const auto folds = make_folds({.kind = FoldKind::leave_one_out}, 6, {}, {}, 0);
  ASSERT_EQ(folds.size(), 6U);
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(folds[f].test, std::vector<Index>{static_cast<Index>(f)});
    EXPECT_EQ(folds[f].train.size(), 5U);
  }
}

TEST(FoldPlan, PlansThatDoNotFitAreRefused) {
  const std::vector<std::int32_t> two = {0, 0, 1, 1};
  EXPECT_ERROR(make_folds({FoldKind::shuffled, 5, 1}, 4, {}, {}, 0), InvalidArgument, "folds = 5");
  EXPECT_ERROR(make_folds({FoldKind::shuffled, 1, 1}, 4, {}, {}, 0), InvalidArgument, "folds = 1");
  EXPECT_ERROR(make_folds({FoldKind::shuffled, 2, 0}, 4, {}, {}, 0), InvalidArgument, "repeats = 0");
  EXPECT_ERROR(make_folds({FoldKind::grouped, 3, 1}, 4, {}, two, 0), InvalidArgument, "folds = 3");
  EXPECT_ERROR(make_folds({FoldKind::grouped, 2, 1}, 4, {}, {}, 0), InvalidArgument, "folds need one group per row");
  EXPECT_ERROR(make_folds({FoldKind::stratified, 2, 1}, 4, {}, {}, 0), InvalidArgument, "folds need one class per row");
  EXPECT_ERROR(make_folds({FoldKind::time_ordered, 4, 1}, 4, {}, {}, 0), InvalidArgument, "folds = 4");
  EXPECT_ERROR(make_folds({FoldKind::time_ordered, 2, 2}, 9, {}, {}, 0), InvalidArgument, "repeats = 2");
  EXPECT_ERROR(make_folds({FoldKind::leave_one_out, 5, 2}, 9, {}, {}, 0), InvalidArgument, "repeats = 2");
}

TEST(Thinned, SmallerPartsAreInsideLargerOnesAndKeepClasses) {
  const auto classes = random_codes(200, 4, 2);
  const Split split = make_folds({FoldKind::stratified, 5, 1}, 200, classes, {}, 1).front();
  std::vector<Index> smaller;
  for (const double fraction : {0.02, 0.1, 0.3, 0.9, 1.0}) {
    const Split thin = thinned(split, fraction, classes, 7);
    EXPECT_EQ(thin.test, split.test);
    EXPECT_TRUE(std::is_sorted(thin.train.begin(), thin.train.end()));
    EXPECT_TRUE(std::includes(thin.train.begin(), thin.train.end(), smaller.begin(), smaller.end()));
    std::map<std::int32_t, double> all;
    std::map<std::int32_t, double> kept;
    for (const Index row : split.train) {
      all[classes[row]] += 1;
    }
    for (const Index row : thin.train) {
      kept[classes[row]] += 1;
    }
    for (const auto& [code, count] : all) {
      EXPECT_NEAR(kept[code], fraction * count, 1);
      EXPECT_GE(kept[code], 1);
    }
    smaller = thin.train;
  }
  EXPECT_EQ(smaller, split.train);
  EXPECT_ERROR(thinned(split, 0, classes, 7), InvalidArgument, "fraction of the rows = 0");
}

}  // namespace
}  // namespace mercer
