#include "mercer/models/laplacian_process/laplacian_prior.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr std::uint64_t prior_draw_stream = 0x6c6173;

void require_prior_scale(CoefficientPrior prior, double scale) {
  if (prior != CoefficientPrior::weight_decay && !(scale > 0 && std::isfinite(scale))) {
    reject_argument("scale of a prior", scale, "finite and positive");
  }
}

Matrix<double> process_matrix(const std::shared_ptr<const PreparedKernel>& prepared, const Samples& samples,
                              const Run& run) {
  const CrossGram<double> cross(prepared, samples, run);
  Matrix<double> values(cross.rows(), cross.columns());
  cross.evaluate(values.view(), run);
  return values;
}

}  // namespace

double coefficient_penalty(CoefficientPrior prior, double a, double scale) {
  require_prior_scale(prior, scale);
  switch (prior) {
    case CoefficientPrior::selection:
      return -std::expm1(-scale * std::abs(a));
    case CoefficientPrior::weight_decay:
      return a * a;
    case CoefficientPrior::laplacian:
      return scale * std::abs(a);
    case CoefficientPrior::relevance:
      break;
  }
  return 0.5 * (scale * a * a - std::log(scale));
}

double log_normalizer(CoefficientPrior prior, double scale) {
  require_prior_scale(prior, scale);
  switch (prior) {
    case CoefficientPrior::selection:
      return std::numeric_limits<double>::infinity();
    case CoefficientPrior::weight_decay:
      return 0.5 * std::log(std::numbers::pi);
    case CoefficientPrior::laplacian:
      return std::log(2 / scale);
    case CoefficientPrior::relevance:
      break;
  }
  return 0.5 * std::log(2 * std::numbers::pi);
}

Matrix<double> draw_laplacian_process(const Kernel& kernel, const Samples& basis, const Samples& samples, double lambda,
                                      Index count, const Run& run) {
  require_prior_scale(CoefficientPrior::laplacian, lambda);
  if (count < 0) {
    reject_argument("number of draws", static_cast<double>(count), "not negative");
  }
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, basis, Precision::double_precision, run);
  const Matrix<double> features = process_matrix(prepared, samples, run);
  RandomStream random(run.seed(), prior_draw_stream);
  Matrix<double> coefficients(basis.size(), count);
  for (Index c = 0; c < count; ++c) {
    for (Index i = 0; i < basis.size(); ++i) {
      const double u = random.uniform();
      coefficients(i, c) = (u < 0.5 ? std::log(2 * u) : -std::log(2 * (1 - u))) / lambda;
    }
  }
  Matrix<double> values(samples.size(), count);
  parallel_gemm<double>(1.0, features.view(), Transpose::no, coefficients.view(), Transpose::no, 0.0, values.view(),
                        run);
  return values;
}

Matrix<double> equivalent_covariance(const Kernel& kernel, const Samples& basis, const Samples& first,
                                     const Samples& second, double coefficient_variance, const Run& run) {
  if (basis.size() == 0) {
    throw InvalidArgument("an equivalent covariance needs rows that the coefficients belong to: the basis is empty");
  }
  if (!(coefficient_variance > 0 && std::isfinite(coefficient_variance))) {
    reject_argument("variance of coefficients", coefficient_variance, "finite and positive");
  }
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, basis, Precision::double_precision, run);
  const Matrix<double> left = process_matrix(prepared, first, run);
  const Matrix<double> right = process_matrix(prepared, second, run);
  Matrix<double> covariance(first.size(), second.size());
  parallel_gemm<double>(coefficient_variance / static_cast<double>(basis.size()), left.view(), Transpose::no,
                        right.view(), Transpose::yes, 0.0, covariance.view(), run);
  return covariance;
}

double values_penalty(ConstMatrixView<double> kernel, std::span<const double> values, CoefficientPrior prior,
                      double scale) {
  require_prior_scale(prior, scale);
  const auto n = static_cast<Eigen::Index>(kernel.rows());
  if (kernel.columns() != kernel.rows() || static_cast<Index>(values.size()) != kernel.rows()) {
    throw InvalidArgument("a kernel matrix of " + std::to_string(kernel.rows()) + " by " +
                          std::to_string(kernel.columns()) + " for " + std::to_string(values.size()) +
                          " values: it must be square, with one value per row");
  }
  Eigen::MatrixXd matrix(n, n);
  Eigen::VectorXd right(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    right(i) = values[i];
    for (Eigen::Index j = 0; j < n; ++j) {
      matrix(i, j) = kernel(i, j);
    }
  }
  const Eigen::PartialPivLU<Eigen::MatrixXd> factor(matrix);
  if (n > 0 && !(factor.rcond() > 1e-15)) {
    throw NumericalError("the kernel matrix of " + std::to_string(n) +
                         " rows is singular within rounding: drop repeated rows, or narrow the kernel");
  }
  const Eigen::VectorXd coefficients = n > 0 ? Eigen::VectorXd(factor.solve(right)) : right;
  double sum = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    sum += coefficient_penalty(prior, coefficients(i), scale);
  }
  return sum;
}

}  // namespace mercer
