// Keys of features (feature_key.h) counted and found again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/run.h"
#include "mercer/kernels/feature_list.h"

namespace mercer {

struct KeyCount {
  std::uint64_t key = 0;
  std::int64_t rows = 0;  ///< that have the key
  bool operator==(const KeyCount&) const = default;
};

/// Every key that one of the rows has, ascending, with the number of its rows. `append(i, out)` adds the features of
/// row i, and is called from several threads. Rows are read once, in blocks: memory follows the number of different
/// keys, time that of all keys, n log n within a block.
std::vector<KeyCount> count_keys(Index rows, const std::function<void(Index i, FeatureList& out)>& append,
                                 const Run& run);

/// The place of a key in a list of different keys, in expected O(1): the scrambled keys are spread evenly, so that their
/// leading bits tell nearly where they stand in sorted order. 13 bytes per key.
class KeyIndex {
 public:
  KeyIndex() = default;
  /// InvalidArgument where a key stands twice, or for 2³¹ keys and more.
  explicit KeyIndex(std::span<const std::uint64_t> keys);

  Index size() const { return static_cast<Index>(scrambled_.size()); }
  /// The key's place in the list, −1 where it is not there.
  std::int32_t find(std::uint64_t key) const;

 private:
  std::size_t bucket(std::uint64_t scrambled) const { return static_cast<std::size_t>(scrambled >> shift_); }

  std::vector<std::uint64_t> scrambled_;  // ascending
  std::vector<std::int32_t> places_;
  std::vector<std::uint32_t> starts_;  // of the buckets, one more at the end
  unsigned shift_ = 63;
};

}  // namespace mercer
