// Checksums of model files: CRC-64 (ECMA-182, as in .xz files) of every byte, so that a file that was damaged on a disk or
// on its way is refused instead of answering wrongly. It finds every change of up to 64 neighbouring bits, and overlooks
// one in 2⁶⁴ of the others. It is no protection against somebody who changes a file on purpose.
//
// The sum stands in the file itself, as 16 hexadecimal digits in the metadata (safetensors allows no bytes behind the
// last tensor); it is computed with zeros in their place.
#pragma once

#include <functional>
#include <string_view>

#include "mercer/io/safetensors.h"

namespace mercer {

inline constexpr const char* checksum_key = "checksum";

/// As write_safetensors(), with the sum in the metadata. Two passes over the tensors.
void write_with_checksum(TensorFile file, const std::function<void(std::string_view)>& sink);

/// DataError where the sum that `file` names is not that of `bytes`, from which it was parsed, or is missing.
void require_checksum(const TensorFile& file, std::string_view bytes);

}  // namespace mercer
