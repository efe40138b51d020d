// Few rows that cover all: row j covers row i where i is among its neighbors (itself among them),
//
//   min Σ_j a_j   Σ_{j covers i} a_j ≥ 1 for all i,  a_j ≥ 0                            the linear programme
//
// The programme with a_j ∈ {0, 1} is the least cover; its value without that is a lower bound, and where a > 0 is where to look.
// Two covers are made, and the smaller is the answer:
//
//   from the programme   rows in the order of falling a, each that covers something new
//   greedy               the row that covers most of what is left, again and again: at most 1 + ln(largest number of
//                        neighbors) times the least (Chvátal)
//
// both pruned: what all others still cover without a row, latest first, is left out. The bound on the least number is proved
// by prices: y_i ≥ 0 with Σ_{i covered by j} y_i ≤ 1 for all j give Σ y_i, whatever they come from: the multipliers of the
// programme, or 1/(rows newly covered) of the greedy steps, scaled.
// References: Schölkopf & Smola (2002), 8.6 (kernel vector quantization); Chvátal (1979), A greedy heuristic for the
// set-covering problem.
#pragma once

#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/run.h"

namespace mercer {

/// Whether the linear programme is solved: of n rows it takes some 20 factorisations of n × n, and three such matrices.
enum class CoverProgram { skip, solve };

struct SetCover {
  std::vector<Index> rows;  ///< ascending; every row is covered, and without any of these not every row is
  double bound = 0;         ///< no cover has fewer rows than this
};

/// neighbors[j]: what row j covers, ascending, j among it; symmetric (i in neighbors[j] where j in neighbors[i]). Without the
/// programme O(total · log n). InvalidArgument where a row does not cover itself; Stopped.
SetCover cover_rows(const std::vector<std::vector<Index>>& neighbors, CoverProgram program, const Run& run);

}  // namespace mercer
