// Every vector of a bag against the one of the other bag that is most like it,
//
//   K(A, B) = ½ ( 1/|A| Σ_{a∈A} max_{b∈B} k(a, b) + 1/|B| Σ_{b∈B} max_{a∈A} k(a, b) )
//
// A matching of local features that is popular and not positive in general, whatever k is: models that need a positive
// kernel refuse it. mean_map(k^p) is a positive kernel of the same intent, pyramid_match one that matches one to one.
// Cost: |A||B| values of k per pair. An empty bag has value 0 with all. Reference: Wallraven, Caputo, Graf 2003; Lyu 2005.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& best_match_entry();

}  // namespace mercer
