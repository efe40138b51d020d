// Groups of rows with one slack, margins of a file, and support vectors of another model, from the shell.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Groups : public CliTest {
 protected:
  // Two classes that overlap, rows of an object side by side; the last one stands alone.
  std::string views() const {
    std::string text = "x,y,object,label\n";
    for (int i = 0; i < 90; ++i) {
      const bool second = i / 3 % 2 == 1;
      const double x = (second ? 0.8 : -0.8) + std::sin(12.9 * i);
      text += std::to_string(x) + "," + std::to_string(std::cos(7.3 * i)) + "," +
              (i == 89 ? "" : "o" + std::to_string(i / 3)) + "," + (second ? "b" : "a") + "\n";
    }
    return write("views.csv", text);
  }
};

TEST_F(Groups, OneSlackPerGroup) {
  const std::string data = views();
  const std::string model = path("m.mercer");
  const Outcome fit = run({"fit", "svc", data, "-t", "label", "--groups", "object", "-s", "slack=group", "-s",
                           "tolerance=1e-6", "-o", model, "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto facts = parse(fit.out);
  EXPECT_EQ(facts["status"], "converged");
  EXPECT_EQ(facts["d"], 2);  // the column of groups is no input
  const double primal = facts["measures"]["primal value"].get<double>();
  EXPECT_NEAR(primal, facts["measures"]["dual value"].get<double>(), 1e-5 * primal);
  // A slack per row costs more than one per group.
  const auto usual =
      parse(run({"fit", "svc", data, "-t", "label", "--ignore", "object", "-o", path("u.mercer"), "--json"}).out);
  EXPECT_LT(primal, usual["measures"]["primal value"].get<double>());
  EXPECT_EQ(run({"predict", model, data}).code, 0);
  const Outcome inspected = run({"inspect", model, data});
  EXPECT_NE(inspected.code, 0);
  EXPECT_TRUE(contains(inspected.err, "slack = group gives one slack to all rows of a group")) << inspected.err;
}

TEST_F(Groups, FoldsKeepGroupsTogetherAndTheirFitsUseThem) {
  const std::string data = views();
  const Outcome score =
      run({"score", "svc", data, "-t", "label", "--groups", "object", "-s", "slack=group", "--folds", "3", "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  EXPECT_EQ(parse(score.out)["folds"]["kind"], "grouped");
  const Outcome tuned = run({"tune", "svc", data, "-t", "label", "--groups", "object", "-s", "slack=group", "-s",
                             "C=1|10", "--folds", "3", "-o", path("t.mercer"), "--json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(parse(tuned.out)["options"]["slack"], "group");
  const Outcome nu = run({"fit", "nusvc", data, "-t", "label", "--groups", "object", "-s", "slack=group", "-s",
                          "nu=0.7", "-o", path("n.mercer"), "--json"});
  ASSERT_EQ(nu.code, 0) << nu.err;
  EXPECT_EQ(parse(nu.out)["status"], "converged");
}

TEST_F(Groups, GroupsThatAFitWouldPassOverAreRefused) {
  const std::string data = views();
  const Outcome linear = run({"fit", "svc", data, "-t", "label", "--groups", "object"});
  EXPECT_EQ(linear.code, 2);
  EXPECT_TRUE(contains(linear.err, "with --set slack=group alone")) << linear.err;
  const Outcome other = run({"fit", "lssvm", data, "-t", "label", "--groups", "object"});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "makes no use of groups of rows")) << other.err;
  const Outcome none = run({"fit", "svc", data, "-t", "label", "-s", "slack=group", "-o", path("x.mercer")});
  EXPECT_NE(none.code, 0);
  EXPECT_TRUE(contains(none.err, "needs the group of every row")) << none.err;
  const Outcome missing = run({"fit", "svc", data, "-t", "label", "--groups", "nobody", "-s", "slack=group"});
  EXPECT_NE(missing.code, 0);
  EXPECT_TRUE(contains(missing.err, "nobody")) << missing.err;
}

TEST_F(Groups, MarginsOfAFile) {
  const std::string data = views();
  const std::string model = path("m.mercer");
  ASSERT_EQ(run({"fit", "svc", data, "-t", "label", "--ignore", "object", "-o", model}).code, 0);
  const Outcome score = run({"score", model, data, "--margins", "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  const auto json = parse(score.out);
  const auto margins = json["margins"]["b"];
  EXPECT_EQ(margins["rows"], 90);
  EXPECT_LT(margins["least"].get<double>(), margins["mean"].get<double>());
  EXPECT_GT(margins["canonical"].get<double>(), 0);
  EXPECT_TRUE(contains(run({"score", model, data, "--margins"}).out, "margins y f/|w|"));
  const Outcome folds = run({"score", "svc", data, "-t", "label", "--margins"});
  EXPECT_EQ(folds.code, 2);
  EXPECT_TRUE(contains(folds.err, "--margins are those of a fitted model")) << folds.err;
}

TEST_F(Groups, SupportVectorsOfAnotherModel) {
  const std::string data = views();
  const std::string rbf = path("rbf.mercer");
  const std::string poly = path("poly.mercer");
  ASSERT_EQ(run({"fit", "svc", data, "-t", "label", "--ignore", "object", "-o", rbf}).code, 0);
  ASSERT_EQ(run({"fit", "svc", data, "-t", "label", "--ignore", "object", "-k", "poly(degree=2)", "-o", poly}).code, 0);
  const Outcome overlap = run({"inspect", rbf, "--overlap", poly, "--json"});
  ASSERT_EQ(overlap.code, 0) << overlap.err;
  const auto json = parse(overlap.out)["overlap"];
  EXPECT_GE(json["all"]["other"].get<int>(), json["all"]["both"].get<int>());
  EXPECT_TRUE(json["classes"].contains("a"));
  EXPECT_TRUE(contains(run({"inspect", rbf, "--overlap", poly}).out, "of the other's"));
  const Outcome fit = run(
      {"fit", "svc", data, "-t", "label", "--ignore", "object", "--rows-of", rbf, "-o", path("s.mercer"), "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(parse(fit.out)["n"].get<double>(),
            parse(run({"inspect", rbf, "--json"}).out)["measures"]["support vectors"].get<double>());
  const std::string few = write("few.csv", "x,y,object,label\n1,2,o,a\n2,1,o,b\n");
  const Outcome other = run({"fit", "svc", few, "-t", "label", "--rows-of", rbf, "-o", path("f.mercer")});
  EXPECT_EQ(other.code, 3);
  EXPECT_TRUE(contains(other.err, "give the file that this model was fitted to")) << other.err;
}

}  // namespace
}  // namespace mercer::cli_test
