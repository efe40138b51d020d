// The Weisfeiler-Lehman kernels (Shervashidze, Schweitzer, van Leeuwen, Mehlhorn, Borgwardt 2011):
//
//   weisfeiler_lehman        k(G, H) = Σ_{t=0…h} Σ_c n_{c,t}(G) n_{c,t}(H),   n_{c,t}: vertices of colour c after t steps
//   weisfeiler_lehman_edges  the same with edges: kinds are the colours of both ends and the label of the edge
//
// of colour refinement (color_refinement.h). h = 0 is the vertex (edge) histogram kernel. O(h · edges) per graph;
// colours are 64-bit hashes of their meaning, so graphs that are seen later need no dictionary.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& weisfeiler_lehman_entry();
const KernelEntry& weisfeiler_lehman_edges_entry();

}  // namespace mercer
