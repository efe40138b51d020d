#include "mercer/models/gp/inference/variational_logistic.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/gp/inference/curvature_factor.h"
#include "mercer/models/gp/inference/laplace.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

double log_sigmoid(double t) { return std::min(t, 0.0) - std::log1p(std::exp(-std::abs(t))); }

double binary_entropy(double mu) {
  const auto part = [](double p) { return p > 0 ? -p * std::log(p) : 0.0; };
  return part(mu) + part(1 - mu);
}

// ½ aᵀKa − Σ H(μ) at the mode's μ: an upper bound for any μ, least there.
double upper_bound_of_evidence(ConstMatrixView<double> kernel, std::span<const double> y, const Run& run) {
  const LatentApproximation mode =
      laplace(kernel, {.y = y}, *logistic_likelihood(), {}, {.goal = ApproximationGoal::evidence}, run);
  std::vector<double> a(y.size());
  double entropy = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double mu = std::exp(log_sigmoid(-y[i] * mode.latent[i]));
    a[i] = mu * y[i];
    entropy += binary_entropy(mu);
  }
  std::vector<double> product(y.size());
  symv(1.0, kernel, a, 0.0, product);
  return 0.5 * dot(a, product) - entropy;
}

}  // namespace

double variational_lambda(double nu) {
  const double size = std::abs(nu);
  return size < 1e-3 ? 0.125 - size * size / 96 : std::tanh(size / 2) / (4 * size);
}

double logistic_lower_bound(double t, double nu) {
  return std::exp(log_sigmoid(nu) + (t - nu) / 2 - variational_lambda(nu) * (t * t - nu * nu));
}

double logistic_upper_bound(double t, double mu) {
  if (!(mu >= 0 && mu <= 1)) {
    reject_argument("mu", mu, "from 0 to 1");
  }
  return std::exp(mu * t - binary_entropy(mu));
}

VariationalLogistic variational_logistic(ConstMatrixView<double> kernel, std::span<const double> y,
                                         std::span<const double> start, const VariationalLogisticOptions& options,
                                         const Run& run) {
  require_observations(kernel, y, *logistic_likelihood());
  const std::size_t n = y.size();
  CurvatureFactor factor(kernel, run);
  VariationalLogistic result;
  result.nu.assign(start.begin(), start.end());
  if (result.nu.size() != n) {
    result.nu.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      result.nu[i] = std::sqrt(kernel(static_cast<Index>(i), static_cast<Index>(i)));
    }
  }
  result.precision.resize(n);
  std::vector<double> linear(n);
  for (std::size_t i = 0; i < n; ++i) {
    linear[i] = y[i] / 2;
  }
  CurvatureFactor::Inverse inverse;
  result.status = SolveStatus::iteration_limit;
  for (;; ++result.iterations) {
    run.check_stop();
    double constant = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double lambda = variational_lambda(result.nu[i]);
      result.precision[i] = 2 * lambda;
      constant += log_sigmoid(result.nu[i]) - result.nu[i] / 2 + lambda * result.nu[i] * result.nu[i];
    }
    factor.factor(result.precision);
    result.alpha = factor.project(linear);
    result.latent = factor.multiply(result.alpha);
    result.log_evidence = constant - 0.5 * factor.log_determinant() + 0.5 * dot(linear, result.latent);
    result.history.push_back(result.log_evidence);
    inverse = factor.inverse();
    std::vector<double> next(n);
    result.residual = 0;
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = std::sqrt(inverse.variances[i] + result.latent[i] * result.latent[i]);
      result.residual = std::max(result.residual, std::abs(next[i] - result.nu[i]) / (1e-3 + next[i]));
    }
    if (result.residual <= options.tolerance) {
      result.status = SolveStatus::converged;
      break;
    }
    if (result.iterations == options.max_iterations) {
      break;
    }
    result.nu = std::move(next);
    factor.recycle(std::move(inverse.reduction));
  }
  if (options.goal == ApproximationGoal::gradient) {
    // The bound is stationary in ν: what is left is the explicit part.
    Matrix<double>& q = inverse.reduction;
    parallel_for(run, q.rows(), [&](Index i) {
      for (Index j = 0; j < q.columns(); ++j) {
        q(i, j) = 0.5 * (result.alpha[i] * result.alpha[j] - q(i, j));
      }
    });
    result.kernel_weights = std::move(q);
  } else if (options.goal == ApproximationGoal::posterior) {
    result.upper_bound = upper_bound_of_evidence(kernel, y, run);
    factor.recycle(std::move(inverse.reduction));
    factor.factor(result.precision);
    result.reduction = factor.reduction();
  }
  return result;
}

}  // namespace mercer
