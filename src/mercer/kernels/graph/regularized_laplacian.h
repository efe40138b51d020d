// The regularised-Laplacian kernel on the nodes of one graph (Smola, Kondor 2003): the covariance of the Gaussian field
// with energy Σ_i f_i² + σ² Σ_{i<j} W_ij (f_i − f_j)²,
//
//   K = (I + σ² L)⁻¹
//
// See node_kernel.h for the samples.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& regularized_laplacian_entry();

}  // namespace mercer
