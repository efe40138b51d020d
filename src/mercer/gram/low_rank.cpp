#include "mercer/gram/low_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

// out = inᵀ, in squares that stay in cache.
template <class T>
void transpose(ConstMatrixView<T> in, MatrixView<T> out, const Run& run) {
  constexpr Index square = 64;
  parallel_for(run, block_count(in.columns(), square), [&](Index b) {
    const IndexRange columns = block_range(in.columns(), square, b);
    for (Index i0 = 0; i0 < in.rows(); i0 += square) {
      const Index i1 = std::min(i0 + square, in.rows());
      for (Index j = columns.begin; j < columns.end; ++j) {
        for (Index i = i0; i < i1; ++i) {
          out(j, i) = in(i, j);
        }
      }
    }
  });
}

template <class T>
Matrix<T> columns_of(const Gram<T>& gram, std::span<const Index> list, const Run& run) {
  Matrix<T> rows(static_cast<Index>(list.size()), gram.size());
  gram.rows(list, rows.view(), run);
  Matrix<T> columns(gram.size(), static_cast<Index>(list.size()));
  transpose<T>(rows.view(), columns.view(), run);
  return columns;
}

// Unpivoted Cholesky that passes over rows which depend on those before: returns the kept ones; L is theirs, packed to
// the front of `w`.
template <class T>
std::vector<Index> independent_rows(MatrixView<T> w) {
  const Index m = w.rows();
  T largest = 0;
  for (Index i = 0; i < m; ++i) {
    largest = std::max(largest, w(i, i));
  }
  const T noise = T(10) * static_cast<T>(m) * std::numeric_limits<T>::epsilon() * largest;
  std::vector<Index> kept;
  for (Index i = 0; i < m; ++i) {
    const auto r = static_cast<Index>(kept.size());
    // Row r of L: the entries of row i at the kept columns, by substitution. Rows kept so far are packed above.
    std::vector<T> row(static_cast<std::size_t>(r) + 1);
    T rest = w(i, i);
    for (Index c = 0; c < r; ++c) {
      T value = w(i, kept[c]);
      for (Index k = 0; k < c; ++k) {
        value -= row[k] * w(c, k);
      }
      row[c] = value / w(c, c);
      rest -= row[c] * row[c];
    }
    if (rest > noise) {
      row.back() = std::sqrt(rest);
      std::copy(row.begin(), row.end(), w.row_data(r));
      kept.push_back(i);
    }
  }
  return kept;
}

}  // namespace

template <class T>
LowRankGram<T>::LowRankGram(Matrix<T> factor) : LowRankGram(std::move(factor), {}, {}) {}

template <class T>
LowRankGram<T>::LowRankGram(Matrix<T> factor, std::vector<Index> pivots, std::vector<double> trace_errors)
    : factor_(std::move(factor)), pivots_(std::move(pivots)), trace_errors_(std::move(trace_errors)) {}

template <class T>
LowRankGram<T>::LowRankGram(LowRankGram&& other) noexcept
    : factor_(std::move(other.factor_)),
      pivots_(std::move(other.pivots_)),
      trace_errors_(std::move(other.trace_errors_)) {}

template <class T>
LowRankGram<T> LowRankGram<T>::pivoted(const Gram<T>& gram, const PivotedCholeskyOptions& options, const Run& run) {
  std::vector<double> exact(gram.size());
  gram.diagonal(exact);
  const std::vector<T> diagonal(exact.begin(), exact.end());
  const ColumnOracle<T> oracle{.columns =
                                   [&](std::span<const Index> pivots, MatrixView<T> out) {
                                     Matrix<T> rows(static_cast<Index>(pivots.size()), gram.size());
                                     gram.rows(pivots, rows.view(), run.quiet());
                                     transpose<T>(rows.view(), out, run.quiet());
                                   },
                               .square = [&](std::span<const Index> pivots,
                                             MatrixView<T> out) { gram.gather(pivots, pivots, out, run.quiet()); }};
  PivotedCholesky<T> result = pivoted_cholesky<T>(diagonal, oracle, options, run);
  return LowRankGram(std::move(result.factor), std::move(result.pivots), std::move(result.trace_errors));
}

template <class T>
LowRankGram<T> LowRankGram<T>::nystrom(const Gram<T>& gram, std::span<const Index> landmarks, const Run& run) {
  if (std::set<Index>(landmarks.begin(), landmarks.end()).size() != landmarks.size()) {
    throw InvalidArgument("landmarks are rows of the Gram matrix, each named once; one of these comes twice");
  }
  Matrix<T> columns = columns_of(gram, landmarks, run);
  const auto m = static_cast<Index>(landmarks.size());
  Matrix<T> w(m, m);
  gram.gather(landmarks, landmarks, w.view(), run);
  const std::vector<Index> kept = independent_rows<T>(w.view());
  const auto r = static_cast<Index>(kept.size());

  // F = C L⁻ᵀ, that is, every row of F solves L f = c.
  Matrix<T> factor(gram.size(), r);
  constexpr Index strip = 1024;
  parallel_for(run, block_count(gram.size(), strip), [&](Index b) {
    const IndexRange rows = block_range(gram.size(), strip, b);
    for (Index i = rows.begin; i < rows.end; ++i) {
      for (Index c = 0; c < r; ++c) {
        factor(i, c) = columns(i, kept[c]);
      }
    }
    trsm(Side::right, Uplo::lower, Transpose::yes, T(1), w.view().block(0, 0, r, r), factor.view().row_block(rows));
  });

  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  std::vector<double> errors(static_cast<std::size_t>(r) + 1, 0.0);
  for (const double entry : diagonal) {
    errors[0] += entry;
  }
  for (Index c = 0; c < r; ++c) {
    double squares = 0;
    for (Index i = 0; i < gram.size(); ++i) {
      squares += static_cast<double>(factor(i, c)) * static_cast<double>(factor(i, c));
    }
    errors[c + 1] = std::max(0.0, errors[c] - squares);
  }
  std::vector<Index> pivots;
  for (const Index k : kept) {
    pivots.push_back(landmarks[k]);
  }
  return LowRankGram(std::move(factor), std::move(pivots), std::move(errors));
}

template <class T>
void LowRankGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& /*workspace*/) const {
  gemm(T(1), factor_.view().row_block(rows), Transpose::no, factor_.view().row_block(columns), Transpose::yes, T(0),
       out);
}

template <class T>
void LowRankGram<T>::diagonal(std::span<double> out) const {
  for (Index i = 0; i < size(); ++i) {
    double sum = 0;
    for (const T value : factor_.view().row(i)) {
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
    out[i] = sum;
  }
}

template <class T>
void LowRankGram<T>::multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  Matrix<T> inner(rank(), v.columns());
  parallel_gemm<T>(T(1), factor_.view(), Transpose::yes, v, Transpose::no, T(0), inner.view(), run);
  parallel_gemm<T>(T(1), factor_.view(), Transpose::no, inner.view(), Transpose::no, T(0), out, run);
}

template <class T>
LowRankSolver<T>::LowRankSolver(ConstMatrixView<T> factor, double lambda, const Run& run)
    : factor_(factor), lambda_(lambda), cholesky_(factor.columns(), factor.columns()) {
  if (!(lambda > 0) || !std::isfinite(lambda)) {
    reject_argument("lambda", lambda, "a positive number");
  }
  Matrix<double> copy(factor.rows(), factor.columns());
  for (Index i = 0; i < factor.rows(); ++i) {
    std::copy_n(factor.row_data(i), factor.columns(), copy.view().row_data(i));
  }
  parallel_syrk<double>(1.0, copy.view(), Transpose::yes, 0.0, cholesky_.view(), run);
  for (Index r = 0; r < cholesky_.rows(); ++r) {
    cholesky_(r, r) += lambda;
  }
  cholesky<double>(cholesky_.view(), run);
}

template <class T>
void LowRankSolver<T>::solve(ConstMatrixView<T> b, MatrixView<T> x, const Run& run) const {
  const Index r = factor_.columns();
  Matrix<T> inner(r, b.columns());
  parallel_gemm<T>(T(1), factor_, Transpose::yes, b, Transpose::no, T(0), inner.view(), run);
  Matrix<double> z(r, b.columns());
  std::copy_n(inner.data(), r * b.columns(), z.data());
  cholesky_solve<double>(cholesky_.view(), z.view(), run);
  std::transform(z.data(), z.data() + r * b.columns(), inner.data(),
                 [](double value) { return static_cast<T>(value); });
  Matrix<T> product(b.rows(), b.columns());
  parallel_gemm<T>(T(1), factor_, Transpose::no, inner.view(), Transpose::no, T(0), product.view(), run);
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index c = 0; c < b.columns(); ++c) {
      x(i, c) = static_cast<T>((static_cast<double>(b(i, c)) - static_cast<double>(product(i, c))) / lambda_);
    }
  }
}

template <class T>
double LowRankSolver<T>::log_determinant() const {
  const auto beyond = static_cast<double>(factor_.rows() - factor_.columns());
  return beyond * std::log(lambda_) + mercer::log_determinant(cholesky_.view());
}

template class LowRankGram<float>;
template class LowRankGram<double>;
template class LowRankSolver<float>;
template class LowRankSolver<double>;

}  // namespace mercer
