// Gaussian processes with inducing points by their textbook formulas: n × n matrices and explicit inverses.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "mercer/models/gp/inducing_system.h"
#include "models/random_problem.h"

namespace mercer::testing {

struct NaiveInducing {
  Eigen::MatrixXd means;       // test × outputs
  Eigen::MatrixXd covariance;  // test × test, of the function
  double log_evidence = 0;

  NaiveInducing(const InducingProblem& problem, const Samples& test) {
    const Eigen::MatrixXd y = to_eigen(problem.targets);
    const Index n = y.rows();
    Eigen::MatrixXd kuu = kernel_matrix(problem.kernel, problem.inducing, problem.inducing);
    kuu.diagonal().array() += problem.jitter * kuu.diagonal().mean();
    const Eigen::MatrixXd inverse = kuu.inverse();
    const Eigen::MatrixXd kfu = kernel_matrix(problem.kernel, problem.samples, problem.inducing);
    const Eigen::MatrixXd ktu = kernel_matrix(problem.kernel, test, problem.inducing);
    const Eigen::MatrixXd kff = kernel_matrix(problem.kernel, problem.samples, problem.samples);
    const Eigen::MatrixXd q = kfu * inverse * kfu.transpose();
    Eigen::VectorXd noise(n);
    for (Index i = 0; i < n; ++i) {
      noise(i) = problem.noise[problem.noise.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    }
    Eigen::VectorXd lambda = noise;
    if (problem.method == InducingMethod::fitc) {
      lambda += (kff - q).diagonal();
    }
    Eigen::MatrixXd total = q;
    total.diagonal() += lambda;
    const Eigen::MatrixXd qtf = ktu * inverse * kfu.transpose();
    means = qtf * total.inverse() * y;
    const Eigen::MatrixXd prior = problem.method == InducingMethod::subset_of_regressors
                                      ? Eigen::MatrixXd(ktu * inverse * ktu.transpose())
                                      : kernel_matrix(problem.kernel, test, test);
    covariance = prior - qtf * total.inverse() * qtf.transpose();
    const Eigen::LLT<Eigen::MatrixXd> llt(total);
    const double half_determinant = Eigen::MatrixXd(llt.matrixL()).diagonal().array().log().sum();
    const auto p = static_cast<double>(y.cols());
    log_evidence = -0.5 * (y.array() * llt.solve(y).array()).sum() -
                   p * (half_determinant + 0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi));
    if (problem.method == InducingMethod::variational) {
      log_evidence -= 0.5 * p * ((kff - q).diagonal().array() / noise.array()).sum();
    }
  }
};

}  // namespace mercer::testing
