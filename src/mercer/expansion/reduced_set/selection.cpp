#include "mercer/expansion/reduced_set/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

// Residual diagonals below this share of the largest are rounding.
constexpr double dependent_part = 1e-12;

void require_selectable(Index size) {
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "0 or more");
  }
}

// Partial Cholesky with a choice of pivots. Column r of the factor is row r of `columns_`, so that it is contiguous.
class PivotedSpan {
 public:
  PivotedSpan(const ReductionTarget& target, const Run& run)
      : gram_(target.prepared()), run_(run), left_(static_cast<std::size_t>(target.size())) {
    gram_.diagonal(left_);
    largest_ = left_.empty() ? 0.0 : *std::max_element(left_.begin(), left_.end());
  }

  /// The squared distance of Φ(x_j) from the span; 0 for what lies in it.
  double left(Index j) const { return left_[j]; }
  double largest() const { return largest_; }

  /// Takes centre p and returns the values of the new, normalised direction at all centres.
  std::span<const double> take(Index p) {
    std::vector<double> column(left_.size());
    const Index list[1] = {p};
    gram_.rows(list, MatrixView<double>(column.data(), 1, static_cast<Index>(column.size())), run_);
    for (const std::vector<double>& earlier : columns_) {
      axpy(-earlier[p], earlier, column);
    }
    scale(1 / std::sqrt(left(p)), column);
    for (std::size_t j = 0; j < left_.size(); ++j) {
      left_[j] -= column[j] * column[j];
      left_[j] = left_[j] > dependent_part * largest_ ? left_[j] : 0.0;
    }
    left_[p] = 0;
    columns_.push_back(std::move(column));
    return columns_.back();
  }

 private:
  KernelGram<double> gram_;
  const Run& run_;
  std::vector<double> left_;
  double largest_ = 0;
  std::vector<std::vector<double>> columns_;
};

}  // namespace

Selection select_greedy(const ReductionTarget& target, Index size, const Run& run) {
  require_selectable(size);
  PivotedSpan span(target, run);
  Selection result{{}, {target.total_squared_norm()}};
  Matrix<double> missing = Matrix<double>::copy_of(target.values());  // R_o at the centres
  while (static_cast<Index>(result.chosen.size()) < std::min(size, target.size())) {
    run.check_stop();
    Index best = -1;
    double best_gain = 0;
    for (Index j = 0; j < target.size(); ++j) {
      const double gain = span.left(j) > 0 ? dot(missing.view().row(j), missing.view().row(j)) / span.left(j) : 0.0;
      if (gain > best_gain) {
        best_gain = gain;
        best = j;
      }
    }
    if (best < 0 || best_gain <= 1e-15 * result.history.front()) {
      break;
    }
    const double pivot = std::sqrt(span.left(best));
    std::vector<double> along(missing.view().row(best).begin(), missing.view().row(best).end());
    scale(1 / pivot, along);  // ⟨R_o, q⟩ for the new direction q
    const std::span<const double> direction = span.take(best);
    for (Index j = 0; j < target.size(); ++j) {
      axpy(-direction[j], along, missing.view().row(j));
    }
    result.chosen.push_back(best);
    result.history.push_back(std::max(0.0, result.history.back() - best_gain));
    run.progress("selecting", static_cast<double>(result.chosen.size()), static_cast<double>(size));
  }
  return result;
}

Selection select_independent(const ReductionTarget& target, double tolerance, const Run& run) {
  if (!(tolerance >= 0) || !(tolerance < 1)) {
    reject_argument("tolerance", tolerance, "0 or more and below 1");
  }
  PivotedSpan span(target, run);
  Selection result;
  const double least = std::max(tolerance, dependent_part) * span.largest();
  for (Index step = 0; step < target.size(); ++step) {
    run.check_stop();
    Index best = 0;
    for (Index j = 1; j < target.size(); ++j) {
      best = span.left(j) > span.left(best) ? j : best;
    }
    if (!(span.left(best) > least)) {
      break;
    }
    span.take(best);
    result.chosen.push_back(best);
  }
  std::ranges::sort(result.chosen);
  return result;
}

Selection select_by_deletion(const ReductionTarget& target, Index size, const Run& run) {
  require_selectable(size);
  // Dependent centres have no finite (K⁻¹)_nn: they go first, without loss.
  const Selection independent = select_independent(target, 1e-10, run);
  std::vector<Index> left = independent.chosen;
  ReducedSet start = fit_coefficients(target, left, run);
  auto n = static_cast<Index>(left.size());
  Matrix<double> inverse(n, n);
  KernelGram<double>(target.prepared()).gather(left, left, inverse.view(), run);
  Matrix<double>& a = start.coefficients;
  Selection result{{}, {start.total_squared_error()}};
  if (n > size) {
    cholesky(inverse.view(), run);
    cholesky_inverse(inverse.view(), run);
    mirror_lower(inverse.view(), run);
  }
  const Index first = n;
  while (n > size) {
    run.check_stop();
    Index worst = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < n; ++j) {
      const double cost = dot(a.view().row(j), a.view().row(j)) / inverse(j, j);
      if (cost < least) {
        least = cost;
        worst = j;
      }
    }
    if (worst < 0) {
      throw NumericalError("deletion: the kernel matrix of the centres is numerically singular");
    }
    const std::vector<double> row(inverse.view().row_data(worst), inverse.view().row_data(worst) + n);
    const std::vector<double> coefficients(a.view().row(worst).begin(), a.view().row(worst).end());
    const double pivot = row[worst];
    // The last one takes the place of the one that goes; then P ← P − p pᵀ/P_nn and a ← a − a_n p/P_nn.
    for (Index i = 0; i < n; ++i) {
      axpy(-row[i] / pivot, row, inverse.view().row(i).first(static_cast<std::size_t>(n)));
      axpy(-row[i] / pivot, coefficients, a.view().row(i));
    }
    --n;
    for (Index i = 0; i < n; ++i) {
      inverse(i, worst) = inverse(i, n);
    }
    std::copy_n(inverse.view().row_data(n), n, inverse.view().row_data(worst));
    inverse(worst, worst) = inverse(n, n);
    std::ranges::copy(a.view().row(n), a.view().row_data(worst));
    left[worst] = left[n];
    left.pop_back();
    result.history.push_back(result.history.back() + least);
    run.progress("deleting", static_cast<double>(first - n), static_cast<double>(first - size));
  }
  std::ranges::sort(left);
  result.chosen = std::move(left);
  return result;
}

}  // namespace mercer
