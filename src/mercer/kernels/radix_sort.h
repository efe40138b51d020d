// Sorting by 64-bit keys in linear time: least significant digit first, eight bits at a time, digits in which all keys
// agree left out. Stable. Features are sorted by the million, and comparing them is most of what that would cost.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace mercer {

/// Ascending by item.key, equal keys in their old order. Needs as much memory again.
template <class Item>
void sort_by_key(std::vector<Item>& items) {
  const auto before = [](const Item& a, const Item& b) { return a.key < b.key; };
  // Eight tables of counters cost about as much as comparing a hundred items.
  constexpr std::size_t few = 100;
  if (items.size() <= few) {
    std::stable_sort(items.begin(), items.end(), before);
    return;
  }
  if (std::is_sorted(items.begin(), items.end(), before)) {
    return;
  }
  constexpr int digits = 8;
  constexpr std::size_t digit_values = 256;
  std::array<std::array<std::size_t, digit_values>, digits> counts{};
  for (const Item& item : items) {
    for (int digit = 0; digit < digits; ++digit) {
      ++counts[digit][item.key >> (8 * digit) & 255U];
    }
  }
  std::vector<Item> other(items.size());
  for (int digit = 0; digit < digits; ++digit) {
    auto& places = counts[digit];
    if (places[items[0].key >> (8 * digit) & 255U] == items.size()) {
      continue;
    }
    std::size_t begin = 0;
    for (std::size_t& place : places) {
      const std::size_t count = place;
      place = begin;
      begin += count;
    }
    for (const Item& item : items) {
      other[places[item.key >> (8 * digit) & 255U]++] = item;
    }
    items.swap(other);
  }
}

}  // namespace mercer
