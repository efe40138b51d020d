// compress end to end: a model file in, a smaller one out, and what is said of the difference.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Compress : public CliTest {
 protected:
  std::string fitted(const std::vector<std::string>& arguments, const std::string& name = "m.mercer") const {
    std::vector<std::string> all = {"fit"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"-o", path(name), "-q"});
    const Outcome fit = run(all);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path(name);
  }
};

TEST_F(Compress, ASmallClassifierIsAModelLikeAnyOther) {
  const std::string data = example("breast_cancer.csv");
  const std::string model = fitted({"svc", data, "-t", "diagnosis", "--set", "C=5"});
  const Outcome made = run({"compress", model, "--to", "8", "--data", data, "-o", path("small.mercer"), "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto json = parse(made.out);
  EXPECT_EQ(json["model"], "svc");
  EXPECT_EQ(json["centres"], 8);
  EXPECT_EQ(json["method"], "construct");
  EXPECT_GT(json["from"]["centres"], 50);
  EXPECT_GT(json["norm"], 0);
  EXPECT_LT(json["relative_error"], json["refinement"]["relative_error_before"]);
  EXPECT_NEAR(json["relative_error"].get<double>(), json["error"].get<double>() / json["norm"].get<double>(), 1e-12);
  EXPECT_EQ(json["agreement"]["n"], 569);
  EXPECT_GT(json["agreement"]["same_answers"], 0.97);
  EXPECT_LT(json["agreement"]["errors_after"].get<double>(), json["agreement"]["errors_before"].get<double>() + 0.02);
  EXPECT_LT(json["bytes_after"].get<double>(), json["bytes_before"].get<double>() / 2);

  const Outcome score = run({"score", path("small.mercer"), data, "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  EXPECT_GT(parse(score.out)["scores"][0]["metrics"]["accuracy"]["value"], 0.96);
  const Outcome inspect = run({"inspect", path("small.mercer")});
  EXPECT_TRUE(contains(inspect.out, "compressed: 8 centres in place of"));
  // Estimates are about training rows, which its centres are not.
  const Outcome estimates = run({"inspect", path("small.mercer"), data});
  EXPECT_NE(estimates.code, 0);
  EXPECT_TRUE(contains(estimates.err, "compressed"));
  const Outcome report = run({"report", path("small.mercer"), data, "-o", path("r.html"), "-q"});
  EXPECT_EQ(report.code, 0) << report.err;
}

TEST_F(Compress, TextSaysWhatIsLost) {
  const std::string data = example("iris.csv");
  const std::string model = fitted({"svc", data, "-t", "species"});
  const Outcome made = run({"compress", model, "--to", "6", "--data", data, "-o", path("small.mercer")});
  ASSERT_EQ(made.code, 0) << made.err;
  for (const char* part : {"6 centres in place of", "setosa vs virginica", "before the refinement",
                           "of the answers are the same", "errors on these rows", "small.mercer"}) {
    EXPECT_TRUE(contains(made.out, part)) << part << "\n" << made.out;
  }
  const Outcome each = run({"compress", model, "--to", "3", "--per-output", "-o", path("each.mercer"), "--json"});
  ASSERT_EQ(each.code, 0) << each.err;
  EXPECT_EQ(parse(each.out)["centres"], 9);
}

TEST_F(Compress, EveryMethodAndEveryKindOfModel) {
  const std::string data = example("diabetes.csv");
  const std::string ridge = fitted({"ridge", data, "-t", "progression"});
  for (const char* method : {"construct", "clusters", "greedy", "l1", "svr"}) {
    const Outcome made =
        run({"compress", ridge, "--to", "15", "--method", method, "--refine", "10", "-o", path("s"), "--json"});
    ASSERT_EQ(made.code, 0) << method << made.err;
    EXPECT_LE(parse(made.out)["centres"], 15) << method;
    EXPECT_EQ(parse(made.out)["method"], method);
  }
  const std::string gp = fitted({"gp", data, "-t", "progression", "--set", "optimize=no"}, "gp.mercer");
  const Outcome mean = run({"compress", gp, "--to", "40", "--data", data, "-o", path("mean.mercer"), "--json"});
  ASSERT_EQ(mean.code, 0) << mean.err;
  EXPECT_EQ(parse(mean.out)["model"], "ridge");
  EXPECT_LT(parse(mean.out)["agreement"]["rmse"], 30);  // the target's deviation is 77
  EXPECT_NE(run({"predict", path("mean.mercer"), data, "--std"}).code, 0);
}

TEST_F(Compress, ColumnsThatAreNotNumbersAreChosenAmong) {
  std::string text = "colour,size,price\n";
  const char* colors[] = {"red", "green", "blue", "white"};
  for (int i = 0; i < 40; ++i) {
    text += std::string(colors[i % 4]) + "," + std::to_string(i % 7) + "," + std::to_string(i % 4 + i % 7) + "\n";
  }
  const std::string data = write("d.csv", text);
  const std::string model =
      fitted({"ridge", data, "-t", "price", "--kernel", "delta()[colour] + rbf(gamma=0.2)[size]"});
  const Outcome made = run({"compress", model, "--to", "10", "--data", data, "-o", path("small.mercer"), "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto json = parse(made.out);
  EXPECT_EQ(json["method"], "greedy");
  EXPECT_LT(json["relative_error"], 0.1);
  const Outcome refused = run({"compress", model, "--to", "10", "--method", "construct", "-o", path("x.mercer")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_FALSE(exists("x.mercer"));
}

TEST_F(Compress, ReadsAndWritesPipes) {
  const std::string data = example("iris.csv");
  fitted({"svc", data, "-t", "species"});
  const Outcome made = run({"compress", "-", "--to", "5", "-o", "-"}, read("m.mercer"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(contains(made.err, "5 centres in place of"));
  write("small.mercer", made.out);
  EXPECT_EQ(run({"predict", path("small.mercer"), data}).code, 0);
}

TEST_F(Compress, SaysWhatIsWrong) {
  const std::string data = example("iris.csv");
  const std::string model = fitted({"svc", data, "-t", "species"});
  const std::string small = path("small.mercer");
  EXPECT_EQ(run({"compress", model, "-o", small}).code, 2);
  EXPECT_EQ(run({"compress", model, "--to", "5"}).code, 2);
  EXPECT_EQ(run({"compress", model, "--to", "0", "-o", small}).code, 2);
  EXPECT_EQ(run({"compress", model, "--to", "5", "--refine", "-1", "-o", small}).code, 2);
  const Outcome method = run({"compress", model, "--to", "5", "--method", "magic", "-o", small});
  EXPECT_EQ(method.code, 2);
  EXPECT_TRUE(contains(method.err, "greedy"));
  EXPECT_EQ(run({"compress", "-", "--to", "5", "--data", "-", "-o", small}).code, 2);
  EXPECT_EQ(run({"compress", path("absent"), "--to", "5", "-o", small}).code, 3);
  const Outcome linear = run({"compress", fitted({"linearsvc", data, "-t", "species"}, "l"), "--to", "5", "-o", small});
  EXPECT_EQ(linear.code, 1);
  EXPECT_TRUE(contains(linear.err, "not a kernel expansion"));
  EXPECT_FALSE(exists("small.mercer"));
}

}  // namespace
}  // namespace mercer::cli_test
