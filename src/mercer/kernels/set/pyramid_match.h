// Pyramid match: a one-to-one matching of the vectors of two bags, found in linear time with grids of doubling cells.
// Level i = 0 … L−1 cuts the space into cells of side 2^i · side; I_i is the number of vectors that find a partner in
// their cell, I_i = Σ_cells min(count_A, count_B), and
//
//   K(A, B) = Σ_i 2^−i (I_i − I_{i−1}),  I_{−1} = 0            (lectures M16; Grauman, Darrell 2005)
//
// a new match at level i counts 2^−i. It is the value of the best matching when two vectors are as similar as 2^−i, i the
// first level at which they share a cell. form=normalized, the default, divides by √(K(A,A) K(B,B)) = √(|A||B|), so that
// large bags do not win by their size; form=plain does not. `shifts` grids are averaged: the first has its corner at
// `origin`, the others are shifted at random (`seed`), which smooths the borders of the cells.
//
// Positive: K = Σ_i v_i I_i with v_i = 2^−(i+1), v_{L−1} = 2^−(L−1), and min(m, n) = Σ_t 1[m≥t] 1[n≥t] is an inner
// product. The features are (level, cell, t): |A| L shifts of them per bag. An empty bag has value 0 with all.
//
// `side` may be a rule for the data: `scale` (the default) makes the largest cell as wide as the widest column (and a
// thousandth more), `median` twice the median distance of two vectors, `auto` makes the smallest cell 1. Where it is,
// and `origin` is not given, that is a little below the smallest value of each column: with `scale`, one cell of the
// first grid then holds all training vectors, so that every vector finds a partner at last.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& pyramid_match_entry();

}  // namespace mercer
