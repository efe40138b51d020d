// Labels and identities from file to answer: nothing merged, nothing renamed, read alike at the fit and afterwards.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

// Two clouds far apart, labelled in turn.
std::string labeled(const std::string& first, const std::string& second) {
  std::string text = "x,z,y\n";
  for (int i = 0; i < 24; ++i) {
    const bool other = i % 2 == 1;
    text += std::to_string((other ? 5.0 : 0.0) + 0.1 * (i % 7)) + "," + std::to_string(0.2 * (i % 5)) + "," +
            (other ? second : first) + "\n";
  }
  return text;
}

class Labels : public CliTest {
 protected:
  std::string fitted(const std::string& first, const std::string& second) const {
    const Outcome outcome =
        run({"fit", "svc", write("train.csv", labeled(first, second)), "-t", "y", "-o", path("m.mercer"), "--force"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return path("m.mercer");
  }
  double accuracy(const std::string& model, const std::string& first, const std::string& second) const {
    const Outcome outcome = run({"score", model, write("test.csv", labeled(first, second)), "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out)["scores"][0]["metrics"]["accuracy"]["value"];
  }
  std::vector<std::string> answers(const std::string& model) const {
    const Outcome outcome = run({"predict", model, path("train.csv")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
      found.push_back(line);
    }
    return {found[1], found[2]};
  }
};

TEST_F(Labels, StayWhatTheyAre) {
  const std::vector<std::array<std::string, 4>> cases = {
      // as written, and as answered
      {"1234567890123456781", "1234567890123456782", "1234567890123456781", "1234567890123456782"},
      {"-9007199254740993", "-9007199254740992", "-9007199254740993", "-9007199254740992"},
      {"01", "1", "01", "1"},
      {"007", "7", "007", "7"},
      {"+1", "-1", "1", "-1"},
      {"1.0", "2.50", "1", "2.5"},
      {"\" a\"", "a", "\" a\"", "a"},
      {"\"NA\"", "x", "\"NA\"", "x"},
      {"true", "false", "true", "false"}};
  for (const auto& [first, second, first_answer, second_answer] : cases) {
    const std::string model = fitted(first, second);
    EXPECT_EQ(answers(model), (std::vector<std::string>{first_answer, second_answer})) << first;
    EXPECT_EQ(accuracy(model, first, second), 1.0) << first;
  }
}

TEST_F(Labels, OfANewFileAreReadByTheKindOfTheModel) {
  const std::string integers = fitted("1", "2");
  EXPECT_EQ(accuracy(integers, "1.0", "+2"), 1.0);
  EXPECT_EQ(accuracy(integers, "1", "02"), 0.5);
  const std::string texts = fitted("01", "2");
  EXPECT_EQ(accuracy(texts, "01", "2"), 1.0);
  EXPECT_EQ(accuracy(texts, "1", "2.0"), 0.0);
  const std::string reals = fitted("0.5", "2");
  EXPECT_EQ(accuracy(reals, ".50", "2.0"), 1.0);
}

TEST_F(Labels, WeightsOfClassesAreNamedInAnySpelling) {
  const std::string data = write("train.csv", labeled("+1", "-1"));
  for (const char* weights : {"class_weight=+1:2,-1:1", "class_weight=1:2,-1.0:1"}) {
    EXPECT_EQ(run({"fit", "svc", data, "-t", "y", "--set", weights, "-o", path("w.mercer")}).code, 0) << weights;
  }
}

// "-" among numbers is missing, in training and in scoring alike; the labels beside it are numbers still.
TEST_F(Labels, MarksOfMissingNumbersAreNoClass) {
  std::string text = labeled("1", "2");
  for (const char* const mark : {"-", ".", "none"}) {
    text.replace(text.find(",2\n"), 3, std::string(",") + mark + "\n");
  }
  const std::string data = write("marks.csv", text);
  ASSERT_EQ(run({"fit", "svc", data, "-t", "y", "-o", path("m.mercer")}).code, 0);
  const auto score = [&](const std::string& file) {
    const Outcome outcome = run({"score", path("m.mercer"), file, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse(outcome.out);
  };
  const auto marked = score(data);
  EXPECT_EQ(marked["n"], 21) << marked;
  const auto spelled = score(write("spelled.csv", labeled("1.0", "2.0")));
  const auto plain = score(write("plain.csv", labeled("1", "2")));
  EXPECT_EQ(spelled["scores"], plain["scores"]);
}

TEST_F(Labels, MissingOnesAreNoClass) {
  std::string text = labeled("a", "b");
  text.replace(text.find(",b\n"), 3, ",NA\n");
  const std::string data = write("gaps.csv", text);
  const Outcome refused = run({"fit", "svc", data, "-t", "y", "--missing", "reject", "-o", path("m.mercer")});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(contains(refused.err, "gaps.csv:3:")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "target 'y': the label is missing")) << refused.err;
  for (const char* rule : {"auto", "drop"}) {
    const Outcome dropped = run({"fit", "svc", data, "-t", "y", "--missing", rule, "-o", path("m.mercer"), "--json"});
    ASSERT_EQ(dropped.code, 0) << dropped.err;
    EXPECT_EQ(parse(dropped.out)["n"], 23) << rule;
  }
}

TEST_F(Labels, IdentitiesBeyondDoublesStayApartInDelta) {
  std::string text = "id,y\n";
  for (int i = 0; i < 20; ++i) {
    text += std::string("90071992547409") + (i % 2 == 0 ? "92" : "93") + (i % 2 == 0 ? ",0\n" : ",10\n");
  }
  const std::string data = write("ids.csv", text);
  ASSERT_EQ(
      run({"fit", "ridge", data, "-t", "y", "-k", "delta()[id]", "--set", "lambda=1e-6", "-o", path("m.mercer")}).code,
      0);
  const Outcome predicted = run({"predict", path("m.mercer"), data, "--json"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const auto rows = parse(predicted.out)["rows"];
  EXPECT_NEAR(rows[0][0].get<double>(), 0, 1e-3);
  EXPECT_NEAR(rows[1][0].get<double>(), 10, 1e-3);
}

TEST_F(Labels, RepeatedNamesAtPredictionAreToldOf) {
  const std::string model = fitted("a", "b");
  const Outcome outcome = run({"predict", model, write("new.csv", "x,x,z\n0,5,0\n5,0,0\n")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "y\na\nb\n");
  EXPECT_TRUE(contains(outcome.err, "two columns are named 'x'; the first is read")) << outcome.err;
}

TEST_F(Labels, JsonIsWhatJsonFlagPrints) {
  const std::string model = fitted("a", "b");
  const Outcome outcome = run({"predict", model, path("train.csv"), "--decision", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = parse(outcome.out);
  EXPECT_EQ(json["n"], 24);
  EXPECT_EQ(json["columns"], (std::vector<std::string>{"y", "f(b)"}));
  ASSERT_EQ(json["rows"].size(), 24);
  EXPECT_EQ(json["rows"][0][0], "a");
  EXPECT_LT(json["rows"][0][1].get<double>(), 0);

  const Outcome path_of = run({"path", "svc", path("train.csv"), "-t", "y", "--json"});
  ASSERT_EQ(path_of.code, 0) << path_of.err;
  const auto points = parse(path_of.out);
  EXPECT_EQ(points["points"], points["rows"].size());
  EXPECT_EQ(points["columns"].size(), points["rows"][0].size());

  ASSERT_EQ(run({"fit", "kde", write("points.csv", "a,b\n1,2\n2,3\n3,5\n"), "-o", path("d.mercer")}).code, 0);
  const Outcome drawn = run({"sample", path("d.mercer"), "-n", "3", "--json"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(parse(drawn.out)["columns"], (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse(drawn.out)["rows"].size(), 3);
}

TEST_F(Labels, OfJsonAreAsLongAsTheyAre) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += "{\"x\": " + std::to_string(i + (i % 2 == 0 ? 0 : 100)) + ", \"y\": 1844674407370955161" +
            (i % 2 == 0 ? "6}" : "7}") + "\n";
  }
  const std::string data = write("large.jsonl", text);
  ASSERT_EQ(run({"fit", "svc", data, "-t", "y", "-o", path("j.mercer")}).code, 0);
  const Outcome outcome = run({"predict", path("j.mercer"), data});
  EXPECT_EQ(outcome.out.substr(0, 44), "y\n18446744073709551616\n18446744073709551617\n");
}

TEST_F(Labels, OfTextsAreNotTakenForNumbers) {
  const std::string data =
      write("words.csv", "x,y\n0,\"NaN\"\n1,\"NaN\"\n2,\"NaN\"\n10,\"null\"\n11,\"null\"\n12,\"null\"\n");
  ASSERT_EQ(run({"fit", "knnc", data, "-t", "y", "-s", "neighbors=1", "-o", path("w.mercer")}).code, 0);
  const Outcome outcome = run({"predict", path("w.mercer"), data});
  EXPECT_EQ(outcome.out, "y\n\"NaN\"\n\"NaN\"\n\"NaN\"\n\"null\"\n\"null\"\n\"null\"\n");
  EXPECT_EQ(run({"score", path("w.mercer"), data}).code, 0);
}

TEST_F(Labels, MissingOnesOfATargetsFileAreDropped) {
  const std::string inputs = write("x.csv", "x\n1\n2\nNA\n11\n12\n13\n");
  const std::string targets = write("y.csv", "y\na\nNA\na\nb\nb\nb\n");
  EXPECT_EQ(run({"fit", "knnc", inputs, "--targets-file", targets, "--missing", "reject", "-o", path("d.mercer")}).code,
            3);
  EXPECT_EQ(parse(run({"fit", "knnc", inputs, "--targets-file", targets, "-o", path("d.mercer"), "--json"}).out)["n"],
            5);
  const Outcome outcome = run({"fit", "knnc", inputs, "--targets-file", targets, "--missing", "drop", "-s",
                               "neighbors=1", "-o", path("d.mercer"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parse(outcome.out)["n"], 4);
  EXPECT_EQ(run({"predict", path("d.mercer"), write("new.csv", "x\n1\n12\n")}).out, "y\na\nb\n");
}

// Names of targets are names: "0" is no first column.
TEST_F(Labels, ATargetThatIsCalledLikeANumberIsNoColumnOfThatNumber) {
  const std::string data = write("numbers.csv", "3,1,2\n0,1,2\n2,2,5\n4,3,1\n6,4,0\n");
  ASSERT_EQ(run({"fit", "ridge", data, "--header", "-t", "1", "-o", path("n.mercer")}).code, 0);
  const Outcome outcome = run({"predict", path("n.mercer"), write("new.csv", "3,2\n0,2\n2,5\n"), "--header"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Labels, PredictionsOfArraysCanBeReadBack) {
  std::string bytes("\x93NUMPY\x01\0", 8);
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 2), }\n";
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  for (int i = 0; i < 8; ++i) {
    for (const double value : {i + (i % 2) * 50.0, i % 2 + 3.0}) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  const std::string data = write("d.npy", bytes);
  ASSERT_EQ(run({"fit", "svc", data, "-t", "1", "-o", path("a.mercer")}).code, 0);
  ASSERT_EQ(run({"predict", path("a.mercer"), data, "-o", path("p.csv")}).code, 0);
  EXPECT_EQ(read("p.csv"), "\"column 1\"\n3\n4\n3\n4\n3\n4\n3\n4\n");
}

TEST_F(Labels, WholeNumbersMayHaveAPoint) {
  const std::string data = write("train.csv", labeled("a", "b"));
  EXPECT_EQ(run({"fit", "knnc", data, "-t", "y", "--set", "neighbors=3.0", "-o", path("k.mercer")}).code, 0);
  const Outcome refused = run({"fit", "knnc", data, "-t", "y", "--set", "neighbors=1.5", "-o", path("k.mercer")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "a whole number above 0")) << refused.err;
}

TEST_F(Labels, ReportsKnowTheTrainingRowsOfFloatModels) {
  const std::string data = write("train.csv", labeled("a", "b"));
  ASSERT_EQ(run({"fit", "svc", data, "-t", "y", "--precision", "float", "-o", path("f.mercer")}).code, 0);
  const Outcome outcome =
      run({"report", path("f.mercer"), data, "--train", data, "-o", path("r.html"), "--no-learning"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Labels, ReportsTakeTheSearchOfALearnedKernel) {
  const std::string data = write("train.csv", labeled("a", "b"));
  ASSERT_EQ(run({"tune", "mklsvc", data, "-t", "y", "--set", "C=1..10", "--grid", "3", "--folds", "2", "--log",
                 path("log.jsonl"), "-o", path("t.mercer")})
                .code,
            0);
  const Outcome outcome =
      run({"report", path("t.mercer"), data, "--tuning", path("log.jsonl"), "-o", path("r.html"), "--no-learning"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace mercer::cli_test
