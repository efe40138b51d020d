// Costs, priors, rates of false positives and punt errors end to end: fit, predict, score, score by folds, report.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

using Json = nlohmann::json;

class DecisionCommand : public CliTest {
 protected:
  // Rare "ill" among "well", overlapping.
  std::string data(const std::string& name, unsigned seed) const {
    std::ostringstream lines;
    lines << "x,z,label\n";
    unsigned state = seed;
    const auto uniform = [&] {
      state = state * 1664525U + 1013904223U;
      return static_cast<double>(state >> 8) / (1 << 24);
    };
    const auto normal = [&] { return uniform() + uniform() + uniform() + uniform() + uniform() + uniform() - 3; };
    for (int i = 0; i < 300; ++i) {
      const bool ill = uniform() < 0.3;
      lines << normal() + (ill ? 0.9 : 0) << "," << normal() << "," << (ill ? "ill" : "well") << "\n";
    }
    return write(name, lines.str());
  }
  std::string fitted(const char* model, std::vector<std::string> flags = {}) const {
    std::vector<std::string> arguments = {"fit",   model, data("train.csv", 1), "-t",
                                          "label", "-o",  path("m.mercer"),     "-q"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome fit = run(arguments);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path("m.mercer");
  }
  nlohmann::json scores(const std::string& model, std::vector<std::string> flags = {}) const {
    std::vector<std::string> arguments = {"score", model, data("test.csv", 2), "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome score = run(arguments);
    EXPECT_EQ(score.code, 0) << score.err;
    return parse(score.out)["scores"][0];
  }
  // Called ill, of the ill and of the well ones.
  static double share_called_ill(const nlohmann::json& scores, int row) {
    const nlohmann::json& counts = scores["confusion"]["counts"][row];
    return counts[0].get<double>() / (counts[0].get<double>() + counts[1].get<double>());
  }
};

TEST_F(DecisionCommand, CostsMoveTheDecisionWithAndWithoutProbabilities) {
  for (const char* model : {"svc", "klr"}) {
    const nlohmann::json plain = scores(fitted(model));
    const nlohmann::json costly = scores(fitted(model, {"--costs", "ill:well=4"}));
    EXPECT_GT(share_called_ill(costly, 0), share_called_ill(plain, 0) + 0.1) << model;
    EXPECT_FALSE(plain["metrics"].contains("cost"));
    const nlohmann::json& counts = costly["confusion"]["counts"];
    const double total = 4 * counts[0][1].get<double>() + counts[1][0].get<double>();
    EXPECT_NEAR(costly["metrics"]["total cost"]["value"].get<double>(), total, 1e-9 * total);
    EXPECT_NEAR(costly["metrics"]["cost"]["value"].get<double>(), total / 300, 1e-9 * total);
    // The plain model pays more.
    const nlohmann::json priced = scores(fitted(model), {"--costs", "ill:well=4"});
    const bool decides = std::string(model) == "klr";
    (decides ? [](double a, double b) { EXPECT_NEAR(a, b, 1e-12); } : [](double a, double b) { EXPECT_GT(a, b); })(
        priced["metrics"]["cost"]["value"].get<double>(), costly["metrics"]["cost"]["value"].get<double>());
  }
}

TEST_F(DecisionCommand, AFileOfCostsIsTheSame) {
  const std::string model = fitted("klr");
  const std::string table = write("costs.csv", "true,well,ill\nill,4,0\nwell,0,1\n");
  const Outcome by_text = run({"predict", model, data("test.csv", 2), "--costs", "ill:well=4"});
  const Outcome by_file = run({"predict", model, data("test.csv", 2), "--costs", table});
  ASSERT_EQ(by_text.code, 0) << by_text.err;
  EXPECT_EQ(by_file.out, by_text.out);
  EXPECT_NE(run({"predict", model, data("test.csv", 2)}).out, by_text.out);
}

TEST_F(DecisionCommand, PlainCostsChangeNothing) {
  const std::string model = fitted("klr");
  const Outcome own = run({"predict", model, data("test.csv", 2)});
  EXPECT_EQ(run({"predict", model, data("test.csv", 2), "--costs", "ill:well=1", "--priors", "training"}).out, own.out);
}

TEST_F(DecisionCommand, ARateOfFalsePositivesIsKept) {
  for (const char* model : {"svc", "klr"}) {
    const std::string file = fitted(model, {"--false-positive-rate", "0.1", "--positive", "ill"});
    // 0.1 and the deviation of 210 rows on either side: 3 · sqrt(2 · .09 / 210).
    EXPECT_LT(share_called_ill(scores(file), 1), 0.1 + 3 * std::sqrt(2 * 0.09 / 210)) << model;
    EXPECT_GT(share_called_ill(scores(file), 0), 0.2) << model;
  }
  const Outcome fit = run({"fit", "svc", data("train.csv", 1), "-t", "label", "--false-positive-rate", "0.1", "-o",
                           path("n.mercer"), "--json"});
  const nlohmann::json decision = parse(fit.out)["decision"];
  EXPECT_EQ(decision["positive"], "well") << "the second class";
  EXPECT_EQ(decision["rate"], 0.1);
  EXPECT_TRUE(decision["threshold"].is_number());
}

TEST_F(DecisionCommand, PuntErrorsStandInScores) {
  const nlohmann::json by_file = scores(fitted("svc"), {"--punt-error", "0.1"});
  const nlohmann::json& curve = by_file["error_reject"];
  EXPECT_EQ(curve["rejected"][0], 0);
  EXPECT_NEAR(curve["error"][0].get<double>(), 1 - by_file["metrics"]["accuracy"]["value"].get<double>(), 1e-12);
  EXPECT_LE(curve["punt"]["error"].get<double>(), 0.1);
  const Outcome text = run({"score", path("m.mercer"), data("test.csv", 2), "--punt-error", "0.1"});
  EXPECT_NE(text.out.find("punt error for 0.1: "), std::string::npos) << text.out;
  const Outcome folds = run({"score", "klr", data("train.csv", 1), "-t", "label", "--set", "lambda=1", "--punt-error",
                             "0.1", "--costs", "ill:well=4", "--json"});
  ASSERT_EQ(folds.code, 0) << folds.err;
  const nlohmann::json by_folds = parse(folds.out)["scores"][0];
  EXPECT_EQ(by_folds["error_reject"]["rejected"][0], 0);
  EXPECT_TRUE(by_folds["metrics"].contains("total cost"));
}

TEST_F(DecisionCommand, AReportHasTheRuleAndTheCurve) {
  const std::string model = fitted("klr", {"--costs", "ill:well=4"});
  const Outcome report = run({"report", model, data("test.csv", 2), "-o", path("r.html")});
  ASSERT_EQ(report.code, 0) << report.err;
  std::ifstream page(path("r.html"));
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_NE(text.find("\"error_reject\":{"), std::string::npos);
  EXPECT_NE(text.find("costs ill:well=4"), std::string::npos);
  EXPECT_NE(text.find("\"total cost\""), std::string::npos);
}

TEST_F(DecisionCommand, WhatCannotBeIsSaid) {
  const std::string train = data("train.csv", 1);
  struct Case {
    std::vector<std::string> flags;
    const char* words;
  };
  const Case cases[] = {
      {{"--costs", "ill:wel=4"}, "there is no class 'wel'. Did you mean 'well'?"},
      {{"--costs", "ill:well=0,well:ill=0"}, "all of them are 0"},
      {{"--priors", "ill=1"}, "there is none of the class 'well'"},
      {{"--priors", "ill=.5,well=.4"}, "sum to 1, these to 0.9"},
      {{"--false-positive-rate", "0"}, "no rows can promise"},
      {{"--false-positive-rate", "1"}, "every row would be called positive"},
      {{"--false-positive-rate", "0.001"}, "needs 999 rows at least"},
      {{"--false-positive-rate", "0.1", "--positive", "healthy"}, "there is no class 'healthy'"},
      {{"--false-positive-rate", "0.1", "--costs", "ill:well=4"}, "take one way"},
      {{"--positive", "ill"}, "give both"},
      {{"--folds", "3"}, "are for a threshold"},
      {{"--folds", "1", "--costs", "ill:well=4"}, "two folds are needed at least"},
      {{"--costs", ""}, "the value is empty"},
      {{"--priors", ""}, "the value is empty"},
      {{"--false-positive-rate", ""}, "the value is empty"},
      {{"--false-positive-rate", "0.1", "--positive", ""}, "the value is empty"},
  };
  for (const Case& one : cases) {
    std::vector<std::string> arguments = {"fit", "svc", train, "-t", "label", "-o", path("x.mercer")};
    arguments.insert(arguments.end(), one.flags.begin(), one.flags.end());
    const Outcome fit = run(arguments);
    EXPECT_EQ(fit.code, 2) << one.words << fit.err;
    EXPECT_NE(fit.err.find(one.words), std::string::npos) << fit.err;
  }
  const Outcome no_file = run({"fit", "svc", train, "-t", "label", "--costs", "nothing.csv", "-o", path("x.mercer")});
  EXPECT_NE(no_file.code, 0);
  const std::string table = write("costs.csv", "true,well\nill,4\n");
  const Outcome bad = run({"fit", "svc", train, "-t", "label", "--costs", table, "-o", path("x.mercer")});
  EXPECT_EQ(bad.code, 3) << bad.err;
  EXPECT_NE(bad.err.find("must name every class once"), std::string::npos) << bad.err;
  const Outcome late = run({"predict", fitted("svc"), train, "--costs", "ill:well=4"});
  EXPECT_EQ(late.code, 2);
  EXPECT_NE(late.err.find("give costs and priors when it is fitted"), std::string::npos) << late.err;
  const Outcome ridge = run({"fit", "ridge", train, "-t", "x", "--costs", "a:b=1", "-o", path("x.mercer")});
  EXPECT_EQ(ridge.code, 2);
  EXPECT_NE(ridge.err.find("is about decisions between classes"), std::string::npos) << ridge.err;
  EXPECT_EQ(run({"score", "ridge", train, "-t", "x", "--punt-error", "0.1"}).code, 2);
  EXPECT_EQ(run({"score", "klr", train, "-t", "label", "--punt-error", "nan"}).code, 2);
  EXPECT_EQ(run({"score", "klr", train, "-t", "label", "--folds", "1000"}).code, 3);
}

TEST_F(DecisionCommand, AClassOfOneRowIsNamed) {
  std::string lines = "x,label\n";
  for (int i = 0; i < 13; ++i) {
    lines += std::to_string(i) + (i == 12 ? ",yes\n" : ",no\n");
  }
  const std::string few = write("few.csv", lines);
  for (const auto& [flag, value] : {std::pair{"--costs", "yes:no=4"}, std::pair{"--false-positive-rate", "0.2"}}) {
    const Outcome fit = run({"fit", "svc", few, "-t", "label", flag, value, "-o", path("x.mercer")});
    EXPECT_EQ(fit.code, 3) << fit.err;
    EXPECT_NE(fit.err.find("the class 'yes' has too few rows for folds, 1"), std::string::npos) << fit.err;
  }
}

TEST_F(DecisionCommand, InspectTellsTheRule) {
  const std::string model = fitted("svc", {"--costs", "ill:well=4"});
  const Outcome text = run({"inspect", model});
  EXPECT_NE(text.out.find("decides by  costs ill:well=4"), std::string::npos) << text.out;
  const nlohmann::json decision = parse(run({"inspect", model, "--json"}).out)["decision"];
  EXPECT_EQ(decision["costs"][0][1], 4);
  EXPECT_TRUE(decision["threshold"].is_number());
}

TEST_F(DecisionCommand, AnswersThatCannotFollowAreNoted) {
  const Outcome folds = run({"score", "svc", data("train.csv", 1), "-t", "label", "--priors", "ill=.9,well=.1"});
  EXPECT_EQ(folds.code, 0) << folds.err;
  EXPECT_NE(folds.err.find("svc has no probabilities: its answers stay as they are"), std::string::npos) << folds.err;
}

TEST_F(DecisionCommand, AClassOfPriorZeroIsNeverAnswered) {
  const std::string model = fitted("svc", {"--priors", "ill=0,well=1"});
  EXPECT_EQ(share_called_ill(scores(model), 0), 0);
  EXPECT_EQ(share_called_ill(scores(model), 1), 0);
  EXPECT_NE(run({"inspect", model}).out.find("never ill"), std::string::npos);
  EXPECT_EQ(parse(run({"inspect", model, "--json"}).out)["decision"]["threshold"], "-inf");
}

}  // namespace
}  // namespace mercer::cli_test
