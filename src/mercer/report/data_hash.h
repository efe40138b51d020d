// A fingerprint of a file, so that a report says which data and which model it is about: FNV-1a with 64 bits,
//
//   h = 14695981039346656037;  for every byte: h = (h xor byte) · 1099511628211  mod 2⁶⁴
//
// of the bytes as they are on disk (compressed files: the compressed bytes), written as "fnv1a64:" and 16 hexadecimal
// digits. It tells files apart; it does not protect against forgery.
// Reference: Fowler, Noll & Vo, http://www.isthe.com/chongo/tech/comp/fnv.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mercer {

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start = 14695981039346656037ULL);
/// "fnv1a64:cbf29ce484222325" for no bytes.
std::string hash_text(std::uint64_t hash);
/// Of a file, or of the archive that a path leads into; empty for "-" and for folders. IoError where it cannot be read.
std::string file_hash(const std::string& path);

}  // namespace mercer
