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
  // Two threads: the work must be long for machines with many cores too.
  static Outcome interrupted(std::vector<std::string> arguments, double after_cpu_seconds, int signal) {
    arguments.insert(arguments.end(), {"--threads", "2"});
    Process process(arguments);
    process.work_for(after_cpu_seconds);
    EXPECT_TRUE(process.is_running()) << "too short to be interrupted";
    return ended_by(process, signal);
  }
  // Expects the end before 3 s of processor time are used: the promise is 0.2 s of each thread, a test machine may be
  // slow. Time on the clock says nothing where other programs hold the cores.
  static Outcome ended_by(Process& process, int signal) {
    const double before = process.cpu_seconds();
    process.send(signal);
    const Outcome outcome = process.wait();
    EXPECT_LT(process.cpu_seconds() - before, 3);
    return outcome;
  }
};

TEST_F(Interrupt, FitLeavesNothingBehind) {
  const std::string data = write_large(12000);
  const auto before = listing();
  for (const double after : {0.3, 1.5}) {
    const Outcome outcome =
        interrupted({"fit", "ridge", data, "-t", "y", "-k", "rbf(gamma=1)", "-o", path("m.mercer")}, after, SIGINT);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "interrupted")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(Interrupt, AnOlderModelStaysAsItWas) {
  const std::string data = write_large(12000);
  ASSERT_EQ(run({"fit", "ridge", write_plane("p.csv"), "-t", "y", "-o", path("m.mercer"), "-q"}).code, 0);
  const std::string older = read("m.mercer");
  EXPECT_EQ(interrupted({"fit", "ridge", data, "-t", "y", "-o", path("m.mercer")}, 0.5, SIGINT).code, 130);
  EXPECT_EQ(read("m.mercer"), older);
}

TEST_F(Interrupt, WritingAMatrixIsStoppedAndRemoved) {
  const std::string data = write_large(12000);
  const auto before = listing();
  // Numbers of many digits: gigabytes of text. Interrupted once some of it is there.
  Process process({"gram", "rbf(gamma=1e-8)", data, "-o", path("K.csv"), "--threads", "2"});
  while (process.is_running() && listing() == before) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.work_for(process.cpu_seconds() + 0.2);
  EXPECT_TRUE(process.is_running()) << "too short to be interrupted";
  const Outcome outcome = ended_by(process, SIGINT);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(listing(), before);
}

TEST_F(Interrupt, TerminationIsTheSameWithItsOwnCode) {
  const std::string data = write_large(12000);
  const Outcome outcome = interrupted({"fit", "ridge", data, "-t", "y", "-o", path("m.mercer")}, 0.5, SIGTERM);
  EXPECT_EQ(outcome.code, 143) << outcome.err;
  EXPECT_FALSE(exists("m.mercer"));
}

// A read that waits for a terminal cannot poll: the watcher ends it.
TEST_F(Interrupt, WaitingForInputCanBeInterrupted) {
  const std::string fifo = path("pipe");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Process process({"fit", "ridge", fifo, "-t", "y", "-o", path("m.mercer")});
  // A pipe can be opened for writing without waiting once somebody has opened it for reading.
  int writer = -1;
  while (writer < 0 && process.is_running()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    writer = open(fifo.c_str(), O_WRONLY | O_NONBLOCK);
  }
  ASSERT_GE(writer, 0) << process.wait().err;
  const Outcome outcome = ended_by(process, SIGINT);
  close(writer);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
}

}  // namespace
}  // namespace mercer::cli_test
