// The inner product of the mean embeddings of two bags: the mean of a kernel k over all pairs of their vectors,
//
//   K(A, B) = 1/(|A||B|) Σ_{a∈A} Σ_{b∈B} k(a, b)              form=mean, the default
//   K(A, B) = Σ_{a∈A} Σ_{b∈B} k(a, b)                         form=sum        (13.41)
//
// and with weights=c, the number of a column that holds a weight w per vector, w(a) w(b) k(a, b) (13.42), divided by
// Σw Σw' for form=mean. K(A,A) + K(B,B) − 2K(A,B) is the squared maximum mean discrepancy, so rbf_of(mean_map(k)) is
// exp(−γ MMD²), the Gaussian kernel on samples of distributions; mean_map(k^p) is the positive matching kernel of Lyu,
// which for large p looks at the best matches alone. Without an argument k = rbf(gamma=scale) on the vectors.
//
// Cost: |A||B| values of k per pair. An empty bag (weights that sum to 0) has the zero embedding: value 0 with all.
// Reference: Haussler 1999; Gärtner, Flach, Kowalczyk, Smola 2002; Smola, Gretton, Song, Schölkopf 2007; Lyu 2005.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& mean_map_entry();

}  // namespace mercer
