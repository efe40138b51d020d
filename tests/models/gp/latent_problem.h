// Small latent Gaussian problems, and the evidence by brute-force quadrature.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/likelihoods/families.h"
#include "support/dense.h"

namespace mercer::testing {

using oracle::Dense;

/// variance · exp(−d²/(2ℓ²)) on n points of a line, sorted at random, plus a little white noise.
struct LatentKernel {
  std::vector<double> x;
  double variance = 1;
  double lengthscale = 1;
  double white = 1e-6;

  Matrix<double> matrix() const {
    const auto n = static_cast<Index>(x.size());
    Matrix<double> k(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        k(i, j) = value(i, j) + (i == j ? white : 0);
      }
    }
    return k;
  }
  /// The derivatives by variance and lengthscale.
  double variance_slope(Index i, Index j) const { return value(i, j) / variance; }
  double lengthscale_slope(Index i, Index j) const {
    const double d = x[i] - x[j];
    return value(i, j) * d * d / (lengthscale * lengthscale * lengthscale);
  }

 private:
  double value(Index i, Index j) const {
    const double d = x[i] - x[j];
    return variance * std::exp(-d * d / (2 * lengthscale * lengthscale));
  }
};

inline LatentKernel latent_kernel(Index n, std::uint64_t seed) {
  RandomStream random(seed, 91);
  LatentKernel kernel{{}, 1.7, 0.8};
  for (Index i = 0; i < n; ++i) {
    kernel.x.push_back(4 * random.uniform());
  }
  return kernel;
}

inline Dense dense(ConstMatrixView<double> a) { return a; }
inline Dense column(const std::vector<double>& v) { return v; }

/// Targets that the likelihood accepts, around a smooth function of x.
inline std::vector<double> latent_targets(const Likelihood& likelihood, const LatentKernel& kernel,
                                          std::uint64_t seed) {
  RandomStream random(seed, 92);
  std::vector<double> y;
  for (const double x : kernel.x) {
    const double f = 1.5 * std::sin(2 * x) + 0.4 * random.normal();
    y.push_back(likelihood.accepts(0.5) ? f : likelihood.accepts(2) ? std::floor(std::exp(f)) : f > 0 ? 1.0 : -1.0);
  }
  return y;
}

/// ∫ Π p(y_i | f_i) N(f; 0, K) df on a tensor grid of `nodes` equidistant points per dimension in whitened coordinates
/// from −reach to reach; n ≤ 3. Calls visit(f, weight) and returns the sum of weights.
inline double brute_force(const Matrix<double>& k, const std::vector<double>& y, const Likelihood& likelihood,
                          const std::function<void(const Dense& f, double weight)>& visit = {}, int nodes = 121,
                          double reach = 9) {
  const Dense root = dense(k.view()).cholesky();
  const auto n = static_cast<int>(y.size());
  const double h = 2 * reach / (nodes - 1);
  double total = 0;
  long long count = 1;
  for (int i = 0; i < n; ++i) {
    count *= nodes;
  }
  Dense z(n, 1);
  Dense f(n, 1);
  for (long long at = 0; at < count; ++at) {
    long long rest = at;
    double weight = 1;
    for (int i = 0; i < n; ++i) {
      z(i) = -reach + h * static_cast<double>(rest % nodes);
      rest /= nodes;
      weight *= h * std::exp(-z(i) * z(i) / 2) / std::sqrt(2 * std::numbers::pi);
    }
    if (weight < 1e-18) {
      continue;
    }
    for (int i = 0; i < n; ++i) {
      f(i) = 0;
      for (int j = 0; j <= i; ++j) {
        f(i) += root(i, j) * z(j);
      }
      weight *= std::exp(likelihood.log_density(y[i], f(i)).value);
    }
    total += weight;
    if (visit) {
      visit(f, weight);
    }
  }
  return total;
}

/// Σ_ij q_ij slope(i, j).
template <class Slope>
double contracted(const Matrix<double>& q, Slope slope) {
  double sum = 0;
  for (Index i = 0; i < q.rows(); ++i) {
    for (Index j = 0; j < q.columns(); ++j) {
      sum += q(i, j) * slope(i, j);
    }
  }
  return sum;
}

}  // namespace mercer::testing
