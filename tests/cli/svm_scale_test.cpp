// mercer svm-scale beside LIBSVM's: the same bytes on standard output, on standard error and in the scale file.
#include <gtest/gtest.h>

#include <random>

#include "cli/peer.h"
#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class SvmScale : public CliTest {
 protected:
  // Runs both in the same folder with the same arguments; {SAVE} is a file that both write.
  void expect_same(std::vector<std::string> arguments) {
    const std::string saved = path("saved");
    for (std::string& argument : arguments) {
      argument = argument == "{SAVE}" ? saved : argument;
    }
    std::filesystem::remove(saved);
    const Outcome theirs = run_other(peer("svm-scale"), arguments, folder_);
    const std::string their_file = read("saved");
    std::filesystem::remove(saved);
    arguments.insert(arguments.begin(), "svm-scale");
    const Outcome ours = run(arguments);
    EXPECT_EQ(ours.code, theirs.code);
    EXPECT_EQ(ours.out, theirs.out);
    EXPECT_EQ(ours.err, theirs.err);
    EXPECT_EQ(read("saved"), their_file);
  }
};

std::string random_text(std::mt19937& random, int first_index) {
  const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const char* const labels[] = {"1", "-1", "+1", "2.5", "0.1", "1e3", "123456789"};
  std::string text;
  const int columns = 1 + pick(7);
  for (int i = 1 + pick(8); i > 0; --i) {
    text += labels[pick(7)];
    for (int j = first_index; j < first_index + columns; ++j) {
      const double values[] = {0.0, 1.0, pick(7) - 3.0, pick(100000) / 7.0, pick(1000) * 1e-9, -pick(1000) * 1e6};
      if (pick(3) > 0) {
        std::ostringstream number;
        number.precision(17);
        number << values[pick(6)];
        text += " " + std::to_string(j) + ":" + number.str();
      }
    }
    text += pick(2) == 0 ? "\n" : " \n";
  }
  return text;
}

TEST_F(SvmScale, RandomFilesGiveTheSameBytes) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const std::string train = write("train", random_text(random, round % 5 == 0 ? 0 : 1));
    const std::string test = write("test", random_text(random, round % 7 == 0 ? 0 : 1));
    std::vector<std::string> limits;
    if (round % 2 == 0) {
      limits.insert(limits.end(), {"-l", round % 4 == 0 ? "0" : "-0.25"});
    }
    if (round % 3 == 0) {
      limits.insert(limits.end(), {"-u", "3.5"});
    }
    if (round % 4 == 1) {
      limits.insert(limits.end(), {"-y", "-1", "2"});
    }
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), limits.begin(), limits.end());
      return more;
    };
    expect_same(with({train}));
    expect_same(with({"-s", "{SAVE}", train}));
    std::filesystem::rename(path("saved"), path("factors"));
    expect_same(with({"-r", path("factors"), test}));
  }
}

TEST_F(SvmScale, RealFilesGiveTheSameBytes) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const char* const chosen = std::getenv("MERCER_DATA");
  const std::string heart = std::string(chosen != nullptr ? chosen : MERCER_DATA_DEFAULT) + "/libsvm/heart_scale";
  if (!std::filesystem::exists(heart)) {
    GTEST_SKIP() << heart << " is not there";
  }
  expect_same({heart});
  expect_same({"-l", "0", "-u", "2", "-s", "{SAVE}", heart});
  expect_same({"-y", "0", "1", "-s", "{SAVE}", heart});
}

TEST_F(SvmScale, WrongArgumentsEndAlike) {
  MERCER_SKIP_WITHOUT_LIBSVM();
  const std::string data = write("data", "1 1:1 2:3\n-1 1:2 3:4.5\n");
  expect_same({"-l", "1", "-u", "0", data});
  expect_same({"-y", "1", "0", data});
  expect_same({"-r", path("a"), "-s", path("b"), data});
  expect_same({path("missing")});
  expect_same({"-r", path("missing"), data});
  expect_same({"-s", path("no/folder"), data});
}

TEST_F(SvmScale, KnownResult) {
  const std::string data = write("data", "1 1:1 2:3\n-1 1:2 3:4.5\n");
  const Outcome outcome = run({"svm-scale", "-s", path("factors"), data});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "1 1:-1 2:1 3:-1 \n-1 1:1 2:-1 3:1 \n");
  EXPECT_TRUE(contains(outcome.err, "WARNING: original #nonzeros 4\n       > new      #nonzeros 6\n"));
  EXPECT_EQ(read("factors"), "x\n-1 1\n1 1 2\n2 0 3\n3 0 4.5\n");
}

TEST_F(SvmScale, WrongUsageShowsTheFlags) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"svm-scale"}, {"svm-scale", "-l"}, {"svm-scale", "a", "b"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(outcome.out.starts_with("Usage: svm-scale [options] data_filename\n"));
  }
  const Outcome unknown = run({"svm-scale", "-x", "1", "a"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.err, "unknown option\n");
}

TEST_F(SvmScale, HostileScaleFiles) {
  const std::string data = write("data", "1 1:1 2:3\n");
  for (const std::string text : {"", "hello\n", "x\n", "x\n1\n", "x\n0 1\n1 2\n", "x\n0 1\n1 nan 2\n",
                                 "x\n0 1\n-1 0 1\n", "x\n0 1\n99999999999 0 1\n", "y\n0 1\n", "y\n0 1\n2 3\nz\n"}) {
    SCOPED_TRACE(text);
    const Outcome outcome = run({"svm-scale", "-r", write("factors", text), data});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, "factors:")) << outcome.err;
  }
}

TEST_F(SvmScale, WrongDataNamesTheLine) {
  const std::string data = write("data", "1 1:1\n2 1:x\n");
  const Outcome outcome = run({"svm-scale", data});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.starts_with("Wrong input format at line 2\n")) << outcome.err;
}

}  // namespace
}  // namespace mercer::cli_test
