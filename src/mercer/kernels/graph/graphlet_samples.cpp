// Random graphlets: sampled_graphlet_counts() of kernels/graph/graphlet_counts.h.
#include <algorithm>
#include <array>
#include <bit>

#include "mercer/base/random.h"
#include "mercer/kernels/graph/graphlet_counts.h"
#include "mercer/kernels/graph/simple_graph.h"

namespace mercer {

namespace {

// Chosen vertices, all different, and their edges.
class DrawnSet {
 public:
  explicit DrawnSet(const SimpleGraph& graph) : graph_(graph) {}

  int size() const { return size_; }
  GraphletCode code() const { return code_; }
  Index vertex(int k) const { return vertices_[k]; }
  double degree(int k) const { return static_cast<double>(graph_.degree(vertex(k))); }
  bool holds(Index v) const {
    return std::find(vertices_.begin(), vertices_.begin() + size_, v) != vertices_.begin() + size_;
  }
  bool joined(int k, int l) const {
    return k != l && (code_ >> graphlet_bit(std::min(k, l), std::max(k, l)) & 1U) != 0;
  }
  void clear() {
    size_ = 0;
    code_ = 0;
  }
  void add(Index v) {
    for (int k = 0; k < size_; ++k) {
      if (graph_.joined(vertex(k), v)) {
        code_ |= GraphletCode{1} << graphlet_bit(k, size_);
      }
    }
    vertices_[size_++] = v;
  }

 private:
  const SimpleGraph& graph_;
  std::array<Index, 5> vertices_{};
  int size_ = 0;
  GraphletCode code_ = 0;
};

void draw_any(RandomStream& random, const SimpleGraph& graph, int size, DrawnSet& set) {
  set.clear();
  while (set.size() < size) {
    const auto v = static_cast<Index>(random.below(static_cast<std::uint64_t>(graph.vertices())));
    if (!set.holds(v)) {
      set.add(v);
    }
  }
}

// Connected sets: one end of a random edge, then again and again the head of a random arc that leaves the set.
class ConnectedDraws {
 public:
  explicit ConnectedDraws(const SimpleGraph& graph) : graph_(graph) {
    for (Index v = 0; v < graph.vertices(); ++v) {
      tails_.insert(tails_.end(), static_cast<std::size_t>(graph.degree(v)), v);
    }
  }

  bool has_edges() const { return !tails_.empty(); }

  /// A set that stays smaller than `size` fills its part of the graph.
  void draw(RandomStream& random, int size, DrawnSet& set) const {
    set.clear();
    set.add(tails_[random.below(tails_.size())]);
    while (set.size() < size && leaving(set, (1U << static_cast<unsigned>(set.size())) - 1) > 0) {
      set.add(next(random, set));
    }
  }

  /// The probability of the set, in whatever order it is drawn: Π (arcs to the next vertex)/(arcs that leave), summed
  /// over all orders by way of the sets of vertices that come first.
  double probability(const DrawnSet& set) const {
    std::array<double, 32> reached{};
    const unsigned all = (1U << static_cast<unsigned>(set.size())) - 1;
    for (unsigned part = 1; part < all; ++part) {
      if (std::has_single_bit(part)) {
        reached[part] = set.degree(std::countr_zero(part)) / static_cast<double>(tails_.size());
      }
      if (reached[part] == 0) {
        continue;
      }
      const double unit = reached[part] / leaving(set, part);
      for (int next = 0; next < set.size(); ++next) {
        if ((part >> static_cast<unsigned>(next) & 1U) == 0) {
          reached[part | 1U << static_cast<unsigned>(next)] += unit * arcs_to(set, part, next);
        }
      }
    }
    return reached[all];
  }

 private:
  static double arcs_to(const DrawnSet& set, unsigned part, int next) {
    double arcs = 0;
    for (int k = 0; k < set.size(); ++k) {
      arcs += (part >> static_cast<unsigned>(k) & 1U) != 0 && set.joined(k, next) ? 1.0 : 0.0;
    }
    return arcs;
  }
  // Arcs from a part of the set to vertices outside that part.
  static double leaving(const DrawnSet& set, unsigned part) {
    double arcs = 0;
    for (int k = 0; k < set.size(); ++k) {
      arcs += (part >> static_cast<unsigned>(k) & 1U) != 0 ? set.degree(k) - arcs_to(set, part, k) : 0.0;
    }
    return arcs;
  }
  // At most 12 arcs stay inside, so that few are drawn in vain.
  Index next(RandomStream& random, const DrawnSet& set) const {
    std::uint64_t arcs = 0;
    for (int k = 0; k < set.size(); ++k) {
      arcs += static_cast<std::uint64_t>(graph_.degree(set.vertex(k)));
    }
    for (;;) {
      auto arc = static_cast<Index>(random.below(arcs));
      int k = 0;
      for (; arc >= graph_.degree(set.vertex(k)); ++k) {
        arc -= graph_.degree(set.vertex(k));
      }
      const Index head = graph_.neighbors(set.vertex(k))[arc];
      if (!set.holds(head)) {
        return head;
      }
    }
  }

  const SimpleGraph& graph_;
  std::vector<Index> tails_;  // of all arcs
};

}  // namespace

std::vector<double> sampled_graphlet_counts(const GraphView& view, const GraphletKinds& kinds, GraphletChoice choice,
                                            Index draws, std::uint64_t seed, const FeatureList& pace) {
  const SimpleGraph graph(view);
  std::vector<double> counts(kinds.count(), 0.0);
  if (graph.vertices() < kinds.size()) {
    return counts;
  }
  double sets = 1;  // of so many vertices
  for (int k = 0; k < kinds.size(); ++k) {
    sets *= static_cast<double>(graph.vertices() - k) / (k + 1);
  }
  RandomStream random(seed, static_cast<std::uint64_t>(graph.vertices()));
  const ConnectedDraws connected(graph);
  if (choice == GraphletChoice::connected && !connected.has_edges()) {
    return counts;
  }
  DrawnSet set(graph);
  for (Index draw = 0; draw < draws; ++draw) {
    constexpr Index draws_between_stops = 1024;
    if (draw % draws_between_stops == 0) {
      pace.check_stop();
    }
    double weight = sets;
    if (choice == GraphletChoice::all) {
      draw_any(random, graph, kinds.size(), set);
    } else {
      connected.draw(random, kinds.size(), set);
      if (set.size() < kinds.size()) {
        continue;
      }
      weight = 1 / connected.probability(set);
    }
    counts[kinds.kind_of(set.code())] += weight / static_cast<double>(draws);
  }
  return counts;
}

}  // namespace mercer
