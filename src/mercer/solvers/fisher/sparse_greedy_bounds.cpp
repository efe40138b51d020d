#include "mercer/solvers/fisher/sparse_greedy_bounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

void variance_bounds(const SparseGreedyResult& result, ConstMatrixView<double> k, std::span<const double> prior,
                     double noise, std::span<VarianceBounds> out, const Run& run) {
  assert(k.columns() == result.basis_rows.columns());
  assert(static_cast<Index>(prior.size()) == k.rows() && prior.size() == out.size());
  const auto m = static_cast<Index>(result.posterior.basis.size());
  Matrix<double> explained(k.rows(), m);
  parallel_gemm<double>(1.0, k, Transpose::no, result.basis_rows.view(), Transpose::yes, 0.0, explained.view(), run);
  trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, result.posterior.factor.view(), explained.view());
  const auto m_bound = static_cast<Index>(result.bound.basis.size());
  Matrix<double> picked(k.rows(), m_bound);
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < m_bound; ++j) {
      picked(i, j) = k(i, result.bound.basis[j]);
    }
  }
  trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, result.bound.factor.view(), picked.view());
  for (Index i = 0; i < k.rows(); ++i) {
    const double total = prior[i] + noise;
    const std::span<const double> w = std::as_const(explained).view().row(i);
    const std::span<const double> v = std::as_const(picked).view().row(i);
    out[i] = {.lower = std::max(noise, total - (dot(k.row(i), k.row(i)) - dot(w, w)) / noise),
              .upper = std::max(noise, total - dot(v, v))};
  }
}

VarianceBounds variance_bounds(const SparseGreedyResult& result, double squares, double prior, double noise) {
  const SparseGreedyStep& last = result.last();
  // -k'(K + σ²)^-1 k is 2 min Q*, which -½ k'k - Q bounds from below; `lower` is -½ k'k - σ² Q*.
  return {.lower = std::max(noise, prior + noise - (squares + 2 * last.q) / noise),
          .upper = std::max(noise, prior + noise - (squares + 2 * last.lower) / noise)};
}

Matrix<double> variance_factor(const Gram<double>& gram, std::span<const Index> basis, double noise, const Run& run) {
  const auto m = static_cast<Index>(basis.size());
  Matrix<double> factor(m, m);
  gram.gather(basis, basis, factor.view(), run);
  for (Index i = 0; i < m; ++i) {
    factor(i, i) += noise;
  }
  cholesky<double>(factor.view(), run);
  return factor;
}

double greedy_size_bound(ConstMatrixView<double> k, std::span<const double> targets, double noise, double eps,
                         Index best, const Run& run) {
  const Index n = k.rows();
  if (!(noise > 0)) {
    reject_argument("noise", noise, "a positive variance");
  }
  if (!(eps > 0)) {
    reject_argument("eps", eps, "more than 0");
  }
  Matrix<double> form = Matrix<double>::copy_of(k);
  parallel_gemm<double>(1.0, k, Transpose::no, k, Transpose::no, noise, form.view(), run);
  std::vector<double> lengths;
  for (Index i = 0; i < n; ++i) {
    lengths.push_back(std::sqrt(form(i, i)));
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      form(i, j) /= lengths[i] * lengths[j];
    }
  }
  // The singular values of A are the roots of the eigenvalues of its square, so A itself is not needed.
  const double smallest = n == 0 ? 1.0 : symmetric_eigenvalues(form.view(), run).front();
  Matrix<double> system = Matrix<double>::copy_of(k);
  for (Index i = 0; i < n; ++i) {
    system(i, i) += noise;
  }
  cholesky<double>(system.view(), run);
  std::vector<double> solved(targets.begin(), targets.end());
  cholesky_solve<double>(system.view(), std::span<double>(solved), run);
  // |b|² = y'K(σ²K + K'K)^-1 K y = y'y - σ² y'(K + σ²)^-1 y.
  const double length =
      std::sqrt(std::max(0.0, dot(targets, targets) - noise * dot(targets, std::span<const double>(solved))));
  if (length <= 2 * eps) {
    return 0;
  }
  return smallest > 0 ? 18 * static_cast<double>(best) * std::log(length / (2 * eps)) / smallest
                      : std::numeric_limits<double>::infinity();
}

}  // namespace mercer
