// Numbers as text (round trips over random bit patterns), strict parsing, suggestions, splitting.
#include "mercer/base/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace mercer {
namespace {

TEST(Shortest, RoundTripsRandomBitPatterns) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<double>(engine());
    const auto back = parse_double(shortest(value));
    ASSERT_TRUE(back.has_value()) << shortest(value);
    ASSERT_TRUE(std::bit_cast<std::uint64_t>(*back) == std::bit_cast<std::uint64_t>(value) ||
                (std::isnan(*back) && std::isnan(value)))
        << shortest(value);
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
    const auto wide = parse_double(shortest(narrow));
    ASSERT_TRUE(wide && (static_cast<float>(*wide) == narrow || std::isnan(narrow))) << shortest(narrow);
  }
}

TEST(Shortest, PrintsShortForms) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(0.1F), "0.1");
  EXPECT_EQ(shortest(1.0), "1");
  EXPECT_EQ(shortest(1e-5), "1e-05");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(HUGE_VAL), "inf");
  EXPECT_EQ(shortest(-HUGE_VAL), "-inf");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(ParseDouble, AcceptsAndRefuses) {
  EXPECT_EQ(parse_double("+1.5"), 1.5);
  EXPECT_EQ(parse_double("-2e3"), -2000.0);
  EXPECT_EQ(parse_double(".5"), 0.5);
  EXPECT_EQ(parse_double("1e999"), HUGE_VAL);
  EXPECT_EQ(parse_double("-1e999"), -HUGE_VAL);
  EXPECT_EQ(parse_double("1e-999"), 0.0);
  EXPECT_EQ(parse_double("inf"), HUGE_VAL);
  for (const char* bad : {"", "+", "-", "1x", " 1", "1 ", "+-1", "++1", "0x10", "1e", "e5", ".", "--1", "1,5"}) {
    EXPECT_FALSE(parse_double(bad).has_value()) << "'" << bad << "'";
  }
}

TEST(ParseDouble, TellsOverflowFromUnderflow) {
  const std::string zeros(400, '0');
  EXPECT_EQ(parse_double("0." + zeros + "1"), 0.0);
  EXPECT_EQ(parse_double("1" + zeros), HUGE_VAL);
  EXPECT_EQ(parse_double("-1" + zeros + ".5"), -HUGE_VAL);
  EXPECT_EQ(parse_double("1e-400"), 0.0);
  EXPECT_EQ(parse_double("1e400"), HUGE_VAL);
  EXPECT_EQ(parse_double("0.001e400"), HUGE_VAL);
  EXPECT_EQ(parse_double("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(parse_double("1e99999999999999999999"), HUGE_VAL);
}

TEST(ParseInteger, AcceptsAndRefuses) {
  EXPECT_EQ(parse_integer("+17"), 17);
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<long long>::min());
  for (const char* bad : {"", "1.0", "9223372036854775808", "+-1", "1e3", " 1"}) {
    EXPECT_FALSE(parse_integer(bad).has_value()) << "'" << bad << "'";
  }
}

TEST(EditDistance, KnownValues) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("RBF", "rbf"), 0);
}

TEST(NearestName, SuggestsLikelyTypingErrors) {
  const std::vector<std::string> names = {"rbf", "matern", "poly", "linear"};
  EXPECT_EQ(nearest_name("mattern", names), "matern");
  EXPECT_EQ(nearest_name("linaer", names), "linear");
  EXPECT_FALSE(nearest_name("spectrum", names).has_value());
  EXPECT_EQ(did_you_mean("rfb", names), " Did you mean 'rbf'?");
  EXPECT_EQ(did_you_mean("spectrum", names), "");
  // A name of which no letter is left is another one.
  EXPECT_FALSE(nearest_name("y", std::vector<std::string>{"a", "b", "cd"}).has_value());
  EXPECT_EQ(nearest_name("Y", std::vector<std::string>{"x", "y"}), "y");
  EXPECT_FALSE(nearest_name("rbf", {}).has_value());
}

TEST(Split, AndJoinAndTrim) {
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(std::vector<std::string>{}, ","), "");
  EXPECT_EQ(trim(" \t x y\r\n"), "x y");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(lower_case("AbC-1"), "abc-1");
}

// An empty first part must not swallow the separator after it: split and join are inverse.
TEST(Split, IsTheInverseOfJoin) {
  for (const char* text : {"", ",", ",,", ",a", "a,", "a,,b"}) {
    EXPECT_EQ(join(split(text, ','), ","), text);
  }
}

}  // namespace
}  // namespace mercer
