// Derivatives of a Gram matrix, contracted: Σ_ij q_ij ∂K_ij/∂θ for every continuous parameter θ of the kernel, and
// Σ_j q_ij ∂k(x_i, z_j)/∂x_i for the inputs. Tiles of q are made when they are needed, so neither q nor the
// derivatives are stored: O(n²) time per parameter, memory of a tile per thread. Double precision only.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

/// gradient[p] = Σ_ij q_ij ∂k(x_i, x_j)/∂θ_p over all pairs of reference samples, in the order of scale_parameters().
/// q is symmetric; it is asked for the tiles on and below the diagonal only. Any number of threads gives the same bits.
std::vector<double> contract(const PreparedKernel& kernel, const TileFiller<double>& q, const Run& run);

/// The same for a q that is stored (n × n, both triangles or at least the tiles on and below the diagonal).
std::vector<double> contract(const PreparedKernel& kernel, ConstMatrixView<double> q, const Run& run);

/// gradient[p] = Σ_i q_i ∂k(x_i, x_i)/∂θ_p.
std::vector<double> contract_diagonal(const PreparedKernel& kernel, std::span<const double> q, const Run& run);

/// gradient[p] = Σ_ij q_ij ∂k(x_i, z_j)/∂θ_p between two sample sets; q is rows() × columns().
std::vector<double> contract(const CrossGram<double>& gram, const TileFiller<double>& q, const Run& run);
std::vector<double> contract(const CrossGram<double>& gram, ConstMatrixView<double> q, const Run& run);
/// gradient[p] = Σ_i q_i ∂k(x_i, x_i)/∂θ_p over the x side.
std::vector<double> contract_diagonal(const CrossGram<double>& gram, std::span<const double> q, const Run& run);

/// out(i, :) = Σ_j q_ij ∂k(x_i, z_j)/∂x_i, rows() × (numeric columns of x). x and z are taken as different points.
/// Throws InvalidArgument where the kernel has no derivative by its inputs.
void input_gradient(const CrossGram<double>& gram, const TileFiller<double>& q, MatrixView<double> out, const Run& run);
void input_gradient(const CrossGram<double>& gram, ConstMatrixView<double> q, MatrixView<double> out, const Run& run);

/// Value, first derivatives by both inputs and the mixed second derivative of k(x_i, z_j).
PairDerivatives pair_derivatives(const CrossGram<double>& gram, Index i, Index j);

}  // namespace mercer
