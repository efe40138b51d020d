#include "mercer/base/workspace.h"

#include <algorithm>

namespace mercer {

Buffer<std::byte> Workspace::take(Index bytes) {
  const auto fits = [bytes](const Buffer<std::byte>& block) { return block.size() >= bytes; };
  const auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {
    return Buffer<std::byte>(std::max<Index>(bytes, 64));
  }
  Buffer<std::byte> block = std::move(*found);
  free_.erase(found);
  return block;
}

void Workspace::give_back(Buffer<std::byte> block) { free_.push_back(std::move(block)); }

}  // namespace mercer
