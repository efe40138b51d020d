// Processes made of independent coefficients, f(x) = Σ_i a_i k(x_i, x): their priors, samples from them, the density of
// their values, and the Gaussian process that they become. No kernel needs to be positive definite here.
//
//   prior on a          −ln p(a) up to a constant
//   selection           1 − e^(−p|a|)        concave, p > 0; has no normaliser
//   weight_decay        a²                   normaliser √π
//   laplacian           λ|a|                 normaliser 2/λ; (2/λ)^m for m coefficients
//   relevance           ½ s a² − ½ ln s      normal of precision s; normaliser √(2π)
//
// Reference: Schölkopf & Smola (2002), 16.5.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class CoefficientPrior { selection, weight_decay, laplacian, relevance };

/// −ln p(a) of the table; `scale` is p, unused, λ or s. InvalidArgument for a scale that is not finite and positive where
/// it is used.
double coefficient_penalty(CoefficientPrior prior, double a, double scale);
/// ln ∫ e^(−penalty) da; infinite for selection.
double log_normalizer(CoefficientPrior prior, double scale);

/// f at `samples` for `count` independent draws of a ~ Laplace, density (λ/2)e^(−λ|a|), one coefficient per row of
/// `basis`: samples × count. Cov f(x), f(x') = (2/λ²) Σ_i k(x_i, x) k(x_i, x'). Random numbers come from run.seed().
/// Widths of the kernel must be numbers. n·m kernel values, nm·count operations.
Matrix<double> draw_laplacian_process(const Kernel& kernel, const Samples& basis, const Samples& samples, double lambda,
                                      Index count, const Run& run);

/// The kernel of the Gaussian process that (1/√m) Σ_i a_i k(x_i, ·) tends to by the central limit theorem, with the m rows
/// of `basis` in the place of the density that they are drawn from:
///
///   k̃(x, x') = (Var a / m) Σ_i k(x_i, x) k(x_i, x')         Var a = 2 for Laplace(0, 1)
///
/// Written for all pairs of `first` and `second`. InvalidArgument for an empty basis or a variance that is not positive.
Matrix<double> equivalent_covariance(const Kernel& kernel, const Samples& basis, const Samples& first,
                                     const Samples& second, double coefficient_variance, const Run& run);

/// −ln p of the values y of a process at its own points, up to the determinant of K: Σ_i γ([K⁻¹y]_i). K (n × n, need not
/// be symmetric) must be of full rank: NumericalError where it is not, within rounding. About n³ operations, one thread.
double values_penalty(ConstMatrixView<double> kernel, std::span<const double> values, CoefficientPrior prior,
                      double scale);

}  // namespace mercer
