#include "mercer/base/buffer.h"

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "mercer/base/error.h"

namespace mercer::detail {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t page = std::size_t{64} << 10;  // or a part of it
constexpr std::size_t huge_page = std::size_t{2} << 20;
// Blocks of this size have pages of their own, huge ones where the system has them. malloc would cut the blocks that were
// freed for later ones that are a little smaller, and the largest of a growing sequence would fit into none: a quarter of
// what a program holds in the end.
constexpr std::size_t smallest_mapped = 2 * huge_page;

// Right in front of every block.
struct alignas(cache_line) Head {
  void* start = nullptr;   // of the memory
  std::size_t mapped = 0;  // bytes from there; 0: malloc's
  std::size_t room = 0;    // bytes of the block
};

Head& head_of(void* block) noexcept { return static_cast<Head*>(block)[-1]; }

bool is_mapped(void* block) noexcept { return head_of(block).mapped > 0; }

void* placed(void* start, std::size_t mapped, std::size_t offset, std::size_t room) noexcept {
  void* const block = static_cast<std::byte*>(start) + offset;
  new (static_cast<Head*>(block) - 1) Head{start, mapped, room};
  return block;
}

// Null where there is no memory, as in the next one.
void* allocate(std::size_t room) noexcept {
  void* const start = std::aligned_alloc(cache_line, room + sizeof(Head));
  return start == nullptr ? nullptr : placed(start, 0, sizeof(Head), room);
}

// The head stands at the end of a page, the block begins a huge one; what was mapped around them is given back.
void* map(std::size_t room) noexcept {
  const std::size_t size = room + page + huge_page;
  void* const all = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) {
    return nullptr;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(all);
  const std::size_t before = (address + page + huge_page - 1) / huge_page * huge_page - page - address;
  auto* const start = static_cast<std::byte*>(all) + before;
  const std::size_t behind = size - before - page - room;
  if (before > 0) {
    munmap(all, before);
  }
  if (behind > 0) {
    munmap(start + page + room, behind);
  }
  madvise(start + page, room, MADV_HUGEPAGE);  // advice only: a kernel without huge pages ignores it
  return placed(start, page + room, page, room);
}

void release(void* block) noexcept {
  const Head head = head_of(block);
  if (head.mapped > 0) {
    munmap(head.start, head.mapped);
  } else {
    std::free(head.start);
  }
}

// Freed blocks that their thread may soon want again: scratch memory of tiles, kernel matrices of small problems solved
// one after the other. The system would clear every page of a new block, which costs as much as filling it.
class RecycledBlocks {
 public:
  RecycledBlocks() = default;
  ~RecycledBlocks() {
    for (void*& block : blocks_) {
      drop(block);
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
      const std::size_t room = head_of(block).room;
      if (room >= bytes && room <= 2 * bytes) {
        kept_bytes_ -= room;
        return std::exchange(block, nullptr);
      }
    }
    return nullptr;
  }

  // Where something grows, what it has outgrown is not wanted again.
  void drop_mapped_below(std::size_t bytes) noexcept {
    for (void*& block : blocks_) {
      if (block != nullptr && is_mapped(block) && head_of(block).room < bytes) {
        drop(block);
      }
    }
  }

  // Whether the block was taken over.
  bool keep(void* memory) noexcept {
    const std::size_t room = head_of(memory).room;
    if (!is_alive_ || room < smallest || room > largest || kept_bytes_ + room > most_bytes) {
      return false;
    }
    for (void*& block : blocks_) {
      if (block == nullptr) {
        block = memory;
        kept_bytes_ += room;
        return true;
      }
    }
    return false;
  }

 private:
  void drop(void*& block) noexcept {
    if (block != nullptr) {
      kept_bytes_ -= head_of(block).room;
      release(std::exchange(block, nullptr));
    }
  }

  static constexpr std::size_t smallest = std::size_t{64} << 10;
  static constexpr std::size_t largest = std::size_t{32} << 20;  // a kernel matrix of 2000 rows
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  std::array<void*, 8> blocks_{};
  std::size_t kept_bytes_ = 0;
  bool is_alive_ = true;
};

// Checkers of addresses look after malloc's blocks only, and must see every one come and go.
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

// A used block, or a new one; null where there is no memory.
void* block_of(std::size_t bytes) {
  const std::size_t alignment = bytes >= smallest_mapped ? huge_page : cache_line;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (!MERCER_RECYCLES) {
    return allocate(rounded);
  }
  if (void* const again = recycled_blocks().take(rounded, alignment)) {
    return again;
  }
  if (alignment == cache_line) {
    return allocate(rounded);
  }
  recycled_blocks().drop_mapped_below(rounded);
  return map(rounded);
}

}  // namespace

void* allocate_aligned(Index count, std::size_t element_size) {
  if (count <= 0) {
    return nullptr;
  }
  const auto elements = static_cast<std::size_t>(count);
  const auto limit = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  const bool representable = elements <= (limit - 4 * huge_page) / element_size;
  void* const memory = representable ? block_of(elements * element_size) : nullptr;
  if (memory == nullptr) {
    throw NumericalError("out of memory: an array of " + std::to_string(count) + " elements of " +
                         std::to_string(element_size) +
                         " bytes does not fit; use fewer rows, a method or model that stores less, or allow more "
                         "memory");
  }
  return memory;
}

void free_aligned(void* memory) noexcept {
  if (memory != nullptr && !(MERCER_RECYCLES && recycled_blocks().keep(memory))) {
    release(memory);
  }
}

}  // namespace mercer::detail
