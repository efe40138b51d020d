// Graph kernels against their definitions, written down with text and plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::cross;
using testing::gram;

enum class Loops { none, some };

Graph random_graph(RandomStream& random, Index most, double density, Loops loops) {
  Graph graph;
  graph.vertices = static_cast<Index>(random.below(static_cast<std::uint64_t>(most) + 1));
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(graph.vertices); ++v) {
    graph.vertex_labels.push_back(static_cast<std::int32_t>(random.below(3)) - 1);
    for (std::int32_t u = 0; u <= v; ++u) {
      if (random.uniform() < density && (u < v || loops == Loops::some)) {
        graph.edges.push_back({u, v});
        graph.edge_labels.push_back(static_cast<std::int32_t>(random.below(2)));
      }
    }
  }
  return graph;
}

std::vector<Graph> random_set(std::uint64_t seed, Index most = 7, Loops loops = Loops::some) {
  RandomStream random(seed, 1);
  std::vector<Graph> graphs;
  for (int i = 0; i < 16; ++i) {
    graphs.push_back(random_graph(random, most, i % 3 == 0 ? 0.2 : 0.5, loops));
  }
  graphs.push_back({1, {}, {0}, {}});
  graphs.push_back({3, {}, {0, 0, 1}, {}});
  graphs.push_back({0, {}, {}, {}});
  return graphs;
}

std::vector<Graph> without_labels(std::vector<Graph> graphs) {
  for (Graph& graph : graphs) {
    graph.vertex_labels.clear();
    graph.edge_labels.clear();
  }
  return graphs;
}

// The same graph with its vertices in another order.
Graph renumbered(const Graph& graph, RandomStream& random) {
  const std::vector<Index> order = random_permutation(random, graph.vertices);
  Graph result = graph;
  for (std::size_t v = 0; v < graph.vertex_labels.size(); ++v) {
    result.vertex_labels[order[v]] = graph.vertex_labels[v];
  }
  for (auto& [u, v] : result.edges) {
    u = static_cast<std::int32_t>(order[u]);
    v = static_cast<std::int32_t>(order[v]);
  }
  return result;
}

std::int32_t label_of(const Graph& graph, std::size_t v) {
  return graph.vertex_labels.empty() ? 0 : graph.vertex_labels[v];
}
std::int32_t edge_label_of(const Graph& graph, std::size_t e) {
  return graph.edge_labels.empty() ? 0 : graph.edge_labels[e];
}

using Features = std::map<std::string, double>;

std::string unordered_pair(const std::string& a, const std::string& b) { return std::min(a, b) + "|" + std::max(a, b); }

// Colours as nested text: what 64-bit keys stand for.
std::vector<std::string> refined(const Graph& graph, const std::vector<std::string>& colors, bool edge_labels) {
  std::vector<std::vector<std::string>> around(colors.size());
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [a, b] = graph.edges[e];
    const auto u = static_cast<std::size_t>(a);
    const auto v = static_cast<std::size_t>(b);
    const std::string label = edge_labels ? std::to_string(edge_label_of(graph, e)) + ":" : "";
    around[u].push_back(label + colors[v]);
    if (u != v) {
      around[v].push_back(label + colors[u]);
    }
  }
  std::vector<std::string> next;
  for (std::size_t v = 0; v < colors.size(); ++v) {
    std::sort(around[v].begin(), around[v].end());
    std::string color = "<" + colors[v];
    for (const std::string& other : around[v]) {
      color += ",";
      color += other;
    }
    next.push_back(color + ">");
  }
  return next;
}

std::vector<std::string> initial_colors(const Graph& graph) {
  std::vector<std::string> colors;
  for (std::size_t v = 0; v < static_cast<std::size_t>(graph.vertices); ++v) {
    colors.push_back(std::to_string(label_of(graph, v)));
  }
  return colors;
}

void add_edges(const Graph& graph, const std::vector<std::string>& colors, bool edge_labels, Features& out) {
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [u, v] = graph.edges[e];
    out[unordered_pair(colors[u], colors[v]) + "#" + std::to_string(edge_labels ? edge_label_of(graph, e) : 0)] += 1;
  }
}

Features wl_features(const Graph& graph, int h, bool edge_labels, bool of_edges) {
  Features out;
  std::vector<std::string> colors = initial_colors(graph);
  for (int step = 0;; ++step) {
    if (of_edges) {
      add_edges(graph, colors, edge_labels, out);
    }
    for (std::size_t v = 0; v < colors.size() && !of_edges; ++v) {
      out[colors[v]] += 1;
    }
    if (step == h) {
      return out;
    }
    colors = refined(graph, colors, edge_labels);
  }
}

std::vector<std::vector<int>> joined_matrix(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  std::vector<std::vector<int>> joined(n, std::vector<int>(n, 0));
  for (const auto& [u, v] : graph.edges) {
    joined[u][v] = 1;
    joined[v][u] = 1;
  }
  return joined;
}

Features path_features(const Graph& graph, int longest) {
  constexpr int far = 1000;
  auto distance = joined_matrix(graph);
  const std::size_t n = distance.size();
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) {
      distance[u][v] = u == v ? 0 : distance[u][v] == 1 ? 1 : far;
    }
  }
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = 0; v < n; ++v) {
        distance[u][v] = std::min(distance[u][v], distance[u][m] + distance[m][v]);
      }
    }
  }
  Features out;
  const std::vector<std::string> labels = initial_colors(graph);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (distance[u][v] < far && (longest == 0 || distance[u][v] <= longest)) {
        out[unordered_pair(labels[u], labels[v]) + "#" + std::to_string(distance[u][v])] += 1;
      }
    }
  }
  return out;
}

// The adjacency bits of the chosen vertices in the order that makes them largest; empty where they fall apart and only
// connected ones count.
std::string shape_of(const std::vector<std::vector<int>>& joined, std::vector<std::size_t> chosen,
                     bool connected_only) {
  std::string largest;
  bool connected = false;
  std::sort(chosen.begin(), chosen.end());
  do {
    std::string bits;
    bool chain = true;  // every vertex but the first has a neighbour before it
    for (std::size_t j = 1; j < chosen.size(); ++j) {
      bool attached = false;
      for (std::size_t i = 0; i < j; ++i) {
        const bool edge = joined[chosen[i]][chosen[j]] != 0;
        bits += edge ? '1' : '0';
        attached = attached || edge;
      }
      chain = chain && attached;
    }
    connected = connected || chain;
    largest = std::max(largest, bits);
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return connected || !connected_only ? largest : "";
}

Features graphlet_features(const Graph& graph, std::size_t size, bool connected_only) {
  const auto joined = joined_matrix(graph);
  Features out;
  std::vector<std::size_t> chosen;
  const std::function<void(std::size_t)> extend = [&](std::size_t first) {
    if (chosen.size() == size) {
      const std::string shape = shape_of(joined, chosen, connected_only);
      if (!shape.empty()) {
        out[shape] += 1;
      }
      return;
    }
    for (std::size_t v = first; v < joined.size(); ++v) {
      chosen.push_back(v);
      extend(v + 1);
      chosen.pop_back();
    }
  };
  extend(0);
  return out;
}

double product(const Features& a, const Features& b) {
  double sum = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    sum += other == b.end() ? 0 : value * other->second;
  }
  return sum;
}

void expect_features(const std::string& spec, const std::vector<Graph>& graphs,
                     const std::function<Features(const Graph&)>& features) {
  const Matrix<double> k = gram(spec, make_graphs(graphs));
  std::vector<Features> all;
  for (const Graph& graph : graphs) {
    all.push_back(features(graph));
  }
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.columns(); ++j) {
      const double expected = product(all[i], all[j]);
      ASSERT_NEAR(k(i, j), expected, 1e-12 * std::max(1.0, expected)) << spec << " " << i << "," << j;
    }
  }
}

TEST(GraphKernels, HistogramsAndRefinementAreTheirDefinitions) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    for (const auto& graphs : {random_set(seed), without_labels(random_set(seed))}) {
      expect_features("vertex_histogram()", graphs, [](const Graph& g) { return wl_features(g, 0, false, false); });
      expect_features("edge_histogram()", graphs, [](const Graph& g) { return wl_features(g, 0, true, true); });
      expect_features("wl(h=0)", graphs, [](const Graph& g) { return wl_features(g, 0, false, false); });
      expect_features("weisfeiler_lehman()", graphs, [](const Graph& g) { return wl_features(g, 3, false, false); });
      expect_features("weisfeiler_lehman(h=2, edge_labels=use)", graphs,
                      [](const Graph& g) { return wl_features(g, 2, true, false); });
      expect_features("weisfeiler_lehman_edges(h=2)", graphs,
                      [](const Graph& g) { return wl_features(g, 2, true, true); });
      expect_features("weisfeiler_lehman_edges(h=1, edge_labels=ignore)", graphs,
                      [](const Graph& g) { return wl_features(g, 1, false, true); });
    }
  }
}

TEST(GraphKernels, ShortestPathsAreThoseOfFloydAndWarshall) {
  for (std::uint64_t seed = 5; seed < 8; ++seed) {
    const auto graphs = random_set(seed, 9);
    expect_features("shortest_path()", graphs, [](const Graph& g) { return path_features(g, 0); });
    expect_features("shortest_path(longest=2)", without_labels(graphs),
                    [](const Graph& g) { return path_features(g, 2); });
  }
}

TEST(GraphKernels, GraphletsAreCounted) {
  for (const std::string size : {"3", "4", "5"}) {
    for (std::uint64_t seed = 9; seed < 11; ++seed) {
      const auto graphs = random_set(seed, 8);
      const auto vertices = static_cast<std::size_t>(std::stoi(size));
      expect_features("graphlets(size=" + size + ")", graphs,
                      [&](const Graph& g) { return graphlet_features(g, vertices, true); });
      expect_features("graphlets(kinds=all, size=" + size + ")", without_labels(graphs),
                      [&](const Graph& g) { return graphlet_features(g, vertices, false); });
    }
  }
}

TEST(GraphKernels, GraphletFrequenciesSumToOneAndSamplesComeNear) {
  RandomStream random(12, 0);
  Graph graph = random_graph(random, 0, 0, Loops::none);
  graph.vertices = 30;
  for (std::int32_t v = 0; v < 30; ++v) {
    for (std::int32_t u = 0; u < v; ++u) {
      if (random.uniform() < 0.3) {
        graph.edges.push_back({u, v});
      }
    }
  }
  const Samples samples = make_graphs(std::vector<Graph>{graph});
  // Exact counts of all sets of five: Σ n = C(30, 5).
  const double exact = gram("graphlets(size=5, kinds=all)", samples)(0, 0);
  const double shares = gram("graphlets(size=5, kinds=all, values=frequencies)", samples)(0, 0);
  EXPECT_NEAR(exact / shares, 142506.0 * 142506.0, 1.0);
  const double drawn = gram("graphlets(size=5, kinds=all, values=frequencies, samples=20000)", samples)(0, 0);
  EXPECT_NEAR(drawn, shares, 0.01);
  EXPECT_NE(drawn, gram("graphlets(size=5, kinds=all, values=frequencies, samples=20000, seed=1)", samples)(0, 0));
  EXPECT_ERROR(parse_kernel("graphlets(size=6)"), InvalidArgument, "kernel spec: graphlets: size = 6");
  Graph large;
  large.vertices = 3000;
  for (std::int32_t v = 1; v < 3000; ++v) {
    large.edges.push_back({0, v});
  }
  const Samples star = make_graphs(std::vector<Graph>{large});
  EXPECT_NEAR(gram("graphlets(size=4)", star)(0, 0), std::pow(2999.0 * 2998 * 2997 / 6, 2), 1e6);
  EXPECT_ERROR(gram("graphlets(size=5)", star), DataError,
               "graphlets: graph 0 has more than 10^8 sets of 5 vertices to look at")
      << "10^13 sets";
  EXPECT_ERROR(gram("graphlets(size=5, kinds=all)", star), DataError,
               "graphlets: graph 0 has more than 10^8 sets of 5 vertices to look at");
}

// Connected sets are rare in sparse graphs: drawn evenly, none of 10^5 sets of a large grid would be one.
TEST(GraphKernels, SampledConnectedGraphletsAreWithoutBias) {
  const auto grid = [](std::int32_t side) {
    Graph graph{Index{side} * side, {}, {}, {}};
    for (std::int32_t v = 0; v < side * side; ++v) {
      if (v % side + 1 < side) {
        graph.edges.push_back({v, v + 1});
      }
      if (v + side < side * side) {
        graph.edges.push_back({v, v + side});
      }
    }
    return graph;
  };
  RandomStream random(8, 0);
  Graph mixed = random_graph(random, 0, 0, Loops::none);
  mixed.vertices = 40;
  for (std::int32_t v = 0; v < 36; ++v) {  // some vertices stay alone, one edge is a part of its own
    for (std::int32_t u = 0; u < v; ++u) {
      if (random.uniform() < (u < 6 ? 0.5 : 0.05)) {
        mixed.edges.push_back({u, v});
      }
    }
  }
  mixed.edges.push_back({37, 38});
  for (const Graph& graph : {grid(30), mixed}) {
    const Samples samples = make_graphs(std::vector<Graph>{graph});
    for (const std::string size : {"3", "4", "5"}) {
      // The relative error of a mean of 40000 draws whose weights differ by a factor of a few is near 1/200.
      const double exact = gram("graphlets(size=" + size + ")", samples)(0, 0);
      const Matrix<double> k = gram("graphlets(size=" + size + ", samples=40000)", samples);
      EXPECT_NEAR(std::sqrt(k(0, 0) / exact), 1, 0.03) << size;
      EXPECT_NEAR(std::sqrt(gram("graphlets(size=" + size + ", samples=40000, values=frequencies)", samples)(0, 0) /
                            gram("graphlets(size=" + size + ", values=frequencies)", samples)(0, 0)),
                  1, 0.03)
          << size;
    }
  }
  // In a complete graph every set is the same kind and as probable as any other: one draw is exact.
  Graph complete{9, {}, {}, {}};
  for (std::int32_t v = 0; v < 9; ++v) {
    for (std::int32_t u = 0; u < v; ++u) {
      complete.edges.push_back({u, v});
    }
  }
  const Samples samples =
      make_graphs(std::vector<Graph>{complete, {3, {}, {}, {}}, {6, {}, {}, {}}, {6, {{0, 1}}, {}, {}}});
  const Matrix<double> k = gram("graphlets(size=5, samples=1)", samples);
  EXPECT_NEAR(k(0, 0), 126.0 * 126.0, 1e-8);
  EXPECT_EQ(k(1, 1) + k(2, 2) + k(3, 3), 0);
}

// 1ᵀ(I − λW)⁻¹1 with the product graph written out.
double walk_sum(const Graph& g, const Graph& h, double lambda, bool normalized, bool edge_labels, bool directed) {
  const auto steps = [&](const Graph& graph, std::int32_t label) {
    Dense all(graph.vertices, graph.vertices, 0);
    Dense chosen(graph.vertices, graph.vertices, 0);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto [u, v] = graph.edges[e];
      for (const auto& [a, b] : {std::pair(u, v), std::pair(v, u)}) {
        all(a, b) = 1;
        chosen(a, b) = !edge_labels || edge_label_of(graph, e) == label ? 1 : 0;
        if (directed) {
          break;
        }
      }
    }
    for (Index u = 0; u < graph.vertices && normalized; ++u) {
      for (Index v = 0; v < graph.vertices; ++v) {
        const double degrees = all.row(u).sum() * all.column(v).sum();
        chosen(u, v) /= degrees > 0 ? std::sqrt(degrees) : 1;
      }
    }
    return chosen;
  };
  const Index n = g.vertices * h.vertices;
  Dense system = Dense::identity(n);
  Dense ones(n, 1, 0);
  for (std::int32_t label = 0; label < (edge_labels ? 2 : 1); ++label) {
    const Dense a = steps(g, label);
    const Dense b = steps(h, label);
    for (Index row = 0; row < n; ++row) {
      const Index u = row / h.vertices;
      const Index v = row % h.vertices;
      const bool equal = label_of(g, static_cast<std::size_t>(u)) == label_of(h, static_cast<std::size_t>(v));
      ones(row) = equal ? 1 : 0;
      for (Index column = 0; column < n && equal; ++column) {
        const Index to_u = column / h.vertices;
        const Index to_v = column % h.vertices;
        if (label_of(g, static_cast<std::size_t>(to_u)) == label_of(h, static_cast<std::size_t>(to_v))) {
          system(row, column) -= lambda * a(u, to_u) * b(v, to_v);
        }
      }
    }
  }
  return n == 0 ? 0 : ones.dot(system.solve(ones));
}

TEST(GraphKernels, RandomWalksSolveTheProductGraph) {
  struct Case {
    std::string spec;
    double lambda;
    bool normalized;
    bool edge_labels;
    bool directed;
  };
  for (const Case& test : {Case{"random_walk()", 0.5, true, false, false},
                           Case{"random_walk(lambda=0.95, edge_labels=use)", 0.95, true, true, false},
                           Case{"random_walk(lambda=0.03, walks=plain)", 0.03, false, false, false},
                           Case{"random_walk(lambda=0.7)", 0.7, true, false, true},
                           Case{"random_walk(lambda=0.02, walks=plain, edge_labels=use)", 0.02, false, true, true}}) {
    for (const auto& graphs : {random_set(20, 5), without_labels(random_set(21, 5))}) {
      const Matrix<double> k =
          gram(test.spec, make_graphs(graphs, test.directed ? EdgeDirection::directed : EdgeDirection::undirected));
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        for (std::size_t j = i; j < graphs.size(); j += 3) {
          const double expected =
              walk_sum(graphs[i], graphs[j], test.lambda, test.normalized, test.edge_labels, test.directed);
          ASSERT_NEAR(k(static_cast<Index>(i), static_cast<Index>(j)), expected, 1e-10 * std::max(1.0, expected))
              << test.spec << " " << i << "," << j;
        }
      }
    }
  }
}

TEST(GraphKernels, RandomWalksThatDoNotConvergeAreRefused) {
  EXPECT_ERROR(parse_kernel("random_walk(lambda=1)"), InvalidArgument, "kernel spec: random_walk: decay = 1");
  const Samples path = make_graphs(std::vector<Graph>{{3, {{0, 1}, {1, 2}}, {}, {}}});
  const Samples star = make_graphs(std::vector<Graph>{{4, {{0, 1}, {0, 2}, {0, 3}}, {}, {}}});
  EXPECT_NO_THROW(gram("random_walk(lambda=0.2, walks=plain)", path));
  // Just below the bound of these graphs: a complete graph with loops has its largest degree as eigenvalue.
  const Samples both = make_graphs(std::vector<Graph>{{2, {{0, 0}, {0, 1}, {1, 1}}, {}, {}}});
  EXPECT_NEAR(gram("random_walk(lambda=0.2499, walks=plain)", both)(0, 0), 4 / (1 - 4 * 0.2499), 1e-7);
  // A directed ring of three: every step leads from each of the nine pairs to one other, 9/(1 − λ) in all.
  const Samples ring = make_graphs(std::vector<Graph>{{3, {{0, 1}, {1, 2}, {2, 0}}, {}, {}}}, EdgeDirection::directed);
  EXPECT_NEAR(gram("random_walk(lambda=0.99, walks=plain)", ring)(0, 0), 900, 1e-9);
  EXPECT_ERROR(gram("random_walk(lambda=0.99999, walks=plain)", ring), NumericalError, "smaller decay");
  EXPECT_ERROR(cross(parse_kernel("random_walk(lambda=0.2, walks=plain)"), star, path), InvalidArgument, "0.111111");
}

TEST(GraphKernels, NumbersOfVerticesDoNotMatter) {
  const auto graphs = random_set(30);
  RandomStream random(31, 0);
  std::vector<Graph> others;
  for (const Graph& graph : graphs) {
    others.push_back(renumbered(graph, random));
  }
  for (const char* spec :
       {"vertex_histogram()", "edge_histogram()", "shortest_path()", "weisfeiler_lehman(edge_labels=use)",
        "weisfeiler_lehman_edges()", "graphlets(size=5)", "random_walk()"}) {
    const Matrix<double> k = gram(spec, make_graphs(graphs));
    const Matrix<double> same = cross(parse_kernel(spec), make_graphs(others), make_graphs(graphs));
    for (Index i = 0; i < k.rows(); ++i) {
      for (Index j = 0; j < k.columns(); ++j) {
        ASSERT_NEAR(same(i, j), k(i, j), 1e-11 * std::max(1.0, std::abs(k(i, j)))) << spec;
      }
    }
  }
}

TEST(GraphKernels, ShortestPathsOfHubsAreBounded) {
  Graph star{200001, {}, {}, {}};
  for (std::int32_t v = 1; v <= 200000; ++v) {
    star.edges.push_back({0, v});
  }
  const Samples samples = make_graphs(std::vector<Graph>{star});
  EXPECT_ERROR(gram("shortest_path(longest=2)", samples), DataError,
               "shortest_path: graph 0 has 200001 vertices and 400000 arcs")
      << "4·10^10 pairs of leaves";
  EXPECT_EQ(gram("shortest_path(longest=1)", samples)(0, 0), 4e10);
}

// Refinement cannot tell a ring of six from two triangles; distances and graphlets can.
TEST(GraphKernels, WhatRefinementCannotSee) {
  const Graph ring{6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}, {}, {}};
  const Graph triangles{6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}}, {}, {}};
  const Samples samples = make_graphs(std::vector<Graph>{ring, triangles});
  const auto distance = [&](const char* spec) {
    const Matrix<double> k = gram(spec, samples);
    return k(0, 0) + k(1, 1) - 2 * k(0, 1);
  };
  EXPECT_EQ(distance("weisfeiler_lehman(h=10)"), 0);
  EXPECT_GT(distance("shortest_path()"), 0);
  EXPECT_GT(distance("graphlets(size=3)"), 0);
}

TEST(GraphKernels, OtherSamplesAndBadOptionsAreRefused) {
  for (const char* spec : {"vertex_histogram()", "edge_histogram()", "shortest_path()", "wl()", "wl_edges()",
                           "graphlets()", "random_walk()"}) {
    EXPECT_ERROR(gram(spec, make_strings(std::vector<std::string>{"A"})), InvalidArgument,
                 "compares graphs; these samples are of kind 'strings'")
        << spec;
    EXPECT_EQ(gram(spec, make_graphs(std::vector<Graph>{})).rows(), 0);
  }
  EXPECT_ERROR(parse_kernel("wl(h=100000)"), InvalidArgument, "kernel spec: weisfeiler_lehman: h = 1e+05");
  EXPECT_ERROR(parse_kernel("wl(h=1.5)"), InvalidArgument, "kernel spec: weisfeiler_lehman: h = 1.5");
}

// No label is not the label 0.
TEST(GraphKernels, LabeledAndUnlabeledGraphsAreNotCompared) {
  const Graph labeled{3, {{0, 1}, {1, 2}}, {0, 1, 0}, {0, 1}};
  Graph half = labeled;
  half.edge_labels.clear();
  Graph bare = half;
  bare.vertex_labels.clear();
  const auto samples = [](const Graph& graph) { return make_graphs(std::vector<Graph>{graph}); };
  for (const char* spec : {"vertex_histogram()", "edge_histogram()", "shortest_path()", "wl()", "wl(edge_labels=use)",
                           "wl_edges()", "random_walk()"}) {
    const Kernel kernel = parse_kernel(spec);
    EXPECT_ERROR(cross(kernel, samples(bare), samples(labeled)), DataError,
                 "the training graphs have labels of vertices, these have no labels")
        << spec;
    EXPECT_ERROR(cross(kernel, samples(labeled), samples(bare)), DataError,
                 "the training graphs have no labels of vertices, these have labels")
        << spec;
    EXPECT_NO_THROW(cross(kernel, samples({0, {}, {}, {}}), samples(labeled))) << spec;
    EXPECT_NO_THROW(cross(kernel, samples(bare), samples(bare))) << spec;
  }
  for (const char* spec : {"edge_histogram()", "wl(edge_labels=use)", "wl_edges()", "random_walk(edge_labels=use)"}) {
    EXPECT_ERROR(cross(parse_kernel(spec), samples(half), samples(labeled)), DataError,
                 "the training graphs have labels of edges, these have no labels")
        << spec;
    EXPECT_NO_THROW(cross(parse_kernel(spec), samples({2, {}, {0, 1}, {}}), samples(labeled))) << spec;
  }
  for (const char* spec : {"wl()", "shortest_path()", "random_walk()", "wl_edges(edge_labels=ignore)"}) {
    EXPECT_NO_THROW(cross(parse_kernel(spec), samples(half), samples(labeled))) << spec;
  }
  EXPECT_NO_THROW(cross(parse_kernel("graphlets()"), samples(bare), samples(labeled)));
}

TEST(GraphKernels, AnyNumberOfThreadsGivesTheSameBits) {
  RandomStream random(40, 0);
  std::vector<Graph> graphs;
  for (int i = 0; i < 600; ++i) {
    graphs.push_back(random_graph(random, 8, 0.4, Loops::some));
  }
  const Samples samples = make_graphs(graphs);
  const Kernel kernel = parse_kernel("weisfeiler_lehman(h=2) + shortest_path()");
  std::vector<Matrix<double>> tiles;
  for (const int threads : {1, 2, 3}) {
    const PreparedKernel prepared(kernel, samples, Precision::double_precision, mercer::Run{{.threads = threads}});
    Workspace workspace;
    TileContext<double> context(prepared.reference(), {200, 330}, prepared.reference(), {0, 600}, workspace);
    kernel.node().tile(context, tiles.emplace_back(130, 600).view());
    EXPECT_TRUE(testing::same_bits(tiles[0], tiles.back())) << threads;
  }
}

}  // namespace
}  // namespace mercer
