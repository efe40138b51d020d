#include "mercer/base/buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <limits>
#include <string>

#include "mercer/base/error.h"

namespace mercer::detail {

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
  void* memory = representable ? std::aligned_alloc(alignment, rounded) : nullptr;
  if (memory == nullptr) {
    throw NumericalError("out of memory: an array of " + std::to_string(count) + " elements of " +
                         std::to_string(element_size) + " bytes does not fit");
  }
  if (alignment == huge_page) {
    madvise(memory, rounded, MADV_HUGEPAGE);  // advice only: a kernel without huge pages ignores it
  }
  return memory;
}

void free_aligned(void* memory) noexcept { std::free(memory); }

}  // namespace mercer::detail
