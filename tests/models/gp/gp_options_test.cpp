// The options of Gaussian process regression as text: what is read, what is kept, what is refused.
#include "mercer/models/gp/gp_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

GpOptions options_of(const std::vector<OptionSetting>& settings) {
  GpOptions options;
  apply_settings<GpOptions>("gp", gp_option_table(), settings, options);
  return options;
}

TEST(GpNoise, IsReadAsAValueOfTheKernelLanguage) {
  EXPECT_FALSE(GpNoise::parse("").is_given());
  EXPECT_FALSE(GpNoise().is_known());
  const GpNoise start = GpNoise::parse("2^-3");
  EXPECT_TRUE(start.is_given());
  EXPECT_EQ(start.variance(), 0.125);
  EXPECT_FALSE(start.is_known());
  EXPECT_FALSE(start.bounds().has_value());
  EXPECT_TRUE(GpNoise::parse("0.1!").is_known());
  EXPECT_TRUE(GpNoise::parse("0").is_known());
  const GpNoise bounded = GpNoise::parse(" 0.1 in 0.01 .. 1");
  EXPECT_EQ(bounded.bounds(), (Interval{0.01, 1}));
  EXPECT_EQ(bounded.variance(), 0.1);
  EXPECT_EQ(bounded.text(), " 0.1 in 0.01 .. 1");  // as it was written
}

TEST(GpNoise, FromNumbersIsThatOfTheText) {
  EXPECT_EQ(GpNoise::starting_at(0.1).text(), "0.1");
  EXPECT_EQ(GpNoise::known(4).text(), "4!");
  EXPECT_EQ(GpNoise::within(0.1, {0.01, 1}).text(), "0.1 in 0.01..1");
  for (const GpNoise& noise : {GpNoise::starting_at(0.1), GpNoise::known(4), GpNoise::within(0.1, {0.01, 1})}) {
    const GpNoise again = GpNoise::parse(noise.text());
    EXPECT_EQ(again.variance(), noise.variance());
    EXPECT_EQ(again.is_known(), noise.is_known());
    EXPECT_EQ(again.bounds(), noise.bounds());
  }
  EXPECT_ERROR(GpNoise::known(-1), InvalidArgument, "gp: noise = -1");
  EXPECT_ERROR(GpNoise::starting_at(std::nan("")), InvalidArgument, "gp: noise = nan");
  EXPECT_ERROR(GpNoise::within(2, {0.1, 1}), InvalidArgument, "a value within its own bounds, 0.1 to 1");
}

TEST(GpNoise, RefusesWhatIsNoVariance) {
  EXPECT_ERROR(GpNoise::parse("-1"), InvalidArgument, "gp: noise = -1: must be a finite variance, 0 or more");
  EXPECT_ERROR(GpNoise::parse("inf"), InvalidArgument, "gp: noise = inf: must be a finite variance, 0 or more");
  EXPECT_ERROR(GpNoise::parse("[1, 2]"), InvalidArgument, "gp: noise = [1, 2]: must be a finite variance, 0 or more");
  // A range to search, words, text around a variance, a kernel that closes and opens a parenthesis.
  for (const std::string text : {"0.1..1", "much", "scale", " ", "0.1 0.2", "0.1, 0.2", "0.1) + white(variance=0.2"}) {
    EXPECT_ERROR(GpNoise::parse(text), InvalidArgument,
                 "gp: noise = " + text + ": must be a finite variance, 0 or more")
        << text;
  }
}

TEST(GpOptions, KeepTheTextsOfTheUser) {
  const std::vector<OptionSetting> settings = {{"likelihood", "gaussian"},
                                               {"inference", "exact"},
                                               {"method", "sor"},
                                               {"mean", "zero"},
                                               {"noise", "1e-1 in 0.01..1"},
                                               {"objective", "loo"},
                                               {"priors", "noise:gamma(2,10);"},
                                               {"precision", "float"}};
  const GpOptions options = options_of(settings);
  EXPECT_EQ(options.method, GpMethod::subset_of_regressors);
  EXPECT_EQ(options.objective, GpObjective::leave_one_out);
  EXPECT_EQ(options.precision, Precision::single_precision);
  EXPECT_NO_THROW(options.validate());
  const std::vector<OptionSetting> written = settings_of(gp_option_table(), options);
  for (const OptionSetting& setting : settings) {
    const auto found = std::ranges::find(written, setting.name, &OptionSetting::name);
    ASSERT_NE(found, written.end()) << setting.name;
    EXPECT_EQ(found->value, setting.value) << setting.name;
  }
}

TEST(GpOptions, RefuseWhatTheTableDoesNotAllow) {
  EXPECT_ERROR(options_of({{"likelihood", "cauchy"}}), InvalidArgument, "gp: likelihood = cauchy: must be one of");
  EXPECT_ERROR(options_of({{"inference", "variational"}}), InvalidArgument, "gp: inference = variational");
  EXPECT_ERROR(options_of({{"mean", "none"}}), InvalidArgument, "gp: mean = none");
  EXPECT_ERROR(options_of({{"noise", "much"}}), InvalidArgument, "gp: noise = much");
  EXPECT_ERROR(options_of({{"priors", "noise gamma(1, 1)"}}), InvalidArgument, "priors: 'noise gamma(1, 1)'");
  EXPECT_ERROR(options_of({{"gap", "0"}}), InvalidArgument, "gp: gap = 0");
  EXPECT_ERROR(GpOptions{.gap = 0}.validate(), InvalidArgument, "gp: gap = 0");
  EXPECT_ERROR(GpOptions{.restarts = -1}.validate(), InvalidArgument, "gp: restarts = -1");
  EXPECT_ERROR(GpOptions{.degrees_of_freedom = 0}.validate(), InvalidArgument, "gp: degrees_of_freedom = 0");
}

}  // namespace
}  // namespace mercer
