// warp(k, by=σ): k(σ(x), σ(y)) with a function of single numbers, applied to every numeric column, or with log-polar
// coordinates of two columns. Spec C8.
//
//   log1p     sign(x) ln(1+|x|)       sqrt      sign(x) √|x|           square   x²
//   tanh      tanh x                  logistic  1/(1+e^(−x))           unit     x/‖x‖ (0 stays 0)
//   log_polar (ln ‖x‖, angle) of two columns: turning and scaling the plane become shifts; the angle has period 2π, the
//             origin gets the smallest radius there is
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& warp_entry();

}  // namespace mercer
