#include "mercer/io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::shared_ptr<const Buffer<char>> bytes_of(const std::string& text) {
  auto bytes = std::make_shared<Buffer<char>>(static_cast<Index>(text.size()));
  std::copy(text.begin(), text.end(), bytes->data());
  return bytes;
}

// A file from a header and data as they stand.
std::string file_of(const std::string& header, std::size_t data_bytes, std::uint64_t claimed = ~std::uint64_t{0}) {
  const std::uint64_t length = claimed == ~std::uint64_t{0} ? header.size() : claimed;
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(data_bytes, '\1');
}

std::string complaint(const std::string& file) {
  try {
    parse_safetensors(bytes_of(file));
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

std::string written(const TensorFile& file) {
  std::string bytes;
  write_safetensors(file, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

TEST(Safetensors, ReadsWhatItWrites) {
  const std::vector<double> f64 = {1.5, -2, 1e300, 0, 5, 6};
  const std::vector<float> f32 = {0.25F, -1.F};
  const std::vector<std::int64_t> i64 = {-1, 1LL << 60};
  const std::vector<std::int32_t> i32 = {7, -7, 9};
  const std::vector<char> u8 = {'a', 'b', 'c'};
  TensorFile file;
  file.metadata = {{"key", "some \"text\" \xC3\xA4"}};
  file.tensors.emplace("bytes", tensor_of(u8.data(), {3}, nullptr));
  file.tensors.emplace("short", tensor_of(i32.data(), {3}, nullptr));
  file.tensors.emplace("single", tensor_of(f32.data(), {1, 2}, nullptr));
  file.tensors.emplace("full", tensor_of(f64.data(), {2, 3}, nullptr));
  file.tensors.emplace("long", tensor_of(i64.data(), {2}, nullptr));
  file.tensors.emplace("empty", tensor_of(f64.data(), {0, 3}, nullptr));
  const std::string bytes = written(file);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const TensorFile again = parse_safetensors(bytes_of(bytes));
  EXPECT_EQ(again.metadata, file.metadata);
  ASSERT_EQ(again.tensors.size(), 6u);
  for (const auto& [name, tensor] : file.tensors) {
    const Tensor& read = again.require(name);
    EXPECT_EQ(read.type, tensor.type);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_EQ(std::memcmp(read.data, tensor.data, static_cast<std::size_t>(tensor.bytes())), 0) << name;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.data) % static_cast<std::uintptr_t>(element_size(read.type)), 0u);
  }
  EXPECT_EQ(written(again), bytes);
  EXPECT_ERROR(again.require("none"), DataError, "the tensor 'none' is missing");
  EXPECT_ERROR(again.elements<float>("full", 2), DataError, "the tensor 'full' must be of type F32 with 2 dimensions");
  EXPECT_ERROR(again.elements<double>("full", 1), DataError, "the tensor 'full' must be of type F64 with 1 dimensions");
}

TEST(Safetensors, TakesForeignFilesThatAreNotAligned) {
  const std::string header =
      R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"F64","shape":[2],"data_offsets":[3,19]}})";
  const TensorFile file = parse_safetensors(bytes_of(file_of(header, 19)));
  const double* const values = file.elements<double>("b", 1);
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values) % 8, 0u);
}

TEST(Safetensors, RefusesEverythingElse) {
  EXPECT_EQ(complaint(file_of("{}", 0)), "");
  EXPECT_EQ(complaint(file_of(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 3)), "");
  const std::vector<std::string> bad = {
      "",
      "1234567",
      std::string(8, '\xFF'),
      file_of("{}", 0, 3),
      file_of("{}", 0, 10'000'000'000),
      file_of("[]", 0),
      file_of("{", 0),
      file_of("{} x", 0),
      file_of("", 0),
      file_of("{}", 5),
      file_of(std::string(100000, '['), 0),
      file_of(R"({"__metadata__":{"a":1}})", 0),
      file_of(R"({"a":1})", 0),
      file_of(R"({"a":{"dtype":"U8","shape":[3]}})", 3),
      file_of(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})", 2),
      file_of(R"({"a":{"dtype":8,"shape":[1],"data_offsets":[0,2]}})", 2),
      file_of(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,3]}})", 3),
      file_of(R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,3]}})", 3),
      file_of(R"({"a":{"dtype":"U8","shape":"x","data_offsets":[0,3]}})", 3),
      file_of(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0]}})", 3),
      file_of(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[3,0]}})", 3),
      file_of(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,4]}})", 3),
      file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", 3),
      file_of(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 4),
      file_of(R"({"a":{"dtype":"F64","shape":[4611686018427387904,0],"data_offsets":[0,0]}})", 0),
      file_of(R"({"a":{"dtype":"F64","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,8]}})", 8),
      file_of(R"({"a":{"dtype":"F64","shape":[18446744073709551615],"data_offsets":[0,8]}})", 8),
      file_of(
          R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[3],"data_offsets":[2,5]}})",
          5),
      file_of(
          R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})",
          3),
  };
  for (const std::string& file : bad) {
    EXPECT_NE(complaint(file), "") << file.substr(0, 200);
  }
}

}  // namespace
}  // namespace mercer
