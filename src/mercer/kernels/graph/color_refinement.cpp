#include "mercer/kernels/graph/color_refinement.h"

#include "mercer/kernels/graph/graph_features.h"

namespace mercer {

ColorRefinement::ColorRefinement(const GraphView& graph, EdgeLabels edge_labels)
    : graph_(graph), edge_labels_(edge_labels), mixed_(static_cast<std::size_t>(graph.vertices())) {
  colors_.reserve(mixed_.size());
  for (Index v = 0; v < graph.vertices(); ++v) {
    colors_.push_back(label_key(graph.vertex_label(v)));
  }
}

void ColorRefinement::step() {
  for (std::size_t v = 0; v < colors_.size(); ++v) {
    mixed_[v] = mixed_bits(colors_[v]);
  }
  for (std::size_t v = 0; v < colors_.size(); ++v) {
    std::uint64_t around = 0;
    const auto neighbors = graph_.neighbors(static_cast<Index>(v));
    if (edge_labels_ == EdgeLabels::ignore) {
      for (const std::int32_t u : neighbors) {
        around += mixed_[u];
      }
    } else {
      for (std::size_t k = 0; k < neighbors.size(); ++k) {
        const auto label = static_cast<std::uint32_t>(graph_.edge_label(static_cast<Index>(v), static_cast<Index>(k)));
        around += joined_key(mixed_[neighbors[k]], label);
      }
    }
    colors_[v] = joined_key(colors_[v], around);
  }
}

}  // namespace mercer
