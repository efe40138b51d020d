// Tubes of regression from the shell: fit --tube, tubes of columns, predict --tube, folds.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Tubes : public CliTest {
 protected:
  // y = sin(x) with errors of the size of `spread`.
  std::string waves() const {
    std::string text = "x,spread,y\n";
    for (int i = 0; i < 80; ++i) {
      const double x = 0.08 * i;
      const double spread = 0.1 + 0.4 * std::abs(std::cos(x));
      text += std::to_string(x) + "," + std::to_string(spread) + "," +
              std::to_string(std::sin(x) + spread * std::sin(37.0 * i)) + "\n";
    }
    return write("waves.csv", text);
  }
};

TEST_F(Tubes, AShapeOfAColumnThatIsNotScaled) {
  const std::string data = waves();
  const std::string model = path("m.mercer");
  const Outcome fit = run({"fit", "nusvr", data, "-t", "y", "-k", "rbf(gamma=1)[x]", "--set", "tube=linear[1]", "--set",
                           "nu=0.05", "-o", model, "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto facts = parse(run({"inspect", model, "--json"}).out);
  EXPECT_EQ(facts["options"]["tube"], "linear[spread]");
  EXPECT_EQ(facts["scaling"], "none");
  const double epsilon = facts["measures"]["epsilon of spread"].get<double>();
  EXPECT_GT(epsilon, 0);
  const Outcome predicted = run({"predict", model, data, "--tube"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  std::istringstream lines(predicted.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "y,tube(y)");
  std::getline(lines, line);
  EXPECT_NEAR(std::stod(line.substr(line.find(',') + 1)), epsilon * 0.5, 1e-9);  // spread is 0.5 at x = 0
  const Outcome scaled = run({"fit", "nusvr", data, "-t", "y", "--set", "tube=linear[spread]", "--scale", "standard"});
  EXPECT_NE(scaled.code, 0);
  EXPECT_TRUE(contains(scaled.err, "the function spread is -")) << scaled.err;
}

TEST_F(Tubes, AWidthPerRowAndOneForAllAreRefused) {
  const std::string data = waves();
  for (const char* command : {"fit", "tune"}) {
    const Outcome outcome = run({command, "svr", data, "-t", "y", "--tube", "spread", "-s", "epsilon=0.1"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "--tube gives every row a width of its own, and epsilon is one for all"))
        << outcome.err;
  }
}

TEST_F(Tubes, AWidthPerRow) {
  const std::string data = waves();
  const std::string model = path("m.mercer");
  const Outcome fit = run({"fit", "svr", data, "-t", "y", "--tube", "spread", "-o", model, "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome predicted = run({"predict", model, data, "--tube"});
  EXPECT_EQ(predicted.code, 2);
  EXPECT_TRUE(contains(predicted.err, "every training row of this svr had a width of its own")) << predicted.err;
  EXPECT_EQ(run({"predict", model, data}).code, 0);
  EXPECT_EQ(
      run({"tune", "svr", data, "-t", "y", "--tube", "spread", "--folds", "3", "-q", "-o", path("t.mercer")}).code, 0);
  EXPECT_EQ(run({"score", "svr", data, "-t", "y", "--tube", "spread", "--folds", "3"}).code, 0);
  const Outcome missing = run({"fit", "svr", data, "-t", "y", "--tube", "spred", "-o", path("n.mercer")});
  EXPECT_NE(missing.code, 0);
  EXPECT_TRUE(contains(missing.err, "there is no column 'spred' for the width of the tube")) << missing.err;
  const std::string lines = write("waves.jsonl", "{\"x\": 1, \"y\": 2}\n{\"x\": 2, \"y\": 3}\n");
  const Outcome no_key = run({"fit", "svr", lines, "-t", "y", "--tube", "spread", "-o", path("n.mercer")});
  EXPECT_NE(no_key.code, 0);
  EXPECT_TRUE(contains(no_key.err, "no line has the key 'spread' for the width of the tube")) << no_key.err;
  const Outcome other = run({"fit", "ridge", data, "-t", "y", "--tube", "spread", "-o", path("n.mercer")});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "ridge makes no use of widths of a tube per row")) << other.err;
  const Outcome negative = run({"fit", "svr", data, "-t", "spread", "--tube", "y", "-o", path("n.mercer")});
  EXPECT_NE(negative.code, 0);
  EXPECT_TRUE(contains(negative.err, "widths are finite and not negative")) << negative.err;
}

TEST_F(Tubes, ModelsWithoutOne) {
  const std::string data = example("diabetes.csv");
  const std::string model = path("m.mercer");
  ASSERT_EQ(run({"fit", "ridge", data, "-t", "progression", "-q", "-o", model}).code, 0);
  const Outcome refused = run({"predict", model, data, "--tube"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "has no tube")) << refused.err;
}

}  // namespace
}  // namespace mercer::cli_test
