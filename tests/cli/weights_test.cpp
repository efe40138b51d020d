// weights end to end: the features of a linear model by weight, and profiles along sequences.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class WeightsCommand : public CliTest {
 protected:
  std::string data() const {
    return write("sites.csv",
                 "label,sequence\nyes,GGTATAGG\nyes,CGTATACC\nyes,ACTATAGA\nyes,TTTATACT\nno,GGCGCAGG\nno,CGACGTCC\n"
                 "no,ACGGGTGA\nno,TTCCCACT\n");
  }
  std::string fitted(const std::string& kernel) const {
    const Outcome fit = run(
        {"fit", "linearsvc", data(), "-t", "label", "--text", "sequence", "-k", kernel, "-o", path("m.mercer"), "-q"});
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path("m.mercer");
  }
};

TEST_F(WeightsCommand, ListsTheHeaviestFeatures) {
  const std::string model = fitted("normalize(weighted_degree(degree=3))[sequence]");
  const auto json = parse(run({"weights", model, "--top", "3", "--json"}).out);
  ASSERT_EQ(json["machines"]["yes"]["weights"].size(), 3U);
  const std::string first = json["machines"]["yes"]["weights"][0]["feature"];
  EXPECT_NE(first.find('@'), std::string::npos) << first;
  EXPECT_GT(json["machines"]["yes"]["weights"][0]["weight"], 0);
  EXPECT_TRUE(contains(run({"weights", model}).out, "TA@2"));
  ASSERT_EQ(run({"weights", model, "-o", path("w.csv")}).code, 0);
  EXPECT_TRUE(read("w.csv").starts_with("feature,yes\n"));
}

TEST_F(WeightsCommand, AProfileSumsToTheDecision) {
  const std::string model = fitted("normalize(spectrum(k=2))[sequence]");
  const Outcome decided = run({"predict", model, path("sites.csv"), "--decision"});
  ASSERT_EQ(decided.code, 0) << decided.err;
  std::istringstream lines(decided.out);
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  const double decision = std::stod(line.substr(line.rfind(',') == std::string::npos ? 0 : line.rfind(',') + 1));
  const double intercept = parse(run({"weights", model, "--json"}).out)["machines"]["yes"]["intercept"];
  const Outcome profile = run({"weights", model, path("sites.csv"), "-o", path("p.csv"), "--svg", path("p.svg")});
  ASSERT_EQ(profile.code, 0) << profile.err;
  EXPECT_TRUE(read("p.svg").starts_with("<svg"));
  std::istringstream rows(read("p.csv"));
  std::getline(rows, line);
  EXPECT_EQ(line, "symbol,row,position,yes");
  double sum = intercept;
  std::string sequence;
  while (std::getline(rows, line) && line.substr(1, 3) == ",0,") {
    sequence += line[0];
    sum += std::stod(line.substr(line.rfind(',') + 1));
  }
  EXPECT_EQ(sequence, "GGTATAGG");
  EXPECT_NEAR(sum, decision, 1e-9);
}

TEST_F(WeightsCommand, SaysWhatItCannotDo) {
  const std::string iris = example("iris.csv");
  ASSERT_EQ(run({"fit", "svc", iris, "-t", "species", "-o", path("svc.mercer"), "-q"}).code, 0);
  const Outcome kernel_model = run({"weights", path("svc.mercer")});
  EXPECT_EQ(kernel_model.code, 2);
  EXPECT_TRUE(contains(kernel_model.err, "linearsvc")) << kernel_model.err;
  ASSERT_EQ(run({"fit", "linearsvc", iris, "-t", "species", "-o", path("lin.mercer"), "-q"}).code, 0);
  EXPECT_TRUE(contains(run({"weights", path("lin.mercer")}).out, "petal"));
  EXPECT_EQ(run({"weights", path("lin.mercer"), iris}).code, 2);
  const Outcome refused = run({"fit", "linearsvc", iris, "-t", "species", "-k", "rbf()", "-o", path("x.mercer")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(contains(refused.err, "explicit features")) << refused.err;
}

}  // namespace
}  // namespace mercer::cli_test
