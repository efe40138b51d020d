#include "mercer/kernels/graph/shortest_path.h"

#include "mercer/base/error.h"
#include "mercer/kernels/graph/graph_features.h"
#include "mercer/kernels/graph/graph_features_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class ShortestPathNode final : public GraphFeaturesNode {
 public:
  ShortestPathNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : GraphFeaturesNode(entry, std::move(parameters), std::move(children)),
        longest_(this->parameters().number_or("longest", 0)) {}

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    const GraphView graph(samples.as<GraphRows>(), i);
    require_bounded(graph, i);
    std::vector<std::int32_t> distance(graph.vertices(), -1);
    std::vector<std::int32_t> reached;
    double steps = 0;
    for (Index source = 0; source < graph.vertices(); ++source) {
      out.check_stop();
      steps += search(graph, source, distance, reached);
      if (steps > most_steps) {
        refuse(graph, i);
      }
      const std::uint64_t here = label_key(graph.vertex_label(source));
      for (std::size_t k = 1; k < reached.size(); ++k) {
        const std::int32_t v = reached[k];
        out.add(pair_key(here, label_key(graph.vertex_label(v)), distance[v]), 0.5);
      }
      for (const std::int32_t v : reached) {
        distance[v] = -1;
      }
    }
  }

 protected:
  LabelUse label_use() const override { return LabelUse::vertices; }

 private:
  static constexpr double most_steps = 2e10;

  // Breadth first, from `source` up to the longest distance; `reached` in the order of distance. Returns how many arcs
  // it has followed.
  double search(const GraphView& graph, Index source, std::vector<std::int32_t>& distance,
                std::vector<std::int32_t>& reached) const {
    reached.assign(1, static_cast<std::int32_t>(source));
    distance[source] = 0;
    double steps = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::int32_t u = reached[next];
      const std::int32_t farther = distance[u] + 1;
      if (longest_ > 0 && farther > longest_) {
        return steps;
      }
      steps += static_cast<double>(graph.degree(u));
      for (const std::int32_t v : graph.neighbors(u)) {
        if (distance[v] < 0) {
          distance[v] = farther;
          reached.push_back(v);
        }
      }
    }
    return steps;
  }

  // Before anything is done: what all searches cost, or with a bound at least their first two steps.
  void require_bounded(const GraphView& graph, Index i) const {
    double steps = static_cast<double>(graph.vertices()) * static_cast<double>(graph.vertices() + graph.arcs());
    if (longest_ > 0) {
      steps = 0;
      for (Index u = 0; u < graph.vertices() && longest_ > 1; ++u) {
        for (const std::int32_t v : graph.neighbors(u)) {
          steps += static_cast<double>(graph.degree(v));
        }
      }
    }
    if (steps > most_steps) {
      refuse(graph, i);
    }
  }

  [[noreturn]] void refuse(const GraphView& graph, Index i) const {
    throw DataError("shortest_path: graph " + std::to_string(i) + " has " + std::to_string(graph.vertices()) +
                    " vertices and " + std::to_string(graph.arcs()) + " arcs, too many for all its " +
                    (longest_ > 0 ? "paths of this length; take a smaller longest than " +
                                        std::to_string(static_cast<std::int64_t>(longest_))
                                  : std::string("shortest paths; bound them with longest=3, say")) +
                    ", or take weisfeiler_lehman");
  }

  double longest_;  // 0: no bound
};

}  // namespace

const KernelEntry& shortest_path_entry() {
  static const KernelEntry entry{
      .name = "shortest_path",
      .formula = "sum over labels a, b and lengths d of n_abd(x) n_abd(y); n_abd: pairs of vertices at distance d",
      .summary = "graphs by the labels and the distances of all pairs of their vertices",
      .definiteness = "positive definite",
      .input = KernelInput::graphs,
      .parameters = {{.name = "longest",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "0",
                      .meaning = "pairs that are farther apart do not count; 0: all count"}},
      .make = make_node<ShortestPathNode>,
      .examples = {"shortest_path()", "shortest_path(longest=2)", "normalize(shortest_path())"}};
  return entry;
}

}  // namespace mercer
