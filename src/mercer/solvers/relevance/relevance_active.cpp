#include "mercer/solvers/relevance/relevance_active.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/relevance/relevance_regression.h"

namespace mercer {

std::span<double> GrowingRows::append() {
  if (size_ == content_.rows()) {
    Matrix<double> larger(std::max<Index>(8, 2 * size_), columns_);
    std::copy_n(content_.data(), size_ * columns_, larger.data());
    content_ = std::move(larger);
  }
  return content_.view().row(size_++);
}

void GrowingRows::keep(std::span<const Index> numbers) {
  for (std::size_t to = 0; to < numbers.size(); ++to) {
    if (numbers[to] != static_cast<Index>(to)) {
      std::copy_n(content_.view().row_data(numbers[to]), columns_, content_.view().row_data(static_cast<Index>(to)));
    }
  }
  size_ = static_cast<Index>(numbers.size());
}

void RelevanceActive::add(Index column, double precision, const Run& run) {
  basis_.column(column, values_.append(), run);
  columns_.push_back(column);
  precisions_.push_back(precision);
  in_use_[column] = 1;
}

void RelevanceActive::drop_last() {
  in_use_[columns_.back()] = 0;
  columns_.pop_back();
  precisions_.pop_back();
  values_.drop_last();
}

void RelevanceActive::keep(const std::vector<double>& precisions) {
  const std::vector<Index> kept = finite_numbers(precisions);
  for (const Index column : columns_) {
    in_use_[column] = 0;
  }
  std::vector<Index> columns;
  std::vector<double> finite;
  for (const Index i : kept) {
    columns.push_back(columns_[i]);
    finite.push_back(precisions[i]);
    in_use_[columns.back()] = 1;
  }
  columns_ = std::move(columns);
  precisions_ = std::move(finite);
  values_.keep(kept);
}

void RelevanceActive::store(const std::vector<double>& weights, ConstMatrixView<double> factor,
                            RelevanceFit& fit) const {
  const Index m = size();
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t a) { return columns_[a]; });
  // Σ = L⁻ᵀL⁻¹: L⁻ᵀ is a root, its rows in the new order.
  Matrix<double> inverse = Matrix<double>::filled(m, m, 0.0);
  for (Index i = 0; i < m; ++i) {
    inverse(i, i) = 1;
  }
  trsm(Side::left, Uplo::lower, Transpose::yes, 1.0, factor, inverse.view());
  fit.root = Matrix<double>(m, m);
  for (std::size_t to = 0; to < order.size(); ++to) {
    const std::size_t from = order[to];
    fit.columns.push_back(columns_[from]);
    fit.precisions.push_back(precisions_[from]);
    fit.weights.push_back(weights[from]);
    std::copy_n(inverse.view().row_data(static_cast<Index>(from)), m, fit.root.view().row_data(static_cast<Index>(to)));
  }
}

std::vector<Index> finite_numbers(const std::vector<double>& precisions) {
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < precisions.size(); ++i) {
    if (std::isfinite(precisions[i])) {
      numbers.push_back(static_cast<Index>(i));
    }
  }
  return numbers;
}

std::vector<double> unexplained_norms(const ColumnProducts& columns, ConstMatrixView<double> factor,
                                      const RelevanceActive& active, const Run& run) {
  constexpr Index block = 256;
  constexpr double parallel_cosine = 1 - 1e-6;  // squared
  constexpr double rounding = 1e-11;
  std::vector<double> left(columns.norms.begin(), columns.norms.end());
  const Index m = columns.products.rows();
  const Index count = columns.products.columns();
  parallel_for(run, m > 0 ? (count + block - 1) / block : 0, [&](Index task) {
    const Index begin = task * block;
    Matrix<double> part(m, std::min(block, count - begin));
    double* out = left.data() + begin;
    const double* norms = columns.norms.data() + begin;
    std::vector<char> repeats(part.columns(), 0);
    for (Index i = 0; i < m; ++i) {
      const double* from = columns.products.row_data(i) + begin;
      double* to = part.view().row_data(i);
      const double norm = columns.norms[active.columns()[i]];
      for (Index j = 0; j < part.columns(); ++j) {
        to[j] = columns.product_scale * from[j];
        repeats[j] |= static_cast<char>(to[j] / norm * to[j] > parallel_cosine * norms[j]);
      }
    }
    trsm(Side::left, Uplo::lower, Transpose::no, 1.0, factor, part.view());
    for (Index i = 0; i < m; ++i) {
      const double* row = part.view().row_data(i);
      for (Index j = 0; j < part.columns(); ++j) {
        out[j] -= row[j] * row[j];
      }
    }
    for (Index j = 0; j < part.columns(); ++j) {
      out[j] = out[j] > rounding * norms[j] && repeats[j] == 0 ? out[j] : 0;
    }
  });
  return left;
}

Matrix<double> inverse_from_factor(ConstMatrixView<double> factor, const Run& run) {
  Matrix<double> inverse = Matrix<double>::copy_of(factor);
  cholesky_inverse<double>(inverse.view(), run);
  mirror_lower<double>(inverse.view(), run);
  return inverse;
}

}  // namespace mercer
