// mercer svm-train: flags and data that are refused, beside LIBSVM's svm-train: the same words and exit code.
#include <gtest/gtest.h>

#include "cli/peer.h"
#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class SvmTrainFlags : public CliTest {
 protected:
  Outcome ours(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "svm-train");
    return run(arguments);
  }
};

TEST_F(SvmTrainFlags, RefusalsAreLibsvms) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const std::string data = write("data", "1 1:1 2:3\n-1 1:2 3:4.5\n1 1:3\n1 2:1\n");
  const std::vector<std::vector<std::string>> cases = {{"-s", "7"},
                                                       {"-s", "-1"},
                                                       {"-t", "9"},
                                                       {"-t", "9", "-s", "7"},
                                                       {"-g", "-1"},
                                                       {"-t", "1", "-d", "-1"},
                                                       {"-m", "0"},
                                                       {"-e", "0"},
                                                       {"-c", "0"},
                                                       {"-c", "-2"},
                                                       {"-s", "4", "-c", "0"},
                                                       {"-s", "1", "-n", "0"},
                                                       {"-s", "2", "-n", "1.5"},
                                                       {"-s", "4", "-n", "-1"},
                                                       {"-s", "1", "-n", "0.9"},
                                                       {"-s", "3", "-p", "-1"},
                                                       {"-h", "2"},
                                                       {"-b", "2"},
                                                       {"-h", "2", "-b", "2"},
                                                       {"-h", "3", "-s", "1", "-n", "0.9"},
                                                       {"-s", "3", "-c", "0", "-e", "0", "-m", "0"}};
  for (std::vector<std::string> flags : cases) {
    flags.insert(flags.end(), {data, path("model")});
    SCOPED_TRACE(flags[0] + " " + flags[1]);
    const Outcome theirs = run_other(peer("svm-train"), flags, folder_);
    const Outcome mine = ours(flags);
    EXPECT_EQ(mine.code, theirs.code);
    EXPECT_EQ(mine.err, theirs.err);
    EXPECT_EQ(mine.out, theirs.out);
    EXPECT_FALSE(exists("model"));
  }
}

TEST_F(SvmTrainFlags, WrongDataIsRefusedInLibsvmsWords) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const struct {
    const char* text;
    const char* kernel;
  } cases[] = {{"1 1:1\nx 1:2\n", "2"}, {"1 1:1 2:abc\n", "2"},           {"1 2:1 1:3\n", "2"},
               {"1 1:1\n", "4"},        {"1 0:1 1:1\n-1 0:3 1:2\n", "4"}, {"1 0:0 1:1\n", "4"}};
  for (const auto& wrong : cases) {
    SCOPED_TRACE(wrong.text);
    const std::string data = write("data", wrong.text);
    const Outcome theirs = run_other(peer("svm-train"), {"-t", wrong.kernel, data, path("model")}, folder_);
    const Outcome mine = ours({"-t", wrong.kernel, data, path("model")});
    EXPECT_EQ(theirs.code, 1);
    EXPECT_EQ(mine.code, 1);
    EXPECT_TRUE(mine.err.starts_with(theirs.err)) << mine.err << theirs.err;
    EXPECT_FALSE(exists("model"));
  }
  const Outcome missing = ours({path("missing")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err, "can't open input file " + path("missing") + "\n");
}

TEST_F(SvmTrainFlags, WrongUsageShowsTheFlags) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{},
                                                                                         {"-c"},
                                                                                         {"-q"},
                                                                                         {"-c", "1"},
                                                                                         {"-c", "word", "x"},
                                                                                         {"-wx", "2", "x"},
                                                                                         {"-s", "0.5", "x"},
                                                                                         {"-v", "1", "x"},
                                                                                         {"-k", "3", "x"}}) {
    const Outcome outcome = ours(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(outcome.out.starts_with("Usage: svm-train [options] training_set_file [model_file]\n"));
  }
  EXPECT_EQ(ours({"-v", "1", "x"}).err, "n-fold cross validation: n must >= 2\n");
  EXPECT_EQ(ours({"-k", "3", "x"}).err, "Unknown option: -k\n");
}

TEST_F(SvmTrainFlags, NotANumberIsRefused) {
  const std::string data = write("data", "1 1:1\n-1 1:2\n");
  for (const char* flag : {"-g", "-c", "-e", "-m"}) {
    const Outcome outcome = ours({flag, "nan", data, path("model")});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(outcome.err.starts_with("ERROR: ")) << outcome.err;
  }
}

}  // namespace
}  // namespace mercer::cli_test
