// Random problems for support vector solvers, and what their solutions are measured by: dense kernel matrices in double,
// KKT conditions, primal values and, for tiny problems, the minimum over all faces of the box.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "support/dense.h"

namespace mercer::testing {

using oracle::Dense;

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Samples with labels and targets that follow them, noisily. Some rows are repeated, some with the other label.
struct SvmProblem {
  Dense x;
  std::vector<double> signs;
  std::vector<double> targets;
  Dense kernel;

  Index size() const { return x.rows(); }
};

inline Dense gaussian_kernel(const Dense& x, double gamma) {
  Dense k(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      double squared = 0;
      for (Index c = 0; c < x.columns(); ++c) {
        squared += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
      }
      k(i, j) = std::exp(-gamma * squared);
    }
  }
  return k;
}

inline SvmProblem svm_problem(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, 501);
  SvmProblem problem;
  problem.x = Dense(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const bool repeats = i > 2 && random.uniform() < 0.15;
    const auto source = static_cast<Index>(random.below(static_cast<std::uint64_t>(std::max<Index>(i, 1))));
    for (Index j = 0; j < columns; ++j) {
      const double fresh = j == columns - 1 && columns > 2 ? 0.75 : random.normal();  // the last feature is constant
      problem.x(i, j) = repeats ? problem.x(source, j) : fresh;
    }
    const double trend = problem.x(i, 0) + 0.5 * std::sin(2 * problem.x(i, columns > 1 ? 1 : 0));
    problem.targets.push_back(trend + 0.3 * random.normal());
    problem.signs.push_back(trend + 0.7 * random.normal() > 0 ? 1.0 : -1.0);
  }
  problem.signs[0] = 1;
  problem.signs[1] = -1;
  // One kernel in three is rank deficient.
  problem.kernel =
      random.below(3) == 0 ? problem.x * problem.x.transpose() : gaussian_kernel(problem.x, 0.1 + random.uniform());
  return problem;
}

inline Index random_size(std::uint64_t seed, Index least, Index most) {
  RandomStream random(seed, 502);
  return least + static_cast<Index>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

template <class T>
Matrix<T> to_matrix(const Dense& values) {
  Matrix<T> result(values.rows(), values.columns());
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.columns(); ++j) {
      result(i, j) = static_cast<T>(values(i, j));
    }
  }
  return result;
}

template <class T = double>
DenseGram<T> stored_gram(const Dense& kernel) {
  return DenseGram<T>(to_matrix<T>(kernel));
}

inline Dense as_vector(const std::vector<double>& values) { return values; }
inline double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
inline std::vector<double> constant(Index count, double value) { return std::vector<double>(count, value); }

/// How far rounding may move a sum of kernel values with these coefficients.
inline double rounding(const Dense& kernel, const std::vector<double>& coefficients) {
  const double size = as_vector(coefficients).sum_abs() * kernel.max_abs();
  return 1e-12 * (1 + size);
}

/// A box QP, dense: gradient, objective and KKT gap of any point, from nothing.
struct DenseQp {
  Dense hessian;
  BoxQp qp;

  DenseQp(const Dense& kernel, BoxQp problem) : qp(std::move(problem)) {
    const Index n = kernel.rows();
    const auto size = static_cast<Index>(qp.linear.size());
    hessian = Dense(size, size);
    for (Index s = 0; s < size; ++s) {
      for (Index t = 0; t < size; ++t) {
        hessian(s, t) = kernel(s % n, t % n);
      }
    }
    if (!qp.ridge.empty()) {
      hessian.add_to_diagonal(as_vector(qp.ridge));
    }
  }
  Index size() const { return hessian.rows(); }
  int group(Index t) const { return qp.group.empty() ? 0 : qp.group[t]; }
  double lower(Index t) const { return qp.lower[t]; }
  double upper(Index t) const { return qp.upper[t]; }
  double objective(const Dense& beta) const { return 0.5 * beta.dot(hessian * beta) + as_vector(qp.linear).dot(beta); }
  double gap(const Dense& beta) const {
    const Dense gradient = hessian * beta + as_vector(qp.linear);
    double worst = 0;
    for (Index i = 0; i < size(); ++i) {
      for (Index j = 0; j < size(); ++j) {
        if (group(i) == group(j) && beta(i) < upper(i) && beta(j) > lower(j)) {
          worst = std::max(worst, gradient(j) - gradient(i));
        }
      }
    }
    return worst;
  }
  double sum_of_group(const Dense& beta, int which) const {
    double sum = 0;
    for (Index t = 0; t < size(); ++t) {
      sum += group(t) == which ? beta(t) : 0;
    }
    return sum;
  }

  /// The minimum of a convex problem with finite boxes: every variable is at its lower bound, at its upper bound or
  /// free, and some choice with a regular system on the free ones is optimal.
  double brute_force_minimum() const {
    const Dense start = as_vector(qp.start);
    const std::array<double, 2> sums = {sum_of_group(start, 0), sum_of_group(start, 1)};
    Index choices = 1;
    for (Index t = 0; t < size(); ++t) {
      choices *= 3;
    }
    double best = std::numeric_limits<double>::infinity();
    for (Index choice = 0; choice < choices; ++choice) {
      best = std::min(best, face_minimum(choice, sums));
    }
    return best;
  }

 private:
  double face_minimum(Index choice, const std::array<double, 2>& sums) const {
    Dense beta(size(), 1);
    std::vector<Index> free;
    for (Index t = 0; t < size(); ++t, choice /= 3) {
      if (choice % 3 == 2) {
        free.push_back(t);
      } else {
        beta(t) = choice % 3 == 0 ? lower(t) : upper(t);
      }
    }
    const auto count = static_cast<Index>(free.size());
    Dense system(count + 2, count + 2);
    Dense right(count + 2, 1);
    const Dense gradient = hessian * beta + as_vector(qp.linear);
    for (Index a = 0; a < count; ++a) {
      const Index t = free[a];
      right(a) = -gradient(t);
      for (Index b = 0; b < count; ++b) {
        system(a, b) = hessian(t, free[b]);
      }
      system(a, count + group(t)) = system(count + group(t), a) = 1;
    }
    right(count) = sums[0] - sum_of_group(beta, 0);
    right(count + 1) = sums[1] - sum_of_group(beta, 1);
    const Dense solution = system.solve(right);
    if (!((system * solution - right).norm() <= 1e-9 * (1 + right.norm()))) {
      return std::numeric_limits<double>::infinity();
    }
    for (Index a = 0; a < count; ++a) {
      const Index t = free[a];
      beta(t) = solution(a);
      if (!(beta(t) >= lower(t) - 1e-10 && beta(t) <= upper(t) + 1e-10)) {
        return std::numeric_limits<double>::infinity();
      }
    }
    return objective(beta);
  }
};

/// Box, sums, gap, objective and values of a solution.
inline void expect_solved(const Dense& kernel, const BoxQp& qp, const BoxQpResult& result, double tolerance) {
  const DenseQp dense(kernel, qp);
  const Dense beta = as_vector(result.coefficients);
  const Dense start = as_vector(qp.start);
  for (Index t = 0; t < dense.size(); ++t) {
    ASSERT_GE(beta(t), dense.lower(t));
    ASSERT_LE(beta(t), dense.upper(t));
  }
  const double slip = rounding(kernel, result.coefficients);
  for (const int group : {0, 1}) {
    EXPECT_NEAR(dense.sum_of_group(beta, group), dense.sum_of_group(start, group), 1e-11 * (1 + beta.sum_abs()));
  }
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.gap, tolerance);
  EXPECT_NEAR(dense.gap(beta), result.gap, 4 * slip);
  EXPECT_NEAR(result.objective, dense.objective(beta), slip * (1 + beta.sum_abs()));
}

// Primal value minus dual value of every machine, recomputed. At a point with KKT gap g and an offset within it, every
// row contributes between 0 and its bound times g.

inline double c_svc_gap(const SvmProblem& p, const std::vector<double>& bounds, const SvmDual& dual) {
  const Dense beta = as_vector(dual.coefficients);
  const Dense g = p.kernel * beta;
  double primal = 0.5 * beta.dot(g);
  double value = -0.5 * beta.dot(g);
  for (Index i = 0; i < p.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    primal += bounds[at] * std::max(0.0, 1 - p.signs[at] * (g(i) + dual.offset));
    value += p.signs[at] * beta(i);
  }
  return primal - value;
}

inline double l2_svc_gap(const SvmProblem& p, const std::vector<double>& bounds, const SvmDual& dual) {
  const Dense beta = as_vector(dual.coefficients);
  const Dense g = p.kernel * beta;
  double primal = 0.5 * beta.dot(g);
  double value = -0.5 * beta.dot(g);
  for (Index i = 0; i < p.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double slack = std::max(0.0, 1 - p.signs[at] * (g(i) + dual.offset));
    primal += bounds[at] * slack * slack;
    value += p.signs[at] * beta(i) - (bounds[at] > 0 ? beta(i) * beta(i) / (4 * bounds[at]) : 0);
  }
  return primal - value;
}

/// In the units before the division by ρ.
inline double nu_svc_gap(const SvmProblem& p, double nu, const std::vector<double>& weights, const SvmDual& dual) {
  const double rho = dual.margin;
  const Dense beta = rho * as_vector(dual.coefficients);
  const Dense g = p.kernel * beta;
  double primal = 0.5 * beta.dot(g) - rho * nu * sum_of(weights);
  for (Index i = 0; i < p.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    primal += weights[at] * std::max(0.0, rho - p.signs[at] * (g(i) + rho * dual.offset));
  }
  return primal + 0.5 * beta.dot(g);
}

/// `nu`: 0 for a given tube.
inline double svr_gap(const SvmProblem& p, double nu, const std::vector<double>& bounds, const SvmDual& dual) {
  const Dense beta = as_vector(dual.coefficients);
  const Dense g = p.kernel * beta;
  const double epsilon = dual.margin;
  double primal = 0.5 * beta.dot(g) + epsilon * nu * sum_of(bounds);
  double value = -0.5 * beta.dot(g) - (nu > 0 ? 0.0 : epsilon * beta.sum_abs());
  for (Index i = 0; i < p.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    primal += bounds[at] * std::max(0.0, std::abs(p.targets[at] - g(i) - dual.offset) - epsilon);
    value += p.targets[at] * beta(i);
  }
  return primal - value;
}

inline double one_class_gap(const Dense& kernel, double nu, const std::vector<double>& weights, const SvmDual& dual) {
  const Dense beta = as_vector(dual.coefficients);
  const Dense g = kernel * beta;
  double primal = 0.5 * beta.dot(g) + dual.offset * nu * sum_of(weights);
  for (Index i = 0; i < kernel.rows(); ++i) {
    primal += weights[i] * std::max(0.0, -dual.offset - g(i));
  }
  return primal + 0.5 * beta.dot(g);
}

inline double svdd_gap(const Dense& kernel, double nu, const std::vector<double>& weights, const SvmDual& dual) {
  const Dense beta = as_vector(dual.coefficients);
  const Dense g = kernel * beta;
  double primal = dual.margin;
  for (Index i = 0; i < kernel.rows(); ++i) {
    const double distance = kernel(i, i) - 2 * g(i) + beta.dot(g);
    primal += weights[i] / (nu * sum_of(weights)) * std::max(0.0, distance - dual.margin);
  }
  return primal - (kernel.diagonal().dot(beta) - beta.dot(g));
}

}  // namespace mercer::testing
