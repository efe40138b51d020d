// mercer score where labels, answers or scores are missing, and numbers that two commands must agree on.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

// Classes a and b around (0, 0) and (3, 0), c elsewhere; `kinds` says which come, in turn.
std::string clouds(int rows, const std::string& kinds, unsigned seed) {
  std::string text = "x,y,kind\n";
  unsigned state = seed;
  const auto uniform = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / 16777216.0;
  };
  for (int i = 0; i < rows; ++i) {
    const char kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
    const double middle = kind == 'a' ? 0 : kind == 'b' ? 1.5 : 9;
    const double spread = kind == 'b' ? 4 : 2;
    text += std::to_string(middle + spread * (uniform() + uniform() - 1)) + "," +
            std::to_string(spread * (uniform() + uniform() - 1)) + "," + kind + "\n";
  }
  return text;
}

nlohmann::json metrics_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return parse(outcome.out)["scores"][0]["metrics"];
}

class ScoreProgram : public CliTest {
 protected:
  std::string fitted(const std::string& model, const std::vector<std::string>& more = {}) const {
    const std::string data = write("train.csv", clouds(80, "ab", 1));
    std::vector<std::string> arguments = {"fit", model, data, "-t", "kind", "-o", path(model + ".mercer")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return path(model + ".mercer");
  }
};

TEST_F(ScoreProgram, LabelsThatTheModelDoesNotKnowAreClassesOfRecallZero) {
  const std::string model = fitted("svc");
  const auto known = metrics_of(run({"score", model, write("known.csv", clouds(60, "ab", 7)), "--json"}));
  // The same rows with others of two more kinds after them.
  const std::string others = clouds(30, "cd", 9);
  const auto all = metrics_of(
      run({"score", model, write("all.csv", clouds(60, "ab", 7) + others.substr(others.find('\n') + 1)), "--json"}));
  EXPECT_NEAR(all["accuracy"]["value"].get<double>(), known["accuracy"]["value"].get<double>() * 60 / 90, 1e-12);
  EXPECT_NEAR(all["balanced accuracy"]["value"].get<double>(),
              known["balanced accuracy"]["value"].get<double>() * 2 / 4, 1e-12);
  EXPECT_NEAR(all["balanced accuracy"]["baseline"].get<double>(), 0.25, 1e-12);
}

TEST_F(ScoreProgram, NoKnownLabelIsAScoreOfZero) {
  const std::string model = fitted("svc");
  const std::string data = write("others.csv", clouds(30, "cd", 9));
  const auto metrics = metrics_of(run({"score", model, data, "--json"}));
  for (const char* name : {"accuracy", "balanced accuracy"}) {
    EXPECT_EQ(metrics[name]["value"], 0.0) << name;
    EXPECT_EQ(metrics[name]["baseline"], 0.0) << name;
  }
  const Outcome text = run({"score", model, data});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_FALSE(contains(text.out, "inf")) << text.out;
}

TEST_F(ScoreProgram, RowsThatAreAllRejectedAreSaid) {
  const std::string model = fitted("svc", {"--set", "reject=1e6"});
  const std::string data = write("new.csv", clouds(40, "ab", 7));
  const auto metrics = metrics_of(run({"score", model, data, "--json"}));
  EXPECT_EQ(metrics["undecided"]["value"], 1.0);
  EXPECT_TRUE(metrics["accuracy"]["value"].is_null());
  EXPECT_TRUE(metrics["balanced accuracy"]["value"].is_null());
  const Outcome text = run({"score", model, data});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "undecided")) << text.out;
}

// Trained on the first half and validated on the second: one number, whichever command computes it.
TEST_F(ScoreProgram, TuneAndScoreHaveOneAuc) {
  const std::string first = clouds(60, "ab", 3);
  const std::string second = clouds(60, "ab", 4);
  const std::string both = write("both.csv", first + second.substr(second.find('\n') + 1));
  const std::string train = write("first.csv", first);
  const std::string test = write("second.csv", second);
  struct Case {
    const char* model;
    std::vector<std::string> given;
    const char* searched;
  };
  for (const Case& c :
       {Case{"kfd", {"--kernel", "linear"}, "lambda=1|2"}, Case{"knnc", {"--kernel", "rbf(gamma=1)"}, "neighbors=3|5"},
        Case{"kdec", {}, "adaptive=0|0.5"}, Case{"lssvm", {"--kernel", "rbf(gamma=1)"}, "C=1|2"}}) {
    std::vector<std::string> tune = {"tune",      c.model,   both,    "-t",       "kind",  "-o",
                                     path("t.m"), "--scale", "none",  "--metric", "auc",   "--time-order",
                                     "--folds",   "1",       "--set", c.searched, "--json"};
    std::vector<std::string> fit = {"fit", c.model, train, "-t", "kind", "-o", path("f.m"), "--scale", "none", "--set"};
    const std::string name(c.searched);
    fit.push_back(name.substr(0, name.find('|')));
    tune.insert(tune.end(), c.given.begin(), c.given.end());
    fit.insert(fit.end(), c.given.begin(), c.given.end());
    const Outcome tuned = run(tune);
    ASSERT_EQ(tuned.code, 0) << c.model << tuned.err;
    const auto points = parse(tuned.out)["points"];
    ASSERT_EQ(points.size(), 2U);
    const Outcome model = run(fit);
    ASSERT_EQ(model.code, 0) << c.model << model.err;
    const auto metrics = metrics_of(run({"score", path("f.m"), test, "--json"}));
    EXPECT_NEAR(points[0]["mean"].get<double>(), metrics["auc"]["value"].get<double>(), 1e-9) << c.model;
  }
}

TEST_F(ScoreProgram, OneClassInTheFirstBlockIsAMissingScore) {
  const std::string first = clouds(20, "a", 3);
  const std::string rest = clouds(60, "ab", 4);
  const std::string data = write("sorted.csv", first + rest.substr(rest.find('\n') + 1));
  for (const char* model : {"svc", "lssvm"}) {
    const Outcome outcome = run({"tune", model, data, "-t", "kind", "-o", path("t.m"), "--time-order", "--folds", "3",
                                 "--kernel", "rbf(gamma=1)", "--set", "C=1|10", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto point = parse(outcome.out)["points"][0];
    EXPECT_TRUE(point["scores"][0].is_null()) << outcome.out;
    const double mean = (point["scores"][1].get<double>() + point["scores"][2].get<double>()) / 2;
    EXPECT_NEAR(point["mean"].get<double>(), mean, 1e-12) << model;
  }
  // Nested: an outer fold that trains on one class has no score either.
  const Outcome nested = run({"tune", "svc", data, "-t", "kind", "-o", path("t.m"), "--time-order", "--folds", "2",
                              "--nested", "3", "--kernel", "rbf(gamma=1)", "--set", "C=1|10", "--json"});
  ASSERT_EQ(nested.code, 0) << nested.err;
  const auto scores = parse(nested.out)["nested"]["scores"];
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_TRUE(scores[0].is_null());
  EXPECT_TRUE(scores[2].is_number());
  // Nothing but such folds is an error that says so.
  const std::string sorted = clouds(30, "a", 5);
  const std::string end = clouds(10, "b", 6);
  const Outcome none = run({"tune", "svc", write("end.csv", sorted + end.substr(end.find('\n') + 1)), "-t", "kind",
                            "-o", path("t.m"), "--time-order", "--folds", "3", "--set", "C=1|10"});
  EXPECT_EQ(none.code, 3) << none.err;
  EXPECT_TRUE(contains(none.err, "has no value on any fold")) << none.err;
}

std::vector<double> log_densities(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "log_density");
  std::vector<double> values;
  while (std::getline(lines, line)) {
    values.push_back(std::stod(line));
  }
  return values;
}

// A density is one of the file's columns, however they were scaled for the fit.
TEST_F(ScoreProgram, LogDensitiesAreInTheUnitsOfTheFile) {
  std::string text = "a,b\n";
  for (int i = 0; i < 50; ++i) {
    text += std::to_string(100 * std::sin(1.3 * i)) + "," + std::to_string(0.01 * std::cos(0.7 * i * i)) + "\n";
  }
  const std::string data = write("rows.csv", text);
  for (const char* model : {"kde", "histogram"}) {  // whose rules follow the units of every column
    std::vector<double> plain;
    for (const char* scale : {"none", "standard", "minmax:-1,1"}) {
      ASSERT_EQ(run({"fit", model, data, "--scale", scale, "-o", path("d.m")}).code, 0);
      const std::vector<double> values = log_densities(run({"predict", path("d.m"), data}));
      ASSERT_EQ(values.size(), 50U);
      if (plain.empty()) {
        plain = values;
      }
      for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_NEAR(values[i], plain[i], 1e-5) << model << " " << scale;
      }
    }
    double mean = 0;
    for (const double value : plain) {
      mean += value / 50;
    }
    const Outcome report = run({"report", path("d.m"), data, "-o", path("d.html")});
    ASSERT_EQ(report.code, 0) << report.err;
    const auto metrics = page_data("d.html")["metrics"];
    bool found = false;
    for (const auto& entry : metrics) {
      found = found || entry["name"] == "mean log-density";
      if (entry["name"] == "mean log-density") {
        EXPECT_NEAR(entry["value"].get<double>(), mean, 1e-5) << model;
      }
    }
    EXPECT_TRUE(found) << model;
  }
}

}  // namespace
}  // namespace mercer::cli_test
