// Functions beside the kernel, from the flag to the answers: files with names, numbers of columns, listings, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class SemiparametricCommand : public CliTest {
 protected:
  // y = 3 month + a season of 12 + noise-free rest; the town is no number.
  std::string data() const {
    std::ostringstream text;
    text << "town,month,rain,y,label\n";
    for (int i = 0; i < 60; ++i) {
      const double rain = std::sin(7.3 * i);
      const double y = 3 * i + 5 * std::sin(2 * 3.14159265358979323846 * i / 12) + 0.1 * rain;
      text << (i % 2 == 0 ? "north" : "south") << "," << i << "," << rain << "," << y << ","
           << (rain + 0.3 * std::cos(3.0 * i) > 0 ? "wet" : "dry") << "\n";
    }
    return write("towns.csv", text.str());
  }
  Outcome fit(const std::vector<std::string>& more, const std::string& model = "svr") const {
    std::vector<std::string> words = {
        "fit", model, data(), "-t", model == "svc" ? "label" : "y", "-o", path("m.mercer"), "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(SemiparametricCommand, FindsATrendAndASeason) {
  const Outcome fitted = fit({"--ignore", "label", "-k", "rbf(lengthscale=1)[rain]", "--set",
                              "parametric=linear[month] + periodic(period=12)[month]", "--set", "epsilon=0.01"});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const auto json = parse(run({"inspect", path("m.mercer"), "--json"}).out);
  EXPECT_EQ(json["scaling"], "none");
  EXPECT_NEAR(json["functions"]["y"]["month"].get<double>(), 3, 0.01);
  EXPECT_NEAR(json["functions"]["y"]["sin(2*pi*month/12)"].get<double>(), 5, 0.1);
  EXPECT_NEAR(json["functions"]["y"]["cos(2*pi*month/12)"].get<double>(), 0, 0.1);
  const Outcome inspected = run({"inspect", path("m.mercer")});
  EXPECT_TRUE(contains(inspected.out, "function beside the kernel")) << inspected.out;
  const Outcome with_data = run({"inspect", path("m.mercer"), path("towns.csv")});
  EXPECT_TRUE(contains(with_data.out, "leave-one-out RMSE")) << with_data.out;
  // The trend goes on beyond the rows.
  write("later.csv", "town,month,rain\nnorth,120,0\n");
  const Outcome predicted = run({"predict", path("m.mercer"), path("later.csv")});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_NEAR(std::stod(predicted.out.substr(predicted.out.find('\n') + 1)), 360, 1.5);
}

// Numbers of columns count those of the file, as in kernels, and models keep names.
TEST_F(SemiparametricCommand, NumbersOfColumnsAreThoseOfTheFile) {
  ASSERT_EQ(fit({"--ignore", "label", "--set", "parametric=linear[1]"}, "ridge").code, 0);
  const auto json = parse(run({"inspect", path("m.mercer"), "--json"}).out);
  EXPECT_EQ(json["options"]["parametric"], "linear[month]");
  EXPECT_TRUE(json["functions"]["y"].contains("month"));
  const Outcome target = fit({"--set", "parametric=linear[3]"}, "ridge");
  EXPECT_NE(target.code, 0);
  EXPECT_TRUE(contains(target.err, "parametric")) << target.err;
}

TEST_F(SemiparametricCommand, SplinesClassify) {
  const Outcome fitted =
      fit({"--ignore", "y", "-k", "thin_plate()[month, rain]", "--set", "parametric=linear[month, rain]"}, "svc");
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const Outcome scored = run({"score", path("m.mercer"), path("towns.csv"), "--json"});
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_TRUE(contains(run({"inspect", path("m.mercer")}).out, "rain"));
  const Outcome inspected = run({"inspect", path("m.mercer"), path("towns.csv")});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_TRUE(contains(inspected.out, "span rule")) << inspected.out;
  EXPECT_TRUE(contains(inspected.out, "the bound is of machines with a constant alone")) << inspected.out;
  const Outcome tuned = run({"score", "svr", path("towns.csv"), "-t", "y", "--ignore", "label", "--folds", "3", "--set",
                             "parametric=linear[month]", "-k", "rbf()[rain]"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
}

// A level of a category has its own constant, which nothing shrinks.
TEST_F(SemiparametricCommand, CategoriesHaveAColumnPerLevel) {
  std::string text = "town,y\n";
  for (int i = 0; i < 30; ++i) {
    text += i % 3 == 0 ? "ulm,7\n" : i % 3 == 1 ? "bern,-2\n" : "rom,1\n";
  }
  const std::string towns = write("levels.csv", text);
  const Outcome fitted = run({"fit", "ridge", towns, "-t", "y", "-k", "rbf(gamma=1)[town]", "--set",
                              "parametric=linear[town]", "--set", "lambda=1e6", "-o", path("m.mercer")});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  std::istringstream answers(run({"predict", path("m.mercer"), write("new.csv", "town\nrom\nulm\nbern\n")}).out);
  std::string heading;
  double rom = 0;
  double ulm = 0;
  double bern = 0;
  answers >> heading >> rom >> ulm >> bern;
  EXPECT_NEAR(rom, 1, 1e-6);
  EXPECT_NEAR(ulm, 7, 1e-6);
  EXPECT_NEAR(bern, -2, 1e-6);
}

TEST_F(SemiparametricCommand, WhatIsWrongIsSaid) {
  const Outcome misspelt = fit({"--set", "parametric=liner"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_TRUE(contains(misspelt.err, "Did you mean 'linear'?")) << misspelt.err;
  const Outcome unknown = fit({"--ignore", "label", "--set", "parametric=linear[moth]"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_TRUE(contains(unknown.err, "moth")) << unknown.err;
  const Outcome waves = fit({"--ignore", "label", "-k", "rbf()[rain]", "--set", "parametric=periodic(period=2)[town]"});
  EXPECT_NE(waves.code, 0);
  EXPECT_TRUE(contains(waves.err, "town")) << waves.err;
  const Outcome spline = fit({"--ignore", "label", "-k", "thin_plate()"});
  EXPECT_NE(spline.code, 0);
  EXPECT_TRUE(contains(spline.err, "parametric=linear")) << spline.err;
  const Outcome path_of = run({"path", "svc", data(), "-t", "label", "--set", "parametric=linear"});
  EXPECT_EQ(path_of.code, 2);
}

}  // namespace
}  // namespace mercer::cli_test
