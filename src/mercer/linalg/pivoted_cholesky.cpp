#include "mercer/linalg/pivoted_cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/linalg/product.h"

namespace mercer {

void PivotedCholeskyOptions::validate() const {
  if (max_rank < 1) {
    reject_argument("max_rank", static_cast<double>(max_rank), "1 or more");
  }
  if (!(tolerance >= 0)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
  if (block < 0) {
    reject_argument("block", static_cast<double>(block), "1 or more, or 0 for automatic");
  }
}

namespace {

constexpr std::uint64_t pivot_stream = 0x7069766f74ULL;
constexpr Index strip = 1024;  // rows per task

template <class T>
class Builder {
 public:
  Builder(std::span<const T> diagonal, const ColumnOracle<T>& oracle, const PivotedCholeskyOptions& options,
          const Run& run)
      : oracle_(oracle),
        options_(options),
        run_(run),
        random_(run.seed(), pivot_stream),
        size_(static_cast<Index>(diagonal.size())),
        capacity_(std::min(options.max_rank, size_)),
        factor_(size_, capacity_) {
    residual_.assign(diagonal.begin(), diagonal.end());
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      if (!(residual_[i] >= 0) || !std::isfinite(residual_[i])) {
        throw InvalidArgument("diagonal entry " + std::to_string(i) + " = " + std::to_string(residual_[i]) +
                              ": must be finite and 0 or more; a positive semidefinite matrix has no other");
      }
    }
    trace_ = std::accumulate(residual_.begin(), residual_.end(), 0.0);
    largest_ = residual_.empty() ? 0.0 : *std::max_element(residual_.begin(), residual_.end());
    result_.trace_errors.push_back(trace_);
  }

  PivotedCholesky<T> build() {
    const Index automatic = std::clamp<Index>(options_.max_rank / 10, 8, 256);
    const Index block = options_.block > 0 ? options_.block : automatic;
    while (rank() < capacity_ && !accurate_enough()) {
      run_.check_stop();
      const std::vector<Index> candidates = draw(block);
      if (candidates.empty()) {
        break;
      }
      add(candidates);
      run_.progress("pivoted cholesky", static_cast<double>(rank()), static_cast<double>(capacity_));
    }
    result_.residual_diagonal = std::move(residual_);
    result_.factor =
        rank() == capacity_ ? std::move(factor_) : Matrix<T>::copy_of(factor_.view().block(0, 0, size_, rank()));
    return std::move(result_);
  }

 private:
  Index rank() const { return static_cast<Index>(result_.pivots.size()); }
  // Residuals below this are noise of the arithmetic.
  double noise() const { return 10 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_; }
  bool accurate_enough() const {
    const double error = result_.trace_errors.back();
    return error <= options_.tolerance * trace_ || *std::max_element(residual_.begin(), residual_.end()) <= noise();
  }

  // Rows drawn with replacement, proportional to their weights and the residual diagonal. Greedy puts the largest one first.
  std::vector<Index> draw(Index block) {
    std::vector<double> cumulative(residual_.size());
    for (std::size_t i = 0; i < cumulative.size(); ++i) {
      const double weight = options_.weights.empty() ? 1.0 : options_.weights[i];
      cumulative[i] = (i > 0 ? cumulative[i - 1] : 0.0) + weight * residual_[i];
    }
    std::vector<Index> drawn;
    if (options_.rule == PivotRule::greedy) {
      drawn.push_back(std::max_element(residual_.begin(), residual_.end()) - residual_.begin());
    }
    while (static_cast<Index>(drawn.size()) < block && cumulative.back() > 0) {
      const double target = random_.uniform() * cumulative.back();
      const auto place = std::upper_bound(cumulative.begin(), cumulative.end(), target);
      const Index row = std::min<Index>(place - cumulative.begin(), size_ - 1);
      const bool seen = std::find(drawn.begin(), drawn.end(), row) != drawn.end();
      if (options_.rule == PivotRule::random || !seen) {
        drawn.push_back(row);
      } else {
        --block;  // greedy has no use for a row twice
      }
    }
    return drawn;
  }

  // The residual K - F F' on candidates x candidates. Without a `square` oracle their columns come along.
  Matrix<T> candidate_residual(const std::vector<Index>& candidates, Matrix<T>& columns) {
    const auto count = static_cast<Index>(candidates.size());
    Matrix<T> h(count, count);
    if (oracle_.square) {
      oracle_.square(candidates, h.view());
    } else {
      columns = Matrix<T>(size_, count);
      oracle_.columns(candidates, columns.view());
      for (Index i = 0; i < count; ++i) {
        std::copy_n(columns.view().row_data(candidates[i]), count, h.view().row_data(i));
      }
    }
    const Matrix<T> rows = factor_rows(candidates);
    gemm(T{-1}, rows.view(), Transpose::no, rows.view(), Transpose::yes, T{1}, h.view());
    return h;
  }

  Matrix<T> factor_rows(const std::vector<Index>& pivots) {
    Matrix<T> rows(static_cast<Index>(pivots.size()), rank());
    for (Index i = 0; i < rows.rows(); ++i) {
      std::copy_n(factor_.view().row_data(pivots[i]), rank(), rows.view().row_data(i));
    }
    return rows;
  }

  // Eliminates column j of h from the columns after it (and, for greedy, from all that are open).
  static void eliminate(MatrixView<T> h, Index j) {
    const T pivot = h(j, j);
    std::vector<T> column(h.rows());
    for (Index i = 0; i < h.rows(); ++i) {
      column[i] = h(i, j) / pivot;
    }
    for (Index i = 0; i < h.rows(); ++i) {
      for (Index k = 0; k < h.columns(); ++k) {
        if (i != j) {
          h(i, k) -= column[i] * h(j, k);
        }
      }
    }
  }

  // Positions, among the candidates, of those that become pivots.
  std::vector<Index> accept_random(MatrixView<T> h, const std::vector<Index>& candidates) {
    std::vector<Index> accepted;
    for (Index j = 0; j < h.rows() && rank() + static_cast<Index>(accepted.size()) < capacity_; ++j) {
      const double before = residual_[candidates[j]];
      const double now = static_cast<double>(h(j, j));
      if (random_.uniform() * before < now && now > noise()) {
        accepted.push_back(j);
        eliminate(h, j);
      }
    }
    return accepted;
  }

  std::vector<Index> accept_greedy(MatrixView<T> h, const std::vector<Index>& candidates) {
    std::vector<bool> open(candidates.size(), true);
    std::vector<double> others = residual_;
    for (const Index row : candidates) {
      others[row] = 0;
    }
    const double outside = *std::max_element(others.begin(), others.end());
    std::vector<Index> accepted;
    while (rank() + static_cast<Index>(accepted.size()) < capacity_) {
      Index best = -1;
      for (Index j = 0; j < h.rows(); ++j) {
        if (open[j] && (best < 0 || h(j, j) > h(best, best))) {
          best = j;
        }
      }
      if (best < 0 || static_cast<double>(h(best, best)) <= noise() ||
          static_cast<double>(h(best, best)) < 0.5 * outside) {
        break;
      }
      accepted.push_back(best);
      open[best] = false;
      eliminate(h, best);
    }
    return accepted;
  }

  void add(const std::vector<Index>& candidates) {
    Matrix<T> columns;
    Matrix<T> h = candidate_residual(candidates, columns);
    const std::vector<Index> accepted =
        options_.rule == PivotRule::random ? accept_random(h.view(), candidates) : accept_greedy(h.view(), candidates);
    if (accepted.empty()) {
      // The residual is smaller than its diagonal says: what the draws found was noise. Forget it.
      for (Index j = 0; j < h.rows(); ++j) {
        double& entry = residual_[candidates[j]];
        entry = std::clamp(static_cast<double>(h(j, j)), 0.0, entry);
        entry = entry <= noise() ? 0.0 : entry;
      }
      return;
    }
    std::vector<Index> pivots;
    for (const Index j : accepted) {
      pivots.push_back(candidates[j]);
    }
    const MatrixView<T> target = factor_.view().block(0, rank(), size_, static_cast<Index>(pivots.size()));
    if (columns.rows() > 0) {
      pick_columns(columns, accepted, target);
    } else {
      Matrix<T> packed(size_, target.columns());
      oracle_.columns(pivots, packed.view());
      std::vector<Index> all(pivots.size());
      std::iota(all.begin(), all.end(), Index{0});
      pick_columns(packed, all, target);
    }
    append(pivots, target);
  }

  void pick_columns(const Matrix<T>& from, const std::vector<Index>& which, MatrixView<T> to) {
    for (Index i = 0; i < size_; ++i) {
      for (Index j = 0; j < to.columns(); ++j) {
        to(i, j) = from(i, which[j]);
      }
    }
  }

  // target holds K(:, pivots); it becomes the new columns G = (K(:, S) - F F(S, :)') R'^-1, R R' = the residual on S.
  void append(const std::vector<Index>& pivots, MatrixView<T> target) {
    const Matrix<T> rows = factor_rows(pivots);
    const ConstMatrixView<T> old = factor_.view().block(0, 0, size_, rank());
    parallel_gemm(T{-1}, old, Transpose::no, rows.view(), Transpose::yes, T{1}, target, run_);
    const Index kept = factor_square(pivots, target);
    const MatrixView<T> added = target.block(0, 0, size_, kept);
    parallel_for(run_, block_count(size_, strip), [&](Index s) {
      trsm(Side::right, Uplo::lower, Transpose::yes, T{1}, ConstMatrixView<T>(root_.view().block(0, 0, kept, kept)),
           added.row_block(block_range(size_, strip, s)));
    });
    for (Index j = 0; j < kept; ++j) {
      double error = 0;
      for (Index i = 0; i < size_; ++i) {
        double& entry = residual_[i];
        entry = std::max(0.0, entry - static_cast<double>(added(i, j)) * static_cast<double>(added(i, j)));
        error += entry;
      }
      const Index pivot = pivots[j];
      error -= residual_[pivot];
      residual_[pivot] = 0;  // exactly, so that no row is drawn twice
      result_.pivots.push_back(pivot);
      result_.trace_errors.push_back(std::max(0.0, error));
    }
  }

  // The Cholesky root of the residual on the pivots, as far as it is positive.
  Index factor_square(const std::vector<Index>& pivots, MatrixView<T> target) {
    const auto count = static_cast<Index>(pivots.size());
    root_ = Matrix<T>::filled(count, count, T{0});
    for (Index j = 0; j < count; ++j) {
      for (Index i = j; i < count; ++i) {
        double sum = static_cast<double>(target(pivots[i], j));
        for (Index k = 0; k < j; ++k) {
          sum -= static_cast<double>(root_(i, k)) * static_cast<double>(root_(j, k));
        }
        if (i == j && !(sum > 0.1 * noise())) {
          if (j == 0) {
            throw NumericalError("pivoted Cholesky met a matrix that is not positive semidefinite (row " +
                                 std::to_string(pivots[0]) + ", residual " + std::to_string(sum) + ")");
          }
          return j;
        }
        root_(i, j) = static_cast<T>(i == j ? std::sqrt(sum) : sum / static_cast<double>(root_(j, j)));
      }
    }
    return count;
  }

  const ColumnOracle<T>& oracle_;
  const PivotedCholeskyOptions& options_;
  const Run& run_;
  RandomStream random_;
  Index size_, capacity_;
  Matrix<T> factor_, root_;
  std::vector<double> residual_;
  double trace_ = 0;
  double largest_ = 0;
  PivotedCholesky<T> result_;
};

}  // namespace

template <class T>
PivotedCholesky<T> pivoted_cholesky(std::span<const std::type_identity_t<T>> diagonal, const ColumnOracle<T>& oracle,
                                    const PivotedCholeskyOptions& options, const Run& run) {
  options.validate();
  if (diagonal.empty()) {
    PivotedCholesky<T> empty;
    empty.trace_errors = {0.0};
    return empty;
  }
  return Builder<T>(diagonal, oracle, options, run).build();
}

template PivotedCholesky<double> pivoted_cholesky<double>(std::span<const double>, const ColumnOracle<double>&,
                                                          const PivotedCholeskyOptions&, const Run&);
template PivotedCholesky<float> pivoted_cholesky<float>(std::span<const float>, const ColumnOracle<float>&,
                                                        const PivotedCholeskyOptions&, const Run&);

}  // namespace mercer
