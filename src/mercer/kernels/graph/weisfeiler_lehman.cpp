#include "mercer/kernels/graph/weisfeiler_lehman.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/graph/color_refinement.h"
#include "mercer/kernels/graph/graph_features.h"
#include "mercer/kernels/graph/graph_features_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class RefinementNode : public GraphFeaturesNode {
 public:
  RefinementNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : GraphFeaturesNode(entry, std::move(parameters), std::move(children)),
        steps_(static_cast<int>(std::min(this->parameters().number_or("h", 3), 1e6))),
        edge_labels_(this->parameters().word("edge_labels") == "use" ? EdgeLabels::use : EdgeLabels::ignore) {
    // Every step adds a feature per vertex: far more steps than graphs are wide only fill the memory.
    constexpr int most_steps = 1000;
    if (steps_ > most_steps) {
      reject_argument(entry.name + ": h", steps_, "0 … 1000");
    }
  }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const final {
    const GraphView graph(samples.as<GraphRows>(), i);
    ColorRefinement refinement(graph, edge_labels_);
    append_step(graph, refinement.colors(), out);
    for (int step = 0; step < steps_; ++step) {
      refinement.step();
      append_step(graph, refinement.colors(), out);
    }
  }

 protected:
  EdgeLabels edge_labels() const { return edge_labels_; }
  LabelUse label_use() const final {
    return edge_labels_ == EdgeLabels::use ? LabelUse::vertices_and_edges : LabelUse::vertices;
  }

 private:
  virtual void append_step(const GraphView& graph, std::span<const std::uint64_t> colors, FeatureList& out) const = 0;

  int steps_;
  EdgeLabels edge_labels_;
};

class WeisfeilerLehmanNode final : public RefinementNode {
 public:
  using RefinementNode::RefinementNode;

 private:
  void append_step(const GraphView& /*graph*/, std::span<const std::uint64_t> colors, FeatureList& out) const override {
    for (const std::uint64_t color : colors) {
      out.add(color, 1.0);
    }
  }
};

class WeisfeilerLehmanEdgesNode final : public RefinementNode {
 public:
  using RefinementNode::RefinementNode;

 private:
  void append_step(const GraphView& graph, std::span<const std::uint64_t> colors, FeatureList& out) const override {
    for (Index u = 0; u < graph.vertices(); ++u) {
      const auto neighbors = graph.neighbors(u);
      for (std::size_t k = 0; k < neighbors.size(); ++k) {
        const std::int32_t label = edge_labels() == EdgeLabels::use ? graph.edge_label(u, static_cast<Index>(k)) : 0;
        const std::int32_t v = neighbors[k];
        out.add(pair_key(colors[u], colors[v], label), arc_count(u, v));
      }
    }
  }
};

std::vector<ParameterSpec> refinement_parameters(const std::string& edge_default) {
  return {{.name = "h",
           .aliases = {"iterations"},
           .role = ParameterRole::number,
           .constraint = Constraint::nonnegative_integer,
           .default_text = "3",
           .meaning = "steps of refinement: how far a vertex looks around"},
          {.name = "edge_labels",
           .role = ParameterRole::word,
           .default_text = edge_default,
           .meaning = "whether the labels of edges count",
           .words = {"ignore", "use"}}};
}

}  // namespace

const KernelEntry& weisfeiler_lehman_entry() {
  static const KernelEntry entry{
      .name = "weisfeiler_lehman",
      .aliases = {"wl"},
      .formula = "sum over t = 0..h and colours c of n_c,t(x) n_c,t(y); colour = label and the colours around, t times",
      .summary = "graphs by the rooted trees around their vertices; the first choice for labelled graphs",
      .definiteness = "positive definite",
      .input = KernelInput::graphs,
      .parameters = refinement_parameters("ignore"),
      .make = make_node<WeisfeilerLehmanNode>,
      .examples = {"weisfeiler_lehman()", "weisfeiler_lehman(h=0)", "weisfeiler_lehman(h=2, edge_labels=use)",
                   "normalize(weisfeiler_lehman(h=5))"}};
  return entry;
}

const KernelEntry& weisfeiler_lehman_edges_entry() {
  static const KernelEntry entry{
      .name = "weisfeiler_lehman_edges",
      .aliases = {"wl_edges"},
      .formula = "sum over t = 0..h and edge kinds e of n_e,t(x) n_e,t(y); kind = colours of both ends after t steps",
      .summary = "graphs by their edges, named by the rooted trees around both ends",
      .definiteness = "positive definite",
      .input = KernelInput::graphs,
      .parameters = refinement_parameters("use"),
      .make = make_node<WeisfeilerLehmanEdgesNode>,
      .examples = {"weisfeiler_lehman_edges(h=2)", "weisfeiler_lehman_edges(h=1, edge_labels=ignore)",
                   "normalize(weisfeiler_lehman_edges())"}};
  return entry;
}

}  // namespace mercer
