// mercer report and fit --report: pages, what they are made of, wrong uses.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class ReportPage : public CliTest {
 protected:
  // Two classes on a grid, split by a circle; every fifth row goes to the test file.
  void write_ring(const std::string& train, const std::string& test) const {
    std::string train_text = "left,up,where\n";
    std::string test_text = train_text;
    for (int i = 0; i < 140; ++i) {
      const double x = (i % 14) - 6.5;
      const double y = (i / 14) - 4.5;
      const std::string line =
          std::to_string(x) + "," + std::to_string(y) + "," + (x * x + y * y < 16 ? "inside" : "out") + "\n";
      (i % 5 == 3 ? test_text : train_text) += line;
    }
    write(train, train_text);
    write(test, test_text);
  }
};

TEST_F(ReportPage, OfAClassifierOnTestData) {
  write_ring("train.csv", "test.csv");
  ASSERT_EQ(run({"fit", "svc", path("train.csv"), "-t", "where", "-s", "C=10", "-q", "-o", path("m.mercer")}).code, 0);
  const Outcome outcome = run({"report", path("m.mercer"), path("test.csv"), "--train", path("train.csv"), "-o",
                               path("page.html"), "--json", "--seed", "3"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parse(outcome.out)["report"], path("page.html"));
  EXPECT_EQ(parse(outcome.out)["n"], 28);
  const auto data = page_data("page.html");
  EXPECT_EQ(data["title"], "svc on test.csv");
  EXPECT_EQ(data["data"]["part"], "test");
  EXPECT_EQ(data["data"]["train_rows"], 112);
  EXPECT_EQ(data["regions"]["axes"][0], "left");
  EXPECT_EQ(data["regions"]["axes"][1], "up");
  EXPECT_EQ(data["provenance"]["seed"], 3);
  EXPECT_TRUE(contains(data["provenance"]["command"], "report"));
  EXPECT_TRUE(contains(data["provenance"]["data_hash"], "fnv1a64:"));
  EXPECT_GT(data["cost"]["model_bytes"], 100);
  EXPECT_TRUE(data.contains("influence"));
  EXPECT_TRUE(data.contains("learning"));
  // The axes are in the units of the file, and the rows of the report are those of the test file.
  EXPECT_LT(data["regions"]["x"][0], -6.5);
  EXPECT_GT(data["regions"]["x"].back(), 6.4);
  double right = 0;
  for (std::size_t c = 0; c < 2; ++c) {
    right += data["classification"]["confusion"]["counts"][c][c].get<double>();
  }
  const auto score = parse(run({"score", path("m.mercer"), path("test.csv"), "--json"}).out);
  EXPECT_NEAR(score["scores"][0]["metrics"]["accuracy"]["value"].get<double>(), right / 28, 1e-12);
}

TEST_F(ReportPage, KnowsItsTrainingData) {
  write_ring("train.csv", "test.csv");
  ASSERT_EQ(
      run({"fit", "svc", path("train.csv"), "-t", "where", "-q", "-o", path("m.mercer"), "--report", path("fit.html")})
          .code,
      0);
  const auto at_fit = page_data("fit.html");
  EXPECT_EQ(at_fit["data"]["part"], "training");
  EXPECT_TRUE(contains(at_fit["warnings"].dump(), "fitted to"));
  const Outcome again = run({"report", path("m.mercer"), path("train.csv"), "-o", path("again.html")});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(page_data("again.html")["data"]["part"], "training");
  EXPECT_EQ(page_data("again.html")["metrics"], at_fit["metrics"]);
  EXPECT_EQ(page_data("again.html")["influence"], at_fit["influence"]);
  const Outcome other = run({"report", path("m.mercer"), path("test.csv"), "-o", "-"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_TRUE(other.out.starts_with("<!doctype html>"));
  EXPECT_TRUE(contains(other.out, "\"part\":\"test\""));
}

TEST_F(ReportPage, OfARegressionAndOfNovelty) {
  const std::string data = write_plane("plane.csv");
  ASSERT_EQ(run({"fit", "gp", data, "-t", "y", "-q", "-o", path("g.mercer"), "--report", path("g.html")}).code, 0);
  EXPECT_TRUE(page_data("g.html")["regression"].contains("coverage"));
  EXPECT_TRUE(page_data("g.html")["relevance"]["columns"][0].contains("lengthscale"));
  ASSERT_EQ(run({"fit", "oneclass", write("points.csv", "a,b\n1,2\n2,1\n1.5,1\n2,2\n1,1.4\n9,9\n"), "-q", "-o",
                 path("o.mercer")})
                .code,
            0);
  const Outcome report = run({"report", path("o.mercer"), path("points.csv"), "-o", path("o.html"), "-q"});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_EQ(page_data("o.html")["novelty"]["total"], 6);
  EXPECT_TRUE(report.out.empty());
}

TEST_F(ReportPage, OfDensitiesFeaturesAndClusters) {
  write_ring("train.csv", "test.csv");
  const auto page = [&](const std::string& model, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"fit", model, path("train.csv"), "-t", "where", "-q", "-o", path("u.mercer")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome fitted = run(arguments);
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    const Outcome outcome =
        run({"report", path("u.mercer"), path("test.csv"), "-t", "where", "-q", "-o", path("u.html")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return page_data("u.html");
  };
  const auto density = page("kde", {"--report", path("fit.html")});
  EXPECT_EQ(page_data("fit.html")["data"]["part"], "training");
  EXPECT_EQ(density["density"]["curves"][1]["column"], "up");
  EXPECT_EQ(density["regions"]["levels"].size(), 4U);
  EXPECT_EQ(density["metrics"][0]["name"], "mean log-density");
  const auto features = page("kpca", {});
  EXPECT_EQ(features["features"]["target"], "where");
  EXPECT_EQ(features["features"]["points"]["class"].size(), 28U);
  const auto clusters = page("kmeans", {"-s", "clusters=2"});
  EXPECT_EQ(clusters["clusters"]["sizes"].size(), 2U);
  EXPECT_EQ(clusters["clusters"]["labels"]["names"][0], "inside");
}

TEST_F(ReportPage, WrongUses) {
  write_ring("train.csv", "test.csv");
  const std::string model = path("m.mercer");
  ASSERT_EQ(run({"fit", "svc", path("train.csv"), "-t", "where", "-q", "-o", model}).code, 0);
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& part) {
    const std::vector<std::string> before = listing();
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
    EXPECT_EQ(listing(), before);
  };
  const std::string out = path("r.html");
  refused({"report", model, path("test.csv"), "--axes", "left,wide", "-o", out}, 2, "wide");
  refused({"report", model, path("test.csv"), "--axes", "left", "-o", out}, 2, "two columns");
  refused({"report", model, path("test.csv"), "--train", path("test.csv"), "-o", out}, 3, "not those");
  refused({"report", model, write("bare.csv", "left,up\n1,2\n"), "-o", out}, 3, "where");
  refused({"report", model, path("test.csv"), "--tuning", path("none.jsonl"), "-o", out}, 3, "none.jsonl");
  refused({"report", "-", "-", "-o", out}, 2, "standard input");
  refused({"report", model, path("test.csv"), "--learning", "--no-learning", "-o", out}, 2, "exclude");
  refused({"fit", "svc", path("train.csv"), "-t", "where", "-o", "-", "--report", "-"}, 2, "both");
}

}  // namespace
}  // namespace mercer::cli_test
