// The safetensors container: named arrays and a map of texts. See io/model_file.h for its layout.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/buffer.h"

namespace mercer {

enum class TensorType { f64, f32, i64, i32, u8 };
std::string_view to_string(TensorType type);
Index element_size(TensorType type);

template <class T>
constexpr TensorType tensor_type_of() {
  if constexpr (std::is_same_v<T, double>) {
    return TensorType::f64;
  } else if constexpr (std::is_same_v<T, float>) {
    return TensorType::f32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return TensorType::i64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return TensorType::i32;
  } else {
    static_assert(std::is_same_v<T, char>);
    return TensorType::u8;
  }
}

/// A view of an array, row-major, aligned to its elements; `owner` keeps it alive.
struct Tensor {
  TensorType type = TensorType::u8;
  std::vector<Index> shape;
  const char* data = nullptr;
  std::shared_ptr<const void> owner;

  Index count() const;
  Index bytes() const { return count() * element_size(type); }
};

/// Of elements that the owner keeps alive.
template <class T>
Tensor tensor_of(const T* data, std::vector<Index> shape, std::shared_ptr<const void> owner) {
  return {tensor_type_of<T>(), std::move(shape), reinterpret_cast<const char*>(data), std::move(owner)};
}

struct TensorFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;

  /// The elements of a tensor of this type and number of dimensions; DataError where it is missing or different.
  template <class T>
  const T* elements(const std::string& name, std::size_t dimensions) const {
    return reinterpret_cast<const T*>(require(name, tensor_type_of<T>(), dimensions).data);
  }
  const Tensor& require(const std::string& name) const;
  const Tensor& require(const std::string& name, TensorType type, std::size_t dimensions) const;
};

/// Hands the bytes of the file to `sink`, piece after piece. Elements of 8 bytes come first, so that all are aligned.
void write_safetensors(const TensorFile& file, const std::function<void(std::string_view)>& sink);

/// Reads a whole file; the tensors are views of `bytes` where their alignment allows it. DataError for anything that is
/// not exactly the format: sizes that do not add up, gaps, overlaps, unknown types.
TensorFile parse_safetensors(std::shared_ptr<const Buffer<char>> bytes);

}  // namespace mercer
