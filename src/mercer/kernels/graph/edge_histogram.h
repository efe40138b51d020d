// The edge histogram kernel: the features of a graph are its edges, named by the labels of their two ends (in no order)
// and their own, each with its number,
//
//   k(G, H) = Σ_{a ≤ b, e} n_{ab,e}(G) n_{ab,e}(H)
//
// Missing labels are all equal. The direction of an edge does not matter; an edge that is given in one direction only
// counts one half. O(edges).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& edge_histogram_entry();

}  // namespace mercer
