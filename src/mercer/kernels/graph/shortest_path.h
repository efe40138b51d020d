// The shortest-path kernel (Borgwardt, Kriegel 2005) of graphs without edge weights: the features of a graph are its
// pairs of different vertices that a path joins, named by the labels of both ends (in no order) and the length d of a
// shortest path,
//
//   k(G, H) = Σ_{a ≤ b, d} n_{ab,d}(G) n_{ab,d}(H)
//
// Pairs at distance 1 alone are the edge histogram without edge labels. In a directed graph each direction counts one
// half. O(vertices · edges) time per graph by breadth-first search, memory by the number of different features.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& shortest_path_entry();

}  // namespace mercer
