// The local alignment kernel: the sum over all local alignments of two strings of exp(β · score), where the Smith-Waterman
// score takes only the best of them,
//
//   K(x, y) = Σ_π exp(β s(π)),    s(π) = Σ S(x_i, y_j) over matched symbols − Σ costs of gaps between them
//
// a gap of g symbols costs opening + (g−1)·extension. K grows like exp(length), so the default form is normalized,
// K(x, y)/√(K(x, x) K(y, y)); `plain` is K itself (an error where it exceeds the largest number) and `logarithm` is
// ln(K)/β, which is near the Smith-Waterman score for large β but not positive definite. K is positive where exp(βS) is:
// for BLOSUM62, and for match ≥ mismatch. Amino acids that are none of the twenty have the mean of their exp(βS).
// O(|x| |y|) per pair. Reference: Saigo, Vert, Ueda & Akutsu (2004).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& local_alignment_entry();

}  // namespace mercer
