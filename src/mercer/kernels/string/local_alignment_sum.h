// The sum over all local alignments of two strings, by the recursion of Saigo, Vert, Ueda & Akutsu (2004):
//
//   K = Σ_π exp(β score(π)) = 1 + Σ_{i,j} M(i, j)
//   M(i, j) = e(x_i, y_j) (1 + X + Y + M)(i−1, j−1)
//   X(i, j) = o M(i−1, j) + c X(i−1, j),      Y(i, j) = o (M + X)(i, j−1) + c Y(i, j−1)
//
// with e = exp(β S), o = exp(−β·opening), c = exp(−β·extension). The 1 is the empty alignment.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "mercer/base/run.h"

namespace mercer {

/// The factors of a gap's first and every further symbol.
struct GapFactors {
  double opening = 0;
  double extension = 0;
};

/// ln K. `profile(i, e)` writes e(x_i, y_j) for all j. O(rows · columns) time, O(columns) memory; sums are taken with the
/// wide exponents of long double, and scaled, where double would overflow. Polls the stop token of `run` (Stopped).
double log_local_alignments(Index rows, Index columns, const std::function<void(Index i, std::span<double> e)>& profile,
                            GapFactors gaps, const Run& run);

}  // namespace mercer
