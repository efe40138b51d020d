// The subset-tree kernel of Collins and Duffy (2001; lectures M15): the features of a tree are its fragments, connected
// parts with at least one edge that hold for each of their nodes all children or none. With C(u, v) the decayed number
// of common fragments that are rooted at u and v,
//
//   k(S, T) = Σ_{u in S, v in T} C(u, v)
//   C(u, v) = λ Π_j (1 + C(u_j, v_j))   where u and v have the same label and the same labels of children, else 0
//
// (leaves root no fragment: C = 0), so that a fragment counts λ (option decay) to the number of its inner nodes. Only
// pairs of nodes with equal productions are visited (Moschitti 2006): O(|S| |T|) at worst, nearly linear for parse
// trees.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& subset_tree_entry();

}  // namespace mercer
