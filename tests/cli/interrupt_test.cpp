// Ctrl-C: the program stops soon, says so, returns 130 and leaves nothing half-written.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Interrupt : public CliTest {
 protected:
  // Enough rows that a fit takes many seconds on any machine.
  std::string write_large(int rows) const {
    std::string text = "a,b,c,y\n";
    for (int i = 0; i < rows; ++i) {
      text += std::to_string(i * 7919 % 10007) + "," + std::to_string(i * 104729 % 9973) + "," +
              std::to_string(i % 97) + "," + std::to_string(i % 13) + "\n";
    }
    return write("large.csv", text);
  }
  // Sends the signal after `delay`, and expects the end within 3 s: the promise is 0.2 s, a test machine may be busy.
  Outcome interrupted(const std::vector<std::string>& arguments, std::chrono::milliseconds delay, int signal) {
    Process process(arguments);
    std::this_thread::sleep_for(delay);
    EXPECT_TRUE(process.is_running()) << "too short to be interrupted";
    const auto start = std::chrono::steady_clock::now();
    process.send(signal);
    const Outcome outcome = process.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
    return outcome;
  }
};

TEST_F(Interrupt, FitLeavesNothingBehind) {
  const std::string data = write_large(12000);
  const auto before = listing();
  for (const int delay : {300, 1500}) {
    const Outcome outcome = interrupted({"fit", "ridge", data, "-t", "y", "-k", "rbf(gamma=1)", "-o", path("m.mercer")},
                                        std::chrono::milliseconds(delay), SIGINT);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "interrupted")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(Interrupt, AnOlderModelStaysAsItWas) {
  const std::string data = write_large(12000);
  write("m.mercer", "older");
  EXPECT_EQ(
      interrupted({"fit", "ridge", data, "-t", "y", "-o", path("m.mercer")}, std::chrono::milliseconds(500), SIGINT)
          .code,
      130);
  EXPECT_EQ(read("m.mercer"), "older");
}

TEST_F(Interrupt, WritingAMatrixIsStoppedAndRemoved) {
  const std::string data = write_large(12000);
  const auto before = listing();
  const Outcome outcome =
      interrupted({"gram", "rbf(gamma=1)", data, "-o", path("K.csv")}, std::chrono::milliseconds(1500), SIGINT);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(listing(), before);
}

TEST_F(Interrupt, TerminationIsTheSameWithItsOwnCode) {
  const std::string data = write_large(12000);
  const Outcome outcome =
      interrupted({"fit", "ridge", data, "-t", "y", "-o", path("m.mercer")}, std::chrono::milliseconds(500), SIGTERM);
  EXPECT_EQ(outcome.code, 143) << outcome.err;
  EXPECT_FALSE(exists("m.mercer"));
}

// A read that waits for a terminal cannot poll: the watcher ends it.
TEST_F(Interrupt, WaitingForInputCanBeInterrupted) {
  const std::string fifo = path("pipe");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int keep_open = open(fifo.c_str(), O_RDWR);
  const Outcome outcome =
      interrupted({"fit", "ridge", fifo, "-t", "y", "-o", path("m.mercer")}, std::chrono::milliseconds(300), SIGINT);
  close(keep_open);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
}

}  // namespace
}  // namespace mercer::cli_test
