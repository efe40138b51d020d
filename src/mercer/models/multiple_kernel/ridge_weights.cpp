#include "mercer/models/multiple_kernel/ridge_weights.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"

namespace mercer {

namespace {

double entrywise_product(const Matrix<double>& a, const Matrix<double>& b) {
  const auto size = static_cast<std::size_t>(a.rows() * a.columns());
  return dot({a.data(), size}, {b.data(), size});
}

}  // namespace

RidgeWeights::RidgeWeights(const SummandGrams& grams, Matrix<double> targets, std::span<const double> row_weights,
                           double lambda, RidgeOffset offset)
    : grams_(grams),
      targets_(std::move(targets)),
      row_weights_(row_weights.begin(), row_weights.end()),
      lambda_(lambda),
      offset_(offset) {
  if (row_weights_.empty()) {
    row_weights_.assign(grams.size(), 1.0);
  }
  if (targets_.rows() != grams.size() || static_cast<Index>(row_weights_.size()) != grams.size()) {
    throw InvalidArgument("targets or weights of another number of rows than the kernel matrices");
  }
  if (!(lambda > 0)) {
    reject_argument("lambda", lambda, "positive where weights of kernels are learnt");
  }
}

void RidgeWeights::factorize(std::span<const double> weights, const Run& run) {
  factor_ = Matrix<double>();  // its memory first
  factor_ = grams_.combined(weights, run);
  for (Index i = 0; i < factor_.rows(); ++i) {
    factor_(i, i) += lambda_ / row_weights_[i];
  }
  cholesky(factor_.view(), run);
}

std::vector<double> RidgeWeights::project_solve(MatrixView<double> sides, const Run& run) const {
  cholesky_solve<double>(factor_.view(), sides, run);
  std::vector<double> offsets(sides.columns(), 0.0);
  if (offset_ == RidgeOffset::none) {
    return offsets;
  }
  std::vector<double> ones(sides.rows(), 1.0);
  cholesky_solve<double>(factor_.view(), std::span<double>(ones), run);
  double total = 0;
  for (Index i = 0; i < sides.rows(); ++i) {
    total += ones[i];
    for (Index c = 0; c < sides.columns(); ++c) {
      offsets[c] += sides(i, c);
    }
  }
  for (double& offset : offsets) {
    offset /= total;
  }
  for (Index i = 0; i < sides.rows(); ++i) {
    for (Index c = 0; c < sides.columns(); ++c) {
      sides(i, c) -= offsets[c] * ones[i];
    }
  }
  return offsets;
}

WeightEvaluation RidgeWeights::evaluate(std::span<const double> weights, const Run& run) {
  factorize(weights, run);
  Matrix<double> alpha = Matrix<double>::copy_of(targets_.view());
  const std::vector<double> offsets = project_solve(alpha.view(), run);
  Matrix<double> fitted = Matrix<double>::filled(alpha.rows(), alpha.columns(), 0.0);
  WeightEvaluation evaluation;
  terms_.clear();
  for (Index k = 0; k < grams_.count(); ++k) {
    Matrix<double> term(alpha.rows(), alpha.columns());
    grams_.gram(k).multiply(alpha.view(), term.view(), run);
    const auto size = static_cast<std::size_t>(term.rows() * term.columns());
    scale(grams_.scales()[k], {term.data(), size});
    axpy(weights[k], {term.data(), size}, {fitted.data(), size});
    evaluation.norms.push_back(std::max(0.0, 2 * lambda_ * entrywise_product(alpha, term)));
    terms_.push_back(std::move(term));
  }
  double loss = 0;
  double penalty = 0;
  for (Index i = 0; i < alpha.rows(); ++i) {
    const double weight = row_weights_[i];
    for (Index o = 0; o < alpha.columns(); ++o) {
      const double error = targets_(i, o) - fitted(i, o) - offsets[o];
      loss += weight * error * error;
      penalty += lambda_ * lambda_ * alpha(i, o) * alpha(i, o) / weight;
    }
  }
  evaluation.upper = loss + lambda_ * entrywise_product(alpha, fitted);
  evaluation.linear = 2 * lambda_ * entrywise_product(targets_, alpha) - penalty;
  return evaluation;
}

Matrix<double> RidgeWeights::curvature(const Run& run) {
  const Index count = grams_.count();
  Matrix<double> sum(count, count);
  for (Index k = 0; k < count; ++k) {
    Matrix<double> solved = Matrix<double>::copy_of(terms_[k].view());
    project_solve(solved.view(), run);
    for (Index l = 0; l < count; ++l) {
      sum(l, k) = 2 * lambda_ * entrywise_product(terms_[l], solved);
    }
  }
  for (Index k = 0; k < count; ++k) {
    for (Index l = 0; l < k; ++l) {
      sum(k, l) = sum(l, k) = 0.5 * (sum(k, l) + sum(l, k));
    }
  }
  return sum;
}

}  // namespace mercer
