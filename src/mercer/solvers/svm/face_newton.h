// A Newton step on a face of a box, bound by bound. With F the variables that are free at the start,
//
//   min ½ dᵀ(K_FF + δI)d + g_Fᵀd,   1ᵀd = 0,      d = −P g_F,   P = M − M11ᵀM/(1ᵀM1),   M = (K_FF + δI)⁻¹
//
// (with two groups 1ᵀd = 0 in each: M1 and 1ᵀM1 have two columns then) is followed until a variable r reaches a bound and leaves the face: then P loses a rank, P ← P − P_r P_rᵀ/P_rr, and
// d ← d − P_r d_r/P_rr. This goes on to the minimum on the face that is left, or until so many have left that a new
// factorisation is worth more. The objective falls all the way. References: Gill, Murray & Wright, Practical
// Optimization (1981), 5.2; Schölkopf & Smola (2002), 10.4.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct FaceVariable {
  double below = 0;  ///< room down to the lower bound, > 0
  double above = 0;  ///< room up to the upper bound, > 0
  double gradient = 0;
  int group = 0;  ///< 0 or 1: sums are kept within each
};

enum class FaceEnd { inside, lower, upper };

struct FaceMove {
  double change = 0;
  FaceEnd end = FaceEnd::inside;
};

/// One move per free variable; none where K_FF + shift is not numerically positive definite. `kernel` holds K − shift;
/// rows and columns `free` of it are read. |F|³/3 multiply-adds for the factor, |F|² for every variable that leaves,
/// 8|F|² bytes.
template <class T>
std::vector<FaceMove> newton_moves(ConstMatrixView<T> kernel, std::span<const Index> free, double shift,
                                   std::span<const FaceVariable> variables, const Run& run);

}  // namespace mercer
