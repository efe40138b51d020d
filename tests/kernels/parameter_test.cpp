#include "mercer/kernels/parameter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// One parameter of every sort.
const std::vector<ParameterSpec>& table() {
  static const std::vector<ParameterSpec> specs = {
      {.name = "gamma", .aliases = {"g"}, .default_text = "scale", .meaning = "width"},
      {.name = "lengthscale",
       .aliases = {"length_scale"},
       .default_text = "",
       .meaning = "",
       .may_be_list = true,
       .may_be_infinite = true},
      {.name = "offset", .constraint = Constraint::any, .default_text = "-1.5", .meaning = ""},
      {.name = "coef0", .constraint = Constraint::nonnegative, .default_text = "1", .meaning = ""},
      {.name = "degree",
       .role = ParameterRole::number,
       .constraint = Constraint::positive_integer,
       .default_text = "3",
       .meaning = ""},
      {.name = "order",
       .role = ParameterRole::number,
       .constraint = Constraint::nonnegative_integer,
       .default_text = "",
       .meaning = ""},
      {.name = "window",
       .role = ParameterRole::word,
       .default_text = "gaussian",
       .meaning = "",
       .words = {"gaussian", "box"}},
      {.name = "period", .default_text = "auto", .meaning = "a width by its default"},
  };
  return specs;
}

using Given = std::vector<std::pair<std::string, ParameterValue>>;

ParameterList make(Given given) { return ParameterList("demo", table(), std::move(given)); }

std::string error_of(Given given) {
  try {
    make(std::move(given));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

ParameterValue bounded(double value, double lower, double upper) {
  ParameterValue result = ParameterValue::number(value);
  result.bounds = Interval{lower, upper};
  return result;
}

ParameterValue range(double lower, double upper) {
  ParameterValue result;
  result.search = Interval{lower, upper};
  return result;
}

TEST(ParameterList, FillsDefaultsInTheOrderOfTheTable) {
  const ParameterList list = make({{"window", ParameterValue::of_word("box")}, {"g", ParameterValue::number(2)}});
  std::string order;
  for (const Parameter& parameter : list.all()) {
    order += parameter.spec->name + "=" + to_string(parameter.value) + " ";
  }
  EXPECT_EQ(order, "gamma=2 offset=-1.5 coef0=1 degree=3 window=box period=auto ");
  EXPECT_FALSE(list.has("lengthscale"));
  EXPECT_EQ(list.number("gamma"), 2);
  EXPECT_EQ(list.number("g"), 2);
  EXPECT_EQ(list.integer("degree"), 3);
  EXPECT_EQ(list.word("window"), "box");
  EXPECT_FALSE(list.resolved());  // period
  EXPECT_TRUE(list.with("period", ParameterValue::number(1)).resolved());
}

TEST(ParameterList, RefusesWhatItsConstraintsForbid) {
  const auto number = ParameterValue::number;
  EXPECT_EQ(error_of({{"gamma", number(-1)}}),
            "demo: gamma = -1: must be a positive number, or one of scale, auto, median");
  EXPECT_EQ(error_of({{"coef0", number(-1)}}), "demo: coef0 = -1: must be a number that is not negative");
  for (const double bad : {0.0, -1.0, nan_value, infinity, -infinity}) {
    EXPECT_NE(error_of({{"gamma", number(bad)}}), "") << bad;
  }
  EXPECT_EQ(error_of({{"lengthscale", number(infinity)}}), "");
  EXPECT_NE(error_of({{"lengthscale", number(-infinity)}}), "");
  EXPECT_NE(error_of({{"lengthscale", number(nan_value)}}), "");
  EXPECT_EQ(error_of({{"coef0", number(0)}}), "");
  EXPECT_EQ(error_of({{"offset", number(-1e300)}}), "");
  EXPECT_NE(error_of({{"offset", number(nan_value)}}), "");
  EXPECT_NE(error_of({{"offset", number(infinity)}}), "");
  for (const double bad : {0.0, 1.5, -1.0, 3e9, nan_value, infinity}) {
    EXPECT_NE(error_of({{"degree", number(bad)}}), "") << bad;
  }
  EXPECT_EQ(error_of({{"order", number(0)}}), "");
  EXPECT_NE(error_of({{"order", number(0.5)}}), "");
}

TEST(ParameterList, ListsOnlyWhereAllowed) {
  EXPECT_EQ(error_of({{"lengthscale", ParameterValue::list({1, 2, infinity})}}), "");
  EXPECT_EQ(error_of({{"lengthscale", ParameterValue::list({1, -2})}}),
            "demo: lengthscale[1] = -2: must be a positive number, or inf, or one of scale, auto, median, ard");
  EXPECT_NE(error_of({{"lengthscale", ParameterValue::list({})}}), "");
  EXPECT_EQ(error_of({{"gamma", ParameterValue::list({1, 2})}}),
            "demo: gamma = [1, 2]: must be a single number, not a list");
}

TEST(ParameterList, WidthsWordsAndEmptyValues) {
  EXPECT_EQ(error_of({{"lengthscale", ParameterValue::of_width(WidthRule::median)}}), "");
  EXPECT_EQ(error_of({{"period", ParameterValue::of_width(WidthRule::scale)}}), "");
  EXPECT_NE(error_of({{"coef0", ParameterValue::of_width(WidthRule::scale)}}), "");
  EXPECT_NE(error_of({{"gamma", ParameterValue::of_word("box")}}), "");
  EXPECT_NE(error_of({{"gamma", ParameterValue{}}}), "");
  EXPECT_NE(error_of({{"window", ParameterValue::number(1)}}), "");
  EXPECT_EQ(error_of({{"window", ParameterValue::of_word("bax")}}),
            "demo: window = bax: must be one of gaussian, box. Did you mean 'box'?");
}

TEST(ParameterList, Bounds) {
  EXPECT_EQ(error_of({{"gamma", bounded(1, 0.1, 10)}}), "");
  EXPECT_EQ(error_of({{"gamma", bounded(1, 1, 1)}}), "");
  EXPECT_EQ(error_of({{"gamma", bounded(1, 0.1, infinity)}}), "");
  EXPECT_EQ(error_of({{"offset", bounded(1, -infinity, infinity)}}), "");
  EXPECT_NE(error_of({{"gamma", bounded(11, 0.1, 10)}}), "");
  EXPECT_NE(error_of({{"gamma", bounded(0.01, 0.1, 10)}}), "");
  EXPECT_NE(error_of({{"gamma", bounded(1, 0, 10)}}), "");
  EXPECT_NE(error_of({{"gamma", bounded(1, -infinity, 10)}}), "");
  EXPECT_NE(error_of({{"gamma", bounded(1, 10, 0.1)}}), "");
  EXPECT_NE(error_of({{"gamma", bounded(1, nan_value, 10)}}), "");
  EXPECT_NE(error_of({{"gamma", bounded(1, 0.1, nan_value)}}), "");
  EXPECT_NE(error_of({{"degree", bounded(2, 1, 3)}}), "");
  ParameterValue list = ParameterValue::list({1, infinity});
  list.bounds = Interval{0.1, 10};
  EXPECT_EQ(error_of({{"lengthscale", list}}), "");
}

TEST(ParameterList, SearchRanges) {
  EXPECT_EQ(error_of({{"gamma", range(0.1, 10)}}), "");
  EXPECT_EQ(error_of({{"degree", range(1, 5)}}), "");
  EXPECT_NE(error_of({{"degree", range(0.5, 5)}}), "");
  EXPECT_NE(error_of({{"gamma", range(0, 10)}}), "");
  EXPECT_NE(error_of({{"gamma", range(10, 1)}}), "");
  EXPECT_NE(error_of({{"gamma", range(1, infinity)}}), "");
  EXPECT_NE(error_of({{"gamma", range(nan_value, 1)}}), "");
  ParameterValue fixed = range(1, 2);
  fixed.fixed = true;
  EXPECT_NE(error_of({{"gamma", fixed}}), "");
}

TEST(ParameterList, NamesAreCheckedAndRepetitionsRefused) {
  EXPECT_EQ(error_of({{"gama", ParameterValue::number(1)}}),
            "demo has no parameter 'gama'. Did you mean 'gamma'? There are: gamma, lengthscale, offset, coef0, degree, "
            "order, window, period.");
  EXPECT_EQ(error_of({{"length_scale", ParameterValue::number(1)}, {"lengthscale", ParameterValue::number(1)}}),
            "demo: parameter 'lengthscale' is given twice");
  EXPECT_ERROR(ParameterList("none", {}, {{"x", ParameterValue::number(1)}}), InvalidArgument,
               "none has no parameter 'x'");
}

TEST(ParameterList, ReadingTheWrongSortThrows) {
  const ParameterList list = make({{"lengthscale", ParameterValue::list({1, 2})}, {"coef0", range(1, 2)}});
  EXPECT_ERROR(list.number("lengthscale"), InvalidArgument,
               "demo: lengthscale = [1, 2] is a list where a single number is needed");
  EXPECT_EQ(list.numbers("lengthscale"), (std::vector<double>{1, 2}));
  EXPECT_ERROR(list.number("gamma"), InvalidArgument, "demo: gamma = scale is not resolved yet");
  EXPECT_ERROR(list.number("coef0"), InvalidArgument, "demo: coef0 = 1..2 is a range to search");
  EXPECT_ERROR(list.number("window"), InvalidArgument, "demo: window = gaussian is a word where a number is needed");
  EXPECT_ERROR(list.word("offset"), InvalidArgument, "demo: offset = -1.5 is a number where a word is needed");
  EXPECT_ERROR(list.number("order"), InvalidArgument, "demo: parameter 'order' is not set");
  EXPECT_ERROR(list.number("unheard"), InvalidArgument, "demo: parameter 'unheard' is not set");
}

TEST(ParameterList, WithAndWithoutKeepOrder) {
  const ParameterList list = make({}).with("order", ParameterValue::number(2)).without("coef0");
  std::string order;
  for (const Parameter& parameter : list.all()) {
    order += parameter.spec->name + " ";
  }
  EXPECT_EQ(order, "gamma offset degree order window period ");
  EXPECT_EQ(make({}).with("g", ParameterValue::number(7)).number("gamma"), 7);
  EXPECT_ERROR(list.with("gamma", ParameterValue::number(-1)), InvalidArgument, "demo: gamma = -1");
  EXPECT_ERROR(list.with("unheard", ParameterValue::number(1)), InvalidArgument, "demo has no parameter 'unheard'");
}

TEST(ParameterList, CountsContinuousNumbers) {
  EXPECT_EQ(make({}).scale_count(), 2);  // offset and coef0: the widths have no number yet
  EXPECT_EQ(
      make({{"gamma", ParameterValue::number(1)}, {"lengthscale", ParameterValue::list({1, 2, 3})}}).scale_count(), 6);
  EXPECT_EQ(ParameterList().scale_count(), 0);
}

TEST(ParameterValue, Text) {
  EXPECT_EQ(to_string(ParameterValue::number(0.1)), "0.1");
  EXPECT_EQ(to_string(ParameterValue::number(-1e-5)), "-1e-05");
  EXPECT_EQ(to_string(ParameterValue::list({1, 2.5, infinity})), "[1, 2.5, inf]");
  EXPECT_EQ(to_string(ParameterValue::of_width(WidthRule::scale)), "scale");
  EXPECT_EQ(to_string(ParameterValue::of_width(WidthRule::automatic)), "auto");
  EXPECT_EQ(to_string(ParameterValue::of_width(WidthRule::median)), "median");
  EXPECT_EQ(to_string(ParameterValue::of_word("box")), "box");
  EXPECT_EQ(to_string(ParameterValue::of_word("a \"b\"")), "\"a \\\"b\\\"\"");
  EXPECT_EQ(to_string(bounded(1, 0.1, 10)), "1 in 0.1..10");
  ParameterValue both = bounded(1, 0.1, 10);
  both.fixed = true;
  EXPECT_EQ(to_string(both), "1! in 0.1..10");
  EXPECT_EQ(to_string(range(std::ldexp(1, -15), 8)), "2^-15..2^3");
  EXPECT_EQ(to_string(range(1, 8)), "1..8");
  EXPECT_EQ(to_string(range(0.1, 8)), "0.1..8");
}

}  // namespace
}  // namespace mercer
