#include "mercer/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "mercer/base/error.h"
#include "mercer/base/thread_pool.h"

namespace mercer {
namespace {

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    const mercer::Run run({.threads = threads});
    std::vector<std::atomic<int>> hits(1000);
    parallel_for(run, 1000, [&](Index i) { ++hits[static_cast<std::size_t>(i)]; });
    for (const auto& hit : hits) {
      EXPECT_EQ(hit, 1);
    }
  }
}

TEST(ParallelFor, NothingToDoIsFine) {
  parallel_for(mercer::Run(), 0, [](Index) { FAIL(); });
  parallel_for(mercer::Run(), -3, [](Index) { FAIL(); });
}

TEST(ParallelFor, RethrowsTheFirstExceptionAndIsUsableAfterwards) {
  const mercer::Run run({.threads = 3});
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(parallel_for(run, 100,
                              [](Index i) {
                                if (i == 37) {
                                  throw std::invalid_argument("task 37");
                                }
                              }),
                 std::invalid_argument);
    std::atomic<int> count{0};
    parallel_for(run, 50, [&](Index) { ++count; });
    EXPECT_EQ(count, 50);
  }
}

TEST(ParallelFor, NestedCallsStayOnTheirThread) {
  const mercer::Run run({.threads = 4});
  std::atomic<int> count{0};
  parallel_for(run, 8, [&](Index) { parallel_for(run, 8, [&](Index) { ++count; }); });
  EXPECT_EQ(count, 64);
}

TEST(ParallelFor, StopsWhenAsked) {
  std::stop_source source;
  const mercer::Run run({.threads = 2, .stop = source.get_token()});
  std::atomic<int> count{0};
  EXPECT_THROW(parallel_for(run, 1000000,
                            [&](Index) {
                              if (++count == 10) {
                                source.request_stop();
                              }
                            }),
               Stopped);
  EXPECT_LT(count, 1000);
}

TEST(ParallelFor, WorkerNumbersAreBelowThreads) {
  const mercer::Run run({.threads = 3});
  std::atomic<bool> good{true};
  parallel_for_workers(run, 500, [&](Index, int worker) {
    if (worker < 0 || worker >= 3) {
      good = false;
    }
  });
  EXPECT_TRUE(good);
}

TEST(ParallelFor, ProgressEndsAtTheTotal) {
  double last = -1;
  const mercer::Run run({.threads = 2, .progress = [&](const ProgressEvent& event) {
                           EXPECT_EQ(event.task, "work");
                           EXPECT_GE(event.done, last);
                           last = event.done;
                         }});
  parallel_for(run, 300, "work", [](Index) {});
  EXPECT_EQ(last, 300);
}

TEST(SumInOrder, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto part = [](Index b) { return 1.0 / static_cast<double>(3 * b + 1); };
  const double one = sum_in_order(mercer::Run({.threads = 1}), 1000, part);
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(one, sum_in_order(mercer::Run({.threads = threads}), 1000, part));
  }
}

TEST(RunOptions, RejectsNegativeThreads) { EXPECT_THROW(mercer::Run({.threads = -1}), InvalidArgument); }

}  // namespace
}  // namespace mercer
