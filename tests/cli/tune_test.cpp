// mercer tune as a user runs it: one command is enough, mistakes are explained, interrupted searches go on.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class TuneProgram : public CliTest {
 protected:
  std::vector<std::string> iris(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"tune", "svc", example("iris.csv"), "-t", "species", "-o", path("m.mercer")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(TuneProgram, OneCommandIsEnough) {
  const Outcome outcome = run(iris({"--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = parse(outcome.out);
  EXPECT_EQ(json["points"].size(), 100U);
  EXPECT_EQ(json["metric"], "accuracy");
  EXPECT_EQ(json["folds"]["kind"], "stratified");
  const auto& best = json["points"][json["best"].get<std::size_t>()];
  EXPECT_GT(best["mean"].get<double>(), 0.95);
  for (const auto& point : json["points"]) {
    EXPECT_LE(point["mean"].get<double>(), best["mean"].get<double>());
  }
  // The model is fitted with the best values.
  EXPECT_EQ(std::stod(json["options"]["C"].get<std::string>()), best["parameters"]["C"].get<double>());
  EXPECT_TRUE(contains(outcome.err, "m.tune.jsonl")) << outcome.err;
  const Outcome score = run({"score", path("m.mercer"), example("iris.csv"), "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  EXPECT_GT(parse(score.out)["scores"][0]["metrics"]["accuracy"]["value"].get<double>(), 0.95);
}

TEST_F(TuneProgram, ThreadsDoNotMatter) {
  const auto points = [&](const char* threads, const char* name) {
    const Outcome outcome = run({"tune", "svc", example("iris.csv"), "-t", "species", "-o", path(name), "--json",
                                 "--threads", threads, "--search", "random", "--points", "8", "--seed", "4"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out)["points"];
  };
  EXPECT_EQ(points("1", "a.mercer"), points("3", "b.mercer"));
}

TEST_F(TuneProgram, TextNamesTheBestPointAndTheFiles) {
  const Outcome outcome = run(iris({"--grid", "3", "--choose", "1se", "--nested", "2", "--folds", "3"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"best", "chosen", "nested", "m.mercer", "m.tune.jsonl", "9 points by grid search", "3 stratified folds"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
}

TEST_F(TuneProgram, AnEndOfARangeIsSaid) {
  const Outcome outcome = run({"tune", "ridge", write_plane("plane.csv"), "-t", "y", "-k", "rbf(gamma=0.1)", "--set",
                               "lambda=10..1000", "--grid", "3", "-o", path("m.mercer")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "lambda=10 is at the lower end of its range")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "--set lambda=")) << outcome.out;
}

TEST_F(TuneProgram, MistakesAreUsageErrors) {
  const auto wrong = [&](const std::vector<std::string>& more, const char* part) {
    const Outcome outcome = run(iris(more));
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
  };
  wrong({"--metric", "rmse"}, "accuracy");
  wrong({"--metric", "acuracy"}, "Did you mean 'accuracy'");
  wrong({"--serch", "grid"}, "--search");
  wrong({"--search", "gird"}, "Did you mean 'grid'");
  wrong({"--set", "C=10..1"}, "C=10..1");
  wrong({"--set", "C=-1..1"}, "C = -1");
  wrong({"--set", "c=1..2"}, "Did you mean 'C'");
  wrong({"--set", "C=1", "-k", "rbf(gamma=1)"}, "nothing to search");
  wrong({"--folds", "few"}, "loo");
  wrong({"--folds", "loo", "--time-order"}, "take one");
  wrong({"--choose", "worst"}, "1se");
  EXPECT_EQ(run({"tune", "gp", example("diabetes.csv"), "-t", "progression"}).code, 2);
  EXPECT_EQ(run({"tune", "oneclass", example("iris.csv"), "-o", path("m.mercer")}).code, 2);
  EXPECT_TRUE(listing().empty());
}

TEST_F(TuneProgram, FoldsByGroupsTimeAndLeaveOneOut) {
  std::string text = "a,b,patient,y\n";
  for (int i = 0; i < 36; ++i) {
    text += std::to_string(i % 7) + "," + std::to_string(i * 5 % 11) + ",p" + std::to_string(i / 4) + "," +
            std::to_string(i % 7 + 0.5 * (i * 5 % 11)) + "\n";
  }
  const std::string data = write("data.csv", text);
  const auto tuned = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"tune",   "ridge", data,     "-t", "y",
                                          "--grid", "2",     "--json", "-o", path("m.mercer")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out);
  };
  const auto grouped = tuned({"--groups", "patient", "--folds", "3"});
  EXPECT_EQ(grouped["folds"]["kind"], "grouped");
  EXPECT_EQ(grouped["d"], 2);
  EXPECT_EQ(tuned({"--time-order", "--groups", ""})["folds"]["kind"], "time-ordered");
  EXPECT_EQ(tuned({"--folds", "loo"})["points"][0]["scores"].size(), 36U);
  EXPECT_EQ(tuned({"--repeats", "2"})["points"][0]["scores"].size(), 10U);
  EXPECT_EQ(tuned({"--scale-within-folds"})["scaled"], "within folds");
}

TEST_F(TuneProgram, AnInterruptedSearchGoesOn) {
  std::string text = "a,b,c,y\n";
  for (int i = 0; i < 400; ++i) {
    text += std::to_string(i * 7919 % 1007) + "," + std::to_string(i * 1047 % 973) + "," + std::to_string(i % 97) +
            "," + (i * 31 % 17 < 8 ? "no" : "yes") + "\n";
  }
  const std::string data = write("data.csv", text);
  const std::vector<std::string> arguments = {"tune",
                                              "svc",
                                              data,
                                              "-t",
                                              "y",
                                              "-o",
                                              path("m.mercer"),
                                              "--set",
                                              "C=0.1..100",
                                              "-k",
                                              "rbf(gamma=0.1..10)",
                                              "--grid",
                                              "8",
                                              "--threads",
                                              "1",
                                              "--folds",
                                              "3"};
  Process process(arguments);
  // Until two units are kept, or all is done: both must be resumed alike.
  while (process.is_running()) {
    const std::string log = read("m.tune.jsonl");
    if (std::count(log.begin(), log.end(), '\n') >= 3) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  process.send(SIGINT);
  const Outcome stopped = process.wait();
  if (stopped.code != 0) {
    EXPECT_EQ(stopped.code, 130) << stopped.err;
    EXPECT_TRUE(contains(stopped.err, "the same command goes on")) << stopped.err;
    EXPECT_FALSE(exists("m.mercer"));
  }
  std::vector<std::string> resumed = arguments;
  resumed.insert(resumed.end(), {"--resume", path("m.tune.jsonl"), "--json"});
  const Outcome second = run(resumed);
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(contains(second.err, "done before")) << second.err;
  std::vector<std::string> fresh = arguments;
  fresh[6] = path("other.mercer");
  fresh.insert(fresh.end(), {"--json"});
  const Outcome undisturbed = run(fresh);
  ASSERT_EQ(undisturbed.code, 0) << undisturbed.err;
  EXPECT_EQ(parse(second.out)["points"], parse(undisturbed.out)["points"]);
  EXPECT_EQ(parse(second.out)["best"], parse(undisturbed.out)["best"]);
}

TEST_F(TuneProgram, ResumingAnotherSearchIsRefused) {
  ASSERT_EQ(run(iris({"--grid", "2"})).code, 0);
  const Outcome other = run(iris({"--grid", "2", "--folds", "3", "--resume", path("m.tune.jsonl")}));
  EXPECT_NE(other.code, 0);
  EXPECT_TRUE(contains(other.err, "folds")) << other.err;
  EXPECT_EQ(run(iris({"--resume", path("none.jsonl")})).code, 3);
  // Without --resume the older log is kept under another name.
  const Outcome fresh = run(iris({"--grid", "2", "--folds", "3"}));
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  EXPECT_TRUE(exists("m.tune.1.jsonl"));
}

}  // namespace
}  // namespace mercer::cli_test
