#include "mercer/data/target_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer {
namespace {

TargetLook look_of(const std::vector<double>& values) {
  const Targets targets = Targets::numeric(values);
  return look_at(targets.columns().front()).look;
}

std::vector<double> numbers(int count, double step, int times) {
  std::vector<double> values;
  for (int t = 0; t < times; ++t) {
    for (int i = 0; i < count; ++i) {
      values.push_back(step * i);
    }
  }
  return values;
}

TEST(TargetLook, NumbersWithFractionsAreAQuantityWhereTheyAreMany) {
  EXPECT_EQ(look_of(numbers(40, 0.3, 50)), TargetLook::continuous);
  EXPECT_EQ(look_of(numbers(6, 0.3, 1)), TargetLook::continuous);  // no two rows alike
  EXPECT_EQ(look_of(numbers(6, 0.3, 3)), TargetLook::few_fractions);
  EXPECT_EQ(look_of(numbers(3, 0.5, 1)), TargetLook::few_fractions);
  EXPECT_EQ(look_of(numbers(30, 0.5, 2)), TargetLook::few_fractions);
  EXPECT_EQ(look_of(numbers(31, 0.5, 2)), TargetLook::continuous);
}

TEST(TargetLook, WholeNumbers) {
  EXPECT_EQ(look_of({0, 1, 1, 0}), TargetLook::two_numbers);
  EXPECT_EQ(look_of({-1, 1}), TargetLook::two_numbers);
  EXPECT_EQ(look_of({3, 3}), TargetLook::whole_numbers);
  EXPECT_EQ(look_of(numbers(26, 1, 5)), TargetLook::whole_numbers);
  EXPECT_EQ(look_of(numbers(26, 1, 2)), TargetLook::counts);
  EXPECT_EQ(look_of(numbers(20, 1, 1)), TargetLook::whole_numbers);
}

TargetLook look_of_labels(const std::vector<std::string>& labels) {
  const Targets targets = Targets::classes(labels);
  return look_at(targets.columns().front()).look;
}

TEST(TargetLook, NumbersWithCommasAndDatesAreNoWords) {
  std::vector<std::string> grouped;
  std::vector<std::string> decimal;
  std::vector<std::string> dates;
  for (int i = 0; i < 40; ++i) {
    grouped.push_back("1," + std::to_string(100 + 7 * i) + ".5");
    decimal.push_back("0," + std::to_string(100 + 7 * i));
    dates.push_back("2020-0" + std::to_string(1 + i / 20) + "-" + std::to_string(10 + i % 20 / 2 * 2 + i % 2));
  }
  EXPECT_EQ(look_of_labels(grouped), TargetLook::continuous);
  EXPECT_EQ(look_of_labels(decimal), TargetLook::continuous);
  EXPECT_EQ(look_of_labels(dates), TargetLook::counts);
  EXPECT_EQ(look_of_labels({"0,5", "1,5", "0,5", "1,5"}), TargetLook::few_fractions);
  grouped.push_back("none at all");
  EXPECT_EQ(look_of_labels(grouped), TargetLook::labels);
}

TEST(TargetLook, WordsMissingNumbersAndNothing) {
  const std::vector<std::string> words = {"a", "b", "a"};
  const TargetSummary summary = look_at(Targets::classes(words).columns().front());
  EXPECT_EQ(summary.look, TargetLook::labels);
  EXPECT_EQ(summary.different, 2);
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(look_of({0, missing, 1, missing}), TargetLook::two_numbers);
  EXPECT_EQ(look_of({}), TargetLook::whole_numbers);
}

}  // namespace
}  // namespace mercer
