// Workspace: the scratch memory of one thread.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "mercer/base/buffer.h"

namespace mercer {

/// Scratch memory of one thread: tile-sized blocks that are handed out and come back.
class Workspace {
 public:
  Workspace() = default;

  /// A block of `count` elements of T that returns to its workspace at the end of scope.
  template <class T>
  class Block {
   public:
    Block(Workspace& home, Index count) : home_(&home), bytes_(home.take(count * static_cast<Index>(sizeof(T)))) {}
    ~Block() { home_->give_back(std::move(bytes_)); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    Block(Block&&) = delete;
    Block& operator=(Block&&) = delete;
    T* data() { return reinterpret_cast<T*>(bytes_.data()); }

   private:
    Workspace* home_;
    Buffer<std::byte> bytes_;
  };

  /// An array of at least `count` zeros that its user leaves as zeros: scattering rows then costs what they hold, not
  /// the number of columns.
  template <class T>
  std::vector<T>& zeros(Index count) {
    std::vector<T>& array = std::get<std::vector<T>>(zeros_);
    if (static_cast<Index>(array.size()) < count) {
      array.assign(count, T(0));
    }
    return array;
  }

 private:
  Buffer<std::byte> take(Index bytes);
  void give_back(Buffer<std::byte> block);

  std::vector<Buffer<std::byte>> free_;
  std::tuple<std::vector<float>, std::vector<double>> zeros_;
};

}  // namespace mercer
