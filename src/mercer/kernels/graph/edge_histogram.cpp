#include "mercer/kernels/graph/edge_histogram.h"

#include "mercer/kernels/graph/graph_features.h"
#include "mercer/kernels/graph/graph_features_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class EdgeHistogramNode final : public GraphFeaturesNode {
 public:
  using GraphFeaturesNode::GraphFeaturesNode;

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    const GraphView graph(samples.as<GraphRows>(), i);
    for_edges(graph,
              [&](Index u, Index v, std::uint64_t key, std::int32_t /*label*/) { out.add(key, arc_count(u, v)); });
  }
  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override {
    const GraphView graph(samples.as<GraphRows>(), i);
    std::string name;
    for_edges(graph, [&](Index u, Index v, std::uint64_t edge, std::int32_t label) {
      if (edge == key && name.empty()) {
        const auto [low, high] = std::minmax({graph.vertex_label(u), graph.vertex_label(v)});
        name = std::to_string(low) + "-" + std::to_string(label) + "-" + std::to_string(high);
      }
    });
    return name.empty() ? ExplicitNode::feature_name(samples, i, key) : name;
  }

 protected:
  LabelUse label_use() const override { return LabelUse::vertices_and_edges; }

 private:
  template <class Use>
  static void for_edges(const GraphView& graph, Use use) {
    for (Index u = 0; u < graph.vertices(); ++u) {
      const std::uint64_t here = label_key(graph.vertex_label(u));
      const auto neighbors = graph.neighbors(u);
      for (std::size_t k = 0; k < neighbors.size(); ++k) {
        const std::int32_t label = graph.edge_label(u, static_cast<Index>(k));
        use(u, neighbors[k], pair_key(here, label_key(graph.vertex_label(neighbors[k])), label), label);
      }
    }
  }
};

}  // namespace

const KernelEntry& edge_histogram_entry() {
  static const KernelEntry entry{
      .name = "edge_histogram",
      .formula = "sum over edge kinds e of n_e(x) n_e(y); kind = labels of both ends and of the edge",
      .summary = "numbers of edges of a graph by the labels of their ends and their own",
      .definiteness = "positive definite",
      .input = KernelInput::graphs,
      .make = make_node<EdgeHistogramNode>,
      .examples = {"edge_histogram()", "normalize(edge_histogram())", "vertex_histogram() + 2*edge_histogram()"}};
  return entry;
}

}  // namespace mercer
