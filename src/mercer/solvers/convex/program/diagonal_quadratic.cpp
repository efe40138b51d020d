#include "mercer/solvers/convex/program/diagonal_quadratic.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/row_products.h"

namespace mercer {

namespace {

class DiagonalFactor final : public QuadraticFactor {
 public:
  explicit DiagonalFactor(std::span<const double> given)
      : given_(given), inverse_(given.size()), right_(given.size()) {}

  bool factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) override {
    for (std::size_t j = 0; j < inverse_.size(); ++j) {
      const double entry = given_[j] + input.diagonal[j];
      if (!(entry > 0)) {
        return false;
      }
      inverse_[j] = 1 / entry;
    }
    rows_ = input.rows;
    if (!rows_.empty()) {
      find_schur(schur, run);
    }
    return true;
  }

  void reduce(std::span<const double> right, std::span<double> out, const Run& run) override {
    right_.assign(right.begin(), right.end());
    if (!out.empty()) {
      std::vector<double> solved(right_);
      for (std::size_t j = 0; j < solved.size(); ++j) {
        solved[j] *= inverse_[j];
      }
      multiply_rows(rows_, solved, out, run);
    }
  }

  void finish(std::span<const double> multipliers, std::span<double> step, const Run& run) override {
    if (multipliers.empty()) {
      std::fill(step.begin(), step.end(), 0.0);
    } else {
      multiply_rows_transposed(rows_, multipliers, step, run);
    }
    for (std::size_t j = 0; j < step.size(); ++j) {
      step[j] = (step[j] + right_[j]) * inverse_[j];
    }
  }

 private:
  void find_schur(MatrixView<double> out, const Run& run) {
    if (scaled_.rows() != rows_.rows()) {
      scaled_ = Matrix<double>(rows_.rows(), rows_.columns());
      root_.resize(inverse_.size());
    }
    std::transform(inverse_.begin(), inverse_.end(), root_.begin(), [](double v) { return std::sqrt(v); });
    parallel_for(run, rows_.rows(), [&](Index i) {
      const double* from = rows_.row_data(i);
      double* to = scaled_.view().row_data(i);
      for (std::size_t j = 0; j < root_.size(); ++j) {
        to[j] = from[j] * root_[j];
      }
    });
    parallel_syrk<double>(1.0, scaled_.view(), Transpose::no, 0.0, out, run);
  }

  std::span<const double> given_;
  std::vector<double> inverse_;
  std::vector<double> root_;
  std::vector<double> right_;
  ConstMatrixView<double> rows_;
  Matrix<double> scaled_;
};

}  // namespace

DiagonalQuadratic::DiagonalQuadratic(std::vector<double> diagonal) : diagonal_(std::move(diagonal)) {
  for (const double entry : diagonal_) {
    if (!(entry >= 0 && std::isfinite(entry))) {
      reject_argument("convex programme: diagonal entry of Q", entry, "finite and not negative");
    }
  }
}

std::unique_ptr<DiagonalQuadratic> DiagonalQuadratic::zero(Index size) {
  return std::make_unique<DiagonalQuadratic>(std::vector<double>(static_cast<std::size_t>(size), 0.0));
}

bool DiagonalQuadratic::is_zero() const {
  return std::all_of(diagonal_.begin(), diagonal_.end(), [](double entry) { return entry == 0; });
}

void DiagonalQuadratic::diagonal(std::span<double> out) const {
  std::copy(diagonal_.begin(), diagonal_.end(), out.begin());
}

void DiagonalQuadratic::multiply(std::span<const double> x, std::span<double> out, const Run& /*run*/) const {
  std::transform(diagonal_.begin(), diagonal_.end(), x.begin(), out.begin(), [](double d, double v) { return d * v; });
}

std::unique_ptr<QuadraticFactor> DiagonalQuadratic::make_factor(AddedRows added) const {
  if (added == AddedRows::some) {
    return make_dense_factor({}, diagonal_, size());
  }
  return std::make_unique<DiagonalFactor>(diagonal_);
}

}  // namespace mercer
