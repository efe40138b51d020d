#include "mercer/models/gp/inference/laplacian_noise_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/likelihoods/families.h"
#include "mercer/solvers/svm/box_qp.h"

namespace mercer {

namespace {

// The solver keeps the sum of the coefficients. One more row of zeros with a free coefficient takes up any sum, so that
// nothing is kept.
Matrix<double> with_free_row(ConstMatrixView<double> kernel) {
  const Index n = kernel.rows();
  Matrix<double> wide = Matrix<double>::filled(n + 1, n + 1, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      wide(i, j) = wide(j, i) = kernel(i, j);
    }
  }
  return wide;
}

}  // namespace

LaplacianNoiseMap laplacian_noise_map(ConstMatrixView<double> kernel, const Observations& observations, double scale,
                                      const LaplacianNoiseMapOptions& options, const Run& run) {
  const LikelihoodPtr likelihood = laplacian_likelihood(scale);
  const std::span<const double> y = observations.y;
  require_observations(kernel, y, *likelihood);
  const std::size_t n = y.size();
  LaplacianNoiseMap result{.alpha = std::vector<double>(n, 0.0), .latent = std::vector<double>(n, 0.0)};
  double largest = 0;
  BoxQp problem;
  for (std::size_t i = 0; i < n; ++i) {
    const double bound = (observations.weights.empty() ? 1.0 : observations.weights[i]) / scale;
    problem.linear.push_back(-y[i]);
    problem.lower.push_back(-bound);
    problem.upper.push_back(bound);
    largest = std::max(largest, std::abs(y[i]));
  }
  if (largest > 0) {
    problem.linear.push_back(0);
    problem.lower.push_back(-std::numeric_limits<double>::infinity());
    problem.upper.push_back(std::numeric_limits<double>::infinity());
    problem.start.assign(n + 1, 0.0);
    const DenseGram<double> gram(with_free_row(kernel));
    const BoxQpResult solved = solve_box_qp<double>(
        gram, problem, {.tolerance = options.tolerance * largest, .max_steps = options.max_steps}, run);
    result.status = solved.status;
    result.steps = solved.steps;
    std::copy_n(solved.coefficients.begin(), n, result.alpha.begin());
    std::copy_n(solved.values.begin(), n, result.latent.begin());
  }
  const double norm = dot(result.alpha, result.latent);
  double misfit = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = observations.weights.empty() ? 1.0 : observations.weights[i];
    misfit += weight * std::abs(y[i] - result.latent[i]) / scale;
    result.log_posterior += weight * likelihood->log_density(y[i], result.latent[i]).value;
  }
  result.log_posterior -= 0.5 * norm;
  result.gap = misfit + norm - dot(y, result.alpha);
  return result;
}

}  // namespace mercer
