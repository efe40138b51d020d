// The sums under the gap-weighted subsequence kernel: for every length i up to n,
//
//   sums[i-1] = Σ over pairs of occurrences (a in s, b in t) of a common subsequence of i symbols of  λ^(gaps of a + gaps of b)
//
// where the gaps of an occurrence are the symbols that it spans and does not use. Multiply by λ^(2i) for the kernel that
// weighs by the whole span (13.16). Two ways to the same numbers:
//
//   dense    the recursion (13.20) by anti-diagonals, O(n |s| |t|) time, vectorised, O(n min(|s|, |t|)) memory
//   sparse   only pairs of equal symbols are visited; the discounted sum over all earlier pairs comes from a tree over the
//            positions of t: O(n M log |t|) for M pairs of equal symbols (Rousu & Shawe-Taylor 2005)
//
// Every term is positive: the relative error is a few (n + |s| + |t|) rounding units.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/base/index.h"
#include "mercer/base/run.h"

namespace mercer {

using SymbolSpan = std::span<const std::uint64_t>;

/// The cheaper of both ways. `slopes` are the derivatives by λ, as many as `sums`, or none; then the way is dense. The
/// same bits with s and t exchanged. Polls the stop token of `run` (Stopped).
void gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<double> sums, std::span<double> slopes,
                       const Run& run);

void dense_gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<double> sums, std::span<double> slopes,
                             const Run& run);
void sparse_gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<double> sums, const Run& run);
/// With the exponents of long double, for sums beyond double: O(n |s| |t|), much slower than `dense`.
void wide_gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<long double> sums,
                            std::span<long double> slopes, const Run& run);

/// Pairs of equal symbols, O(|s| + |t|) up to the sorting of both.
Index equal_pairs(SymbolSpan s, SymbolSpan t);

}  // namespace mercer
