// The gapped k-mer kernel: substrings of length l of which only k places count. Every choice of k places is a pattern of
// its own, and a feature is a pattern with the symbols in its places,
//
//   k(x, y) = Σ_{P ⊂ {1…l}, |P| = k} Σ_s count_{P,s}(x) count_{P,s}(y)
//
// Two substrings of length l that differ in d places share C(l - d, k) features, so a few mismatches cost little however
// large the alphabet is (Ghandi, Lee, Mohammad-Noori, Beer 2014; gkm-SVM and LS-GKM). C(l, k) features a symbol.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& gapped_kmer_entry();

}  // namespace mercer
