// Buffer: uninitialised, 64-byte aligned memory. Large ones ask for huge pages: the first touch of 4 KB pages costs
// about 0.85 s per GiB, with 2 MB pages a tenth of that.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "mercer/base/index.h"

namespace mercer {

namespace detail {
/// Throws NumericalError, naming the size, where memory cannot be had.
void* allocate_aligned(Index count, std::size_t element_size);
void free_aligned(void* memory) noexcept;
}  // namespace detail

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(Index size) : data_(static_cast<T*>(detail::allocate_aligned(size, sizeof(T)))), size_(size) {}
  ~Buffer() { detail::free_aligned(data_); }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  Index size() const { return size_; }

 private:
  T* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace mercer
