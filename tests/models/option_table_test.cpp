#include "mercer/models/option_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"

namespace mercer {
namespace {

enum class Loss { hinge, squared };
constexpr auto words_of(Loss) { return std::array{Word{Loss::hinge, "hinge"}, Word{Loss::squared, "squared"}}; }

struct SomeOptions {
  double width = 0.1;
  std::optional<double> bound = {};
  Index steps = 5;
  bool shuffle = false;
  Loss loss = Loss::hinge;
};

std::span<const Option<SomeOptions>> some_table() {
  static const std::vector<Option<SomeOptions>> table = {
      {"width", &SomeOptions::width, "a width", Constraint::positive},
      {"bound", &SomeOptions::bound, "a bound", Constraint::nonnegative},
      {"steps", &SomeOptions::steps, "steps", Constraint::positive_integer},
      {"shuffle", &SomeOptions::shuffle, "shuffle the rows"},
      {"loss", &SomeOptions::loss, "the loss"},
  };
  return table;
}

SomeOptions read(std::vector<OptionSetting> settings) {
  SomeOptions options;
  apply_settings<SomeOptions>("some", some_table(), settings, options);
  return options;
}

std::string message_of(std::vector<OptionSetting> settings) {
  try {
    read(std::move(settings));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(OptionTable, ReadsEveryType) {
  const SomeOptions options =
      read({{"width", "1e-3"}, {"bound", "0"}, {"steps", "7"}, {"shuffle", "yes"}, {"loss", "squared"}});
  EXPECT_EQ(options.width, 1e-3);
  EXPECT_EQ(options.bound, 0.0);
  EXPECT_EQ(options.steps, 7);
  EXPECT_TRUE(options.shuffle);
  EXPECT_EQ(options.loss, Loss::squared);
  EXPECT_FALSE(read({{"shuffle", "False"}}).shuffle);
}

TEST(OptionTable, SettingsReadBack) {
  SomeOptions options;
  options.width = 1.0 / 3;
  const SomeOptions again = read(settings_of(some_table(), options));
  EXPECT_EQ(again.width, options.width);
  EXPECT_FALSE(again.bound.has_value());
  options.bound = 1e-300;
  EXPECT_EQ(read(settings_of(some_table(), options)).bound, 1e-300);
  EXPECT_EQ(settings_of(some_table(), SomeOptions{}).size(), 4u);
}

TEST(OptionTable, RefusesWithTheNearestName) {
  EXPECT_NE(message_of({{"widht", "1"}}).find("width"), std::string::npos);
  EXPECT_NE(message_of({{"loss", "hing"}}).find("hinge"), std::string::npos);
  for (const OptionSetting& bad : std::vector<OptionSetting>{{"width", "0"},
                                                             {"width", "x"},
                                                             {"width", "inf"},
                                                             {"width", "nan"},
                                                             {"width", ""},
                                                             {"bound", "-1"},
                                                             {"steps", "0"},
                                                             {"steps", "1.5"},
                                                             {"steps", "99999999999999999999"},
                                                             {"shuffle", "maybe"},
                                                             {"loss", ""}}) {
    EXPECT_NE(message_of({bad}), "") << bad.name << "=" << bad.value;
  }
}

struct LimitedOptions : SomeOptions {
  double share = 0.5;
  Index folds = 2;
  Loss other = Loss::hinge;
};

std::span<const Option<LimitedOptions>> limited_table() {
  static const std::vector<Option<LimitedOptions>> table = [] {
    std::vector<Option<LimitedOptions>> lines = {
        {"share", &LimitedOptions::share, "a share", Limits::above_to(0, 1)},
        {"folds", &LimitedOptions::folds, "folds", Limits::from(2)},
        {"other", &LimitedOptions::other, "a loss", {Loss::hinge}},
    };
    lines.insert(lines.end(), some_table().begin(), some_table().end());
    return lines;
  }();
  return table;
}

// What check_options() says of options that a program has set; empty where they are allowed.
std::string refusal_of(const LimitedOptions& options) {
  try {
    check_options("some", limited_table(), options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(OptionTable, ChecksWhatAProgramHasSet) {
  LimitedOptions options;
  EXPECT_EQ(refusal_of(options), "");
  options.share = 1;
  EXPECT_EQ(refusal_of(options), "");
  options.share = 0;
  EXPECT_EQ(refusal_of(options), "some: share = 0: must be a number above 0 and at most 1");
  options.share = std::nan("");
  EXPECT_EQ(refusal_of(options), "some: share = nan: must be a number above 0 and at most 1");
  options = {};
  options.folds = 1;
  EXPECT_EQ(refusal_of(options), "some: folds = 1: must be a whole number that is 2 or more");
  options = {};
  options.other = Loss::squared;
  EXPECT_EQ(refusal_of(options), "some: other = squared: must be one of hinge.");
  options = {};
  options.loss = static_cast<Loss>(7);
  EXPECT_EQ(refusal_of(options), "some: loss = 7: must be one of hinge, squared.");
  options = {};
  options.width = -1;  // a line of the options that these derive from
  EXPECT_EQ(refusal_of(options), "some: width = -1: must be a number above 0");
  options = {};
  options.bound = -1;
  EXPECT_EQ(refusal_of(options), "some: bound = -1: must be a number that is 0 or more");
}

TEST(OptionTable, LimitsSayWhatIsAllowed) {
  EXPECT_EQ(Limits().text(), "a finite number");
  EXPECT_EQ(Limits(Constraint::nonnegative_integer).text(), "a whole number that is 0 or more");
  EXPECT_EQ(Limits::from_to(0, 1).text(), "a number from 0 to 1");
  EXPECT_EQ(Limits::from_to_below(0, 1).text(), "a number that is 0 or more and below 1");
  EXPECT_EQ(Limits::between(0, 0.5).text(), "a number above 0 and below 0.5");
  EXPECT_TRUE(Limits::from_to_below(0, 1).allow(0));
  EXPECT_FALSE(Limits::from_to_below(0, 1).allow(1));
  EXPECT_FALSE(Limits::between(0, 1).allow(0));
  EXPECT_FALSE(whole_numbers(Limits::from(2)).allow(2.5));
  EXPECT_FALSE(Limits().allow(std::numeric_limits<double>::infinity()));
}

TEST(OptionTable, DescribesTypesAndDefaults) {
  const auto rows = describe(some_table());
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].type, "number");
  EXPECT_EQ(rows[0].default_value, "0.1");
  EXPECT_EQ(rows[1].default_value, "");
  EXPECT_EQ(rows[2].type, "integer");
  EXPECT_EQ(rows[3].type, "yes/no");
  EXPECT_EQ(rows[3].default_value, "no");
  EXPECT_EQ(rows[4].type, "hinge | squared");
}

}  // namespace
}  // namespace mercer
