// Reduced sets chosen among the centres themselves: for any kernel and any samples. Every function here returns numbers
// of the target's centres; fit_coefficients() gives them their best coefficients. Outputs share the choice.
//
//   greedy       forwards: adds the centre that lowers the error most, Σ_o R_o(x_j)²/d_j with d_j = the squared distance
//                of Φ(x_j) from the span so far (orthogonal least squares)
//   deletion     backwards: takes out the centre that costs least, Σ_o a_no²/(K⁻¹)_nn, the coefficients at their best
//                throughout, so that the costs add up to the error exactly
//   independent  no choice but a cleaning: centres that are combinations of the others (duplicates, more than d of
//                them for a linear kernel) go without any loss
//
// References: Schölkopf & Smola (2002), 18.3-18.4 and 10.2; Chen, Cowan & Grant (1991).
#pragma once

#include <vector>

#include "mercer/expansion/reduced_set/target.h"

namespace mercer {

struct Selection {
  std::vector<Index> chosen;    ///< numbers of the target's centres; greedy: in the order of choice, else ascending
  std::vector<double> history;  ///< Σ‖Ψ − Ψ'‖² after every step, with the best coefficients; the first: before any
};

/// Ends early where nothing is missing any more. O(m·n) kernel values and numbers, m·n² operations for n chosen of m.
Selection select_greedy(const ReductionTarget& target, Index size, const Run& run);

/// O(m³) and m² numbers, whatever the size.
Selection select_by_deletion(const ReductionTarget& target, Index size, const Run& run);

/// Centres whose images are independent to `tolerance` (relative to the largest k(x, x), in squared distance): the
/// function stays the same to about that. O(m r²) for rank r.
Selection select_independent(const ReductionTarget& target, double tolerance, const Run& run);

}  // namespace mercer
