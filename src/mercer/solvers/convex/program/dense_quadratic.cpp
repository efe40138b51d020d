#include "mercer/solvers/convex/program/dense_quadratic.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr Index dense_strip = 128;  // rows that one task reads

class DenseFactor final : public QuadraticFactor {
 public:
  DenseFactor(ConstMatrixView<double> quadratic, std::span<const double> given, Index size)
      : quadratic_(quadratic), given_(given), factor_(size, size), half_(static_cast<std::size_t>(size)) {}

  bool factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) override;
  void reduce(std::span<const double> right, std::span<double> out, const Run& run) override;
  void finish(std::span<const double> multipliers, std::span<double> step, const Run& run) override;

 private:
  void copy_quadratic(const Run& run);
  void add_rows(const WeightedRows& added, const Run& run);
  void add_diagonal(std::span<const double> diagonal, double relative_shift);
  void find_schur(ConstMatrixView<double> rows, MatrixView<double> out, const Run& run);

  ConstMatrixView<double> quadratic_;
  std::span<const double> given_;
  Matrix<double> factor_;
  Matrix<double> spread_;     // L⁻¹Bᵀ, n × m
  std::vector<double> half_;  // L⁻¹r
};

void DenseFactor::copy_quadratic(const Run& run) {
  const MatrixView<double> to = factor_.view();
  parallel_for(run, block_count(to.rows(), dense_strip), [&](Index block) {
    const IndexRange rows = block_range(to.rows(), dense_strip, block);
    for (Index i = rows.begin; i < rows.end; ++i) {
      if (quadratic_.empty()) {
        std::fill_n(to.row_data(i), i + 1, 0.0);
      } else {
        std::copy_n(quadratic_.row_data(i), i + 1, to.row_data(i));
      }
    }
  });
}

void DenseFactor::add_rows(const WeightedRows& added, const Run& run) {
  Matrix<double> scaled(added.rows.rows(), added.rows.columns());
  parallel_for(run, block_count(scaled.rows(), dense_strip), [&](Index block) {
    const IndexRange rows = block_range(scaled.rows(), dense_strip, block);
    for (Index i = rows.begin; i < rows.end; ++i) {
      const double weight = std::sqrt(added.weights[static_cast<std::size_t>(i)]);
      const std::span<const double> from = added.rows.row(i);
      std::transform(from.begin(), from.end(), scaled.view().row_data(i), [&](double v) { return weight * v; });
    }
  });
  parallel_syrk<double>(1.0, scaled.view(), Transpose::yes, 1.0, factor_.view(), run);
}

// 1e40 times the largest entry keeps a variable where it is: what is left of its step is 1e-40 of the others'.
void DenseFactor::add_diagonal(std::span<const double> diagonal, double relative_shift) {
  double largest = 0;
  for (std::size_t i = 0; i < half_.size(); ++i) {
    double& entry = factor_(static_cast<Index>(i), static_cast<Index>(i));
    if (std::isfinite(diagonal[i])) {
      entry += diagonal[i] + (given_.empty() ? 0.0 : given_[i]);
      entry += relative_shift * std::abs(entry);
      largest = std::max(largest, std::abs(entry));
    }
  }
  for (std::size_t i = 0; i < half_.size(); ++i) {
    if (!std::isfinite(diagonal[i])) {
      factor_(static_cast<Index>(i), static_cast<Index>(i)) = 1e40 * (largest > 0 ? largest : 1.0);
    }
  }
}

bool DenseFactor::factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) {
  copy_quadratic(run);
  if (!input.added.rows.empty()) {
    add_rows(input.added, run);
  }
  add_diagonal(input.diagonal, input.relative_shift);
  if (!try_cholesky<double>(factor_.view(), run).ok) {
    return false;
  }
  if (!input.rows.empty()) {
    find_schur(input.rows, schur, run);
  }
  return true;
}

void DenseFactor::find_schur(ConstMatrixView<double> rows, MatrixView<double> out, const Run& run) {
  if (spread_.columns() != rows.rows()) {
    spread_ = Matrix<double>(rows.columns(), rows.rows());
  }
  const MatrixView<double> spread = spread_.view();
  parallel_for(run, block_count(spread.rows(), dense_strip), [&](Index block) {
    const IndexRange columns = block_range(spread.rows(), dense_strip, block);
    for (Index j = columns.begin; j < columns.end; ++j) {
      for (Index i = 0; i < rows.rows(); ++i) {
        spread(j, i) = rows(i, j);
      }
    }
  });
  if (spread.columns() == 1) {
    solve_lower<double>(factor_.view(), Transpose::no, std::span<double>(spread.data(), half_.size()), run);
  } else {
    solve_lower<double>(factor_.view(), Transpose::no, spread, run);
  }
  parallel_syrk<double>(1.0, spread, Transpose::yes, 0.0, out, run);
}

void DenseFactor::reduce(std::span<const double> right, std::span<double> out, const Run& run) {
  std::copy(right.begin(), right.end(), half_.begin());
  solve_lower<double>(factor_.view(), Transpose::no, std::span<double>(half_), run);
  if (!out.empty()) {
    gemv(1.0, spread_.view(), Transpose::yes, half_, 0.0, out);
  }
}

void DenseFactor::finish(std::span<const double> multipliers, std::span<double> step, const Run& run) {
  std::copy(half_.begin(), half_.end(), step.begin());
  if (!multipliers.empty()) {
    gemv(1.0, spread_.view(), Transpose::no, multipliers, 1.0, step);
  }
  solve_lower<double>(factor_.view(), Transpose::yes, step, run);
}

}  // namespace

std::unique_ptr<QuadraticFactor> make_dense_factor(ConstMatrixView<double> quadratic, std::span<const double> given,
                                                   Index size) {
  return std::make_unique<DenseFactor>(quadratic, given, size);
}

DenseQuadratic::DenseQuadratic(ConstMatrixView<double> matrix) : matrix_(matrix) { require_symmetric(); }

DenseQuadratic::DenseQuadratic(Matrix<double> matrix) : own_(std::move(matrix)), matrix_(own_.view()) {
  require_symmetric();
}

template <class T>
std::unique_ptr<DenseQuadratic> DenseQuadratic::of_gram(const Gram<T>& gram, std::span<const double> signs,
                                                        const Run& run) {
  const Index n = gram.size();
  if (!signs.empty() && static_cast<Index>(signs.size()) != n) {
    throw InvalidArgument("convex programme: " + std::to_string(signs.size()) + " signs for a Gram matrix of " +
                          std::to_string(n) + " rows: there must be one for each");
  }
  Matrix<double> matrix(n, n);
  parallel_for(run, block_count(n, dense_strip), [&](Index block) {
    const IndexRange rows = block_range(n, dense_strip, block);
    Matrix<T> tile(rows.size(), n);
    gram.tile(rows, {0, n}, tile.view());
    for (Index i = rows.begin; i < rows.end; ++i) {
      for (Index j = 0; j < n; ++j) {
        const double sign =
            signs.empty() ? 1.0 : signs[static_cast<std::size_t>(i)] * signs[static_cast<std::size_t>(j)];
        matrix(i, j) = sign * static_cast<double>(tile(i - rows.begin, j));
      }
    }
  });
  // Tiles of other shapes may differ in their last bits.
  parallel_for(run, block_count(n, dense_strip), [&](Index block) {
    const IndexRange rows = block_range(n, dense_strip, block);
    for (Index i = rows.begin; i < rows.end; ++i) {
      for (Index j = i + 1; j < n; ++j) {
        matrix(i, j) = matrix(j, i);
      }
    }
  });
  return std::make_unique<DenseQuadratic>(std::move(matrix));
}

void DenseQuadratic::require_symmetric() const {
  const Index n = matrix_.rows();
  if (matrix_.columns() != n) {
    throw InvalidArgument("convex programme: Q is " + std::to_string(n) + " x " + std::to_string(matrix_.columns()) +
                          ": it must be square");
  }
  double largest = 0;
  double difference = 0;
  for (Index ib = 0; ib < n; ib += 64) {
    for (Index jb = 0; jb <= ib; jb += 64) {
      for (Index i = ib; i < std::min(n, ib + 64); ++i) {
        for (Index j = jb; j < std::min(i + 1, jb + 64); ++j) {
          const double value = matrix_(i, j);
          if (!std::isfinite(value) || !std::isfinite(matrix_(j, i))) {
            throw InvalidArgument("convex programme: Q(" + std::to_string(i) + ", " + std::to_string(j) +
                                  ") is not finite");
          }
          largest = std::max(largest, std::abs(value));
          difference = std::max(difference, std::abs(value - matrix_(j, i)));
        }
      }
    }
  }
  if (difference > 1e-12 * largest) {
    throw InvalidArgument(
        "convex programme: Q is not symmetric: entries on both sides of the diagonal differ; give "
        "(Q + Qᵀ)/2, which has the same xᵀQx");
  }
}

void DenseQuadratic::diagonal(std::span<double> out) const {
  for (Index i = 0; i < size(); ++i) {
    out[static_cast<std::size_t>(i)] = matrix_(i, i);
  }
}

void DenseQuadratic::multiply(std::span<const double> x, std::span<double> out, const Run& run) const {
  parallel_for(run, block_count(size(), dense_strip), [&](Index block) {
    const IndexRange rows = block_range(size(), dense_strip, block);
    gemv(1.0, matrix_.row_block(rows), Transpose::no, x, 0.0,
         out.subspan(static_cast<std::size_t>(rows.begin), static_cast<std::size_t>(rows.size())));
  });
}

std::unique_ptr<QuadraticFactor> DenseQuadratic::make_factor(AddedRows /*added*/) const {
  return make_dense_factor(matrix_, {}, size());
}

template std::unique_ptr<DenseQuadratic> DenseQuadratic::of_gram<double>(const Gram<double>&, std::span<const double>,
                                                                         const Run&);
template std::unique_ptr<DenseQuadratic> DenseQuadratic::of_gram<float>(const Gram<float>&, std::span<const double>,
                                                                        const Run&);

}  // namespace mercer
