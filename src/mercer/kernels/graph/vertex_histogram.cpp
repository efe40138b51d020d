#include "mercer/kernels/graph/vertex_histogram.h"

#include "mercer/kernels/graph/graph_features.h"
#include "mercer/kernels/graph/graph_features_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class VertexHistogramNode final : public GraphFeaturesNode {
 public:
  using GraphFeaturesNode::GraphFeaturesNode;

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    const GraphView graph(samples.as<GraphRows>(), i);
    for (Index v = 0; v < graph.vertices(); ++v) {
      out.add(label_key(graph.vertex_label(v)), 1.0);
    }
  }
  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override {
    const GraphView graph(samples.as<GraphRows>(), i);
    for (Index v = 0; v < graph.vertices(); ++v) {
      if (label_key(graph.vertex_label(v)) == key) {
        return std::to_string(graph.vertex_label(v));
      }
    }
    return ExplicitNode::feature_name(samples, i, key);
  }

 protected:
  LabelUse label_use() const override { return LabelUse::vertices; }
};

}  // namespace

const KernelEntry& vertex_histogram_entry() {
  static const KernelEntry entry{.name = "vertex_histogram",
                                 .formula = "sum over labels l of n_l(x) n_l(y)",
                                 .summary = "numbers of vertices of a graph with each label",
                                 .definiteness = "positive definite",
                                 .input = KernelInput::graphs,
                                 .make = make_node<VertexHistogramNode>,
                                 .examples = {"vertex_histogram()", "normalize(vertex_histogram())"}};
  return entry;
}

}  // namespace mercer
