// Colour refinement of Weisfeiler and Lehman (1968): a vertex starts with its label; in each step its new colour is
// made of its old one and the multiset of its neighbours' colours. Two vertices have one colour after h steps if and
// only if the trees of walks of length h that start there are equal (but for collisions of 64-bit hashes).
//
// The multiset is hashed as a sum of mixed colours, which needs neither sorting nor memory: O(vertices + arcs) a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/kernels/graph/graph_view.h"

namespace mercer {

enum class EdgeLabels { ignore, use };

class ColorRefinement {
 public:
  /// Step 0: the labels.
  ColorRefinement(const GraphView& graph, EdgeLabels edge_labels);
  /// One colour per vertex.
  std::span<const std::uint64_t> colors() const { return colors_; }
  void step();

 private:
  GraphView graph_;
  EdgeLabels edge_labels_;
  std::vector<std::uint64_t> colors_;
  std::vector<std::uint64_t> mixed_;
};

}  // namespace mercer
