// One graph of a sample set, as the graph kernels see it: vertices 0 … n-1 with labels, and the arcs that leave each of
// them. An undirected edge is two arcs, a loop is one.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "mercer/data/samples.h"

namespace mercer {

/// InvalidArgument, naming the kernel and what would do instead, unless the samples are graphs.
void require_graphs(std::string_view kernel, const Samples& samples);

/// Which labels a kernel looks at.
enum class LabelUse { none, vertices, vertices_and_edges };

/// Whether the graphs of a sample set carry labels; nothing where they have no vertices or no edges to carry them.
struct GraphLabels {
  std::optional<bool> of_vertices;
  std::optional<bool> of_edges;
};
GraphLabels graph_labels(const Samples& samples);

/// DataError where one side has labels that the kernel looks at and the other has none: no label would be the label 0.
void require_same_labels(std::string_view kernel, LabelUse use, const GraphLabels& here, const GraphLabels& trained);

/// A view: keep the samples while it is used.
class GraphView {
 public:
  GraphView(const GraphRows& rows, Index i)
      : rows_(rows), first_(rows.vertex_offsets[i]), vertices_(rows.vertex_offsets[i + 1] - first_) {}

  Index vertices() const { return vertices_; }
  Index arcs() const { return rows_.edge_offsets[first_ + vertices_] - rows_.edge_offsets[first_]; }
  /// Where the arcs of v lead, ascending.
  std::span<const std::int32_t> neighbors(Index v) const {
    return {rows_.neighbors + rows_.edge_offsets[first_ + v], static_cast<std::size_t>(degree(v))};
  }
  Index degree(Index v) const { return rows_.edge_offsets[first_ + v + 1] - rows_.edge_offsets[first_ + v]; }
  bool has_vertex_labels() const { return rows_.vertex_labels != nullptr; }
  /// 0 where there are no labels.
  std::int32_t vertex_label(Index v) const { return rows_.vertex_labels ? rows_.vertex_labels[first_ + v] : 0; }
  /// The label of the k-th arc of v; 0 where there are no labels.
  std::int32_t edge_label(Index v, Index k) const {
    return rows_.edge_labels ? rows_.edge_labels[rows_.edge_offsets[first_ + v] + k] : 0;
  }

 private:
  const GraphRows& rows_;
  std::int64_t first_;
  Index vertices_;
};

}  // namespace mercer
