#include "mercer/solvers/convex/program/mirrored_quadratic.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/convex/program/row_products.h"

namespace mercer {

namespace {

class MirroredFactor final : public QuadraticFactor {
 public:
  explicit MirroredFactor(const QuadraticTerm& inner)
      : n_(static_cast<std::size_t>(inner.size())), factor_(inner.make_factor(AddedRows::none)) {}

  bool factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) override;
  void reduce(std::span<const double> right, std::span<double> out, const Run& run) override;
  void finish(std::span<const double> multipliers, std::span<double> step, const Run& run) override;

 private:
  void split_diagonal(std::span<const double> diagonal);
  // What β sees of a pair of numbers, and what their sum's part of x is made of.
  double difference(double plus, double minus, std::size_t j) const {
    return (1 - share_[j]) * plus - share_[j] * minus;
  }

  std::size_t n_;
  std::unique_ptr<QuadraticFactor> factor_;
  ConstMatrixView<double> rows_;
  std::vector<double> share_;    // D⁺/(D⁺ + D⁻)
  std::vector<double> inverse_;  // 1/(D⁺ + D⁻)
  std::vector<double> inner_diagonal_;
  Matrix<double> inner_rows_;  // difference of B⁺ and B⁻
  Matrix<double> sums_;        // (B⁺ + B⁻)/√(D⁺ + D⁻)
  std::vector<double> right_;  // r⁺ + r⁻
};

void MirroredFactor::split_diagonal(std::span<const double> diagonal) {
  share_.resize(n_);
  inverse_.resize(n_);
  inner_diagonal_.resize(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    const double plus = diagonal[j];
    const double minus = diagonal[n_ + j];
    const bool plus_fixed = !std::isfinite(plus);
    const bool minus_fixed = !std::isfinite(minus);
    const bool both = plus_fixed && minus_fixed;
    share_[j] = both ? 0.5 : plus_fixed ? 1.0 : minus_fixed ? 0.0 : plus / (plus + minus);
    inverse_[j] = 1 / (plus + minus);
    inner_diagonal_[j] = minus_fixed ? plus : share_[j] * minus;
  }
}

bool MirroredFactor::factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) {
  split_diagonal(input.diagonal);
  rows_ = input.rows;
  const auto n = static_cast<Index>(n_);
  if (inner_rows_.rows() != rows_.rows()) {
    inner_rows_ = Matrix<double>(rows_.rows(), n);
    sums_ = Matrix<double>(rows_.rows(), n);
  }
  for (Index i = 0; i < rows_.rows(); ++i) {
    for (std::size_t j = 0; j < n_; ++j) {
      const auto column = static_cast<Index>(j);
      const double plus = rows_(i, column);
      const double minus = rows_(i, n + column);
      inner_rows_(i, column) = difference(plus, minus, j);
      sums_(i, column) = (plus + minus) * std::sqrt(inverse_[j]);
    }
  }
  if (!factor_->factorize({inner_diagonal_, {}, inner_rows_.view(), input.relative_shift}, schur, run)) {
    return false;
  }
  if (!rows_.empty()) {
    parallel_syrk<double>(1.0, sums_.view(), Transpose::no, 1.0, schur, run);
  }
  return true;
}

void MirroredFactor::reduce(std::span<const double> right, std::span<double> out, const Run& run) {
  std::vector<double> inner(n_);
  std::vector<double> scaled(n_);
  right_.resize(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    inner[j] = difference(right[j], right[n_ + j], j);
    right_[j] = right[j] + right[n_ + j];
    scaled[j] = right_[j] * std::sqrt(inverse_[j]);
  }
  factor_->reduce(inner, out, run);
  if (!out.empty()) {
    std::vector<double> known(out.size());
    multiply_rows(sums_.view(), scaled, known, run);
    axpy(1.0, known, out);
  }
}

void MirroredFactor::finish(std::span<const double> multipliers, std::span<double> step, const Run& run) {
  std::vector<double> beta(n_);
  factor_->finish(multipliers, beta, run);
  std::vector<double> pull(2 * n_, 0.0);
  if (!multipliers.empty()) {
    multiply_rows_transposed(rows_, multipliers, pull, run);
  }
  for (std::size_t j = 0; j < n_; ++j) {
    const double common = (right_[j] + pull[j] + pull[n_ + j]) * inverse_[j];
    step[j] = common + (1 - share_[j]) * beta[j];
    step[n_ + j] = common - share_[j] * beta[j];
  }
}

}  // namespace

void MirroredQuadratic::diagonal(std::span<double> out) const {
  const auto n = static_cast<std::size_t>(inner_->size());
  inner_->diagonal(out.first(n));
  std::copy_n(out.begin(), n, out.begin() + static_cast<std::ptrdiff_t>(n));
}

void MirroredQuadratic::multiply(std::span<const double> x, std::span<double> out, const Run& run) const {
  const auto n = static_cast<std::size_t>(inner_->size());
  std::vector<double> difference(n);
  for (std::size_t j = 0; j < n; ++j) {
    difference[j] = x[j] - x[n + j];
  }
  inner_->multiply(difference, out.first(n), run);
  std::transform(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n),
                 out.begin() + static_cast<std::ptrdiff_t>(n), [](double value) { return -value; });
}

std::unique_ptr<QuadraticFactor> MirroredQuadratic::make_factor(AddedRows /*added*/) const {
  return std::make_unique<MirroredFactor>(*inner_);
}

}  // namespace mercer
