#include "mercer/kernels/graph/graphlets.h"

#include <numeric>

#include "mercer/base/error.h"
#include "mercer/kernels/graph/graphlet_counts.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

int checked_graphlet_size(const ParameterList& parameters) {
  const double size = parameters.number_or("size", 4);
  if (size < 3 || size > 5) {
    reject_argument("graphlets: size", size, "3, 4 or 5 vertices");
  }
  return static_cast<int>(size);
}

class GraphletsNode final : public ExplicitNode {
 public:
  GraphletsNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        kinds_(checked_graphlet_size(this->parameters())),
        choice_(this->parameters().word("kinds") == "all" ? GraphletChoice::all : GraphletChoice::connected),
        frequencies_(this->parameters().word("values") == "frequencies"),
        draws_(static_cast<Index>(std::min(this->parameters().number_or("samples", 0), 1e9))),
        seed_(static_cast<std::uint64_t>(this->parameters().number_or("seed", 0))) {}

  void check(const Samples& samples) const override { require_graphs(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    const GraphView graph(samples.as<GraphRows>(), i);
    const std::vector<double> counts = draws_ > 0 ? sampled_graphlet_counts(graph, kinds_, choice_, draws_, seed_, out)
                                                  : graphlet_counts(graph, kinds_, choice_, i, out);
    double total = 0;
    for (Index kind = 0; kind < kinds_.count(); ++kind) {
      total += counted(kind) ? counts[kind] : 0.0;
    }
    const double unit = frequencies_ && total > 0 ? 1 / total : 1.0;
    for (Index kind = 0; kind < kinds_.count(); ++kind) {
      if (counted(kind)) {
        out.add(kinds_.code(kind), unit * counts[kind]);
      }
    }
  }

  /// The edges of the graphlet, "01 12 23".
  std::string feature_name(const Samples& /*samples*/, Index /*i*/, std::uint64_t key) const override {
    std::string name;
    for (int v = 1; v < kinds_.size(); ++v) {
      for (int u = 0; u < v; ++u) {
        if ((key >> graphlet_bit(u, v) & 1U) != 0) {
          name += (name.empty() ? "" : " ") + std::to_string(u) + std::to_string(v);
        }
      }
    }
    return name.empty() ? "no edges" : name;
  }

 private:
  bool counted(Index kind) const { return choice_ == GraphletChoice::all || kinds_.connected(kind); }

  GraphletKinds kinds_;
  GraphletChoice choice_;
  bool frequencies_;
  Index draws_;
  std::uint64_t seed_;
};

}  // namespace

const KernelEntry& graphlets_entry() {
  static const KernelEntry entry{
      .name = "graphlets",
      .formula = "sum over graphs g with `size` vertices of n_g(x) n_g(y); n_g: induced subgraphs that are g",
      .summary = "graphs by the shapes of their small subgraphs; labels do not matter",
      .definiteness = "positive definite",
      .input = KernelInput::graphs,
      .parameters = {{.name = "size",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "4",
                      .meaning = "vertices of a graphlet: 3, 4 or 5"},
                     {.name = "kinds",
                      .role = ParameterRole::word,
                      .default_text = "connected",
                      .meaning = "whether graphlets that fall apart count as well",
                      .words = {"connected", "all"}},
                     {.name = "values",
                      .role = ParameterRole::word,
                      .default_text = "counts",
                      .meaning = "numbers of graphlets, or their shares, which do not grow with the graph",
                      .words = {"counts", "frequencies"}},
                     {.name = "samples",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "0",
                      .meaning = "random sets of vertices to look at; 0: count exactly"},
                     {.name = "seed",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "0",
                      .meaning = "of the random sets"}},
      .make = make_node<GraphletsNode>,
      .examples = {"graphlets()", "graphlets(size=3, kinds=all)", "normalize(graphlets(size=5))",
                   "graphlets(size=4, kinds=all, values=frequencies, samples=50)"}};
  return entry;
}

}  // namespace mercer
