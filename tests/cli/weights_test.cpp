// weights end to end: the features of a linear model by weight, and profiles along sequences.
#include <gtest/gtest.h>

#include <algorithm>
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

TEST_F(WeightsCommand, ATableHoldsTheHeaviestFeaturesOfAllMachines) {
  const std::string model = fitted("spectrum(k=2)[sequence]");
  ASSERT_EQ(run({"weights", model, "--top", "3", "-o", path("w.csv")}).code, 0);
  std::istringstream lines(read("w.csv"));
  std::string line;
  std::getline(lines, line);
  double before = 1e300;
  int count = 0;
  for (; std::getline(lines, line); ++count) {
    const double weight = std::abs(std::stod(line.substr(line.find(',') + 1)));
    EXPECT_LE(weight, before);
    before = weight;
  }
  EXPECT_EQ(count, 3);
}

// Two columns, one of them with a quoted name, with rows that are too short for any feature.
TEST_F(WeightsCommand, EveryRowHasItsProfile) {
  const std::string file =
      write("two.csv", "label,DNA seq,b\nyes,GGTATAGG,ACGT\nyes,CGTATACC,AC\nno,G,CCCC\nno,CGACGTCC,A\n");
  const std::string model = path("two.mercer");
  const Outcome fit = run({"fit", "linearsvc", file, "-t", "label", "--text", "DNA seq,b", "-k",
                           "spectrum(k=2)[\"DNA seq\"] + spectrum(k=2)[b]", "-o", model, "-q"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome both = run({"weights", model, file});
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(contains(both.err, "DNA seq, b")) << both.err;
  EXPECT_EQ(run({"weights", model, file, "--column", "c"}).code, 2);
  const Outcome profile = run({"weights", model, file, "--column", "DNA seq"});
  ASSERT_EQ(profile.code, 0) << profile.err;
  EXPECT_TRUE(contains(profile.out, "\nG,2,0,0\n")) << profile.out;
  EXPECT_EQ(std::count(profile.out.begin(), profile.out.end(), '\n'), 1 + 8 + 8 + 1 + 8);
  const Outcome drawn = run({"weights", model, file, "--column", "DNA seq", "--svg", path("short.svg"), "--row", "2"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(drawn.out, "");
  EXPECT_TRUE(contains(read("short.svg"), ">G</text>"));
}

TEST_F(WeightsCommand, ProfilesAreByCharacters) {
  const std::string file = write("words.csv", "label,text\nyes,für Zoë\nno,no way\nyes,für sie\nno,no \xE9t\n");
  const std::string model = path("words.mercer");
  const Outcome fit =
      run({"fit", "linearsvc", file, "-t", "label", "--text", "text", "-k", "words(min_length=1)", "-o", model, "-q"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome profile = run({"weights", model, file});
  ASSERT_EQ(profile.code, 0) << profile.err;
  EXPECT_TRUE(contains(profile.out, "\nü,0,1,")) << profile.out;
  EXPECT_TRUE(contains(profile.out, "\n\\xE9,3,3,")) << profile.out;
  EXPECT_EQ(std::count(profile.out.begin(), profile.out.end(), '\n'), 1 + 7 + 6 + 7 + 5);
  ASSERT_EQ(run({"weights", model, file, "--svg", path("w.svg")}).code, 0);
  EXPECT_TRUE(contains(read("w.svg"), ">ü</text>"));
}

TEST_F(WeightsCommand, SaysWhatItCannotDo) {
  const std::string iris = example("iris.csv");
  ASSERT_EQ(run({"fit", "svc", iris, "-t", "species", "-o", path("svc.mercer"), "-q"}).code, 0);
  const Outcome kernel_model = run({"weights", path("svc.mercer")});
  EXPECT_EQ(kernel_model.code, 2);
  EXPECT_TRUE(contains(kernel_model.err, "linearsvc")) << kernel_model.err;
  ASSERT_EQ(run({"fit", "linearsvc", iris, "-t", "species", "-o", path("lin.mercer"), "-q"}).code, 0);
  const Outcome scaled = run({"weights", path("lin.mercer")});
  EXPECT_TRUE(contains(scaled.out, "petal"));
  EXPECT_TRUE(contains(scaled.out, "scaled (standard)")) << scaled.out;
  const auto json = parse(run({"weights", path("lin.mercer"), "--json"}).out);
  const auto& first = json["machines"].front()["weights"][0];
  EXPECT_EQ(json["scaling"], "standard");
  EXPECT_GT(std::abs(first["per_unit"].get<double>() - first["weight"].get<double>()), 1e-3);
  EXPECT_EQ(run({"weights", path("lin.mercer"), iris}).code, 2);
  // Explicit features, but none that stands at a place.
  ASSERT_EQ(run({"fit", "linearsvc", iris, "-t", "species", "-k", "linear()[petal_width] + constant()", "-o",
                 path("map.mercer"), "-q"})
                .code,
            0);
  const Outcome placeless = run({"weights", path("map.mercer"), iris, "-o", path("none.csv")});
  EXPECT_EQ(placeless.code, 2);
  EXPECT_TRUE(contains(placeless.err, "sees no sequences")) << placeless.err;
  EXPECT_FALSE(exists("none.csv"));
  const Outcome refused = run({"fit", "linearsvc", iris, "-t", "species", "-k", "rbf()", "-o", path("x.mercer")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(contains(refused.err, "explicit features")) << refused.err;
}

}  // namespace
}  // namespace mercer::cli_test
