// Graphlets: the induced subgraphs with 3, 4 or 5 vertices of a graph, counted by their kind up to isomorphism. Labels,
// directions and loops do not matter.
//
// With 3 and 4 vertices the counts of not necessarily induced subgraphs have closed forms in degrees, triangles and
// common neighbours (Ahmed, Neville, Rossi, Duffield 2015), and induced counts follow from them by solving a triangular
// system; only the cliques of four are enumerated. Graphlets of five vertices are enumerated, the connected ones by
// extension (Wernicke 2006), or drawn at random.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/kernels/feature_list.h"
#include "mercer/kernels/graph/graph_view.h"

namespace mercer {

/// A graph on `size` vertices as bits, one per pair u < v: bit of (u, v) is u + v (v - 1) / 2.
using GraphletCode = std::uint32_t;
constexpr int graphlet_bit(int u, int v) { return u + v * (v - 1) / 2; }

/// Kinds of graphlets of one size: 4 of 3 vertices, 11 of 4, 34 of 5.
class GraphletKinds {
 public:
  explicit GraphletKinds(int size);

  int size() const { return size_; }
  Index count() const { return static_cast<Index>(codes_.size()); }
  /// The kind, from 0, of a labelled graph.
  Index kind_of(GraphletCode code) const { return kind_of_[code]; }
  /// The smallest code of the kind; kinds are in the order of these.
  GraphletCode code(Index kind) const { return codes_[kind]; }
  bool connected(Index kind) const { return connected_[kind] != 0; }

 private:
  int size_;
  std::vector<std::int16_t> kind_of_;
  std::vector<GraphletCode> codes_;
  std::vector<char> connected_;
};

enum class GraphletChoice { connected, all };

/// Numbers of induced subgraphs per kind; those that are not connected are 0 with GraphletChoice::connected. Sizes 3
/// and 4: O(edges^1.5) and, for 4, the number of cliques, exact while counts are below 2^53; DataError where the cliques
/// would take more than 10^10 steps. Size 5: by enumeration; DataError where more than 10^8 subgraphs would have to be
/// looked at (`row` names the graph). `pace` is asked on the way whether to stop.
std::vector<double> graphlet_counts(const GraphView& graph, const GraphletKinds& kinds, GraphletChoice choice,
                                    Index row, const FeatureList& pace);

/// Estimates of the same without bias from `draws` random sets of vertices. All kinds: sets are drawn evenly.
/// Connected ones: sets are grown along random edges, and count the inverse of the probability of being grown. The draws
/// depend on the graph and the seed alone.
std::vector<double> sampled_graphlet_counts(const GraphView& graph, const GraphletKinds& kinds, GraphletChoice choice,
                                            Index draws, std::uint64_t seed, const FeatureList& pace);

}  // namespace mercer
