// fit, predict and score end to end: results, files, formats, the same bits for any number of threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Fit : public CliTest {};

std::vector<std::vector<double>> numbers(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  std::istringstream stream(csv);
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    std::string field;
    auto& row = rows.emplace_back();
    while (std::getline(fields, field, ',')) {
      row.push_back(std::stod(field));
    }
  }
  return rows;
}

TEST_F(Fit, LinearRidgeFindsThePlane) {
  const std::string data = write_plane("plane.csv");
  const Outcome fit = run({"fit", "ridge", data, "--target", "y", "--kernel", "linear()", "--set", "lambda=1e-9", "-o",
                           path("m.mercer"), "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto report = parse(fit.out);
  EXPECT_EQ(report["model"], "ridge");
  EXPECT_EQ(report["n"], 25);
  EXPECT_EQ(report["d"], 2);
  EXPECT_EQ(report["status"], "converged");
  EXPECT_EQ(report["path"], path("m.mercer"));
  EXPECT_EQ(report["targets"][0], "y");
  for (const char* key :
       {"kernel", "requested_kernel", "iterations", "objective", "seconds", "peak_memory_mb", "notes"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  for (const char* phase : {"read", "scale", "write", "total"}) {
    EXPECT_TRUE(report["seconds"].contains(phase)) << phase;
  }
  EXPECT_GT(report["peak_memory_mb"], 1);
  // Columns in another order, one too many, no target: the schema sorts it out.
  const std::string fresh = write("new.csv", "b,extra,a\n0.5,9,1\n2,9,10\n");
  const Outcome predict = run({"predict", path("m.mercer"), fresh});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_TRUE(predict.out.starts_with("y\n"));
  const auto values = numbers(predict.out);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_NEAR(values[0][0], 2, 1e-6);
  EXPECT_NEAR(values[1][0], 14, 1e-6);
}

TEST_F(Fit, ResolvedKernelIsReported) {
  const auto report = parse(
      run({"fit", "ridge", write_plane("p.csv"), "-t", "y", "-k", "rbf(gamma=auto)", "-o", path("m.mercer"), "--json"})
          .out);
  EXPECT_EQ(report["requested_kernel"], "rbf(gamma=auto)");
  EXPECT_EQ(report["kernel"], "rbf(gamma=0.5)");
  EXPECT_EQ(report["scaling"], "standard");
}

TEST_F(Fit, SeveralOutputsByNameAndNumber) {
  const std::string data = write("two.csv", "a,u,v\n1,2,5\n2,4,5\n3,6,5\n4,8,5\n");
  for (const std::vector<std::string>& targets : std::vector<std::vector<std::string>>{
           {"-t", "u,v"}, {"-t", "u", "-t", "v"}, {"--target", "1", "--target", "-1"}, {"--target=-2,-1"}}) {
    std::vector<std::string> arguments = {"fit", "ridge",         data, "-k", "linear()", "--set", "lambda=1e-9",
                                          "-o",  path("m.mercer")};
    arguments.insert(arguments.end(), targets.begin(), targets.end());
    const Outcome fit = run(arguments);
    ASSERT_EQ(fit.code, 0) << fit.err;
    const Outcome predict = run({"predict", path("m.mercer"), write("x.csv", "a\n10\n")});
    ASSERT_EQ(predict.code, 0) << predict.err;
    EXPECT_TRUE(predict.out.starts_with("u,v\n")) << predict.out;
    const auto values = numbers(predict.out);
    EXPECT_NEAR(values[0][0], 20, 1e-5);
    EXPECT_NEAR(values[0][1], 5, 1e-5);
    const auto scores = parse(run({"score", path("m.mercer"), data, "--json"}).out);
    EXPECT_EQ(scores["scores"].size(), 2U);
  }
}

TEST_F(Fit, DefaultNameStandsInTheCurrentFolder) {
  write_plane("plane.csv");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  const Outcome fit = run({"fit", "ridge", "plane.csv", "-t", "y"});
  std::filesystem::current_path(before);
  EXPECT_EQ(fit.code, 0) << fit.err;
  EXPECT_TRUE(exists("plane.mercer"));
  EXPECT_TRUE(contains(fit.out, "plane.mercer"));
}

TEST_F(Fit, DashesAreStandardInputAndOutput) {
  const std::string data = write_plane("plane.csv");
  const std::string text = read("plane.csv");
  const Outcome fit = run({"fit", "ridge", "-", "-t", "y", "-o", "-"}, text);
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_TRUE(contains(fit.err, "fitted"));
  const std::string model = write("m.mercer", fit.out);
  const Outcome from_file = run({"predict", model, data});
  const Outcome from_input = run({"predict", model, "-", "-o", "-"}, text);
  const Outcome model_from_input = run({"predict", "-", data}, fit.out);
  ASSERT_EQ(from_file.code, 0) << from_file.err;
  EXPECT_EQ(numbers(from_file.out).size(), 25U);
  EXPECT_EQ(from_file.out, from_input.out);
  EXPECT_EQ(from_file.out, model_from_input.out);
}

TEST_F(Fit, ScoreHasIntervalsAndBaselines) {
  ASSERT_EQ(run({"fit", "ridge", example("diabetes.csv"), "-t", "progression", "-o", path("m.mercer"), "-q"}).code, 0);
  const Outcome text = run({"score", path("m.mercer"), example("diabetes.csv")});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* part : {"rmse", "mae", "r2", "95 % interval", "baseline"}) {
    EXPECT_TRUE(contains(text.out, part)) << part;
  }
  const auto json = parse(run({"score", path("m.mercer"), example("diabetes.csv"), "--json"}).out);
  const auto& rmse = json["scores"][0]["metrics"]["rmse"];
  EXPECT_LT(rmse["lower"], rmse["value"]);
  EXPECT_LT(rmse["value"], rmse["upper"]);
  EXPECT_LT(rmse["value"], rmse["baseline"]);
  // The same numbers from the predictions, computed here.
  ASSERT_EQ(run({"predict", path("m.mercer"), example("diabetes.csv"), "-o", path("p.csv"), "-q"}).code, 0);
  const auto predicted = numbers(read("p.csv"));
  std::ifstream file(example("diabetes.csv"));
  const auto truth = numbers({std::istreambuf_iterator<char>(file), {}});
  ASSERT_EQ(predicted.size(), truth.size());
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    sum += std::pow(truth[i].back() - predicted[i][0], 2);
  }
  EXPECT_NEAR(rmse["value"].get<double>(), std::sqrt(sum / static_cast<double>(truth.size())), 1e-9);
}

TEST_F(Fit, AnyNumberOfThreadsGivesTheSameBytes) {
  std::vector<std::string> predictions;
  std::vector<std::string> models;
  for (const char* threads : {"1", "2", "3"}) {
    const std::string model = std::string("m") + threads + ".mercer";
    ASSERT_EQ(run({"fit", "ridge", example("digits.csv"), "-t", "label", "-o", path(model), "--threads", threads}).code,
              0);
    const Outcome predict = run({"predict", path(model), example("digits.csv"), "--threads", threads});
    ASSERT_EQ(predict.code, 0) << predict.err;
    predictions.push_back(predict.out);
  }
  EXPECT_EQ(predictions[0], predictions[1]);
  EXPECT_EQ(predictions[0], predictions[2]);
  EXPECT_GT(predictions[0].size(), 1797U * 3);
}

TEST_F(Fit, LibsvmText) {
  std::string text;
  for (int i = 1; i <= 20; ++i) {
    text += std::to_string(3 * i) + " 1:" + std::to_string(i) + " 4:1\n";
  }
  const std::string data = write("data.svm", text);
  const Outcome fit =
      run({"fit", "ridge", data, "-k", "linear()", "--set", "lambda=1e-8", "-o", path("m.mercer"), "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(parse(fit.out)["d"], 4);
  EXPECT_EQ(parse(fit.out)["scaling"], "maxabs");
  const Outcome predict = run({"predict", path("m.mercer"), write("new.svm", "0 1:7 4:1\n0 1:1\n")});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_TRUE(predict.out.starts_with("label\n")) << predict.out;
  EXPECT_NEAR(numbers(predict.out)[0][0], 21, 1e-5);
  EXPECT_EQ(run({"score", path("m.mercer"), data}).code, 0);
}

std::string npy(const std::vector<double>& values, int rows, int columns) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size());
  text += '\0';
  return text + header + std::string(reinterpret_cast<const char*>(values.data()), 8 * values.size());
}

TEST_F(Fit, NumpyWithTheLastColumnAsTarget) {
  std::vector<double> values;
  std::vector<double> inputs;
  for (int i = 0; i < 10; ++i) {
    values.insert(values.end(), {1.0 * i, 1.0 * (i % 3), 4.0 * i + 1});
    inputs.insert(inputs.end(), {1.0 * i, 1.0 * (i % 3)});
  }
  const std::string data = write("data.npy", npy(values, 10, 3));
  const Outcome fit =
      run({"fit", "ridge", data, "--target", "-1", "-k", "linear()", "--set", "lambda=1e-9", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome with_target = run({"predict", path("m.mercer"), data});
  ASSERT_EQ(with_target.code, 0) << with_target.err;
  const Outcome without = run({"predict", path("m.mercer"), write("x.npy", npy(inputs, 10, 2))});
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_EQ(with_target.out, without.out);
  EXPECT_NEAR(numbers(without.out)[9][0], 37, 1e-5);
  EXPECT_EQ(run({"score", path("m.mercer"), data}).code, 0);
}

TEST_F(Fit, IdxWithATargetsFile) {
  std::string images("\x00\x00\x08\x03\x00\x00\x00\x06\x00\x00\x00\x01\x00\x00\x00\x02", 16);
  std::string labels("\x00\x00\x08\x01\x00\x00\x00\x06", 8);
  for (char i = 0; i < 6; ++i) {
    images += {i, static_cast<char>(5 - i)};
    labels += static_cast<char>(2 * i);
  }
  const Outcome fit = run({"fit", "ridge", write("images", images), "--targets-file", write("labels", labels), "-k",
                           "linear()", "--set", "lambda=1e-9", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome score = run({"score", path("m.mercer"), path("images"), "--targets-file", path("labels"), "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  EXPECT_LT(parse(score.out)["scores"][0]["metrics"]["rmse"]["value"], 1e-5);
}

TEST_F(Fit, HeaderlessCsvNumbersItsColumns) {
  const std::string data = write("data.csv", "1,1,3\n2,5,4\n3,2,5\n4,0,6\n");
  const Outcome fit = run({"fit", "ridge", data, "--no-header", "-t", "-1", "-k", "linear()", "--set", "lambda=1e-9",
                           "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome predict = run({"predict", path("m.mercer"), write("x.csv", "10,3\n"), "--no-header"});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_NEAR(numbers(predict.out)[0][0], 12, 1e-5);
  EXPECT_EQ(run({"score", path("m.mercer"), data, "--no-header"}).code, 0);
}

TEST_F(Fit, WeightsAndMissingValues) {
  const std::string weighted = write("w.csv", "x,y,w\n0,0,1\n1,1,1\n2,50,0\n3,3,1\n");
  const Outcome fit = run({"fit", "ridge", weighted, "-t", "y", "--weights", "w", "-k", "linear()", "--set",
                           "lambda=1e-9", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_NEAR(numbers(run({"predict", path("m.mercer"), write("x.csv", "x\n2\n")}).out)[0][0], 2, 1e-6);
  const std::string gaps = write("gaps.csv", "x,y\n0,0\n1,\n,2\n3,3\n");
  const Outcome refused = run({"fit", "ridge", gaps, "-t", "y", "--missing", "reject", "-o", path("n.mercer")});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(contains(refused.err, "gaps.csv:")) << refused.err;
  EXPECT_FALSE(exists("n.mercer"));
  const Outcome dropped = run({"fit", "ridge", gaps, "-t", "y", "--missing", "drop", "-o", path("n.mercer"), "--json"});
  EXPECT_EQ(dropped.code, 0) << dropped.err;
  EXPECT_EQ(parse(dropped.out)["n"], 2);
  const Outcome filled = run({"fit", "ridge", gaps, "-t", "y", "-o", path("n.mercer"), "--json"});
  EXPECT_EQ(filled.code, 0) << filled.err;
  EXPECT_EQ(parse(filled.out)["n"], 3);
}

// A row of weight 0 is not there for the scaling and the widths either, however far away it is.
TEST_F(Fit, ARowOfWeightZeroChangesNothing) {
  const std::string rows = "0,1,1\n1,3,2\n2,2,1\n3,5,1\n";
  const std::string with = write("with.csv", "x,y,w\n" + rows + "1000,-70,0\n");
  const std::string without = write("without.csv", "x,y,w\n" + rows);
  const std::string queries = write("q.csv", "x\n0.5\n2.5\n");
  std::vector<std::string> answers;
  for (const std::string& data : {with, without}) {
    const Outcome fit = run({"fit", "ridge", data, "-t", "y", "--weights", "w", "-o", path("m.mercer")});
    ASSERT_EQ(fit.code, 0) << fit.err;
    answers.push_back(run({"predict", path("m.mercer"), queries}).out);
  }
  EXPECT_EQ(answers[0], answers[1]);
}

TEST_F(Fit, ClassLabelsAreRefusedByRegression) {
  const Outcome outcome =
      run({"fit", "ridge", write("c.csv", "x,y\n1,cat\n2,dog\n3,cat\n"), "-t", "y", "-o", path("m.mercer")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "class labels")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "Its like for classes is klr")) << outcome.err;
  EXPECT_FALSE(exists("m.mercer"));
}

TEST_F(Fit, DatesAreNoQuantities) {
  const auto refused = [&](const std::string& rows) {
    const Outcome outcome = run({"fit", "svr", write("d.csv", "x,y\n" + rows), "-t", "y", "-o", path("m.mercer")});
    EXPECT_EQ(outcome.code, 3);
    return outcome.err;
  };
  for (const char* rows : {"1,2014-05-21\n2,2014-05-22\n3,2014-05-23\n", "1,01/02/2014\n2,03/04/2014\n3,05/06/2014\n",
                           "1,11:30\n2,12:30\n3,13:30\n"}) {
    const std::string error = refused(rows);
    EXPECT_TRUE(contains(error, "holds dates or times (") && contains(error, "days since some day")) << error;
  }
  EXPECT_TRUE(contains(refused("1,2014-05-21\n2,spring\n3,2014-05-23\n"), "holds class labels"));
}

TEST_F(Fit, ATargetThatLooksLikeOneForAnotherModelIsSaid) {
  const std::string quantity = write("q.csv", "x,y\n1,0.5\n2,1.7\n3,2.2\n4,3.1\n5,4.9\n6,5.3\n7,6.1\n");
  const Outcome refused = run({"fit", "gpc", quantity, "-t", "y", "-o", path("m.mercer")});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(contains(refused.err, "7 different numbers with fractions")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "Its like for quantities is gp.")) << refused.err;
  EXPECT_FALSE(exists("m.mercer"));
  // How sure a label is may be any number.
  const std::string sure = write("s.csv", "x,y\n1,-0.95\n2,-0.7\n3,-0.2\n4,0.1\n5,0.5\n6,0.93\n7,1\n");
  const Outcome degrees = run({"fit", "svc", sure, "-t", "y", "-s", "uncertain=yes", "-o", path("u.mercer")});
  EXPECT_EQ(degrees.code, 0) << degrees.err;
  const std::string coded = write("c.csv", "x,y\n1,0\n2,0\n3,1\n4,1\n");
  const Outcome noted = run({"fit", "svr", coded, "-t", "y", "-o", path("m.mercer")});
  EXPECT_EQ(noted.code, 0) << noted.err;
  EXPECT_TRUE(contains(noted.err, "two numbers alone")) << noted.err;
  EXPECT_TRUE(contains(noted.err, "take svc")) << noted.err;
  std::string counts = "x,y\n";
  for (int i = 0; i < 42; ++i) {
    counts += std::to_string(i) + "," + std::to_string(i / 2) + "\n";
  }
  const Outcome counted = run({"fit", "lssvm", write("n.csv", counts), "-t", "y", "-o", path("n.mercer")});
  EXPECT_EQ(counted.code, 0) << counted.err;
  EXPECT_TRUE(contains(counted.err, "21 different whole numbers")) << counted.err;
  EXPECT_TRUE(contains(counted.err, "take ridge")) << counted.err;
}

TEST_F(Fit, OptionsFromFiles) {
  const std::string noise = write("noise.csv", "residual,density\n-6,0.01\n-3,0.1\n0,0.4\n3,0.1\n6,0.01\n");
  const std::string data = write_plane("plane.csv");
  const Outcome by_file =
      run({"fit", "riskr", data, "-t", "y", "-s", "loss=density", "-s", "density=@" + noise, "-o", path("a.mercer")});
  EXPECT_EQ(by_file.code, 0) << by_file.err;
  const Outcome by_text = run({"fit", "riskr", data, "-t", "y", "-s", "loss=density", "-s",
                               "density=-6:0.01,-3:0.1,0:0.4,3:0.1,6:0.01", "-o", path("b.mercer")});
  EXPECT_EQ(by_text.code, 0) << by_text.err;
  EXPECT_EQ(read("a.mercer"), read("b.mercer"));
  const Outcome missing = run({"fit", "riskr", data, "-t", "y", "-s", "loss=density", "-s", "density=@" + path("none"),
                               "-o", path("c.mercer")});
  EXPECT_EQ(missing.code, 3) << missing.err;
  EXPECT_TRUE(contains(missing.err, "cannot be read, as --set NAME=@FILE asks for")) << missing.err;
}

TEST_F(Fit, IndefiniteKernelIsRefused) {
  const Outcome outcome = run(
      {"fit", "ridge", write_plane("p.csv"), "-t", "y", "-k", "linear() + -1*rbf(gamma=1)", "-o", path("m.mercer")});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "indefinite")) << outcome.err;
  EXPECT_FALSE(exists("m.mercer"));
}

TEST_F(Fit, TargetMustBeSaidAndMustExist) {
  const std::string data = write_plane("p.csv");
  const Outcome unsaid = run({"fit", "ridge", data, "-o", path("m.mercer")});
  EXPECT_EQ(unsaid.code, 2);
  EXPECT_TRUE(contains(unsaid.err, "--target")) << unsaid.err;
  EXPECT_TRUE(contains(unsaid.err, "a, b, y")) << unsaid.err;
  const Outcome unknown = run({"fit", "ridge", data, "-t", "z", "-o", path("m.mercer")});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_TRUE(contains(unknown.err, "'z'")) << unknown.err;
}

TEST_F(Fit, PredictionsThatAModelDoesNotHave) {
  ASSERT_EQ(run({"fit", "ridge", write_plane("p.csv"), "-t", "y", "-o", path("m.mercer"), "-q"}).code, 0);
  for (const char* flag : {"--proba", "--std", "--decision"}) {
    const Outcome outcome = run({"predict", path("m.mercer"), path("p.csv"), flag});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, flag)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(Fit, QuietSaysNothing) {
  const Outcome fit = run({"fit", "ridge", write_plane("p.csv"), "-t", "y", "-o", path("m.mercer"), "--quiet"});
  EXPECT_EQ(fit.code, 0);
  EXPECT_EQ(fit.out + fit.err, "");
  const Outcome predict = run({"predict", path("m.mercer"), path("p.csv"), "-o", path("o.csv"), "--quiet"});
  EXPECT_EQ(predict.code, 0);
  EXPECT_EQ(predict.out + predict.err, "");
}

TEST_F(Fit, MemoryBoundIsKept) {
  const Outcome outcome = run({"fit", "ridge", example("digits.csv"), "-t", "label", "--memory", "8", "-s",
                               "method=exact", "-o", path("m.mercer")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "MB") || contains(outcome.err, "memory")) << outcome.err;
  EXPECT_FALSE(exists("m.mercer"));
  // Left alone it takes the way that needs less.
  const Outcome iterated =
      run({"fit", "ridge", example("digits.csv"), "-t", "label", "--memory", "8", "-o", path("m.mercer")});
  EXPECT_EQ(iterated.code, 0) << iterated.err;
  EXPECT_TRUE(contains(iterated.out, "conjugate gradients")) << iterated.out;
}

TEST_F(Fit, FolderThatCannotBeWrittenIsSaidFirst) {
  const Outcome outcome = run({"fit", "ridge", write_plane("p.csv"), "-t", "y", "-o", path("no/such/m.mercer")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "no/such")) << outcome.err;
}

// What comes out is a model of another name; options that were left alone are not listed as if they had been set.
TEST_F(Fit, ListsTheOptionsThatWereSet) {
  const std::string iris = example("iris.csv");
  const Outcome classes =
      run({"fit", "mklsvc", iris, "-t", "species", "--set", "memory_mb=500", "-o", path("c.mercer")});
  ASSERT_EQ(classes.code, 0) << classes.err;
  EXPECT_TRUE(contains(classes.out, "options     memory_mb=500\n")) << classes.out;
  const Outcome values =
      run({"fit", "mklridge", iris, "-t", "petal_width", "--set", "memory_mb=500", "-o", path("v.mercer")});
  ASSERT_EQ(values.code, 0) << values.err;
  EXPECT_TRUE(contains(values.out, "options     lambda=1 memory_mb=500\n"))
      << values.out;  // of two penalties, this one
}

}  // namespace
}  // namespace mercer::cli_test
