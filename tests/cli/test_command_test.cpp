// test: two samples, independence.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class TestCommand : public CliTest {
 protected:
  // Two columns on a spiral of 40 points; the first one moved.
  std::string write_points(const std::string& name, double shift) const {
    std::string text = "a,b\n";
    for (int i = 0; i < 40; ++i) {
      const double angle = 2.4 * i;
      const double radius = std::sqrt(i / 40.0);
      text += std::to_string(shift + radius * std::cos(angle)) + "," + std::to_string(radius * std::sin(angle)) + "\n";
    }
    return write(name, text);
  }
};

TEST_F(TestCommand, TwoSamplesFromFiles) {
  const std::string a = write_points("a.csv", 0);
  const std::string b = write_points("b.csv", 0.8);
  const Outcome outcome = run({"test", "two-sample", a, b, "--permutations", "199"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "p-value    0.005")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "rejected at level 0.05: both samples are from one distribution")) << outcome.out;
  const auto json = parse(run({"test", "two-sample", a, a, "--permutations", "99", "--json", "--threads", "1"}).out);
  EXPECT_FALSE(json["rejected"].get<bool>());
  EXPECT_EQ(json["rows"], (std::vector<int>{40, 40}));
  EXPECT_EQ(json["null"]["count"], 99);
  EXPECT_GT(json["p_value"], 0.5);
}

TEST_F(TestCommand, NumbersOfATinyTest) {
  // k = xx': within 1·3 + 1·3 over 2, and 0·2 + 0·2 over 2; across (1 + 3)(0 + 2)/4.
  const std::string a = write("a.csv", "x\n1\n3\n");
  const std::string b = write("b.csv", "x\n0\n2\n");
  const auto json = parse(
      run({"test", "two-sample", a, b, "-k", "linear()", "--scale", "none", "--permutations", "99", "--json"}).out);
  EXPECT_NEAR(json["statistic"], 3 + 0 - 2 * 2, 1e-12);
  EXPECT_EQ(json["kernel"], "linear()");
}

TEST_F(TestCommand, WordsOfBothFilesHaveOneNumbering) {
  // k is 1 for equal sets and 0 for others: nothing within the files, and red meets red across them, 0 + 0 - 2·(1/4).
  // Files that number their words by themselves would let both pairs of lines be equal.
  const std::string a = write("a.jsonl", "{\"t\": [\"red\"]}\n{\"t\": [\"blue\"]}\n");
  const std::string b = write("b.jsonl", "{\"t\": [\"green\"]}\n{\"t\": [\"red\"]}\n");
  const auto outcome = run({"test", "two-sample", a, b, "-k", "tanimoto()", "--permutations", "9", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NEAR(parse(outcome.out)["statistic"], -0.5, 1e-12);
  const std::string numbers = write("c.jsonl", "{\"t\": [0]}\n{\"t\": [1]}\n");
  EXPECT_EQ(run({"test", "two-sample", a, numbers, "-k", "tanimoto()"}).code, 3);
}

TEST_F(TestCommand, OneFileWithLabelsIsTwoSamples) {
  const Outcome outcome = run({"test", "two-sample", example("breast_cancer.csv"), "--target", "-1", "--json",
                               "--permutations", "49", "--statistic", "quadratic"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = parse(outcome.out);
  EXPECT_TRUE(json["rejected"].get<bool>());
  EXPECT_EQ(json["rows"][0].get<int>() + json["rows"][1].get<int>(), 569);
  const Outcome three = run({"test", "two-sample", example("iris.csv"), "--target", "species"});
  EXPECT_EQ(three.code, 3);
  EXPECT_TRUE(contains(three.err, "3 different values")) << three.err;
}

TEST_F(TestCommand, BlocksAndLinear) {
  for (const char* statistic : {"block", "linear"}) {
    const auto json = parse(
        run({"test", "two-sample", example("breast_cancer.csv"), "--target", "-1", "--json", "--statistic", statistic})
            .out);
    EXPECT_EQ(json["null"]["kind"], "normal");
    EXPECT_EQ(json["form"], statistic);
    EXPECT_TRUE(json["rejected"].get<bool>());
  }
}

TEST_F(TestCommand, ColumnsAreFoundByNameAndLevelsAreJoined) {
  const std::string a = write("a.csv", "x,color\n1,red\n2,blue\n3,red\n4,blue\n");
  const std::string b = write("b.csv", "color,x\ngreen,1\nred,2\ngreen,3\nred,4\n");
  const Outcome outcome = run({"test", "two-sample", a, b, "-k", "delta()[color]", "--permutations", "9", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // Within a: 4 of 12 ordered pairs are equal; within b as many; across: red meets red in 4 of 16.
  EXPECT_NEAR(parse(outcome.out)["statistic"], 4.0 / 12 + 4.0 / 12 - 2 * 4.0 / 16, 1e-12);
  const std::string other = write("c.csv", "z,color\n1,red\n2,blue\n3,red\n");
  EXPECT_EQ(run({"test", "two-sample", a, other}).code, 3);
}

TEST_F(TestCommand, Independence) {
  std::string text = "x,square,other\n";
  for (int i = 0; i < 60; ++i) {
    const double x = (i - 29.5) / 20;
    text += std::to_string(x) + "," + std::to_string(x * x) + "," + std::to_string(std::fmod(i * 0.618034, 1.0)) + "\n";
  }
  const std::string data = write("x.csv", text);
  const auto json =
      parse(run({"test", "independence", data, "--target", "square", "--permutations", "199", "--json"}).out);
  EXPECT_TRUE(json["rejected"].get<bool>());
  EXPECT_EQ(json["targets"], (std::vector<std::string>{"square"}));
  const Outcome labels =
      run({"test", "independence", example("iris.csv"), "--target", "species", "--permutations", "99"});
  ASSERT_EQ(labels.code, 0) << labels.err;
  EXPECT_TRUE(contains(labels.out, "rejected at level 0.05: species and the other columns are independent"))
      << labels.out;
}

TEST_F(TestCommand, SameSeedSameNumbersOnAnyThreads) {
  const std::string a = write_points("a.csv", 0);
  const std::string b = write_points("b.csv", 0.1);
  const auto numbers = [&](const char* threads, const char* seed) {
    auto json = parse(
        run({"test", "two-sample", a, b, "--json", "--threads", threads, "--seed", seed, "--permutations", "99"}).out);
    json.erase("seconds");
    return json.dump();
  };
  EXPECT_EQ(numbers("1", "4"), numbers("3", "4"));
  EXPECT_NE(numbers("1", "4"), numbers("1", "5"));
}

TEST_F(TestCommand, WrongUsage) {
  const std::string a = write_points("a.csv", 0);
  EXPECT_EQ(run({"test"}).code, 2);
  EXPECT_EQ(run({"test", "three-sample", a, a}).code, 2);
  EXPECT_EQ(run({"test", "two-sample", a}).code, 2);
  EXPECT_EQ(run({"test", "independence", a}).code, 2);
  EXPECT_EQ(run({"test", "independence", a, a, "--target", "a"}).code, 2);
  EXPECT_EQ(run({"test", "two-sample", a, a, "--kernel", "rbg()"}).code, 2);
  EXPECT_EQ(run({"test", "two-sample", a, a, "--level", "2"}).code, 2);
  EXPECT_EQ(run({"test", "two-sample", a, a, "--statistic", "cubic"}).code, 2);
  EXPECT_EQ(run({"test", "two-sample", a, path("none.csv")}).code, 3);
  const std::string one = write("one.csv", "a,b\n1,2\n");
  EXPECT_EQ(run({"test", "two-sample", a, one}).code, 3);
}

}  // namespace
}  // namespace mercer::cli_test
