// Relevance vector machines the slow way: all functions at once, re-estimated until they settle, in plain dense algebra.
// What the sequential solvers are compared with.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/solvers/relevance/relevance_regression.h"
#include "support/dense.h"

namespace mercer::testing {

using oracle::Dense;

/// The columns of a basis, n × columns.
inline Dense basis_matrix(const RelevanceBasis& basis) {
  Dense phi(basis.rows(), basis.columns());
  std::vector<double> column(basis.rows());
  for (Index j = 0; j < basis.columns(); ++j) {
    basis.column(j, column, {});
    phi.set_column(j, Dense(column));
  }
  return phi;
}

inline Dense chosen_columns(const Dense& phi, const std::vector<Index>& columns) {
  std::vector<Index> rows(phi.rows());
  std::iota(rows.begin(), rows.end(), Index{0});
  return phi.picked(rows, columns);
}

/// ln N(y | 0, σ² + Φ A⁻¹ Φᵀ), from the covariance of the targets itself.
inline double direct_evidence(const Dense& phi, const Dense& y, const std::vector<double>& precisions, double noise) {
  Dense c = noise * Dense::identity(phi.rows());
  for (Index j = 0; j < phi.columns(); ++j) {
    const Dense column = phi.column(j);
    c += (1 / precisions[j]) * (column * column.transpose());
  }
  return -0.5 * (static_cast<double>(phi.rows()) * std::log(2 * std::numbers::pi) + c.log_determinant() +
                 y.dot(c.solve_positive(y)));
}

struct SlowFit {
  std::vector<Index> columns;
  std::vector<double> precisions;
  Dense mean;
  Dense covariance;
  double noise = 0;
  double evidence = 0;
};

/// All functions, α_i ← (1 − α_i Σ_ii)/μ_i², σ² ← ‖y − Φμ‖²/(n − Σ γ), functions of α > 1e9 dropped.
inline SlowFit slow_regression(const Dense& phi, const Dense& y, int iterations) {
  SlowFit fit;
  const auto n = static_cast<double>(phi.rows());
  fit.columns.resize(phi.columns());
  std::iota(fit.columns.begin(), fit.columns.end(), Index{0});
  fit.precisions.assign(fit.columns.size(), 1 / (n * n));
  fit.noise = 0.1 * y.squared_norm() / n;
  for (int step = 0; step < iterations; ++step) {
    const Dense active = chosen_columns(phi, fit.columns);
    Dense h = (1 / fit.noise) * (active.transpose() * active);
    h.add_to_diagonal(Dense(fit.precisions));
    fit.covariance = h.inverse();
    fit.mean = (1 / fit.noise) * (fit.covariance * (active.transpose() * y));
    double determined = 0;
    std::vector<Index> columns;
    std::vector<double> precisions;
    for (std::size_t i = 0; i < fit.columns.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const double gamma = 1 - fit.precisions[i] * fit.covariance(at, at);
      determined += gamma;
      const double alpha = std::max(gamma, 1e-300) / (fit.mean(at) * fit.mean(at));
      if (alpha < 1e9) {
        columns.push_back(fit.columns[i]);
        precisions.push_back(alpha);
      }
    }
    fit.noise = std::max((y - active * fit.mean).squared_norm() / (n - determined), 1e-6 * y.squared_norm() / n);
    fit.columns = std::move(columns);
    fit.precisions = std::move(precisions);
  }
  fit.evidence = direct_evidence(chosen_columns(phi, fit.columns), y, fit.precisions, fit.noise);
  return fit;
}

/// A basis over a matrix of kernel values of any kind, which it owns.
struct OwnedBasis {
  std::unique_ptr<DenseGram<double>> gram;
  std::unique_ptr<RelevanceBasis> basis;
};

inline OwnedBasis make_basis(Matrix<double> values, ConstantColumn constant, double memory_bytes = 1e9) {
  OwnedBasis result;
  std::vector<Index> all(values.rows());
  std::iota(all.begin(), all.end(), Index{0});
  result.gram = std::make_unique<DenseGram<double>>(std::move(values));
  result.basis = std::make_unique<RelevanceBasis>(*result.gram, all, constant, memory_bytes, mercer::Run());
  return result;
}

template <class Kernel1d>
Matrix<double> kernel_on_line(const std::vector<double>& x, Kernel1d kernel) {
  const auto n = static_cast<Index>(x.size());
  Matrix<double> values(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      values(i, j) = kernel(x[i], x[j]);
    }
  }
  return values;
}

struct LineProblem {
  std::vector<double> x;
  std::vector<double> truth;
  std::vector<double> y;
};

/// sin|x|/|x| at equidistant points of [−10, 10], with uniform noise on ±spread.
inline LineProblem noisy_sinc(Index n, double spread, std::uint64_t seed) {
  LineProblem problem;
  RandomStream random(seed, 16);
  for (Index i = 0; i < n; ++i) {
    const double x = -10 + 20 * static_cast<double>(i) / static_cast<double>(n - 1);
    problem.x.push_back(x);
    problem.truth.push_back(x == 0 ? 1.0 : std::sin(std::abs(x)) / std::abs(x));
    problem.y.push_back(problem.truth.back() + spread * (2 * random.uniform() - 1));
  }
  return problem;
}

}  // namespace mercer::testing
