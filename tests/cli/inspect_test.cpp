// inspect and path end to end: what is said of a saved model, with and without its training data, and tables of paths.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Inspect : public CliTest {
 protected:
  std::string fitted(const std::vector<std::string>& arguments, const std::string& name = "m.mercer") const {
    std::vector<std::string> all = {"fit"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"-o", path(name), "-q"});
    const Outcome fit = run(all);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path(name);
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      all.push_back(line);
    }
    return all;
  }
};

TEST_F(Inspect, TwoClasses) {
  const std::string data = example("breast_cancer.csv");
  const std::string model = fitted({"svc", data, "-t", "diagnosis"});
  const Outcome without = run({"inspect", model, "--json"});
  ASSERT_EQ(without.code, 0) << without.err;
  const auto facts = parse(without.out);
  EXPECT_EQ(facts["model"], "svc");
  EXPECT_EQ(facts["options"]["C"], "1");
  EXPECT_EQ(facts["requested_kernel"], "rbf(gamma=scale)");
  EXPECT_EQ(facts["status"], "converged");
  EXPECT_FALSE(facts.contains("estimates"));
  const auto machine = facts["machine_facts"]["malignant"];
  EXPECT_EQ(machine["free"].get<double>() + machine["bound"].get<double>(), machine["support_vectors"].get<double>());
  EXPECT_NEAR(machine["margin"].get<double>(), 1 / std::sqrt(machine["squared_norm"].get<double>()), 1e-12);

  const Outcome with = run({"inspect", model, data, "--json"});
  ASSERT_EQ(with.code, 0) << with.err;
  const auto estimates = parse(with.out)["estimates"];
  const auto value = [&](const char* name) { return estimates[name]["value"].get<double>(); };
  // Refitting without every row in turn gives 13 errors, 2.3 %.
  EXPECT_GT(value("span rule"), 0.01);
  EXPECT_LT(value("span rule"), 0.04);
  EXPECT_LE(value("span rule"), value("span bound"));
  EXPECT_LE(value("span bound"), value("support vectors"));
  EXPECT_LE(value("Lagrange bound"), value("support vectors"));
  EXPECT_NEAR(value("support vectors"), machine["support_vectors"].get<double>() / 569, 1e-12);
  EXPECT_NEAR(value("margin"), machine["margin"].get<double>(), 1e-4);
  EXPECT_TRUE(estimates["compression bound"]["value"].is_null());
  EXPECT_FALSE(estimates["compression bound"]["meaning"].get<std::string>().empty());
  const Outcome text = run({"inspect", model, data});
  EXPECT_TRUE(contains(text.out, "span bound"));
  EXPECT_TRUE(contains(text.out, "margin 1/|w|"));
  EXPECT_TRUE(contains(run({"inspect", model}).out, "need the training data"));
}

TEST_F(Inspect, SeveralClassesHaveSeveralMachines) {
  const std::string data = example("iris.csv");
  const auto json = parse(run({"inspect", fitted({"svc", data, "-t", "species"}), data, "--json"}).out);
  EXPECT_EQ(json["machines"].size(), 3U);
  EXPECT_EQ(json["machine_facts"].size(), 3U);
  double largest = 0;
  for (const auto& machine : json["machines"]) {
    largest = std::max(largest, machine["span bound"]["value"].get<double>() * 100 / 150);
  }
  EXPECT_GE(json["estimates"]["span bound"]["value"].get<double>(), largest);
}

TEST_F(Inspect, ExactLeaveOneOut) {
  const std::string data = example("diabetes.csv");
  const std::string asked = fitted({"ridge", data, "-t", "progression", "--set", "lambda=3", "--set", "loo=yes"}, "a");
  const std::string silent = fitted({"ridge", data, "-t", "progression", "--set", "lambda=3"}, "b");
  const double expected = parse(run({"inspect", asked, "--json"}).out)["measures"]["leave-one-out RMSE"];
  const Outcome later = run({"inspect", silent, data, "--json"});
  ASSERT_EQ(later.code, 0) << later.err;
  EXPECT_NEAR(parse(later.out)["estimates"]["leave-one-out RMSE"]["value"].get<double>(), expected, 1e-9);
}

TEST_F(Inspect, OneClass) {
  const std::string data = example("diabetes.csv");
  const Outcome outcome = run({"inspect", fitted({"oneclass", data, "--set", "nu=0.1"}), data, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto estimates = parse(outcome.out)["estimates"];
  EXPECT_GT(estimates["support vectors"]["value"].get<double>(), 0.1);
  EXPECT_LE(estimates["span rule"]["value"].get<double>(), estimates["support vectors"]["value"].get<double>());
}

TEST_F(Inspect, HowFarOutsideCountsIsAnOption) {
  const std::string data = example("diabetes.csv");
  const std::string model = fitted({"oneclass", data, "--set", "nu=0.1"});
  double last = 2;
  for (const char* const share : {"0", "0.02", "0.5"}) {
    const Outcome outcome = run({"inspect", model, data, "--delta-rho", share, "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const double rule = parse(outcome.out)["estimates"]["span rule"]["value"].get<double>();
    EXPECT_LT(rule, last) << share;
    last = rule;
  }
  EXPECT_EQ(run({"inspect", model, data, "--delta-rho", "-1"}).code, 2);
  const std::string stopped = fitted({"oneclass", data, "--set", "nu=0.1", "--set", "max_steps=2"}, "stopped.mercer");
  const Outcome refused = run({"inspect", stopped, data});
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(contains(refused.err, "max_steps")) << refused.err;
}

TEST_F(Inspect, RegressionWithATube) {
  const std::string data = example("diabetes.csv");
  for (const char* const name : {"svr", "nusvr"}) {
    const Outcome outcome = run({"inspect", fitted({name, data, "-t", "progression"}), data, "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto estimates = parse(outcome.out)["estimates"];
    const double rmse = estimates["leave-one-out RMSE"]["value"].get<double>();
    EXPECT_GT(rmse, 45) << name;  // the deviation of the targets is 77
    EXPECT_LT(rmse, 70) << name;
  }
}

TEST_F(Inspect, NuSaysItsRhoAndNoBoundsOfAGivenC) {
  const std::string data = example("breast_cancer.csv");
  const std::string model = fitted({"nusvc", data, "-t", "diagnosis", "--set", "nu=0.2"});
  const auto json = parse(run({"inspect", model, data, "--json"}).out);
  const auto machine = json["machine_facts"]["malignant"];
  EXPECT_GT(machine["rho"].get<double>(), 0);
  EXPECT_NEAR(machine["largest_nu"].get<double>(), 2.0 * 212 / 569, 1e-12);
  EXPECT_EQ(json["measures"]["rho"].get<double>(), machine["rho"].get<double>());
  EXPECT_FALSE(json["estimates"]["span rule"]["value"].is_null());
  EXPECT_TRUE(json["estimates"]["span bound"]["value"].is_null());
  EXPECT_TRUE(contains(json["estimates"]["Lagrange bound"]["meaning"].get<std::string>(), "C is given"));
  EXPECT_TRUE(contains(run({"inspect", model}).out, "largest nu"));
}

TEST_F(Inspect, WeightsAsAtTheFit) {
  std::string text = "x,w,kind\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string((i * 7 % 40) - 20 + (i % 2) * 9) + "," + std::to_string(1 + i % 3) + "," +
            (i % 2 == 0 ? "a" : "b") + "\n";
  }
  const std::string data = write("w.csv", text);
  const std::string model = fitted({"svc", data, "-t", "kind", "--weights", "w", "-k", "rbf()"});
  const Outcome right = run({"inspect", model, data, "--weights", "w", "--json"});
  ASSERT_EQ(right.code, 0) << right.err;
  EXPECT_TRUE(parse(right.out)["estimates"].contains("span rule"));
  EXPECT_EQ(run({"inspect", model, data}).code, 3);
}

TEST_F(Inspect, OtherFilesAndModels) {
  const std::string data = example("iris.csv");
  const std::string model = fitted({"svc", data, "-t", "species"});
  const std::string other =
      "sepal_length,sepal_width,petal_length,petal_width,species\n1,2,3,4,setosa\n2,3,4,5,virginica\n";
  EXPECT_EQ(run({"inspect", model, write("other.csv", other)}).code, 3);
  EXPECT_EQ(run({"inspect", model, data, "--delta", "1"}).code, 2);
  EXPECT_EQ(run({"inspect", path("none.mercer")}).code, 3);
  const std::string rvr = fitted({"rvr", example("diabetes.csv"), "-t", "progression"}, "rvr.mercer");
  const Outcome none = run({"inspect", rvr, example("diabetes.csv")});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_TRUE(contains(none.out, "nothing more is known"));
}

TEST_F(Inspect, PathOfTwoClasses) {
  const std::string data = example("breast_cancer.csv");
  const Outcome outcome = run({"path", "svc", data, "-t", "diagnosis", "-k", "rbf(gamma=0.05)", "--max-c", "10", "-o",
                               path("p.csv"), "--events", path("e.csv"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = parse(outcome.out);
  const std::vector<std::string> table = lines(read("p.csv"));
  EXPECT_EQ(table.front(), "C,offset,free,bound,squared_norm,objective,training_error");
  EXPECT_EQ(table.size() - 1, json["points"].get<std::size_t>());
  EXPECT_EQ(lines(read("e.csv")).size() - 1, json["machines"][0]["events"].get<std::size_t>());
  // The last line is the machine that a fit gives.
  std::vector<double> last;
  std::istringstream fields(table.back());
  for (std::string field; std::getline(fields, field, ',');) {
    last.push_back(std::stod(field));
  }
  const std::string model =
      fitted({"svc", data, "-t", "diagnosis", "-k", "rbf(gamma=0.05)", "--set", "C=10", "--set", "tolerance=1e-8"});
  const auto facts = parse(run({"inspect", model, "--json"}).out)["machine_facts"]["malignant"];
  EXPECT_NEAR(last[0], 10, 1e-9);
  EXPECT_NEAR(last[1], facts["offset"].get<double>(), 1e-5);
  EXPECT_EQ(last[2], facts["free"].get<double>());
  EXPECT_EQ(last[3], facts["bound"].get<double>());
  EXPECT_NEAR(last[5], facts["dual"].get<double>(), 1e-5);
}

TEST_F(Inspect, PathsOfPairsAndOfRidge) {
  const Outcome pairs = run({"path", "svc", example("iris.csv"), "-t", "species", "--max-c", "5", "-q"});
  ASSERT_EQ(pairs.code, 0) << pairs.err;
  EXPECT_TRUE(pairs.out.starts_with("machine,C,"));
  EXPECT_TRUE(contains(pairs.out, "setosa vs virginica,"));
  const Outcome ridge =
      run({"path", "ridge", example("diabetes.csv"), "-t", "progression", "-o", path("r.csv"), "--json"});
  ASSERT_EQ(ridge.code, 0) << ridge.err;
  EXPECT_TRUE(
      read("r.csv").starts_with("lambda,degrees_of_freedom,loo_rmse,gcv,residual_squares,squared_norm,curvature\n"));
  EXPECT_GT(parse(ridge.out)["corner"]["squared_norm"].get<double>(), 0);
  EXPECT_GT(parse(ridge.out)["best_loo"]["lambda"].get<double>(), 0);
}

TEST_F(Inspect, PathRefusesWhatMeansNothing) {
  const std::string data = example("iris.csv");
  EXPECT_EQ(run({"path", "gp", data, "-t", "species"}).code, 2);
  EXPECT_EQ(run({"path", "svc", data, "-t", "species", "--set", "C=3"}).code, 2);
  EXPECT_EQ(run({"path", "svc", data}).code, 2);
  EXPECT_EQ(run({"path", "ridge", data, "-t", "species"}).code, 3);
  EXPECT_EQ(run({"path", "ridge", example("diabetes.csv"), "-t", "progression", "--events", path("e.csv")}).code, 2);
  EXPECT_EQ(run({"path", "svc", data, "-t", "species", "--max-c", "0"}).code, 2);
  EXPECT_FALSE(exists("e.csv"));
}

}  // namespace
}  // namespace mercer::cli_test
