#include "mercer/models/option_table.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"

namespace mercer {
namespace {

struct SomeOptions {
  double width = 0.1;
  std::optional<double> bound = {};
  Index steps = 5;
  bool shuffle = false;
  std::string loss = "hinge";
};

std::span<const Option<SomeOptions>> some_table() {
  static const std::vector<Option<SomeOptions>> table = {
      {"width", &SomeOptions::width, "a width", Constraint::positive},
      {"bound", &SomeOptions::bound, "a bound", Constraint::nonnegative},
      {"steps", &SomeOptions::steps, "steps", Constraint::positive_integer},
      {"shuffle", &SomeOptions::shuffle, "shuffle the rows"},
      {"loss", &SomeOptions::loss, "the loss", Constraint::any, {"hinge", "squared"}},
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
  EXPECT_EQ(options.loss, "squared");
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
