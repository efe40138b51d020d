#include "mercer/kernels/graph/shortest_path.h"

#include "mercer/base/error.h"
#include "mercer/kernels/explicit_node.h"
#include "mercer/kernels/graph/graph_features.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class ShortestPathNode final : public ExplicitNode {
 public:
  ShortestPathNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        longest_(this->parameters().number_or("longest", 0)) {}

  void check(const Samples& samples) const override { require_graphs(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/,
                       std::vector<KeyedFeature>& out) const override {
    const GraphView graph(samples.as<GraphRows>(), i);
    require_bounded(graph, i);
    std::vector<std::int32_t> distance(static_cast<std::size_t>(graph.vertices()), -1);
    std::vector<std::int32_t> reached;
    std::size_t merged = 0;
    for (Index source = 0; source < graph.vertices(); ++source) {
      search(graph, source, distance, reached);
      const std::uint64_t here = label_key(graph.vertex_label(source));
      for (std::size_t k = 1; k < reached.size(); ++k) {
        const std::int32_t v = reached[k];
        out.push_back({pair_key(here, label_key(graph.vertex_label(v)), distance[static_cast<std::size_t>(v)]), 0.5});
      }
      for (const std::int32_t v : reached) {
        distance[static_cast<std::size_t>(v)] = -1;
      }
      // There are as many pairs as the square of the vertices, but far fewer kinds of them.
      constexpr std::size_t batch = std::size_t{1} << 20;
      if (out.size() > 2 * merged + batch) {
        merge_features(out);
        merged = out.size();
      }
    }
  }

 private:
  // Breadth first, from `source` up to the longest distance; `reached` in the order of distance.
  void search(const GraphView& graph, Index source, std::vector<std::int32_t>& distance,
              std::vector<std::int32_t>& reached) const {
    reached.assign(1, static_cast<std::int32_t>(source));
    distance[static_cast<std::size_t>(source)] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::int32_t u = reached[next];
      const std::int32_t farther = distance[static_cast<std::size_t>(u)] + 1;
      if (longest_ > 0 && farther > longest_) {
        return;
      }
      for (const std::int32_t v : graph.neighbours(u)) {
        if (distance[static_cast<std::size_t>(v)] < 0) {
          distance[static_cast<std::size_t>(v)] = farther;
          reached.push_back(v);
        }
      }
    }
  }

  void require_bounded(const GraphView& graph, Index i) const {
    constexpr double most_steps = 2e10;
    const double steps = static_cast<double>(graph.vertices()) * static_cast<double>(graph.vertices() + graph.arcs());
    if (longest_ == 0 && steps > most_steps) {
      throw DataError("shortest_path: graph " + std::to_string(i) + " has " + std::to_string(graph.vertices()) +
                      " vertices and " + std::to_string(graph.arcs()) +
                      " arcs, too many for all its shortest paths; bound them with longest=3, say, or take "
                      "weisfeiler_lehman");
    }
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
