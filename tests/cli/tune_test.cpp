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
  std::size_t grid = 0;
  for (const auto& point : json["points"]) {
    grid += point["parameters"]["scaling"] == json["scaling"] ? 1 : 0;
  }
  EXPECT_EQ(grid, 100U);
  EXPECT_LE(json["points"].size(), 127U);  // nine places for each of the other scalings
  EXPECT_EQ(json["metric"], "accuracy");
  EXPECT_EQ(json["folds"]["kind"], "stratified");
  const auto& best = json["points"][json["best"].get<std::size_t>()];
  EXPECT_GT(best["mean"].get<double>(), 0.95);
  for (const auto& point : json["points"]) {
    EXPECT_TRUE(point["mean"].is_null() || point["mean"].get<double>() <= best["mean"].get<double>());
  }
  EXPECT_NEAR(json["baseline"].get<double>(), 1 / 3.0, 1e-12);
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
  for (const char* part : {"best", "chosen", "nested", "m.mercer", "m.tune.jsonl", "12 points by grid search",
                           "scaling", "3 stratified folds"}) {
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

// Two columns tell the classes, eight small ones are noise: only without scaling they stay small.
std::string small_noise(int rows) {
  std::string text = "a,b,n0,n1,n2,n3,n4,n5,n6,n7,y\n";
  unsigned state = 3;
  const auto uniform = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / 16777216.0;
  };
  for (int i = 0; i < rows; ++i) {
    const double a = 2 * uniform() - 1;
    const double b = 2 * uniform() - 1;
    text += std::to_string(a) + "," + std::to_string(b);
    for (int j = 0; j < 8; ++j) {
      text += "," + std::to_string(0.05 * uniform());
    }
    text += a * a + b * b < 0.6 ? ",in\n" : ",out\n";
  }
  return text;
}

TEST_F(TuneProgram, TheScalingIsAChoice) {
  const std::string data = write("noise.csv", small_noise(150));
  const auto tuned = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"tune", "svc", data, "-t", "y", "-o", path("m.mercer"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out);
  };
  const auto chosen = tuned({});
  EXPECT_EQ(chosen["scaling"], "none");
  EXPECT_EQ(chosen["axes"].back()["name"], "scaling");
  EXPECT_EQ(chosen["axes"].back()["in"], "scaling");
  EXPECT_EQ(parse(run({"inspect", path("m.mercer"), "--json"}).out)["scaling"], "none");
  const auto fixed = tuned({"--scale", "standard"});
  EXPECT_EQ(fixed["scaling"], "standard");
  EXPECT_EQ(fixed["axes"].size(), 2U);
  EXPECT_EQ(fixed["points"].size(), 100U);
  const auto mean = [](const nlohmann::json& json) {
    return json["points"][json["best"].get<std::size_t>()]["mean"].get<double>();
  };
  EXPECT_GT(mean(chosen), mean(fixed));
  // Any threads, and a search that is nested, within folds, or of one range.
  EXPECT_EQ(tuned({"--threads", "1"})["points"], chosen["points"]);
  EXPECT_TRUE(tuned({"--grid", "3", "--nested", "2"})["nested"]["mean"].is_number());
  EXPECT_EQ(tuned({"--grid", "3", "--scale-within-folds"})["scaled"], "within folds");
  EXPECT_EQ(tuned({"-s", "C=1|10", "-k", "rbf(gamma=0.5)"})["axes"].size(), 2U);
}

TEST_F(TuneProgram, WeightsOfClassesAreAChoiceWhereOneIsRare) {
  std::string text = "x,y\n";
  for (int i = 0; i < 120; ++i) {
    const bool rare = i % 12 == 0;
    text += std::to_string(i * 37 % 101 / 50.0 + (rare ? 0.9 : 0)) + (rare ? ",sick\n" : ",well\n");
  }
  const std::string data = write("rare.csv", text);
  const auto tuned = [&](const std::string& model, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"tune",           model,    data,     "-t", "y", "-o",
                                          path("m.mercer"), "--json", "--grid", "4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out);
  };
  const auto json = tuned("svc", {});
  EXPECT_EQ(json["metric"], "balanced-accuracy");
  EXPECT_EQ(json["axes"].back()["name"], "class_weight");
  EXPECT_EQ(json["options"]["class_weight"], "balanced");
  EXPECT_EQ(tuned("svc", {"-s", "class_weight=none"})["axes"].back()["name"], "scaling");
  const auto counted = tuned("svc", {"--metric", "accuracy"});
  EXPECT_EQ(counted["axes"].back()["name"], "scaling");
  EXPECT_TRUE(contains(counted["notes"].dump(), "accuracy counts rows, not classes")) << counted["notes"];
  const auto without = tuned("knnc", {});
  EXPECT_TRUE(contains(without["notes"].dump(), "knnc has no weights of classes")) << without["notes"];
}

TEST_F(TuneProgram, NothingToSearchIsScoredByFolds) {
  const Outcome outcome =
      run(iris({"--set", "C=1", "-k", "rbf(gamma=1)", "--json", "--scale-within-folds", "--scale", "standard"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = parse(outcome.out);
  ASSERT_EQ(json["points"].size(), 1U);
  EXPECT_TRUE(contains(json["notes"].dump(), "nothing was searched")) << json["notes"];
  EXPECT_TRUE(exists("m.mercer"));
  const Outcome score =
      run({"score", "svc", example("iris.csv"), "-t", "species", "-s", "C=1", "-k", "rbf(gamma=1)", "--json"});
  const auto folds = parse(score.out)["scores"][0]["metrics"]["accuracy"]["folds"];
  for (std::size_t f = 0; f < 5; ++f) {
    EXPECT_NEAR(folds[f].get<double>(), json["points"][0]["scores"][f].get<double>(), 1e-12);
  }
  const Outcome text = run({"tune", "gp", write_plane("p.csv"), "-t", "y", "-o", path("g.mercer")});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "gp finds what it needs while it is fitted")) << text.out;
  // It is a search like others: its log is gone on with, and drawn.
  const Outcome again =
      run({"tune", "gp", path("p.csv"), "-t", "y", "-o", path("g.mercer"), "--resume", path("g.tune.jsonl")});
  EXPECT_EQ(again.code, 0) << again.err;
  const Outcome page =
      run({"report", path("g.mercer"), path("p.csv"), "--tuning", path("g.tune.jsonl"), "-o", path("g.html")});
  EXPECT_EQ(page.code, 0) << page.err;
}

TEST_F(TuneProgram, TheLinearLimitIsSaid) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 80; ++i) {
    const double a = i * 37 % 101 / 50.0 - 1;
    const double b = i * 53 % 97 / 48.0 - 1;
    text += std::to_string(a) + "," + std::to_string(b) + (a + 0.5 * b > 0.1 ? ",up\n" : ",down\n");
  }
  const std::string data = write("line.csv", text);
  const auto notes = [&](const char* kernel) {
    const Outcome outcome =
        run({"tune", "svc", data, "-t", "y", "-o", path("m.mercer"), "--json", "-k", kernel, "-s", "C=100|1000"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out)["notes"].dump();
  };
  EXPECT_TRUE(contains(notes("rbf(gamma=1e-4)"), "linear() would do"));
  EXPECT_FALSE(contains(notes("rbf(gamma=1)"), "linear() would do"));
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
  wrong({"--folds", "few"}, "loo");
  wrong({"--folds", "loo", "--time-order"}, "take one");
  wrong({"--choose", "worst"}, "1se");
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
