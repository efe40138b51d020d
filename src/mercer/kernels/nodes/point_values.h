// What constructions that look at single points need: the coordinates of a sample, the child's diagonal and its slope,
// and the derivatives of f(x) k(x, y) f(y).
#pragma once

#include <span>
#include <vector>

#include "mercer/kernels/nodes/composite_node.h"

namespace mercer {

/// Row i of dense or sparse samples, zeros included; InvalidArgument for other kinds.
void numeric_row(const Samples& samples, Index i, std::span<double> out);

/// k(x_i, x_i) of every sample, for a slot.
std::vector<double> whole_diagonal(const KernelNode& kernel, const Prepared& x);

/// out = d/dx k(x, x) at sample i: twice the derivative by one side, the kernel being symmetric.
void diagonal_slope(const KernelNode& kernel, const Prepared& x, Index i, Workspace& workspace, std::span<double> out);

/// A function of one point and its gradient.
struct PointFunction {
  double value = 0;
  std::vector<double> slope;
};

/// out = derivatives of f(x) k(x, y) g(y), given those of k.
void scale_pair_derivatives(const PairDerivatives& k, const PointFunction& f, const PointFunction& g,
                            PairDerivatives& out);

/// Σ_j q_ij for every i, Σ_i q_ij for every j.
std::vector<double> row_sums(ConstMatrixView<double> q);
std::vector<double> column_sums(ConstMatrixView<double> q);

}  // namespace mercer
