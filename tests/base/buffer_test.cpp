#include "mercer/base/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <utility>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(Buffer, IsAlignedAndWritable) {
  for (const Index size : {Index{1}, Index{7}, Index{1000}, Index{600000}, Index{1} << 21}) {
    Buffer<double> buffer(size);
    ASSERT_EQ(buffer.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
    buffer.data()[0] = 1;
    buffer.data()[size - 1] = 2;
    EXPECT_EQ(buffer.data()[size - 1], 2);
  }
}

TEST(Buffer, EmptyHoldsNothing) {
  const Buffer<float> none;
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.data(), nullptr);
  const Buffer<float> zero(0);
  EXPECT_EQ(zero.size(), 0);
}

TEST(Buffer, MovesOwnership) {
  Buffer<int> first(10);
  int* memory = first.data();
  Buffer<int> second(std::move(first));
  EXPECT_EQ(second.data(), memory);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move)
  Buffer<int> third(3);
  third = std::move(second);
  EXPECT_EQ(third.data(), memory);
  EXPECT_EQ(third.size(), 10);
}

TEST(Buffer, LargeOnesBeginAHugePageAndAreIndependent) {
  constexpr Index size = Index{5} << 20;
  Buffer<char> first(size);
  Buffer<char> second(size);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 64, 0U);
  std::fill_n(first.data(), size, 'a');
  std::fill_n(second.data(), size, 'b');
  EXPECT_EQ(std::count(first.data(), first.data() + size, 'a'), size);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__has_feature)
double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * 4096 / (1 << 20);
}

// Ever larger ones, one after the other, as a working set grows: what they have outgrown is not held.
TEST(Buffer, OutgrownMemoryGoesBackToTheSystem) {
  const double before = resident_mb();
  Buffer<char> buffer;
  for (const Index mb : {5, 11, 23, 31}) {
    buffer = Buffer<char>();
    buffer = Buffer<char>(mb << 20);
    std::fill_n(buffer.data(), buffer.size(), 'x');
    EXPECT_LT(resident_mb() - before, static_cast<double>(mb) + 4) << mb << " MB";
  }
}
#endif

TEST(Buffer, RefusesImpossibleSizes) {
  EXPECT_ERROR(Buffer<double> largest(std::numeric_limits<Index>::max()), NumericalError,
               "out of memory: an array of 9223372036854775807 elements of 8 bytes does not");
  EXPECT_ERROR(Buffer<double>(Index{1} << 58), NumericalError,
               "out of memory: an array of 288230376151711744 elements of 8 bytes does not");
}

}  // namespace
}  // namespace mercer
