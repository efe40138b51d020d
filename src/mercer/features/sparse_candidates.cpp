#include "mercer/features/sparse_candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"

namespace mercer {

// In two passes: the mean of a kernel's values may be far larger than their spread.
double variance_with_shares(std::span<const double> values, std::span<const double> shares) {
  double mean = 0;
  for (std::size_t l = 0; l < values.size(); ++l) {
    mean += shares[l] * values[l];
  }
  double variance = 0;
  for (std::size_t l = 0; l < values.size(); ++l) {
    variance += shares[l] * (values[l] - mean) * (values[l] - mean);
  }
  return variance;
}

SparseCandidates::SparseCandidates(const Gram<double>& gram, std::span<const double> shares,
                                   const SparseFeatureOptions& options, const Run& run)
    : gram_(gram),
      shares_(shares),
      options_(options),
      run_(run.quiet()),
      diagonal_(static_cast<std::size_t>(gram.size())),
      out_(static_cast<std::size_t>(gram.size()), 0) {
  gram.diagonal(diagonal_);
  for (const double value : diagonal_) {
    if (!std::isfinite(value)) {
      throw NumericalError("a kernel value k(x, x) is not finite: no features can be compared");
    }
  }
  // Removal compares outputs only, so that k(x, x) may be anything there.
  floor_ =
      projects() ? options.tolerance * std::max(0.0, largest_diagonal()) : -std::numeric_limits<double>::infinity();
  const Index most = std::min(options.features, gram.size());
  factor_ = Matrix<double>(gram.size(), projects() ? most : 0);
  expansion_ = Matrix<double>(gram.size(), options.mode == SparseFeatureMode::normalized ? most : 0);
}

std::vector<Index> SparseCandidates::eligible() const {
  std::vector<Index> list;
  for (Index j = 0; j < size(); ++j) {
    if (out_[j] == 0 && diagonal(j) > floor_) {
      list.push_back(j);
    }
  }
  return list;
}

double SparseCandidates::largest_diagonal() const {
  return diagonal_.empty() ? 0.0 : *std::max_element(diagonal_.begin(), diagonal_.end());
}

double SparseCandidates::norm(Index j) const {
  if (options_.mode != SparseFeatureMode::normalized) {
    return 1;
  }
  double sum = 1;
  for (Index r = 0; r < taken(); ++r) {
    sum += std::pow(std::abs(expansion_(j, r)), options_.norm);
  }
  return std::pow(sum, 1 / options_.norm);
}

void SparseCandidates::rows(std::span<const Index> list, std::span<const Index> columns, MatrixView<double> out) {
  evaluations_ += out.rows() * out.columns();
  if (columns.empty()) {
    gram_.rows(list, out, run_);
  } else {
    gram_.gather(list, columns, out, run_);
  }
  const Index before = projects() ? taken() : 0;
  if (before == 0) {
    return;
  }
  const auto factor_rows = [&](std::span<const Index> numbers) {
    Matrix<double> copy(static_cast<Index>(numbers.size()), before);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::copy_n(factor_.view().row_data(numbers[i]), before, copy.view().row_data(static_cast<Index>(i)));
    }
    return copy;
  };
  const Matrix<double> left = factor_rows(list);
  if (columns.empty()) {
    const ConstMatrixView<double> all = std::as_const(factor_).view().block(0, 0, size(), before);
    parallel_gemm<double>(-1, left.view(), Transpose::no, all, Transpose::yes, 1, out, run_);
  } else {
    const Matrix<double> right = factor_rows(columns);
    parallel_gemm<double>(-1, left.view(), Transpose::no, right.view(), Transpose::yes, 1, out, run_);
  }
}

void SparseCandidates::multiply(const Matrix<double>& v, Matrix<double>& out) {
  gram_.multiply(v.view(), out.view(), run_);
  evaluations_ += size() * size();
  const Index before = projects() ? taken() : 0;
  if (before > 0) {
    const ConstMatrixView<double> g = std::as_const(factor_).view().block(0, 0, size(), before);
    Matrix<double> inner(before, v.columns());
    parallel_gemm<double>(1, g, Transpose::yes, v.view(), Transpose::no, 0, inner.view(), run_);
    parallel_gemm<double>(-1, g, Transpose::no, std::as_const(inner).view(), Transpose::no, 1, out.view(), run_);
  }
}

// Φ_i loses the share R_ij/R_jj of what is left of Φ_j, which is Φ_j less its own shares of the samples before.
void SparseCandidates::expand_others(Index j, std::span<const double> column) {
  const double* const row = expansion_.view().row_data(j);
  const std::vector<double> own(row, row + taken());
  const double pivot = column[j];
  for (Index i = 0; i < size(); ++i) {
    const double share = column[i] / pivot;
    for (Index r = 0; r < taken(); ++r) {
      expansion_(i, r) -= share * own[r];
    }
    expansion_(i, taken()) = share;
  }
}

SparseCandidates::Taken SparseCandidates::take(Index j, std::span<const double> column) {
  Taken result;
  const double pivot = column[j];
  if (projects() && !(pivot > floor_)) {
    return result;
  }
  lengths_.push_back(std::sqrt(std::max(0.0, pivot)) / norm(j));
  if (projects()) {
    result.direction.assign(column.begin(), column.end());
    scale(1 / std::sqrt(pivot), std::span<double>(result.direction));
    if (options_.mode == SparseFeatureMode::normalized) {
      expand_others(j, column);
    }
    for (Index i = 0; i < size(); ++i) {
      const double g = result.direction[i];
      double& own = diagonal_[i];
      factor_(i, taken()) = g;
      own = std::max(0.0, own - g * g);
    }
  }
  leave_out(j);
  chosen_.push_back(j);
  result.done = true;
  return result;
}

// v_c = length_c e_c with the orthonormal e = G_S⁻¹ Φ_S, where G_S are the rows of G at the chosen samples.
void SparseCandidates::expand(SparseFeatures& features) const {
  const Index p = taken();
  features.chosen = chosen_;
  features.norms = lengths_;
  features.evaluations = evaluations_;
  features.coefficients = Matrix<double>::filled(p, p, 0.0);
  for (Index c = 0; c < p; ++c) {
    features.coefficients(c, c) = projects() ? lengths_[c] : 1.0;
  }
  if (!projects() || p == 0) {
    return;
  }
  Matrix<double> triangle(p, p);
  for (Index r = 0; r < p; ++r) {
    for (Index c = 0; c < p; ++c) {
      triangle(r, c) = c <= r ? factor_(chosen_[r], c) : 0.0;
    }
  }
  trsm(Side::left, Uplo::lower, Transpose::yes, 1.0, std::as_const(triangle).view(), features.coefficients.view());
}

}  // namespace mercer
