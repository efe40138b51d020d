#include "mercer/solvers/convex/program/low_rank_quadratic.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"
#include "mercer/solvers/convex/program/factor_passes.h"
#include "mercer/solvers/convex/program/row_products.h"

namespace mercer {

namespace {

class LowRankFactor final : public QuadraticFactor {
 public:
  LowRankFactor(const FactorRows& rows, std::span<const double> given, ConstMatrixView<double> core)
      : rows_(rows), given_(given), core_(core), inner_(rows.columns(), rows.columns()) {}

  bool factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) override;
  void reduce(std::span<const double> right, std::span<double> out, const Run& run) override;
  void finish(std::span<const double> multipliers, std::span<double> step, const Run& run) override;

 private:
  void find_schur(MatrixView<double> out, const Run& run);

  const FactorRows& rows_;
  std::span<const double> given_;
  ConstMatrixView<double> core_;
  ConstMatrixView<double> constraints_;
  std::vector<double> inverse_;  // 1/D'
  Matrix<double> inner_;         // the factor of C
  Matrix<double> cross_;         // P = RᵀD'⁻¹Bᵀ, k × m
  std::vector<double> right_;
  std::vector<double> weighted_;  // RᵀD'⁻¹r
};

bool LowRankFactor::factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) {
  constraints_ = input.rows;
  inverse_.resize(input.diagonal.size());
  for (std::size_t j = 0; j < inverse_.size(); ++j) {
    const double entry = input.diagonal[j] + (given_.empty() ? 0.0 : given_[j]);
    if (!(entry > 0)) {
      return false;
    }
    inverse_[j] = 1 / entry;
  }
  if (cross_.columns() != constraints_.rows() || cross_.rows() != rows_.columns()) {
    cross_ = Matrix<double>(rows_.columns(), constraints_.rows());
  }
  weighted_products(rows_, inverse_, constraints_, inner_.view(), cross_.view(), run);
  for (Index i = 0; i < inner_.rows(); ++i) {
    if (core_.empty()) {
      inner_(i, i) += 1;
    } else {
      for (Index j = 0; j <= i; ++j) {
        inner_(i, j) += core_(i, j);
      }
    }
  }
  if (!try_cholesky<double>(inner_.view(), run).ok) {
    return false;
  }
  if (!constraints_.empty()) {
    find_schur(schur, run);
  }
  return true;
}

// B D'⁻¹ Bᵀ − Pᵀ C⁻¹ P.
void LowRankFactor::find_schur(MatrixView<double> out, const Run& run) {
  Matrix<double> scaled(constraints_.rows(), constraints_.columns());
  parallel_for(run, scaled.rows(), [&](Index i) {
    const double* from = constraints_.row_data(i);
    double* to = scaled.view().row_data(i);
    for (std::size_t j = 0; j < inverse_.size(); ++j) {
      to[j] = from[j] * std::sqrt(inverse_[j]);
    }
  });
  parallel_syrk<double>(1.0, scaled.view(), Transpose::no, 0.0, out, run);
  Matrix<double> half = Matrix<double>::copy_of(cross_.view());
  solve_lower<double>(inner_.view(), Transpose::no, half.view(), run);
  parallel_syrk<double>(-1.0, half.view(), Transpose::yes, 1.0, out, run);
}

void LowRankFactor::reduce(std::span<const double> right, std::span<double> out, const Run& run) {
  right_.assign(right.begin(), right.end());
  std::vector<double> divided(right_);
  for (std::size_t j = 0; j < divided.size(); ++j) {
    divided[j] *= inverse_[j];
  }
  weighted_ = factor_transposed_times(rows_, divided, run);
  if (!out.empty()) {
    multiply_rows(constraints_, divided, out, run);
    std::vector<double> solved(weighted_);
    cholesky_solve<double>(inner_.view(), std::span<double>(solved), run);
    gemv(-1.0, cross_.view(), Transpose::yes, solved, 1.0, out);
  }
}

void LowRankFactor::finish(std::span<const double> multipliers, std::span<double> step, const Run& run) {
  std::vector<double> solved(weighted_);
  if (!multipliers.empty()) {
    gemv(1.0, cross_.view(), Transpose::no, multipliers, 1.0, solved);
    std::vector<double> pull(right_.size());
    multiply_rows_transposed(constraints_, multipliers, pull, run);
    axpy(1.0, pull, right_);
  }
  cholesky_solve<double>(inner_.view(), std::span<double>(solved), run);
  factor_times(rows_, solved, step, run);
  for (std::size_t j = 0; j < step.size(); ++j) {
    step[j] = (right_[j] - step[j]) * inverse_[j];
  }
}

}  // namespace

void StoredFactorRows::read(IndexRange rows, MatrixView<double> out) const {
  for (Index i = 0; i < rows.size(); ++i) {
    std::copy_n(matrix_.row_data(rows.begin + i), matrix_.columns(), out.row_data(i));
  }
}

void SignedFactorRows::read(IndexRange rows, MatrixView<double> out) const {
  rows_.read(rows, out);
  for (Index i = 0; i < rows.size(); ++i) {
    scale(signs_[static_cast<std::size_t>(rows.begin + i)], out.row(i));
  }
}

LowRankQuadratic::LowRankQuadratic(const FactorRows& rows, std::vector<double> diagonal, ConstMatrixView<double> core,
                                   const Run& run)
    : rows_(rows), diagonal_(std::move(diagonal)) {
  if (!diagonal_.empty() && static_cast<Index>(diagonal_.size()) != rows.rows()) {
    throw InvalidArgument("convex programme: the diagonal of a low-rank Q has " + std::to_string(diagonal_.size()) +
                          " entries: the factor has " + std::to_string(rows.rows()) + " rows");
  }
  for (const double entry : diagonal_) {
    if (!(entry >= 0 && std::isfinite(entry))) {
      reject_argument("convex programme: diagonal entry of Q", entry, "finite and not negative");
    }
  }
  if (!core.empty()) {
    if (core.rows() != rows.columns() || core.columns() != rows.columns()) {
      throw InvalidArgument(
          "convex programme: the core of a low-rank Q must have one row and one column for each of "
          "the factor's " +
          std::to_string(rows.columns()) + " columns");
    }
    core_ = Matrix<double>::copy_of(core);
    core_factor_ = Matrix<double>::copy_of(core);
    cholesky<double>(core_factor_.view(), run);
  }
  find_entries(run);
}

// Σ H_ij r_i r_j + d of every row, once; and the only look at whether the numbers are finite.
void LowRankQuadratic::find_entries(const Run& run) {
  entries_.resize(static_cast<std::size_t>(rows_.rows()));
  for_row_blocks(rows_, part_count(rows_), run, [&](Index /*part*/, IndexRange range, ConstMatrixView<double> block) {
    std::vector<double> row(static_cast<std::size_t>(block.columns()));
    for (Index i = 0; i < block.rows(); ++i) {
      std::copy_n(block.row_data(i), block.columns(), row.begin());
      if (core_factor_.rows() > 0) {
        trsv(Uplo::lower, Transpose::no, core_factor_.view(), row);
      }
      const auto at = static_cast<std::size_t>(range.begin + i);
      entries_[at] = dot(row, row) + (diagonal_.empty() ? 0.0 : diagonal_[at]);
    }
  });
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!std::isfinite(entries_[i])) {
      throw InvalidArgument("convex programme: row " + std::to_string(i) +
                            " of the factor of a low-rank Q has a number that is not finite, or whose square is not");
    }
  }
}

void LowRankQuadratic::diagonal(std::span<double> out) const {
  std::copy(entries_.begin(), entries_.end(), out.begin());
}

void LowRankQuadratic::multiply(std::span<const double> x, std::span<double> out, const Run& run) const {
  std::vector<double> inner = factor_transposed_times(rows_, x, run);
  if (core_factor_.rows() > 0) {
    cholesky_solve<double>(core_factor_.view(), std::span<double>(inner), run);
  }
  factor_times(rows_, inner, out, run);
  for (std::size_t j = 0; j < diagonal_.size(); ++j) {
    out[j] += diagonal_[j] * x[j];
  }
}

std::unique_ptr<QuadraticFactor> LowRankQuadratic::make_factor(AddedRows /*added*/) const {
  return std::make_unique<LowRankFactor>(rows_, diagonal_, core_.view());
}

}  // namespace mercer
