// Graphs from lists of edges: adjacency in compressed rows over all vertices of all graphs.
#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/data/samples.h"

namespace mercer {

namespace {

struct GraphMemory {
  std::vector<std::int64_t> vertex_offsets{0};
  std::vector<std::int64_t> edge_offsets{0};
  std::vector<std::int32_t> neighbors;
  std::vector<std::int32_t> vertex_labels;
  std::vector<std::int32_t> edge_labels;
};

// One end of an edge as its tail sees it.
struct Arc {
  std::int32_t from;
  std::int32_t to;
  std::int32_t label;
};

[[noreturn]] void reject_graph(std::size_t number, const std::string& message) {
  throw InvalidArgument("graph " + std::to_string(number) + ": " + message);
}

std::vector<Arc> sorted_arcs(const Graph& graph, std::size_t number, EdgeDirection direction) {
  std::vector<Arc> arcs;
  arcs.reserve(2 * graph.edges.size());
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [a, b] = graph.edges[e];
    if (a < 0 || b < 0 || a >= graph.vertices || b >= graph.vertices) {
      reject_graph(number, "edge " + std::to_string(a) + "-" + std::to_string(b) + " leaves the vertices 0 … " +
                               std::to_string(graph.vertices - 1));
    }
    const std::int32_t label = graph.edge_labels.empty() ? 0 : graph.edge_labels[e];
    arcs.push_back({a, b, label});
    if (direction == EdgeDirection::undirected && a != b) {
      arcs.push_back({b, a, label});
    }
  }
  const auto ends = [](const Arc& arc) { return std::pair(arc.from, arc.to); };
  std::stable_sort(arcs.begin(), arcs.end(), [&](const Arc& a, const Arc& b) { return ends(a) < ends(b); });
  const auto same = [&](const Arc& a, const Arc& b) {
    if (ends(a) == ends(b) && a.label != b.label) {
      reject_graph(number,
                   "edge " + std::to_string(a.from) + "-" + std::to_string(a.to) + " is listed with two labels");
    }
    return ends(a) == ends(b);
  };
  arcs.erase(std::unique(arcs.begin(), arcs.end(), same), arcs.end());
  return arcs;
}

void append(GraphMemory& memory, const Graph& graph, const std::vector<Arc>& arcs) {
  auto arc = arcs.begin();
  for (Index v = 0; v < graph.vertices; ++v) {
    for (; arc != arcs.end() && arc->from == v; ++arc) {
      memory.neighbors.push_back(arc->to);
      if (!graph.edge_labels.empty()) {
        memory.edge_labels.push_back(arc->label);
      }
    }
    memory.edge_offsets.push_back(static_cast<std::int64_t>(memory.neighbors.size()));
  }
  memory.vertex_labels.insert(memory.vertex_labels.end(), graph.vertex_labels.begin(), graph.vertex_labels.end());
  memory.vertex_offsets.push_back(memory.vertex_offsets.back() + graph.vertices);
}

}  // namespace

Samples make_graphs(std::span<const Graph> graphs, EdgeDirection direction) {
  const auto memory = std::make_shared<GraphMemory>();
  // A graph without vertices (edges) has no labels to show, so it fits with both choices.
  const auto labels_vertices = [](const Graph& graph) { return !graph.vertex_labels.empty(); };
  const auto labels_edges = [](const Graph& graph) { return !graph.edge_labels.empty(); };
  const bool vertex_labels = std::any_of(graphs.begin(), graphs.end(), labels_vertices);
  const bool edge_labels = std::any_of(graphs.begin(), graphs.end(), labels_edges);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph& graph = graphs[g];
    if (graph.vertices < 0 || graph.vertices >= std::int64_t{1} << 31) {
      reject_graph(g, std::to_string(graph.vertices) + " vertices: must be 0 … 2147483647");
    }
    if (static_cast<Index>(graph.vertex_labels.size()) != (vertex_labels ? graph.vertices : 0)) {
      reject_graph(g, std::to_string(graph.vertex_labels.size()) + " vertex labels for " +
                          std::to_string(graph.vertices) + " vertices; either all graphs are labelled or none");
    }
    if (graph.edge_labels.size() != (edge_labels ? graph.edges.size() : 0)) {
      reject_graph(g, std::to_string(graph.edge_labels.size()) + " edge labels for " +
                          std::to_string(graph.edges.size()) + " edges; either all graphs are labelled or none");
    }
    append(*memory, graph, sorted_arcs(graph, g, direction));
  }
  return Samples(GraphRows{memory->vertex_offsets.data(), memory->edge_offsets.data(), memory->neighbors.data(),
                           vertex_labels ? memory->vertex_labels.data() : nullptr,
                           edge_labels ? memory->edge_labels.data() : nullptr, static_cast<Index>(graphs.size())},
                 memory);
}

}  // namespace mercer
