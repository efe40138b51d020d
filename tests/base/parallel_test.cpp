#include "mercer/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "mercer/base/error.h"
#include "mercer/base/thread_pool.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    const mercer::Run run({.threads = threads});
    std::vector<std::atomic<int>> hits(1000);
    parallel_for(run, 1000, [&](Index i) { ++hits[i]; });
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
    EXPECT_ERROR(parallel_for(run, 100,
                              [](Index i) {
                                if (i == 37) {
                                  throw std::invalid_argument("task 37");
                                }
                              }),
                 std::invalid_argument, "task 37");
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
  std::atomic<int> late{0};
  EXPECT_ERROR(parallel_for(run, 1000000,
                            [&](Index) {
                              late += source.stop_requested();
                              if (++count == 10) {
                                source.request_stop();
                              }
                            }),
               Stopped, "stopped on request");
  EXPECT_LE(late, 1);  // what the other thread had looked for a stop before it was requested
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

TEST(ParallelFor, ARunCanBeLimitedToFewerThreads) {
  const mercer::Run run({.threads = 4});
  EXPECT_EQ(run.on_at_most(2).threads(), 2);
  EXPECT_EQ(run.on_at_most(2).on_at_most(3).threads(), 2);
  EXPECT_EQ(run.on_at_most(9).threads(), 4);
  EXPECT_EQ(run.on_at_most(0).threads(), 1);
  std::atomic<int> largest{0};
  parallel_for_workers(run.on_at_most(2), 500, [&](Index, int worker) {
    for (int seen = largest; worker > seen && !largest.compare_exchange_weak(seen, worker);) {
    }
  });
  EXPECT_LE(largest, 1);
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

TEST(RunProgress, AnIntervalOfZeroReportsEveryEvent) {
  int every = 0;
  const mercer::Run all({.progress = [&](const ProgressEvent&) { ++every; }, .progress_interval = {}});
  int first_and_last = 0;
  const mercer::Run few(
      {.progress = [&](const ProgressEvent&) { ++first_and_last; }, .progress_interval = std::chrono::hours(24)});
  for (int i = 1; i <= 100; ++i) {
    all.progress("work", i, 100);
    few.progress("work", i, 100);
  }
  EXPECT_EQ(every, 100);
  EXPECT_EQ(first_and_last, 2);
  EXPECT_ERROR(mercer::Run({.progress_interval = std::chrono::milliseconds(-1)}), InvalidArgument,
               "progress_interval = -1");
}

TEST(SumInOrder, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto part = [](Index b) { return 1.0 / static_cast<double>(3 * b + 1); };
  const double one = sum_in_order(mercer::Run({.threads = 1}), 1000, part);
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(one, sum_in_order(mercer::Run({.threads = threads}), 1000, part));
  }
}

TEST(RunOptions, RejectsNegativeThreads) {
  EXPECT_ERROR(mercer::Run({.threads = -1}), InvalidArgument, "threads = -1");
}

}  // namespace
}  // namespace mercer
