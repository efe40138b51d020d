// --prior end to end: fit, predict, score, score by folds, tune, report, compress.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class PriorCommand : public CliTest {
 protected:
  // The prior function knows the line, from data that has another column as well and other units.
  std::string data() const {
    std::ostringstream lines;
    lines << "dose,kind,y\n";
    for (int i = 0; i < 40; ++i) {
      const double x = 0.25 * i;
      lines << x << "," << (i % 2 == 0 ? "a" : "b") << "," << 100 + 5 * x + std::sin(2 * x) + (i % 2) << "\n";
    }
    return write("data.csv", lines.str());
  }
  std::string line() const {
    std::ostringstream lines;
    lines << "y,dose\n";
    for (int i = 0; i < 10; ++i) {
      lines << 100 + 5 * i << "," << i << "\n";
    }
    const std::string file = write("line.csv", lines.str());
    const Outcome fit =
        run({"fit", "leastsquares", file, "-t", "y", "--set", "parametric=linear", "-o", path("line.mercer"), "-q"});
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path("line.mercer");
  }
  std::vector<double> column(const std::string& text) const {
    std::istringstream lines(text);
    std::string one;
    std::getline(lines, one);
    std::vector<double> values;
    while (std::getline(lines, one)) {
      values.push_back(std::stod(one));
    }
    return values;
  }
};

TEST_F(PriorCommand, OneFileHoldsBoth) {
  const std::string prior = line();
  const Outcome fit = run({"fit", "ridge", data(), "-t", "y", "--prior", prior, "--set", "parametric=none", "-o",
                           path("m.mercer"), "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(parse(fit.out)["prior"], "leastsquares");
  ASSERT_TRUE(std::filesystem::remove(prior));
  // Far away, where the kernel says nothing, the line is what is left.
  const std::string far = write("far.csv", "kind,dose\na,5000\n");
  const Outcome there = run({"predict", path("m.mercer"), far});
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_NEAR(column(there.out)[0], 100 + 5.0 * 5000, 1e-6 * 25000);
  const Outcome scored = run({"score", path("m.mercer"), path("data.csv"), "--json"});
  ASSERT_EQ(scored.code, 0) << scored.err;
  const Outcome report =
      run({"report", path("m.mercer"), path("data.csv"), "--train", path("data.csv"), "-o", path("r.html")});
  EXPECT_EQ(report.code, 0) << report.err;
  const Outcome small = run({"compress", path("m.mercer"), "--to", "10", "-o", path("s.mercer")});
  ASSERT_EQ(small.code, 0) << small.err;
  const Outcome again = run({"predict", path("s.mercer"), far});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NEAR(column(again.out)[0], 100 + 5.0 * 5000, 1e-6 * 25000);
  EXPECT_EQ(run({"inspect", path("m.mercer"), path("data.csv")}).code, 0);
}

TEST_F(PriorCommand, ScoresByFoldsAndTunes) {
  const std::string prior = line();
  // Along the line's way beyond its training rows: folds in time's order.
  const auto rmse = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"score", "svr", data(), "-t", "y", "--time-order", "--folds", "4", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome scored = run(arguments);
    EXPECT_EQ(scored.code, 0) << scored.err;
    return parse(scored.out)["scores"][0]["metrics"]["rmse"]["value"].get<double>();
  };
  EXPECT_LT(rmse({"--prior", prior}), 0.5 * rmse({}));
  const Outcome tuned = run({"tune", "ridge", data(), "-t", "y", "--prior", prior, "-s", "lambda=0.01|1", "-k",
                             "rbf(gamma=0.5)", "-o", path("t.mercer"), "--json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(run({"predict", path("t.mercer"), path("data.csv")}).code, 0);
}

TEST_F(PriorCommand, Refusals) {
  const std::string prior = line();
  const Outcome knn = run({"fit", "knnr", data(), "-t", "y", "--prior", prior, "-o", path("m.mercer")});
  EXPECT_EQ(knn.code, 2);
  EXPECT_TRUE(contains(knn.err, "cannot begin with a function that is known")) << knn.err;
  const Outcome over = run({"fit", "ridge", data(), "-t", "y", "--prior", prior, "-o", prior});
  EXPECT_EQ(over.code, 2);
  const std::string other = write("other.csv", "x,y\n1,2\n2,3\n3,5\n");
  const Outcome columns = run({"fit", "ridge", other, "-t", "y", "--prior", prior, "-o", path("m.mercer")});
  EXPECT_EQ(columns.code, 3) << columns.err;
  EXPECT_TRUE(contains(columns.err, "the prior function (leastsquares)")) << columns.err;
  ASSERT_EQ(run({"fit", "svc", data(), "-t", "kind", "--ignore", "y", "-o", path("c.mercer")}).code, 0);
  const Outcome classes = run({"fit", "ridge", data(), "-t", "y", "--prior", path("c.mercer"), "-o", path("m.mercer")});
  EXPECT_EQ(classes.code, 2) << classes.err;
  EXPECT_TRUE(contains(classes.err, "must be a model of quantities")) << classes.err;
}

// The prior function looks at columns that the new model leaves out: by a subscript, by flags, or since they tell it nothing.
class ColumnsOfPrior : public PriorCommand {
 protected:
  static double age(int i) { return 20 + (7 * i) % 41; }
  static double mass(int i) { return 18 + (11 * i) % 17; }

  std::string rows(const std::string& name, int count, const std::function<double(int)>& mass_of) const {
    std::ostringstream lines;
    lines << "age,bmi,y\n";
    for (int i = 0; i < count; ++i) {
      const double b = mass_of(i);
      lines << age(i) << "," << b << "," << 2 * age(i) + 3 * b << "\n";
    }
    return write(name, lines.str());
  }
  std::string law() const {
    const std::string file = rows("old.csv", 40, mass);
    const Outcome fit =
        run({"fit", "leastsquares", file, "-t", "y", "--set", "parametric=linear", "-o", path("law.mercer"), "-q"});
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path("law.mercer");
  }
  // The law is exact, so that what is learned beside it is nothing, and answers are the law's.
  void expect_law(const std::string& model) const {
    const std::string file = rows("fresh.csv", 5, [](int i) { return 30.0 + i; });
    const Outcome there = run({"predict", model, file});
    ASSERT_EQ(there.code, 0) << there.err;
    const std::vector<double> values = column(there.out);
    ASSERT_EQ(values.size(), 5U);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(values[static_cast<std::size_t>(i)], 2 * age(i) + 3 * (30.0 + i), 1e-6 * 200);
    }
  }
  void expect_fit(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"fit", "ridge", path("new.csv"),  "-t", "y", "--prior",
                                          law(), "-o",    path("m.mercer"), "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome fit = run(arguments);
    ASSERT_EQ(fit.code, 0) << fit.err;
    expect_law(path("m.mercer"));
  }
};

TEST_F(ColumnsOfPrior, StayBesideASubscript) {
  rows("new.csv", 20, mass);
  expect_fit({"-k", "rbf()[age]"});
}

TEST_F(ColumnsOfPrior, StayBesideChosenColumns) {
  rows("new.csv", 20, mass);
  expect_fit({"--columns", "age"});
  expect_fit({"--ignore", "bmi"});
  const Outcome told = run({"fit", "ridge", path("new.csv"), "-t", "y", "--prior", law(), "--columns", "age", "-o",
                            path("m.mercer"), "--json"});
  EXPECT_EQ(parse(told.out)["d"], 1) << told.out;
}

TEST_F(ColumnsOfPrior, StayWhereTheyAreConstant) {
  rows("new.csv", 20, [](int) { return 25.0; });
  expect_fit({});
  rows("new.csv", 1, mass);
  expect_fit({});
}

TEST_F(ColumnsOfPrior, StayWhereAFoldHasOneValue) {
  const std::string few = rows("few.csv", 12, [](int i) { return i == 0 ? 30.0 : 25.0; });
  const Outcome scored = run({"score", "ridge", few, "-t", "y", "--prior", law(), "--folds", "loo", "--json"});
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_LT(parse(scored.out)["scores"][0]["metrics"]["rmse"]["value"].get<double>(), 1e-6);
}

TEST_F(ColumnsOfPrior, StayWhenTuned) {
  rows("new.csv", 20, mass);
  const Outcome tuned = run({"tune", "ridge", path("new.csv"), "-t", "y", "--prior", law(), "--columns", "age", "-s",
                             "lambda=0.1|1", "-o", path("t.mercer"), "-q"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  expect_law(path("t.mercer"));
}

TEST_F(ColumnsOfPrior, TubesAreTunedInDeviationsOfWhatIsLeft) {
  std::ostringstream lines;
  lines << "age,bmi,y\n";
  for (int i = 0; i < 24; ++i) {
    lines << age(i) << "," << mass(i) << "," << 2 * age(i) + 3 * mass(i) + 0.1 * std::sin(i) << "\n";
  }
  const std::string file = write("near.csv", lines.str());
  const Outcome tuned = run({"tune", "svr", file, "-t", "y", "--prior", law(), "-s", "C=1", "--points", "4", "-o",
                             path("t.mercer"), "--json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  // At most 2^-1 of the deviation 0.07, not of the 24 of the targets.
  EXPECT_LT(std::stod(parse(tuned.out)["options"]["epsilon"].get<std::string>()), 0.05) << tuned.out;
}

TEST_F(ColumnsOfPrior, IsToldByInspectAndReports) {
  rows("new.csv", 20, mass);
  expect_fit({});
  const Outcome text = run({"inspect", path("m.mercer")});
  EXPECT_TRUE(contains(text.out, "added to    leastsquares")) << text.out;
  EXPECT_EQ(parse(run({"inspect", path("m.mercer"), "--json"}).out)["prior"], "leastsquares");
  const Outcome report = run({"report", path("m.mercer"), path("new.csv"), "-o", path("r.html")});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(contains(read("r.html"), "\"added to\""));
}

TEST_F(ColumnsOfPrior, RefusesMissingValuesAsItDoesAlone) {
  const std::string old = rows("old.csv", 40, mass);
  const std::string holes = write("holes.csv", "age,bmi,y\n30,20,120\n31,,130\n40,22,146\n45,25,165\n50,21,163\n");
  for (const char* rule : {"reject", "drop"}) {
    ASSERT_EQ(run({"fit", "ridge", old, "-t", "y", "--missing", rule, "-o", path("strict.mercer"), "-q"}).code, 0);
    const Outcome fit =
        run({"fit", "ridge", holes, "-t", "y", "--prior", path("strict.mercer"), "-o", path("m.mercer")});
    EXPECT_EQ(fit.code, 3) << rule << fit.err;
    EXPECT_TRUE(contains(fit.err, std::string("fitted with --missing ") + rule)) << fit.err;
  }
}

TEST_F(ColumnsOfPrior, MessagesOfWhatIsNoPriorForTheFit) {
  const std::string file = rows("new.csv", 20, mass);
  const Outcome table = run({"fit", "ridge", file, "-t", "y", "--prior", file, "-o", path("m.mercer")});
  EXPECT_TRUE(contains(table.err, "no model file")) << table.err;
  EXPECT_FALSE(contains(table.err, "claims")) << table.err;
  const Outcome targets = run({"fit", "ridge", file, "-t", "y", "-t", "bmi", "--prior", law(), "-o", path("m.mercer")});
  EXPECT_EQ(targets.code, 2) << targets.err;
  EXPECT_TRUE(contains(targets.err, "it predicts 1 target (y), and there are 2 targets")) << targets.err;
  ASSERT_EQ(run({"fit", "ridge", file, "-t", "y", "--columns", "y", "--embed", "3,1", "-o", path("s.mercer")}).code, 0);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--embed", "6,2"}}) {
    std::vector<std::string> arguments = {"fit", "ridge",         file, "-t", "y", "--prior", path("s.mercer"),
                                          "-o",  path("m.mercer")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome series = run(arguments);
    EXPECT_EQ(series.code, 2) << series.err;
    EXPECT_TRUE(contains(series.err, "give --embed 3,1")) << series.err;
  }
  EXPECT_EQ(run({"fit", "ridge", file, "-t", "y", "--columns", "y", "--embed", "4,1", "--prior", path("s.mercer"), "-o",
                 path("m.mercer"), "-q"})
                .code,
            0);
}

}  // namespace
}  // namespace mercer::cli_test
