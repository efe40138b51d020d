#include "mercer/base/buffer.h"

#include <malloc.h>
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "mercer/base/error.h"

namespace mercer::detail {

namespace {

// Freed blocks that their thread may soon want again: scratch memory of tiles, kernel matrices of small problems solved
// one after the other. The system would clear every page of a new block, which costs as much as filling it.
class RecycledBlocks {
 public:
  RecycledBlocks() = default;
  ~RecycledBlocks() {
    for (void*& block : blocks_) {
      std::free(block);
      block = nullptr;
    }
    is_alive_ = false;
  }
  RecycledBlocks(const RecycledBlocks&) = delete;
  RecycledBlocks& operator=(const RecycledBlocks&) = delete;
  RecycledBlocks(RecycledBlocks&&) = delete;
  RecycledBlocks& operator=(RecycledBlocks&&) = delete;

  // A kept block that fits and is not more than twice as large, or null.
  void* take(std::size_t bytes, std::size_t alignment) noexcept {
    for (void*& block : blocks_) {
      if (block == nullptr || reinterpret_cast<std::uintptr_t>(block) % alignment != 0) {
        continue;
      }
      const std::size_t size = malloc_usable_size(block);
      if (size >= bytes && size <= 2 * bytes) {
        kept_bytes_ -= size;
        return std::exchange(block, nullptr);
      }
    }
    return nullptr;
  }

  // Whether the block was taken over.
  bool keep(void* memory) noexcept {
    const std::size_t size = malloc_usable_size(memory);
    if (!is_alive_ || size < smallest || size > largest || kept_bytes_ + size > most_bytes) {
      return false;
    }
    for (void*& block : blocks_) {
      if (block == nullptr) {
        block = memory;
        kept_bytes_ += size;
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t smallest = std::size_t{64} << 10;
  // 32 MB and what malloc adds to a block of huge pages: a kernel matrix of 2000 rows is one.
  static constexpr std::size_t largest = std::size_t{34} << 20;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  std::array<void*, 8> blocks_{};
  std::size_t kept_bytes_ = 0;
  bool is_alive_ = true;
};

#if defined(__SANITIZE_ADDRESS__) || defined(MERCER_NO_RECYCLING)
#define MERCER_RECYCLES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define MERCER_RECYCLES 0
#endif
#endif
#ifndef MERCER_RECYCLES
#define MERCER_RECYCLES 1
#endif

RecycledBlocks& recycled_blocks() {
  thread_local RecycledBlocks blocks;
  return blocks;
}

}  // namespace

void* allocate_aligned(Index count, std::size_t element_size) {
  if (count <= 0) {
    return nullptr;
  }
  constexpr std::size_t cache_line = 64;
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const auto elements = static_cast<std::size_t>(count);
  const auto limit = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  const bool representable = elements <= (limit - huge_page) / element_size;
  const std::size_t bytes = representable ? elements * element_size : 0;
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (MERCER_RECYCLES && representable) {
    if (void* const again = recycled_blocks().take(rounded, alignment)) {
      return again;
    }
  }
  void* memory = representable ? std::aligned_alloc(alignment, rounded) : nullptr;
  if (memory == nullptr) {
    throw NumericalError("out of memory: an array of " + std::to_string(count) + " elements of " +
                         std::to_string(element_size) +
                         " bytes does not fit; use fewer rows, a method or model that stores less, or allow more "
                         "memory");
  }
  if (alignment == huge_page) {
    madvise(memory, rounded, MADV_HUGEPAGE);  // advice only: a kernel without huge pages ignores it
  }
  return memory;
}

void free_aligned(void* memory) noexcept {
  if (memory != nullptr && !(MERCER_RECYCLES && recycled_blocks().keep(memory))) {
    std::free(memory);
  }
}

}  // namespace mercer::detail
