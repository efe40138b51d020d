#include "mercer/expansion/reduced_set/kpca_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

constexpr Index exact_removals_up_to = 300;

class KpcaRemoval {
 public:
  KpcaRemoval(const ReductionTarget& target, const Run& run)
      : target_(target), run_(run), a_(Matrix<double>::copy_of(target.coefficients())) {
    left_.resize(target.size());
    std::iota(left_.begin(), left_.end(), Index{0});
  }

  KpcaSelection down_to(Index size) {
    const auto total = static_cast<double>(std::max<Index>(1, static_cast<Index>(left_.size()) - size));
    while (static_cast<Index>(left_.size()) > size) {
      run_.check_stop();
      const auto n = static_cast<Index>(left_.size());
      const Index at_once = n <= exact_removals_up_to ? 1 : std::min(n / 100, n - size);
      remove(at_once);
      run_.progress("removing", static_cast<double>(result_.costs.size()), total);
    }
    result_.chosen = left_;
    return result_;
  }

 private:
  void remove(Index count) {
    const auto n = static_cast<Index>(left_.size());
    Matrix<double> k(n, n);
    KernelGram<double>(target_.prepared()).gather(left_, left_, k.view(), run_);
    const SymmetricEigen<double> eigen = symmetric_eigen(k.view(), run_);
    // Vectors of small eigenvalues as rows; twice as many as are used leave a choice.
    const Index vectors = count == 1 ? n : std::min(n, 2 * count);
    Matrix<double> g(vectors, n);
    for (Index i = 0; i < vectors; ++i) {
      for (Index j = 0; j < n; ++j) {
        g(i, j) = eigen.vectors(j, i);
      }
    }
    std::vector<char> used(vectors, 0);
    std::vector<char> gone(n, 0);
    for (Index r = 0; r < count; ++r) {
      take_cheapest(g, eigen.values, used, gone);
    }
    std::vector<Index> still;
    Index at = 0;
    for (Index j = 0; j < n; ++j) {
      if (gone[j] == 0) {
        still.push_back(left_[j]);
        std::ranges::copy(a_.view().row(j), a_.view().row_data(at++));
      }
    }
    left_ = std::move(still);
  }

  void take_cheapest(Matrix<double>& g, const std::vector<double>& values, std::vector<char>& used,
                     std::vector<char>& gone) {
    const Index n = g.columns();
    double least = std::numeric_limits<double>::infinity();
    Index vector = -1;
    Index center = -1;
    for (Index j = 0; j < n; ++j) {
      const double size = dot(a_.view().row(j), a_.view().row(j));
      for (Index i = 0; gone[j] == 0 && i < g.rows(); ++i) {
        const double square = g(i, j) * g(i, j);
        const double cost = used[i] != 0 || square < 1e-300 ? std::numeric_limits<double>::infinity()
                                                            : size / square * std::max(values[i], 0.0);
        // Where an eigenvalue is 0 every centre is free: the largest component is the stable choice.
        const bool tie = cost == least && vector == i && square > g(i, center) * g(i, center);
        if (cost < least || tie) {
          least = cost;
          vector = i;
          center = j;
        }
      }
    }
    if (vector < 0) {
      throw NumericalError("selection by kernel PCA: no eigenvector reaches the centres that are left");
    }
    const double pivot = g(vector, center);
    const std::vector<double> share(a_.view().row(center).begin(), a_.view().row(center).end());
    for (Index j = 0; j < n; ++j) {
      axpy(-g(vector, j) / pivot, share, a_.view().row(j));
    }
    for (Index i = 0; i < g.rows(); ++i) {
      if (i != vector && used[i] == 0) {
        axpy(-g(i, center) / pivot, g.view().row(vector), g.view().row(i));
      }
    }
    used[vector] = 1;
    gone[center] = 1;
    result_.costs.push_back(least);
  }

  const ReductionTarget& target_;
  const Run& run_;
  Matrix<double> a_;
  std::vector<Index> left_;
  KpcaSelection result_;
};

}  // namespace

KpcaSelection select_by_kpca(const ReductionTarget& target, Index size, const Run& run) {
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "0 or more");
  }
  if (size == 0) {
    return {};
  }
  return KpcaRemoval(target, run).down_to(size);
}

}  // namespace mercer
