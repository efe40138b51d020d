// The vertex histogram kernel: the features of a graph are its vertex labels, each with its number of vertices,
//
//   k(G, H) = Σ_l n_l(G) n_l(H)
//
// The baseline that any kernel which looks at edges must beat. Without labels all vertices have the same one. O(n).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& vertex_histogram_entry();

}  // namespace mercer
