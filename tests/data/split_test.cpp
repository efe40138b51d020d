#include "mercer/data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

void expect_partition(const Folds& folds, Index samples) {
  std::vector<int> tested(samples, 0);
  for (Index f = 0; f < folds.count; ++f) {
    const Split split = folds.split(f);
    EXPECT_EQ(split.train.size() + split.test.size(), samples);
    EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
    std::set<Index> train(split.train.begin(), split.train.end());
    for (const Index i : split.test) {
      ++tested[i];
      EXPECT_EQ(train.count(i), 0u);
    }
  }
  EXPECT_EQ(std::count(tested.begin(), tested.end(), 1), samples);
}

TEST(KFold, EverySampleOnceAndEqualSizes) {
  for (const Index n : {2, 7, 100}) {
    for (const Index k : {2, 3, 7}) {
      if (k > n) {
        EXPECT_ERROR(k_fold(n, k, 0), InvalidArgument, "must be from 2 to the number of samples");
        continue;
      }
      const Folds folds = k_fold(n, k, 5);
      expect_partition(folds, n);
      for (Index f = 0; f < k; ++f) {
        const Index size = std::count(folds.number.begin(), folds.number.end(), f);
        EXPECT_GE(size, n / k);
        EXPECT_LE(size, (n + k - 1) / k);
      }
    }
  }
  EXPECT_EQ(k_fold(100, 5, 1).number, k_fold(100, 5, 1).number);
  EXPECT_NE(k_fold(100, 5, 1).number, k_fold(100, 5, 2).number);
  EXPECT_EQ(k_fold(5, 2, 1, SampleOrder::kept).number, (std::vector<Index>{0, 0, 0, 1, 1}));
  EXPECT_ERROR(k_fold(10, 1, 0), InvalidArgument, "folds = 1");
  EXPECT_ERROR(k_fold(10, 2, 0).split(2), InvalidArgument, "fold = 2");
}

TEST(KFold, StratifiedKeepsProportionsWithinOne) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<std::int32_t> classes(20 + random() % 200);
    for (auto& code : classes) {
      code = static_cast<std::int32_t>(random() % 10 < 7 ? 0 : random() % 4) - 1;
    }
    const Index k = 2 + random() % 9;
    const Folds folds = stratified_k_fold(classes, k, trial);
    expect_partition(folds, static_cast<Index>(classes.size()));
    std::map<std::int32_t, std::vector<Index>> counts;
    std::vector<Index> sizes(k, 0);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      counts[classes[i]].resize(k, 0);
      ++counts[classes[i]][folds.number[i]];
      ++sizes[folds.number[i]];
    }
    for (const auto& [code, per_fold] : counts) {
      const auto [low, high] = std::minmax_element(per_fold.begin(), per_fold.end());
      EXPECT_LE(*high - *low, 1);
    }
    const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*high - *low, 1);
  }
}

TEST(KFold, GroupsStayTogether) {
  const std::vector<std::int32_t> groups{0, 1, 0, 2, 3, 3, 1, 0, 4, 2};
  const Folds folds = group_k_fold(groups, 3, 8);
  expect_partition(folds, 10);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (groups[i] == groups[j]) {
        EXPECT_EQ(folds.number[i], folds.number[j]);
      }
    }
  }
  EXPECT_ERROR(group_k_fold(groups, 6, 0), InvalidArgument, "folds = 6");
}

TEST(KFold, LeaveOneOut) {
  expect_partition(leave_one_out(5), 5);
  EXPECT_EQ(leave_one_out(5).split(3).test, (std::vector<Index>{3}));
  EXPECT_ERROR(leave_one_out(1), InvalidArgument, "folds = 1");
}

TEST(TrainTestSplit, SizesAndProportions) {
  const Split split = train_test_split(10, 0.25, 3);
  EXPECT_EQ(split.test.size(), 3u);
  EXPECT_EQ(split.train.size(), 7u);
  EXPECT_EQ(train_test_split(10, 0.001, 3).test.size(), 1u);
  EXPECT_EQ(train_test_split(10, 0.999, 3).train.size(), 1u);
  EXPECT_ERROR(train_test_split(10, 0, 3), InvalidArgument, "test fraction = 0");
  EXPECT_ERROR(train_test_split(1, 0.5, 3), InvalidArgument, "samples = 1");
  std::vector<std::int32_t> classes;
  for (int i = 0; i < 97; ++i) {
    classes.push_back(i % 10 == 0 ? 1 : 0);
  }
  const Split stratified = stratified_train_test_split(classes, 0.3, 4);
  EXPECT_EQ(stratified.test.size(), 29u);
  const auto rare =
      std::count_if(stratified.test.begin(), stratified.test.end(), [&](Index i) { return classes[i] == 1; });
  EXPECT_NEAR(static_cast<double>(rare), 10 * 29.0 / 97, 1);
  std::set<Index> all(stratified.train.begin(), stratified.train.end());
  all.insert(stratified.test.begin(), stratified.test.end());
  EXPECT_EQ(all.size(), 97u);
}

}  // namespace
}  // namespace mercer
