// A 64-bit number that tells data sets apart: whether a search that goes on still sees the rows that it began with.
//
// Eight bytes at a time: h ← rotate(h ⊕ w, 29) · 0x9E3779B97F4A7C15, finished with the mixing of splitmix64 (Steele, Lea
// & Flood 2014). Not for secrets.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mercer/models/model.h"

namespace mercer {

/// Sixteen hexadecimal digits for samples of any kind, targets, weights, noise and groups (may be empty). Depends on
/// values alone, not on how they lie in memory. One pass.
std::string data_fingerprint(const TrainingData& data, std::span<const std::int32_t> groups = {});

}  // namespace mercer
