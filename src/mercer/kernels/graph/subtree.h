// The subtree kernel (Vishwanathan, Smola 2003): the features of a tree are its complete subtrees, nodes with all that
// hangs below them,
//
//   k(S, T) = Σ_s λ^{inner nodes of s} n_s(S) n_s(T)
//
// λ is the option decay, at most 1. leaves=ignore leaves out the subtrees that are single leaves, as in Collins and
// Duffy's family; leaves=count takes them with weight 1. Subtrees are named by 64-bit hashes: O(size) per tree.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& subtree_entry();

}  // namespace mercer
