// Keys of what graphs are made of: labels, edges between labels, pairs of vertices. Ends have no order, so that both
// arcs of an undirected edge have one key; each of them counts one half.
#pragma once

#include <algorithm>

#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/graph/graph_view.h"

namespace mercer {

/// The key of a vertex label; also the colour with which refinement begins.
inline std::uint64_t label_key(std::int32_t label) {
  return mixed_bits(static_cast<std::uint64_t>(static_cast<std::uint32_t>(label)));
}

/// The key of a pair of vertices with these colours and something that joins them (an edge label, a distance).
inline std::uint64_t pair_key(std::uint64_t one, std::uint64_t other, std::int64_t between) {
  return joined_key(joined_key(std::min(one, other), std::max(one, other)), static_cast<std::uint64_t>(between));
}

/// What an arc from u to v adds to the count of its edge.
inline double arc_count(Index u, Index v) { return u == v ? 1.0 : 0.5; }

}  // namespace mercer
