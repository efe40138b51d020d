// gram: the matrix, its definiteness with a witness, its spectrum.
#include <gtest/gtest.h>

#include <cstring>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class GramCommand : public CliTest {};

TEST_F(GramCommand, CheckSaysPositiveDefinite) {
  for (const char* name : {"iris.csv", "diabetes.csv", "breast_cancer.csv"}) {
    const Outcome outcome = run({"gram", "--check", "rbf(gamma=0.5)*poly(degree=2) + 0.1*linear()", example(name)});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "positive definite")) << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "not positive definite")) << outcome.out;
  }
}

TEST_F(GramCommand, CheckShowsANegativeEigenvalueAndItsWitness) {
  const Outcome outcome = run({"gram", "--check", "sigmoid(gamma=0.1, coef0=-1)", example("iris.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "not positive definite")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "witness")) << outcome.out;
  const auto json = parse(run({"gram", "--check", "sigmoid(gamma=0.1, coef0=-1)", example("iris.csv"), "--json"}).out);
  EXPECT_FALSE(json["check"]["positive_definite"].get<bool>());
  EXPECT_LT(json["check"]["smallest_eigenvalue"], 0);
  EXPECT_FALSE(json["check"]["witness"].empty());
}

TEST_F(GramCommand, NumbersOfSmallMatrices) {
  const std::string data = write("x.csv", "a,b\n1,0\n0,2\n3,1\n");
  const Outcome csv = run({"gram", "linear()", data, "-o", "-"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(csv.out, "1,0,3\n0,4,2\n3,2,10\n");
  const Outcome outcome = run({"gram", "linear()", data, "-o", path("K.npy"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string npy = read("K.npy");
  ASSERT_EQ(npy.size(), 128U + 9 * 8);
  double corner = 0;
  std::memcpy(&corner, npy.data() + npy.size() - 8, 8);
  EXPECT_EQ(corner, 10);
  const Outcome single = run({"gram", "linear()", data, "-o", path("F.npy"), "--precision", "float"});
  ASSERT_EQ(single.code, 0) << single.err;
  EXPECT_EQ(read("F.npy").size(), 128U + 9 * 4);
  // What was written can be read again.
  EXPECT_EQ(run({"gram", "linear()", path("K.npy")}).code, 0);
}

TEST_F(GramCommand, SpectrumOfARankTwoMatrix) {
  const std::string data = write("x.csv", "a,b\n1,0\n0,2\n-1,0\n0,-2\n");
  const auto json = parse(run({"gram", "linear()", data, "--spectrum", "3", "--json"}).out);
  ASSERT_EQ(json["spectrum"].size(), 3U);
  EXPECT_NEAR(json["spectrum"][0].get<double>(), 8, 1e-9);
  EXPECT_NEAR(json["spectrum"][1].get<double>(), 2, 1e-9);
  EXPECT_NEAR(json["spectrum"][2].get<double>(), 0, 1e-9);
  EXPECT_NEAR(json["trace"].get<double>(), 10, 1e-12);
}

TEST_F(GramCommand, SummaryAndRows) {
  const Outcome outcome =
      run({"gram", "rbf(gamma=median)", example("digits.csv"), "-t", "label", "--rows", "50", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = parse(outcome.out);
  EXPECT_EQ(json["n"], 50);
  EXPECT_EQ(json["rows_in_file"], 1797);
  EXPECT_EQ(json["entries"]["largest"], 1);
  EXPECT_EQ(json["diagonal"]["smallest"], 1);
  EXPECT_FALSE(contains(json["kernel"], "median"));
}

TEST_F(GramCommand, ColumnsThatAreNotThere) {
  const Outcome outcome = run({"gram", "rbf(gamma=1)[nosuch]", write_plane("p.csv")});
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "nosuch")) << outcome.err;
}

}  // namespace
}  // namespace mercer::cli_test
