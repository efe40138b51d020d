// Exact pre-images, in closed form: where Ψ = Σ_i a_i Φ(x_i) is the image of a point, g(u) = Σ_i a_i k(x_i, u) = k(z, u)
// at 2d points u gives its coordinates.
//
//   k(x, y) = f(xᵀy)                    z_j = f⁻¹(g(e_j))                                  linear, odd powers, tanh
//   k(x, y) = f(d²), d² = ‖W(x−y)‖²     z_j = c_j + (f⁻¹(g(c − δe_j)) − f⁻¹(g(c + δe_j)))/(4δ W_j²)
//
// with c the mean of the centres and δ the kernel's width, so that g is far from 0. Where Ψ has no exact pre-image the
// numbers mean little: rho says how much. Reference: Schölkopf & Smola (2002), (18.4)-(18.7) and problem 18.1.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/preimage.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// Whether the kernel is one of those above: linear, poly of odd degree, sigmoid, multiples of these, kernels of one
/// distance.
bool has_exact_preimages(const Kernel& kernel);

/// One row per column of `coefficients`. NaN where g leaves the range of f (there is no exact pre-image then). 2d
/// evaluations of all columns. InvalidArgument for other kernels.
PreimageResult exact_preimages(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                               const Run& run);

}  // namespace mercer
