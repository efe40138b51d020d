// The graphlet kernel (Shervashidze, Vishwanathan, Petri, Mehlhorn, Borgwardt 2009): the features of a graph are the
// numbers of its induced subgraphs of 3, 4 or 5 vertices, by kind up to isomorphism (graphlet_counts.h),
//
//   k(G, H) = Σ_g n_g(G) n_g(H),   with values=frequencies n_g / Σ n
//
// Labels, directions and loops do not matter: it compares the shape of graphs alone.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& graphlets_entry();

}  // namespace mercer
