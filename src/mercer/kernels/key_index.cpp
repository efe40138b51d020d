#include "mercer/kernels/key_index.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/feature_key.h"

namespace mercer {

namespace {

using KeyCounts = std::vector<KeyCount>;

KeyCounts counted_block(std::vector<std::uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  KeyCounts counts;
  for (std::size_t at = 0; at < keys.size();) {
    const std::uint64_t key = keys[at];
    const std::size_t first = at;
    while (at < keys.size() && keys[at] == key) {
      ++at;
    }
    counts.push_back({key, static_cast<std::int64_t>(at - first)});
  }
  return counts;
}

KeyCounts merged_counts(const KeyCounts& a, const KeyCounts& b) {
  KeyCounts merged;
  merged.reserve(std::max(a.size(), b.size()) + std::min(a.size(), b.size()) / 4);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].key < b[j].key)) {
      merged.push_back(a[i++]);
    } else if (i == a.size() || b[j].key < a[i].key) {
      merged.push_back(b[j++]);
    } else {
      merged.push_back({a[i].key, a[i].rows + b[j].rows});
      ++i;
      ++j;
    }
  }
  return merged;
}

// Lists of similar length are merged, as a binary counter carries: every key moves log(blocks) times.
void push_counts(std::vector<KeyCounts>& lists, KeyCounts counts) {
  lists.push_back(std::move(counts));
  while (lists.size() > 1 && lists[lists.size() - 2].size() <= 2 * lists.back().size()) {
    KeyCounts merged = merged_counts(lists[lists.size() - 2], lists.back());
    lists.pop_back();
    lists.back() = std::move(merged);
  }
}

}  // namespace

std::vector<KeyCount> count_keys(Index rows, const std::function<void(Index i, FeatureList& out)>& append,
                                 const Run& run) {
  // Few rows a block: a hundred long strings shall keep several threads busy.
  constexpr Index rows_of_block = 16;
  constexpr Index blocks_of_wave = 128;
  std::vector<KeyCounts> lists;
  for (Index first = 0; first < rows; first += rows_of_block * blocks_of_wave) {
    const Index last = std::min(rows, first + rows_of_block * blocks_of_wave);
    auto count = static_cast<std::size_t>((last - first + rows_of_block - 1) / rows_of_block);
    std::vector<KeyCounts> wave(count);
    parallel_for(run, static_cast<Index>(count), [&](Index b) {
      std::vector<std::uint64_t> keys;
      FeatureList row(run);
      const Index begin = first + b * rows_of_block;
      for (Index i = begin; i < std::min(last, begin + rows_of_block); ++i) {
        row.clear();
        row.check_stop();
        append(i, row);
        for (const KeyedFeature& feature : row.merged()) {
          keys.push_back(feature.key);
        }
      }
      wave[b] = counted_block(keys);
    });
    for (; count > 1; count = (count + 1) / 2) {
      std::vector<KeyCounts> half((count + 1) / 2);
      parallel_for(run, static_cast<Index>(half.size()), [&](Index h) {
        const auto left = static_cast<std::size_t>(2 * h);
        half[h] = left + 1 < count ? merged_counts(wave[left], wave[left + 1]) : std::move(wave[left]);
      });
      wave = std::move(half);
    }
    push_counts(lists, std::move(wave.front()));
    run.progress("features", static_cast<double>(last), static_cast<double>(rows));
  }
  while (lists.size() > 1) {
    KeyCounts merged = merged_counts(lists[lists.size() - 2], lists.back());
    lists.pop_back();
    lists.back() = std::move(merged);
  }
  return lists.empty() ? KeyCounts() : std::move(lists.front());
}

KeyIndex::KeyIndex(std::span<const std::uint64_t> keys) : scrambled_(keys.size()), places_(keys.size()) {
  if (keys.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw InvalidArgument(std::to_string(keys.size()) + " different features: there may be 2147483646 at most");
  }
  std::vector<std::pair<std::uint64_t, std::int32_t>> order(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    order[k] = {mixed_bits(keys[k]), static_cast<std::int32_t>(k)};
  }
  std::sort(order.begin(), order.end());
  // About one key per bucket.
  shift_ = static_cast<unsigned>(64 - std::clamp<int>(static_cast<int>(std::bit_width(keys.size())), 1, 28));
  starts_.assign((std::size_t{1} << (64 - shift_)) + 1, 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && order[k].first == order[k - 1].first) {
      throw InvalidArgument("a feature stands twice in a list of different features");
    }
    scrambled_[k] = order[k].first;
    places_[k] = order[k].second;
    ++starts_[bucket(order[k].first) + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

std::int32_t KeyIndex::find(std::uint64_t key) const {
  if (scrambled_.empty()) {
    return -1;
  }
  const std::uint64_t wanted = mixed_bits(key);
  const std::size_t home = bucket(wanted);
  for (std::size_t at = starts_[home]; at < starts_[home + 1]; ++at) {
    if (scrambled_[at] >= wanted) {
      return scrambled_[at] == wanted ? places_[at] : -1;
    }
  }
  return -1;
}

}  // namespace mercer
