// What the two expansions of a sparse greedy Gaussian process say beyond the mean: error bars from both sides, and how
// many basis functions a greedy method can need (Schölkopf & Smola (2002), (16.73) and (16.80)-(16.84)).
#pragma once

#include <span>

#include "mercer/linalg/view.h"
#include "mercer/solvers/fisher/sparse_greedy.h"

namespace mercer {

/// Of a new observation: variance of the function plus noise.
struct VarianceBounds {
  double lower = 0;
  double upper = 0;
};

/// Bounds of k(x,x) + σ² - k'(K + σ²1)^-1 k from the bases of `result`, for the rows of k: kernel values between new
/// samples and all n training samples (batch × n). Any basis gives bounds, the one of the targets is not the best:
///   upper = k(x,x) + σ² - k_S'(K_SS + σ²1)^-1 k_S             on the basis for Q*
///   lower = k(x,x) + σ² - (k'k - |L^-1 K_S k|²)/σ², at least σ²    on the basis for Q
/// O(n m + m²) per sample.
void variance_bounds(const SparseGreedyResult& result, ConstMatrixView<double> k, std::span<const double> prior,
                     double noise, std::span<VarianceBounds> out, const Run& run);

/// The same from bases of its own: `result` is sparse_greedy() with k(x) as targets. `squares` is k'k.
VarianceBounds variance_bounds(const SparseGreedyResult& result, double squares, double prior, double noise);

/// Lower Cholesky factor of K_SS + σ²1 for any list of distinct samples S. k(x,x) - |L^-1 k_S|² is an upper bound of the
/// function's variance: the error bars of a model that keeps only the basis for Q.
Matrix<double> variance_factor(const Gram<double>& gram, std::span<const Index> basis, double noise, const Run& run);

/// Natarajan's bound on the number of steps that a greedy method takes to come within eps of the smallest
/// ½|b - Aα|², A = (σ²K + K'K)^½, where `best` basis functions would be enough:
///   18 best λ^-2 ln(|b|/(2 eps)),  λ = the smallest singular value of A with its columns brought to length 1.
/// An order of magnitude, and a loose one. n³ work: for small problems. K is symmetric.
double greedy_size_bound(ConstMatrixView<double> k, std::span<const double> targets, double noise, double eps,
                         Index best, const Run& run);

}  // namespace mercer
