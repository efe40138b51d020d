// Salzberg's kernel: the locality-improved kernel on log-odds instead of symbols,
//
//   k(x, y) = (Σ_p (Σ_{j=−l}^{l} v_j s_{p+j}(x) s_{p+j}(y))^{d1})^{d2},   s_p(x) = ln P(x_p at p; true) − ln P(x_p at p; any)
//
// on DNA strings of one length. The table of log-odds, A C G T for every place, is either given (`scores`, 4·length numbers;
// salzberg_scores() makes it of labelled strings) or learnt from the training strings, whose labels a kernel does not see:
// then "true" is the frequency of a nucleotide at that place and "any" its frequency anywhere. Other symbols have score 0.
// Frequencies are counts plus one. References: Salzberg (1997); Zien et al. (2000).
#pragma once

#include <span>
#include <vector>

#include "mercer/data/samples.h"

namespace mercer {

struct KernelEntry;
const KernelEntry& salzberg_entry();

/// ln P(nucleotide at p; the strings `true_rows`) − ln P(nucleotide at p; all strings), A C G T for p = 0, then for p = 1, …
/// InvalidArgument or DataError unless the strings are of one length and rows exist.
std::vector<double> salzberg_scores(const Samples& strings, std::span<const Index> true_rows);

}  // namespace mercer
