// sample end to end: densities in, rows out, in the units of the file.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Sample : public CliTest {
 protected:
  // b follows a; both far from 0 and of other sizes.
  std::string write_rows() const {
    std::string text = "a,b\n";
    for (int i = 0; i < 60; ++i) {
      text += std::to_string(1000 + 10 * i) + "," + std::to_string(0.01 * i + 0.002 * (i % 3)) + "\n";
    }
    return write("rows.csv", text);
  }
  std::string fitted(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"fit"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"-o", path("m.mercer"), "-q"});
    const Outcome fit = run(all);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path("m.mercer");
  }
};

std::vector<std::vector<double>> sampled_numbers(const std::string& csv, std::string* heading = nullptr) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  if (heading != nullptr) {
    *heading = line;
  }
  std::vector<std::vector<double>> rows;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    rows.emplace_back();
    while (std::getline(fields, field, ',')) {
      rows.back().push_back(std::stod(field));
    }
  }
  return rows;
}

TEST_F(Sample, RowsHaveTheColumnsAndUnitsOfTheFile) {
  const std::string data = write_rows();
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"kde", data}, {"kde", data, "--scale", "standard"}, {"histogram", data, "--set", "bins=20"}}) {
    const std::string model = fitted(options);
    const Outcome drawn = run({"sample", model, "-n", "2000", "--seed", "3"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    std::string heading;
    const auto rows = sampled_numbers(drawn.out, &heading);
    EXPECT_EQ(heading, "a,b");
    ASSERT_EQ(rows.size(), 2000U);
    double mean = 0;
    for (const auto& row : rows) {
      mean += row[0] / 2000;
    }
    EXPECT_NEAR(mean, 1295, 25) << options[0];
    EXPECT_EQ(run({"sample", model, "-n", "2000", "--seed", "3", "--threads", "1"}).out, drawn.out);
    EXPECT_NE(run({"sample", model, "-n", "2000", "--seed", "4"}).out, drawn.out);
  }
}

TEST_F(Sample, HeldColumnsMoveTheOthers) {
  const std::string data = write_rows();
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"kde", data, "--set", "bandwidth=30,0.03"},
                                             {"kde", data, "--scale", "standard", "--set", "bandwidth=0.15"},
                                             {"histogram", data, "--set", "bins=10"}}) {
    const std::string model = fitted(options);
    const Outcome drawn = run({"sample", model, "-n", "500", "--given", "a=1500"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    double mean = 0;
    for (const auto& row : sampled_numbers(drawn.out)) {
      ASSERT_EQ(row[0], 1500);
      mean += row[1] / 500;
    }
    EXPECT_NEAR(mean, 0.5, 0.03) << options[0];
  }
  const Outcome some = run({"sample", path("m.mercer"), "--given", "0=1500", "--columns", "b"});
  std::string heading;
  EXPECT_EQ(sampled_numbers(some.out, &heading).size(), 100U);
  EXPECT_EQ(heading, "b");
  const Outcome turned = run({"sample", path("m.mercer"), "-n", "1", "--columns", "b,a"});
  EXPECT_GT(sampled_numbers(turned.out, &heading)[0][1], 900);
  EXPECT_EQ(heading, "b,a");
}

TEST_F(Sample, FilesAndJson) {
  const std::string model = fitted({"kde", write_rows()});
  const Outcome drawn =
      run({"sample", model, "-n", "7", "--given", "a=1200", "-o", path("new.csv"), "--seed", "5", "--json"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const auto json = parse(drawn.out);
  EXPECT_EQ(json["n"], 7);
  EXPECT_EQ(json["given"]["a"], 1200);
  EXPECT_EQ(json["seed"], 5);
  EXPECT_EQ(json["columns"].size(), 2U);
  EXPECT_EQ(sampled_numbers(read("new.csv")).size(), 7U);
  // What was drawn is data like any other.
  EXPECT_EQ(run({"predict", model, path("new.csv"), "-o", path("p.csv"), "-q"}).code, 0);
}

TEST_F(Sample, WrongAsksAreExplained) {
  const std::string model = fitted({"kde", write_rows(), "--set", "shape=boxcar"});
  const auto expect = [&](const std::vector<std::string>& flags, int code, const std::string& words) {
    std::vector<std::string> all = {"sample", model};
    all.insert(all.end(), flags.begin(), flags.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.code, code) << words << outcome.err;
    EXPECT_TRUE(contains(outcome.err, words)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  expect({"-n", "0"}, 2, "1 or more");
  expect({"--given", "a"}, 2, "as in --given age=40");
  expect({"--given", "a=x"}, 2, "as in --given age=40");
  expect({"--given", "c=1"}, 2, "no column 'c'");
  expect({"--given", "a=1200", "--given", "a=1300"}, 2, "held twice");
  expect({"--given", "a=1200", "--given", "b=0.2"}, 2, "nothing to draw");
  expect({"--given", "a=9e9"}, 3, "density is 0");
  expect({"--columns", "a,a"}, 2, "twice");
  expect({"--columns", "7"}, 2, "no column '7'");
  const Outcome other = run({"sample", fitted({"knndensity", path("rows.csv")})});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "kde and histogram")) << other.err;
}

}  // namespace
}  // namespace mercer::cli_test
