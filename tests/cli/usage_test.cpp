// The command line itself: help, version, wrong names with suggestions, exit codes.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

TEST(Usage, VersionAndHelp) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("mercer "));
  EXPECT_EQ(version.err, "");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                                         {"-h"},
                                                                                         {"fit", "--help"},
                                                                                         {"predict", "--help"},
                                                                                         {"score", "--help"},
                                                                                         {"gram", "--help"},
                                                                                         {"kernels", "--help"},
                                                                                         {"models", "--help"}}) {
    const Outcome help = run(arguments);
    EXPECT_EQ(help.code, 0) << arguments[0];
    EXPECT_TRUE(contains(help.out, "Usage: mercer")) << arguments[0];
    EXPECT_TRUE(contains(help.out, "Examples:")) << arguments[0];
    EXPECT_EQ(help.err, "");
  }
}

TEST(Usage, NothingGivenShowsHelpOnStandardError) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "Usage: mercer"));
}

struct Wrong {
  std::vector<std::string> arguments;
  std::string said;
};

TEST(Usage, WrongNamesSuggestTheRightOnes) {
  for (const Wrong& wrong :
       std::vector<Wrong>{{{"fitt", "ridge"}, "Did you mean 'fit'?"},
                          {{"--versoin"}, "Did you mean '--version'?"},
                          {{"fit", "ridge", "x.csv", "--taget", "y"}, "Did you mean '--target'?"},
                          {{"fit", "ridge", "x.csv", "--kernel=rbf", "--thraeds=2"}, "Did you mean '--threads'?"},
                          {{"fit", "rigde", "x.csv"}, "Did you mean 'ridge'?"},
                          {{"fit", "ridge", "x.csv", "--set", "lamda=1"}, "Did you mean 'lambda'?"},
                          {{"fit", "ridge", "x.csv", "--kernel", "rbg(gamma=1)"}, "rbf"},
                          {{"fit", "ridge", "x.csv", "--kernel", "rbf(gama=1)"}, "gamma"},
                          {{"gram", "--chek", "rbf()", "x.csv"}, "Did you mean '--check'?"},
                          {{"kernels", "rfb"}, "Did you mean 'rbf'?"},
                          {{"models", "ridg"}, "Did you mean 'ridge'?"}}) {
    const Outcome outcome = run(wrong.arguments);
    EXPECT_EQ(outcome.code, 2) << wrong.said << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, wrong.said)) << wrong.said << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Usage, WrongShapes) {
  for (const Wrong& wrong : std::vector<Wrong>{{{"fit", "ridge"}, "DATA is missing"},
                                               {{"fit"}, "is missing"},
                                               {{"predict", "m.mercer", "x.csv", "more"}, "one argument too many"},
                                               {{"fit", "ridge", "x.csv", "--target"}, "--target needs a value"},
                                               {{"fit", "ridge", "x.csv", "--threads", "many"}, "--threads"},
                                               {{"fit", "ridge", "x.csv", "--threads", "-3"}, "--threads"},
                                               {{"fit", "ridge", "x.csv", "--memory", "-1"}, "--memory"},
                                               {{"fit", "ridge", "x.csv", "--format", "xls"}, "--format"},
                                               {{"fit", "ridge", "x.csv", "--scale", "big"}, "--scale"},
                                               {{"fit", "ridge", "x.csv", "--set", "lambda"}, "name=value"},
                                               {{"fit", "ridge", "x.csv", "--separator", "ab"}, "--separator"},
                                               {{"fit", "ridge", "x.csv", "--header", "--no-header"}, "--no-header"},
                                               {{"fit", "ridge", "-"}, "-o"},
                                               {{"fit", "ridge", "x.csv", "--kernel", "rbf("}, "^"},
                                               {{"fit", "ridge", "x.csv", "--set", "lambda=-1"}, "lambda = -1"},
                                               {{"score", "svr", "x.csv", "--set", "C=many"}, "C = many"},
                                               {{"path", "svc", "x.csv", "--set", "tolerance=0"}, "tolerance"},
                                               {{"predict", "-", "-"}, "standard input"},
                                               {{"gram", "rbf()", "x.csv", "--spectrum", "0"}, "--spectrum"}}) {
    const Outcome outcome = run(wrong.arguments);
    EXPECT_EQ(outcome.code, 2) << wrong.said << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, wrong.said)) << wrong.said << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Usage, MissingFilesAreNamed) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"fit", "ridge", "/nonexistent/x.csv", "-t", "y", "-o", "/tmp/never.mercer"},
           {"predict", "/nonexistent/x.csv", "new.csv"},
           {"score", "/nonexistent/x.csv", "new.csv"},
           {"gram", "rbf()", "/nonexistent/x.csv"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 3) << arguments[0];
    EXPECT_TRUE(contains(outcome.err, "/nonexistent/x.csv")) << outcome.err;
  }
}

TEST(Listings, KernelsShowFormulaParametersDefiniteness) {
  const Outcome list = run({"kernels"});
  EXPECT_EQ(list.code, 0);
  EXPECT_TRUE(contains(list.out, "rbf"));
  EXPECT_TRUE(contains(list.out, "positive definite"));
  const Outcome rbf = run({"kernels", "rbf"});
  EXPECT_EQ(rbf.code, 0);
  for (const char* part : {"formula", "gamma", "lengthscale", "definiteness", "examples"}) {
    EXPECT_TRUE(contains(rbf.out, part)) << part;
  }
}

TEST(Listings, JsonOfKernelsHoldsEveryLineOfTheList) {
  const Outcome outcome = run({"kernels", "--json"});
  ASSERT_EQ(outcome.code, 0);
  const auto json = parse(outcome.out);
  const std::string list = run({"kernels"}).out;
  ASSERT_GT(json["kernels"].size(), 5U);
  for (const auto& kernel : json["kernels"]) {
    EXPECT_TRUE(contains(list, "\n  " + kernel["name"].get<std::string>() + " ")) << kernel["name"];
    EXPECT_NE(kernel["formula"], "");
    EXPECT_NE(kernel["definiteness"], "");
    EXPECT_FALSE(kernel["examples"].empty()) << kernel["name"];
  }
}

TEST(Listings, Models) {
  EXPECT_TRUE(contains(run({"models"}).out, "ridge"));
  EXPECT_TRUE(contains(run({"models", "ridge"}).out, "lambda"));
  const auto json = parse(run({"models", "--json"}).out);
  EXPECT_EQ(json["models"][0]["name"], "ridge");
  EXPECT_EQ(parse(run({"models", "ridge", "--json"}).out)["options"][0]["name"], "lambda");
}

TEST(Listings, Losses) {
  const std::string list = run({"losses"}).out;
  const auto json = parse(run({"losses", "--json"}).out);
  ASSERT_GT(json["losses"].size(), 12U);
  for (const auto& loss : json["losses"]) {
    EXPECT_TRUE(contains(list, "\n  " + loss["name"].get<std::string>() + " ")) << loss["name"];
    EXPECT_TRUE(contains(list, loss["formula"])) << loss["name"];
    EXPECT_NE(loss["influence"], "");
    EXPECT_EQ(run({"losses", loss["name"]}).code, 0) << loss["name"];
  }
  const Outcome huber = run({"losses", "huber", "--set", "sigma=0.7"});
  EXPECT_TRUE(contains(huber.out, "Z = 2.6618556")) << huber.out;
  const auto numbers = parse(run({"losses", "logistic", "--json"}).out);
  EXPECT_EQ(numbers["convex"], true);
  EXPECT_NEAR(numbers["values"][6]["loss"].get<double>(), 0.6931471805599453, 1e-15);
  EXPECT_TRUE(contains(run({"losses", "density", "--set", "density=-1:0.2,0:0.5,1:0.2"}).out, "Z = "));
  EXPECT_TRUE(contains(run({"losses", "density", "--set", "density=@nowhere.csv"}).err, "nowhere.csv: cannot be read"));
  EXPECT_TRUE(contains(run({"losses", "hubr"}).err, "Did you mean 'huber'?"));
  EXPECT_EQ(run({"losses", "hubr"}).code, 2);
  EXPECT_TRUE(contains(run({"losses", "squared", "--set", "sigma=1"}).err, "squared has no parameters"));
  EXPECT_TRUE(contains(run({"losses", "huber", "--set", "sigma=-1"}).err, "sigma = -1"));
  EXPECT_EQ(run({"losses", "--set", "sigma=1"}).code, 2);
}

// What anyone may do with a long list: the reader goes away, nothing is said.
TEST(Listings, ClosedPipeIsQuiet) {
  const std::string program = program_path();
  const std::string command = "'" + program + "' kernels 2>&1 >/dev/full; echo $?";
  FILE* const full = popen(command.c_str(), "r");
  char line[256] = {};
  EXPECT_NE(fgets(line, sizeof line, full), nullptr);
  pclose(full);
  EXPECT_TRUE(contains(line, "error:")) << line;  // a full disk is an error
  const std::string piped = "{ '" + program +
                            "' kernels --json; echo $? >&2; } 2>&1 | true; "
                            "{ '" +
                            program + "' kernels --json; } 2>&1 | head -c 1 >/dev/null; echo done";
  FILE* const pipe = popen(piped.c_str(), "r");
  std::string said;
  while (fgets(line, sizeof line, pipe) != nullptr) {
    said += line;
  }
  pclose(pipe);
  EXPECT_EQ(said, "done\n");
}

}  // namespace
}  // namespace mercer::cli_test
