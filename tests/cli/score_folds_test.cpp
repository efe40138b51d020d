// mercer score MODEL-NAME: models fitted by folds, and what they are not.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

struct Point {
  double x, y;
  char kind;
};

std::vector<Point> clouds(int rows, unsigned state) {
  const auto uniform = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / 16777216.0;
  };
  std::vector<Point> points;
  for (int i = 0; i < rows; ++i) {
    const char kind = "abc"[i % 3];
    const double x = std::round(1000 * (1.2 * (kind - 'a') + 2 * uniform())) / 1000;
    points.push_back({x, std::round(1000 * uniform()) / 1000, kind});
  }
  return points;
}

std::string as_csv(const std::vector<Point>& points) {
  std::ostringstream text;
  text << "x,y,kind\n";
  for (const Point& point : points) {
    text << point.x << "," << point.y << "," << point.kind << "\n";
  }
  return text.str();
}

class ScoreFolds : public CliTest {
 protected:
  nlohmann::json scored(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "score");
    arguments.emplace_back("--json");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out);
  }
};

// Every row gets the class of its nearest neighbor among the others: counted by hand.
TEST_F(ScoreFolds, LeaveOneOutOfTheNearestNeighborIsWhatItSays) {
  const std::vector<Point> points = clouds(60, 5);
  int right = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double best = 1e300;
    char kind = ' ';
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double distance = std::hypot(points[i].x - points[j].x, points[i].y - points[j].y);
      if (i != j && distance < best) {
        best = distance;
        kind = points[j].kind;
      }
    }
    right += kind == points[i].kind ? 1 : 0;
  }
  const auto json = scored(
      {"knnc", write("d.csv", as_csv(points)), "-t", "kind", "-s", "neighbors=1", "--scale", "none", "--folds", "loo"});
  const auto& accuracy = json["scores"][0]["metrics"]["accuracy"];
  EXPECT_NEAR(accuracy["value"].get<double>(), right / 60.0, 1e-12);
  EXPECT_NEAR(accuracy["baseline"].get<double>(), 1 / 3.0, 1e-12);
  EXPECT_FALSE(accuracy.contains("folds"));
  EXPECT_EQ(json["n"], 60);
  EXPECT_EQ(listing(), std::vector<std::string>{"d.csv"});  // no model is kept
}

// The same folds, another way of fitting on them.
TEST_F(ScoreFolds, FoldsAreThoseOfTune) {
  const std::vector<std::string> fixed = {example("iris.csv"), "-t",       "species", "-k", "rbf(gamma=0.3)",
                                          "--scale",           "standard", "--seed",  "3"};
  std::vector<std::string> score = {"svc", "-s", "C=2"};
  score.insert(score.end(), fixed.begin(), fixed.end());
  const auto json = scored(score);
  std::vector<std::string> tune = {"tune", "svc",           "-s", "C=2|3", "--scale-within-folds", "--json",
                                   "-o",   path("m.mercer")};
  tune.insert(tune.end(), fixed.begin(), fixed.end());
  const Outcome outcome = run(tune);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto point = parse(outcome.out)["points"][0];
  ASSERT_EQ(point["parameters"]["C"], 2.0);
  const auto& accuracy = json["scores"][0]["metrics"]["accuracy"];
  ASSERT_EQ(accuracy["folds"].size(), 5U);
  for (std::size_t f = 0; f < 5; ++f) {
    EXPECT_NEAR(accuracy["folds"][f].get<double>(), point["scores"][f].get<double>(), 1e-12);
  }
  EXPECT_NEAR(accuracy["value"].get<double>(), point["mean"].get<double>(), 1e-12);
  int counted = 0;
  for (const auto& row : json["scores"][0]["confusion"]["counts"]) {
    for (const auto& cell : row) {
      counted += cell.get<int>();
    }
  }
  EXPECT_EQ(counted, 150);
}

TEST_F(ScoreFolds, RegressionGroupsAndAnyThreads) {
  const std::string data = write_plane("p.csv");
  const auto one = scored({"ridge", data, "-t", "y", "-k", "linear()", "-s", "lambda=1e-8", "--threads", "1"});
  EXPECT_LT(one["scores"][0]["metrics"]["rmse"]["value"].get<double>(), 1e-4);
  EXPECT_EQ(one["task"], "regression");
  EXPECT_EQ(one["folds"]["kind"], "shuffled");
  const auto three = scored({"ridge", data, "-t", "y", "-k", "linear()", "-s", "lambda=1e-8", "--threads", "3"});
  EXPECT_EQ(one["scores"], three["scores"]);
  const auto grouped = scored({"ridge", data, "-t", "y", "--groups", "a"});
  EXPECT_EQ(grouped["folds"]["kind"], "grouped");
  const auto process = scored({"gp", data, "-t", "y"});
  EXPECT_TRUE(process["scores"][0]["metrics"].contains("nlpd"));
  const Outcome text = run({"score", "gp", data, "-t", "y", "--time-order"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "predicted by models of the others")) << text.out;
  EXPECT_TRUE(contains(text.out, "mean of the folds")) << text.out;
}

// The one row of class d is predicted by models that do not know it, and is an error of a class that the table knows.
TEST_F(ScoreFolds, AClassThatAFoldDoesNotKnow) {
  const std::string data = write("d.csv", as_csv(clouds(45, 2)) + "0.1,0.1,d\n");
  const auto json = scored({"svc", data, "-t", "kind"});
  EXPECT_EQ(json["scores"][0]["confusion"]["classes"].size(), 4U);
  EXPECT_EQ(json["scores"][0]["confusion"]["counts"][3][3], 0);
  EXPECT_EQ(json["n"], 46);
  const auto probable = scored({"klr", data, "-t", "kind"});
  EXPECT_TRUE(std::isfinite(probable["scores"][0]["metrics"]["log-loss"]["value"].get<double>()));
}

TEST_F(ScoreFolds, RowsOfWeightZeroAreNotThere) {
  const std::string rows = as_csv(clouds(40, 9));
  std::istringstream lines(rows);
  std::string line;
  std::string weighted;
  while (std::getline(lines, line)) {
    weighted += line + (weighted.empty() ? ",w\n" : ",1\n");
  }
  const auto without = scored({"svc", write("a.csv", weighted), "-t", "kind", "--weights", "w"});
  const auto with = scored({"svc", write("b.csv", weighted + "1e9,-3,a,0\n"), "-t", "kind", "--weights", "w"});
  EXPECT_EQ(without["scores"], with["scores"]);
}

TEST_F(ScoreFolds, MistakesAreSaid) {
  const auto wrong = [&](const std::vector<std::string>& arguments, int code, const char* part) {
    std::vector<std::string> all = {"score"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
  };
  const std::string data = write_plane("p.csv");
  EXPECT_EQ(run({"fit", "ridge", data, "-t", "y", "-o", path("m.mercer")}).code, 0);
  wrong({path("m.mercer"), data, "--folds", "3"}, 2, "is read as the file of a fitted model");
  wrong({path("m.mercer"), data, "-s", "C=3"}, 2, "--set");
  wrong({"kpca", data, "-t", "y"}, 2, "nothing says to be right or wrong");
  wrong({"svcc", data, "-t", "y"}, 2, "Did you mean 'svc'");
  wrong({"none.mercer", data, "-t", "y"}, 3, "none.mercer");
  wrong({"ridge", data}, 2, "which column is to be predicted");
  wrong({"ridge", data, "-t", "y", "--folds", "26"}, 3, "26");
  wrong({path("m.mercer"), data, "--precision", "float"}, 2, "--precision");
  const std::string sure = write("s.csv", "x,y\n1,-0.95\n2,-0.7\n3,-0.2\n4,0.1\n5,0.5\n6,0.93\n7,1\n8,-1\n");
  wrong({"svc", sure, "-t", "y", "-s", "uncertain=yes", "--folds", "2", "--no-stratify"}, 2, "how sure a label is");
  wrong({"ridge", data, "-t", "y", "--set", "lamda=1"}, 2, "Did you mean 'lambda'");
}

}  // namespace
}  // namespace mercer::cli_test
