// A graph without labels, directions and loops: neighbours of each vertex, ascending.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mercer/kernels/graph/graph_view.h"

namespace mercer {

class SimpleGraph {
 public:
  explicit SimpleGraph(const GraphView& graph) : offsets_(static_cast<std::size_t>(graph.vertices()) + 1, 0) {
    std::vector<std::pair<std::int32_t, std::int32_t>> arcs;
    arcs.reserve(2 * graph.arcs());
    for (Index u = 0; u < graph.vertices(); ++u) {
      for (const std::int32_t v : graph.neighbors(u)) {
        if (v != u) {
          arcs.emplace_back(static_cast<std::int32_t>(u), v);
          arcs.emplace_back(v, static_cast<std::int32_t>(u));
        }
      }
    }
    std::sort(arcs.begin(), arcs.end());
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
    neighbors_.reserve(arcs.size());
    for (const auto& [u, v] : arcs) {
      neighbors_.push_back(v);
      offsets_[u + 1] = static_cast<Index>(neighbors_.size());
    }
    for (std::size_t v = 1; v < offsets_.size(); ++v) {
      offsets_[v] = std::max(offsets_[v], offsets_[v - 1]);
    }
  }

  Index vertices() const { return static_cast<Index>(offsets_.size()) - 1; }
  Index edges() const { return static_cast<Index>(neighbors_.size()) / 2; }
  Index degree(Index v) const { return offsets_[v + 1] - offsets_[v]; }
  std::span<const std::int32_t> neighbors(Index v) const {
    return std::span(neighbors_).subspan(static_cast<std::size_t>(offsets_[v]), static_cast<std::size_t>(degree(v)));
  }
  bool joined(Index u, Index v) const {
    const auto around = neighbors(u);
    return std::binary_search(around.begin(), around.end(), static_cast<std::int32_t>(v));
  }

 private:
  std::vector<Index> offsets_;
  std::vector<std::int32_t> neighbors_;
};

}  // namespace mercer
