// Gaussian processes with inducing points by their textbook formulas: n × n matrices and explicit inverses.
#pragma once

#include <cmath>
#include <numbers>

#include "mercer/models/gp/inducing/inducing_system.h"
#include "models/random_problem.h"
#include "support/dense.h"

namespace mercer::testing {

struct NaiveInducing {
  Dense means;       // test × outputs
  Dense covariance;  // test × test, of the function
  double log_evidence = 0;

  NaiveInducing(const InducingProblem& problem, const Samples& test) {
    const Dense y = problem.targets;
    const Index n = y.rows();
    Dense kuu = kernel_matrix(problem.kernel, problem.inducing, problem.inducing);
    kuu.add_to_diagonal(problem.jitter * kuu.diagonal().mean());
    const Dense inverse = kuu.inverse();
    const Dense kfu = kernel_matrix(problem.kernel, problem.samples, problem.inducing);
    const Dense ktu = kernel_matrix(problem.kernel, test, problem.inducing);
    const Dense kff = kernel_matrix(problem.kernel, problem.samples, problem.samples);
    const Dense q = kfu * inverse * kfu.transpose();
    Dense noise(n, 1);
    for (Index i = 0; i < n; ++i) {
      noise(i) = problem.noise[problem.noise.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    }
    Dense lambda = noise;
    if (problem.method == InducingMethod::fitc) {
      lambda += (kff - q).diagonal();
    }
    Dense total = q;
    total.add_to_diagonal(lambda);
    const Dense qtf = ktu * inverse * kfu.transpose();
    means = qtf * total.inverse() * y;
    const Dense prior = problem.method == InducingMethod::subset_of_regressors
                            ? ktu * inverse * ktu.transpose()
                            : kernel_matrix(problem.kernel, test, test);
    covariance = prior - qtf * total.inverse() * qtf.transpose();
    const double half_determinant = 0.5 * total.log_determinant();
    const auto p = static_cast<double>(y.columns());
    log_evidence = -0.5 * y.dot(total.solve_positive(y)) -
                   p * (half_determinant + 0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi));
    if (problem.method == InducingMethod::variational) {
      log_evidence -= 0.5 * p * (kff - q).diagonal().dot(noise.map([](double variance) { return 1 / variance; }));
    }
  }
};

}  // namespace mercer::testing
