// Shared by the micro benchmarks: best-of-N timing and one JSON object per line.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace mercer::bench {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The best of `repeats` timings of `calls` calls, per call.
template <class Work>
double best_seconds(int repeats, int calls, Work&& work) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const double start = seconds_now();
    for (int c = 0; c < calls; ++c) {
      work();
      asm volatile("" ::: "memory");
    }
    best = std::min(best, (seconds_now() - start) / calls);
  }
  return best;
}

/// ratio = ours / floor: below 1 we are faster.
inline void print_result(const std::string& name, double ours, double floor) {
  std::printf("{\"bench\":\"%s\",\"ours_s\":%.4g,\"floor_s\":%.4g,\"ratio\":%.4g}\n", name.c_str(), ours, floor,
              ours / floor);
  std::fflush(stdout);
}

}  // namespace mercer::bench
