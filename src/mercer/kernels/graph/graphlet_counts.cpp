#include "mercer/kernels/graph/graphlet_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>

#include "mercer/base/error.h"
#include "mercer/kernels/graph/simple_graph.h"

namespace mercer {

namespace {

constexpr double most_graphlets = 1e8;
constexpr double most_clique_steps = 1e10;

double choose_2(double n) { return n * (n - 1) / 2; }
double choose_3(double n) { return n * (n - 1) * (n - 2) / 6; }
double choose_4(double n) { return choose_3(n) * (n - 3) / 4; }
double choose_5(double n) { return choose_4(n) * (n - 4) / 5; }

// ---- Subgraphs of 3 and 4 vertices that need not be induced --------------------------------------------------------

struct Motifs {
  double wedges = 0;
  double triangles = 0;
  double stars = 0;
  double paths = 0;  // of three edges
  double cycles = 0;
  double paws = 0;
  double diamonds = 0;
  double cliques = 0;
};

// Arcs from each vertex to those of higher rank (degree, then number): no vertex has more than √(2 edges) of them.
class RankedArcs {
 public:
  explicit RankedArcs(const SimpleGraph& graph) : graph_(graph) {
    offsets_.push_back(0);
    for (Index u = 0; u < graph.vertices(); ++u) {
      for (const std::int32_t v : graph.neighbors(u)) {
        if (below(u, v)) {
          heads_.push_back(v);
        }
      }
      offsets_.push_back(static_cast<Index>(heads_.size()));
    }
  }
  bool below(Index u, Index v) const {
    return graph_.degree(u) != graph_.degree(v) ? graph_.degree(u) < graph_.degree(v) : u < v;
  }
  Index begin(Index u) const { return offsets_[u]; }
  Index end(Index u) const { return offsets_[u + 1]; }
  std::int32_t head(Index arc) const { return heads_[arc]; }
  Index count() const { return static_cast<Index>(heads_.size()); }

 private:
  const SimpleGraph& graph_;
  std::vector<Index> offsets_;
  std::vector<std::int32_t> heads_;
};

void count_cycles(const SimpleGraph& graph, const RankedArcs& arcs, const FeatureList& pace, Motifs& motifs) {
  std::vector<double> meetings(graph.vertices(), 0.0);
  std::vector<std::int32_t> touched;
  for (Index top = 0; top < graph.vertices(); ++top) {  // the vertex of highest rank on the cycle
    pace.check_stop();
    touched.clear();
    for (const std::int32_t v : graph.neighbors(top)) {
      if (!arcs.below(v, top)) {
        continue;
      }
      for (const std::int32_t w : graph.neighbors(v)) {
        if (arcs.below(w, top)) {
          motifs.cycles += meetings[w]++;
          touched.push_back(w);
        }
      }
    }
    for (const std::int32_t w : touched) {
      meetings[w] = 0;
    }
  }
}

// Cliques of four take most of the time.
enum class Cliques { skip, count };

// Triangles, in all and by vertex (paws) and by edge (diamonds), and cliques of four.
class TriangleCount {
 public:
  TriangleCount(const SimpleGraph& graph, const RankedArcs& arcs, Cliques cliques, Index row, const FeatureList& pace)
      : graph_(graph),
        arcs_(arcs),
        cliques_(cliques),
        row_(row),
        pace_(pace),
        of_vertex_(static_cast<std::size_t>(graph.vertices()), 0.0),
        of_arc_(static_cast<std::size_t>(arcs.count()), 0.0),
        arc_to_(static_cast<std::size_t>(graph.vertices()), -1),
        common_(static_cast<std::size_t>(graph.vertices()), 0) {}

  void add_to(Motifs& motifs) {
    for (Index u = 0; u < graph_.vertices(); ++u) {
      for (Index a = arcs_.begin(u); a < arcs_.end(u); ++a) {
        arc_to_[arcs_.head(a)] = a;
      }
      for (Index a = arcs_.begin(u); a < arcs_.end(u); ++a) {
        pace_.check_stop();
        find_shared(u, a);
        motifs.triangles += static_cast<double>(shared_.size());
        motifs.cliques += cliques_ == Cliques::count ? cliques_of_shared() : 0.0;
      }
      for (Index a = arcs_.begin(u); a < arcs_.end(u); ++a) {
        arc_to_[arcs_.head(a)] = -1;
      }
    }
    for (Index v = 0; v < graph_.vertices(); ++v) {
      motifs.paws += of_vertex_[v] * static_cast<double>(graph_.degree(v) - 2);
    }
    for (const double triangles : of_arc_) {
      motifs.diamonds += choose_2(triangles);
    }
  }

 private:
  // The neighbors of higher rank that u and the head of arc a of u share.
  void find_shared(Index u, Index a) {
    const std::int32_t v = arcs_.head(a);
    shared_.clear();
    for (Index b = arcs_.begin(v); b < arcs_.end(v); ++b) {
      const std::int32_t w = arcs_.head(b);
      const Index third = arc_to_[w];
      if (third >= 0) {
        shared_.push_back(w);
        for (const Index arc : {a, b, third}) {
          of_arc_[arc] += 1;
        }
        for (const Index vertex : {u, Index{v}, Index{w}}) {
          of_vertex_[vertex] += 1;
        }
      }
    }
  }

  // Arcs between vertices that are shared.
  double cliques_of_shared() {
    for (const std::int32_t w : shared_) {
      common_[w] = 1;
      steps_ += static_cast<double>(arcs_.end(w) - arcs_.begin(w));
    }
    if (steps_ > most_clique_steps) {
      throw DataError("graphlets: graph " + std::to_string(row_) +
                      " is so dense that its cliques of four take more than 10^10 steps; set samples=100000, say, or "
                      "take size=3");
    }
    double count = 0;
    for (const std::int32_t w : shared_) {
      for (Index b = arcs_.begin(w); b < arcs_.end(w); ++b) {
        count += common_[arcs_.head(b)];
      }
    }
    for (const std::int32_t w : shared_) {
      common_[w] = 0;
    }
    return count;
  }

  const SimpleGraph& graph_;
  const RankedArcs& arcs_;
  Cliques cliques_;
  Index row_;
  const FeatureList& pace_;
  std::vector<double> of_vertex_;
  std::vector<double> of_arc_;
  std::vector<Index> arc_to_;  // from u
  std::vector<char> common_;   // shared_ as marks
  std::vector<std::int32_t> shared_;
  double steps_ = 0;
};

// For graphlets of three vertices only wedges and triangles are right.
Motifs count_motifs(const SimpleGraph& graph, int size, Index row, const FeatureList& pace) {
  Motifs motifs;
  for (Index v = 0; v < graph.vertices(); ++v) {
    const auto degree = static_cast<double>(graph.degree(v));
    motifs.wedges += choose_2(degree);
    motifs.stars += choose_3(degree);
    for (const std::int32_t u : graph.neighbors(v)) {
      motifs.paths += (degree - 1) * static_cast<double>(graph.degree(u) - 1) / 2;
    }
  }
  const RankedArcs arcs(graph);
  TriangleCount(graph, arcs, size == 3 ? Cliques::skip : Cliques::count, row, pace).add_to(motifs);
  if (size > 3) {
    count_cycles(graph, arcs, pace, motifs);
  }
  motifs.paths -= 3 * motifs.triangles;
  return motifs;
}

GraphletCode code_of_edges(std::initializer_list<std::array<int, 2>> edges) {
  GraphletCode code = 0;
  for (const auto& [u, v] : edges) {
    code |= GraphletCode{1} << graphlet_bit(u, v);
  }
  return code;
}

std::vector<double> subgraph_counts(const SimpleGraph& graph, const GraphletKinds& kinds, Index row,
                                    const FeatureList& pace) {
  const Motifs motifs = count_motifs(graph, kinds.size(), row, pace);
  const auto n = static_cast<double>(graph.vertices());
  const auto edges = static_cast<double>(graph.edges());
  std::vector<double> counts(kinds.count(), 0.0);
  const auto set = [&](std::initializer_list<std::array<int, 2>> example, double count) {
    counts[kinds.kind_of(code_of_edges(example))] = count;
  };
  if (kinds.size() == 3) {
    set({}, choose_3(n));
    set({{0, 1}}, edges * (n - 2));
    set({{0, 1}, {1, 2}}, motifs.wedges);
    set({{0, 1}, {1, 2}, {0, 2}}, motifs.triangles);
    return counts;
  }
  set({}, choose_4(n));
  set({{0, 1}}, edges * choose_2(n - 2));
  set({{0, 1}, {2, 3}}, choose_2(edges) - motifs.wedges);
  set({{0, 1}, {1, 2}}, motifs.wedges * (n - 3));
  set({{0, 1}, {1, 2}, {0, 2}}, motifs.triangles * (n - 3));
  set({{0, 1}, {0, 2}, {0, 3}}, motifs.stars);
  set({{0, 1}, {1, 2}, {2, 3}}, motifs.paths);
  set({{0, 1}, {1, 2}, {2, 3}, {0, 3}}, motifs.cycles);
  set({{0, 1}, {1, 2}, {0, 2}, {2, 3}}, motifs.paws);
  set({{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}}, motifs.diamonds);
  set({{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}, {1, 3}}, motifs.cliques);
  return counts;
}

// N_h = Σ_h' S_hh' I_h' with S_hh' the subgraphs of kind h of one graph of kind h', all vertices kept: solved from the
// complete graph downwards.
void make_induced(const GraphletKinds& kinds, std::vector<double>& counts) {
  std::vector<Index> order;
  for (int edges = kinds.size() * (kinds.size() - 1) / 2; edges >= 0; --edges) {
    for (Index kind = 0; kind < kinds.count(); ++kind) {
      if (std::popcount(kinds.code(kind)) == edges) {
        order.push_back(kind);
      }
    }
  }
  for (const Index larger : order) {
    const GraphletCode code = kinds.code(larger);
    for (GraphletCode part = (code - 1) & code; code != 0; part = (part - 1) & code) {
      counts[kinds.kind_of(part)] -= counts[larger];
      if (part == 0) {
        break;
      }
    }
  }
}

// ---- Enumeration ---------------------------------------------------------------------------------------------------

[[noreturn]] void refuse_enumeration(Index row, int size, const std::string& remedy) {
  throw DataError("graphlets: graph " + std::to_string(row) + " has more than 10^8 sets of " + std::to_string(size) +
                  " vertices to look at; " + remedy);
}

[[noreturn]] void refuse_connected(Index row, int size) {
  refuse_enumeration(row, size, "set samples=100000, say, or take size=4, which needs no enumeration");
}

// Every connected set of vertices once: sets grow by neighbours that are larger than the first vertex and new to the
// set.
class ConnectedSets {
 public:
  ConnectedSets(const SimpleGraph& graph, const GraphletKinds& kinds, Index row, const FeatureList& pace)
      : graph_(graph),
        kinds_(kinds),
        row_(row),
        pace_(pace),
        seen_(static_cast<std::size_t>(graph.vertices()), 0),
        counts_(static_cast<std::size_t>(kinds.count()), 0.0) {}

  std::vector<double> count() {
    for (Index root = 0; root < graph_.vertices(); ++root) {
      pace_.check_stop();
      std::vector<std::int32_t> reserve;
      seen_[root] = 1;
      for (const std::int32_t v : graph_.neighbors(root)) {
        seen_[v] = 1;
        if (v > root) {
          reserve.push_back(v);
        }
      }
      chosen_[0] = static_cast<std::int32_t>(root);
      extend(1, 0, reserve);
      seen_[root] = 0;
      for (const std::int32_t v : graph_.neighbors(root)) {
        seen_[v] = 0;
      }
    }
    return counts_;
  }

 private:
  GraphletCode extended(GraphletCode code, int size, std::int32_t w) const {
    for (int k = 0; k < size; ++k) {
      if (graph_.joined(chosen_[k], w)) {
        code |= GraphletCode{1} << graphlet_bit(k, size);
      }
    }
    return code;
  }

  void extend(int size, GraphletCode code, std::vector<std::int32_t> reserve) {
    if (size + 1 == kinds_.size()) {
      looked_at_ += static_cast<double>(reserve.size());
      if (looked_at_ > most_graphlets) {
        refuse_connected(row_, kinds_.size());
      }
      for (const std::int32_t w : reserve) {
        counts_[kinds_.kind_of(extended(code, size, w))] += 1;
      }
      return;
    }
    while (!reserve.empty()) {
      const std::int32_t w = reserve.back();
      reserve.pop_back();
      std::vector<std::int32_t> larger = reserve;
      std::vector<std::int32_t> marked;
      for (const std::int32_t v : graph_.neighbors(w)) {
        if (v > chosen_[0] && seen_[v] == 0) {
          seen_[v] = 1;
          marked.push_back(v);
          larger.push_back(v);
        }
      }
      const GraphletCode next = extended(code, size, w);
      chosen_[size] = w;
      extend(size + 1, next, std::move(larger));
      for (const std::int32_t v : marked) {
        seen_[v] = 0;
      }
    }
  }

  const SimpleGraph& graph_;
  const GraphletKinds& kinds_;
  Index row_;
  const FeatureList& pace_;
  std::vector<char> seen_;
  std::vector<double> counts_;
  std::array<std::int32_t, 5> chosen_{};
  double looked_at_ = 0;
};

void count_all_sets(const SimpleGraph& graph, const GraphletKinds& kinds, Index first, GraphletCode code,
                    const FeatureList& pace, std::vector<Index>& chosen, std::vector<double>& counts) {
  const auto size = static_cast<int>(chosen.size());
  if (size == kinds.size()) {
    counts[kinds.kind_of(code)] += 1;
    return;
  }
  if (size + 2 == kinds.size()) {
    pace.check_stop();
  }
  for (Index v = first; v < graph.vertices(); ++v) {
    GraphletCode next = code;
    for (int k = 0; k < size; ++k) {
      if (graph.joined(chosen[k], v)) {
        next |= GraphletCode{1} << graphlet_bit(k, size);
      }
    }
    chosen.push_back(v);
    count_all_sets(graph, kinds, v + 1, next, pace, chosen, counts);
    chosen.pop_back();
  }
}

}  // namespace

std::vector<double> graphlet_counts(const GraphView& view, const GraphletKinds& kinds, GraphletChoice choice, Index row,
                                    const FeatureList& pace) {
  const SimpleGraph graph(view);
  std::vector<double> counts(kinds.count(), 0.0);
  if (graph.vertices() < kinds.size()) {
    return counts;
  }
  if (kinds.size() <= 4) {
    counts = subgraph_counts(graph, kinds, row, pace);
    make_induced(kinds, counts);
    for (Index kind = 0; kind < kinds.count() && choice == GraphletChoice::connected; ++kind) {
      counts[kind] *= kinds.connected(kind) ? 1.0 : 0.0;
    }
  } else if (choice == GraphletChoice::connected) {
    // A vertex with four of its neighbours is connected, and a set of five is met at most five times that way.
    double stars = 0;
    for (Index v = 0; v < graph.vertices(); ++v) {
      stars += choose_4(static_cast<double>(graph.degree(v)));
    }
    if (stars / 5 > most_graphlets) {
      refuse_connected(row, kinds.size());
    }
    counts = ConnectedSets(graph, kinds, row, pace).count();
  } else {
    if (choose_5(static_cast<double>(graph.vertices())) > most_graphlets) {
      refuse_enumeration(row, kinds.size(), "take the connected ones, or set samples=100000, say");
    }
    std::vector<Index> chosen;
    count_all_sets(graph, kinds, 0, 0, pace, chosen, counts);
  }
  return counts;
}

}  // namespace mercer
