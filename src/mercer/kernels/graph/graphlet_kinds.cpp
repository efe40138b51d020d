// Kinds of small graphs: every labelled graph on `size` vertices with the smallest code of its isomorphism class.
#include <algorithm>
#include <array>
#include <numeric>

#include "mercer/kernels/graph/graphlet_counts.h"

namespace mercer {

namespace {

bool is_connected_code(GraphletCode code, int size) {
  unsigned reached = 1;
  for (int round = 0; round < size; ++round) {
    for (int v = 1; v < size; ++v) {
      for (int u = 0; u < v; ++u) {
        const unsigned ends = (1U << u) | (1U << v);
        if ((code >> graphlet_bit(u, v) & 1U) != 0 && (reached & ends) != 0) {
          reached |= ends;
        }
      }
    }
  }
  return reached == (1U << size) - 1;
}

GraphletCode renamed_code(GraphletCode code, int size, const std::array<int, 5>& names) {
  GraphletCode renamed = 0;
  for (int v = 1; v < size; ++v) {
    for (int u = 0; u < v; ++u) {
      if ((code >> graphlet_bit(u, v) & 1U) != 0) {
        const auto [low, high] = std::minmax(names[u], names[v]);
        renamed |= GraphletCode{1} << graphlet_bit(low, high);
      }
    }
  }
  return renamed;
}

}  // namespace

GraphletKinds::GraphletKinds(int size) : size_(size), kind_of_(std::size_t{1} << (size * (size - 1) / 2), -1) {
  std::array<int, 5> names{};
  for (GraphletCode code = 0; code < kind_of_.size(); ++code) {
    if (kind_of_[code] >= 0) {
      continue;
    }
    std::iota(names.begin(), names.end(), 0);
    do {
      kind_of_[renamed_code(code, size, names)] = static_cast<std::int16_t>(codes_.size());
    } while (std::next_permutation(names.begin(), names.begin() + size));
    codes_.push_back(code);
    connected_.push_back(is_connected_code(code, size) ? 1 : 0);
  }
}

}  // namespace mercer
