// mercer predict and score on files of several blocks of rows, and answers that stand beside each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

// More than one block of rows (65536) of two columns; a word in a place of the last ones where `slip` says so.
std::string long_table(int rows, int slip) {
  std::string text = "x,label\n";
  for (int i = 0; i < rows; ++i) {
    text += (i == slip ? std::string("word") : std::to_string(i % 19)) + (i % 19 < 9 ? ",low\n" : ",high\n");
  }
  return text;
}

class PredictProgram : public CliTest {
 protected:
  static constexpr int rows = 70000;

  std::string fitted() const {
    const std::string data = write("train.csv", long_table(60, -1));
    const Outcome fit =
        run({"fit", "svc", data, "-t", "label", "--set", "probability=yes", "-o", path("m.mercer"), "--force"});
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path("m.mercer");
  }
};

TEST_F(PredictProgram, BlocksOfRowsAreOneTable) {
  const std::string model = fitted();
  const Outcome whole = run({"predict", model, write("long.csv", long_table(rows, -1))});
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Outcome few = run({"predict", model, write("short.csv", long_table(19, -1))});
  ASSERT_EQ(few.code, 0) << few.err;
  const std::string period = few.out.substr(few.out.find('\n') + 1);
  std::string expected = "label\n";
  for (int i = 0; i < rows / 19; ++i) {
    expected += period;
  }
  EXPECT_EQ(whole.out.substr(0, expected.size()), expected);
  EXPECT_EQ(std::count(whole.out.begin(), whole.out.end(), '\n'), rows + 1);
  const Outcome score = run({"score", model, path("long.csv"), "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  EXPECT_EQ(parse(score.out)["n"], rows);
  EXPECT_EQ(parse(score.out)["scores"][0]["metrics"]["accuracy"]["value"], 1.0);
}

TEST_F(PredictProgram, ASlipInALateBlockLeavesTheOldFile) {
  const std::string model = fitted();
  const std::string old = write("out.csv", "old\n");
  const Outcome outcome = run({"predict", model, write("slip.csv", long_table(rows, 69000)), "-o", old});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "slip.csv:69002")) << outcome.err;
  EXPECT_EQ(read("out.csv"), "old\n");
}

TEST_F(PredictProgram, ProbabilitiesAndDecisionsStandBesideEachOther) {
  const std::string model = fitted();
  const std::string data = write("new.csv", "x\n1\n15\n");
  const Outcome both = run({"predict", model, data, "--proba", "--decision"});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(both.out.starts_with("label,P(high),P(low),f(low)\n")) << both.out;
  const Outcome probable = run({"predict", model, data, "--proba"});
  const Outcome decided = run({"predict", model, data, "--decision"});
  // Every line: label, two probabilities, and what stands behind the label of the other table.
  const auto line = [](const std::string& table, int number) {
    std::size_t begin = 0;
    for (int i = 0; i < number; ++i) {
      begin = table.find('\n', begin) + 1;
    }
    return table.substr(begin, table.find('\n', begin) - begin);
  };
  for (const int row : {1, 2}) {
    const std::string decision = line(decided.out, row);
    EXPECT_EQ(line(both.out, row), line(probable.out, row) + decision.substr(decision.find(','))) << row;
  }
}

}  // namespace
}  // namespace mercer::cli_test
