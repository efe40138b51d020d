// Tasks that wait for earlier ones: every order of threads gives what one thread gives; failures and stops reach the
// caller and leave nobody waiting.
#include "mercer/base/ordered_tasks.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(OrderedTasks, SeeWhatTheyWaitedFor) {
  // Pascal's triangle modulo 2^64, one entry per task: (i, j) needs two entries of the row above.
  constexpr Index rows = 60;
  const auto number = [](Index i, Index j) { return i * (i + 1) / 2 + j; };
  for (const int threads : {1, 2, 3, 8}) {
    std::vector<std::uint64_t> entry(number(rows, 0));
    std::vector<std::pair<Index, Index>> places;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j <= i; ++j) {
        places.emplace_back(i, j);
      }
    }
    const auto at = [&](Index i, Index j) -> std::uint64_t& { return entry[number(i, j)]; };
    parallel_in_order(mercer::Run({.threads = threads}), number(rows, 0), [&](Index t, const TaskBoard& board) {
      const auto [i, j] = places[t];
      std::uint64_t sum = j == 0 || j == i ? 1 : 0;
      if (sum == 0) {
        board.wait_for(number(i - 1, j - 1));
        board.wait_for(number(i - 1, j));
        sum = at(i - 1, j - 1) + at(i - 1, j);
      }
      at(i, j) = sum;
    });
    EXPECT_EQ(at(4, 2), 6U);
    EXPECT_EQ(at(30, 15), 155117520U);
    EXPECT_EQ(at(59, 1), 59U);
  }
}

TEST(OrderedTasks, AFailureReachesTheCallerAndNobodyWaitsForever) {
  const mercer::Run run({.threads = 3});
  for (int round = 0; round < 50; ++round) {
    EXPECT_ERROR(parallel_in_order(run, 40,
                                   [](Index t, const TaskBoard& board) {
                                     if (t == 7) {
                                       throw std::invalid_argument("task 7");
                                     }
                                     if (t > 0) {
                                       board.wait_for(t - 1);
                                     }
                                   }),
                 std::invalid_argument, "task 7");
  }
}

TEST(OrderedTasks, AStopReachesTheCaller) {
  for (int round = 0; round < 50; ++round) {
    std::stop_source source;
    const mercer::Run run({.threads = 3, .stop = source.get_token()});
    EXPECT_ERROR(parallel_in_order(run, 1000,
                                   [&](Index t, const TaskBoard& board) {
                                     if (t == 20 + round) {
                                       source.request_stop();
                                     }
                                     if (t > 0) {
                                       board.wait_for(t - 1);
                                     }
                                   }),
                 Stopped, "stopped on request");
  }
}

TEST(OrderedTasks, InsideATaskOfAnotherLoop) {
  const mercer::Run run({.threads = 2});
  std::vector<Index> last(6);
  parallel_for(run, 6, [&](Index outer) {
    std::vector<Index> sum(20);
    parallel_in_order(run, 20, [&](Index t, const TaskBoard& board) {
      if (t > 0) {
        board.wait_for(t - 1);
      }
      sum[t] = t + (t > 0 ? sum[t - 1] : 0);
    });
    last[outer] = sum.back();
  });
  EXPECT_EQ(last, std::vector<Index>(6, 190));
}

TEST(OrderedTasks, NothingToDoIsFine) {
  parallel_in_order(mercer::Run(), 0, [](Index, const TaskBoard&) { FAIL(); });
}

}  // namespace
}  // namespace mercer
