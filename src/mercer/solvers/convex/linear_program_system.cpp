#include "mercer/solvers/convex/linear_program_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

using ProgramNumbers = std::vector<double>;

// Rounding of the products is of the size of what is added beside; refinement takes that back out of the solution.
template <class Entry>
void add_program_diagonal(Matrix<double>& matrix, Entry entry) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    matrix(i, i) += entry(static_cast<std::size_t>(i));
    matrix(i, i) += 1e-15 * matrix(i, i);
  }
}

}  // namespace

ProgramSystem::ProgramSystem(ConstMatrixView<double> features)
    : features_(features),
      by_rows_(features.rows() <= features.columns()),
      kept_(by_rows_ ? features.rows() : std::min(features.rows(), features.columns() + features.columns() / 4 + 8)),
      held_(kept_, kept_),
      inner_(static_cast<std::size_t>(features.columns()), 0.0) {
  order_.resize(features.rows());
  std::iota(order_.begin(), order_.end(), Index{0});
  if (!by_rows_) {
    columns_factor_ = Matrix<double>(features.columns(), features.columns());
  }
}

bool ProgramSystem::factorize(std::span<const double> columns, std::span<const double> rows, const Run& run) {
  columns_ = columns;
  rows_ = rows;
  const bool ok = by_rows_ ? factorize_rows(run) : factorize_columns(run);
  return ok && try_cholesky<double>(held_.view(), run).ok;
}

void ProgramSystem::solve(std::span<const double> right, std::vector<double>& x, const Run& run) {
  const std::size_t n = right.size();
  ProgramNumbers residual(right.begin(), right.end());
  ProgramNumbers correction(n);
  x.assign(n, 0.0);
  double before = nrm2(right);
  for (int pass = 0; pass < 4 && before > 0; ++pass) {
    apply_inverse(residual, correction, run);
    ProgramNumbers next = x;
    axpy(1.0, correction, next);
    multiply(next, residual);
    for (std::size_t i = 0; i < n; ++i) {
      residual[i] = right[i] - residual[i];
    }
    const double after = nrm2(residual);
    if (!(after < before) && pass > 0) {
      return;
    }
    x = std::move(next);
    if (after <= 1e-15 * nrm2(right) || !(after < 0.5 * before)) {
      return;
    }
    before = after;
  }
}

template <class WriteRow>
void ProgramSystem::copy_scaled(const Run& run, WriteRow write_row) {
  const MatrixView<double> to = scaled_.view();
  parallel_for(run, (to.rows() + 63) / 64, [&](Index block) {
    for (Index i = block * 64; i < std::min(to.rows(), block * 64 + 64); ++i) {
      write_row(i, to.row_data(i));
    }
  });
}
bool ProgramSystem::factorize_rows(const Run& run) {
  scaled_ = Matrix<double>(features_.rows(), features_.columns());
  copy_scaled(run, [this](Index i, double* to) {
    const double* from = features_.row_data(i);
    for (Index j = 0; j < features_.columns(); ++j) {
      to[j] = from[j] * std::sqrt(columns_[j]);
    }
  });
  parallel_syrk<double>(1.0, scaled_.view(), Transpose::no, 0.0, held_.view(), run);
  add_program_diagonal(held_, [this](std::size_t i) { return rows_[i]; });
  return true;
}

bool ProgramSystem::factorize_columns(const Run& run) {
  // The rows of least E first; ties by their number, so that the order depends on the numbers alone.
  std::nth_element(order_.begin(), order_.begin() + (kept_ == features_.rows() ? kept_ - 1 : kept_), order_.end(),
                   [this](Index a, Index b) {
                     const double first = row(a);
                     const double second = row(b);
                     return first < second || (first == second && a < b);
                   });
  scaled_ = Matrix<double>(features_.rows() - kept_, features_.columns());
  copy_scaled(run, [this](Index i, double* to) {
    const Index source = order_[kept_ + i];
    const double factor = std::sqrt(1 / row(source));
    const double* from = features_.row_data(source);
    for (Index j = 0; j < features_.columns(); ++j) {
      to[j] = factor * from[j];
    }
  });
  parallel_syrk<double>(1.0, scaled_.view(), Transpose::yes, 0.0, columns_factor_.view(), run);
  add_program_diagonal(columns_factor_, [this](std::size_t j) { return 1 / columns_[j]; });
  if (!try_cholesky<double>(columns_factor_.view(), run).ok) {
    return false;
  }
  Matrix<double> spread(features_.columns(), kept_);
  for (Index s = 0; s < kept_; ++s) {
    const double* from = features_.row_data(order_[s]);
    for (Index j = 0; j < features_.columns(); ++j) {
      spread(j, s) = from[j];
    }
  }
  solve_lower<double>(columns_factor_.view(), Transpose::no, spread.view(), run);
  parallel_syrk<double>(1.0, spread.view(), Transpose::yes, 0.0, held_.view(), run);
  add_program_diagonal(held_, [this](std::size_t s) { return row(order_[s]); });
  return true;
}

void ProgramSystem::apply_inverse(const ProgramNumbers& right, ProgramNumbers& x, const Run& run) {
  x = right;
  if (by_rows_) {
    cholesky_solve<double>(held_.view(), std::span<double>(x), run);
    return;
  }
  ProgramNumbers weighted = right;
  for (std::size_t i = 0; i < x.size(); ++i) {
    weighted[i] /= rows_[i];
  }
  for (Index s = 0; s < kept_; ++s) {
    weighted[order_[s]] = 0;
  }
  ProgramNumbers columns(inner_.size());
  gemv(1.0, features_, Transpose::yes, weighted, 0.0, columns);
  ProgramNumbers solved = columns;
  cholesky_solve<double>(columns_factor_.view(), std::span<double>(solved), run);
  ProgramNumbers held(static_cast<std::size_t>(kept_));
  for (std::size_t s = 0; s < held.size(); ++s) {
    held[s] = right[order_[s]] - dot(features_.row(order_[s]), solved);
  }
  cholesky_solve<double>(held_.view(), std::span<double>(held), run);
  for (std::size_t s = 0; s < held.size(); ++s) {
    axpy(held[s], features_.row(order_[s]), columns);
  }
  cholesky_solve<double>(columns_factor_.view(), std::span<double>(columns), run);
  gemv(-1.0, features_, Transpose::no, columns, 1.0, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] /= rows_[i];
  }
  for (std::size_t s = 0; s < held.size(); ++s) {
    x[order_[s]] = held[s];
  }
}
void ProgramSystem::multiply(const ProgramNumbers& x, ProgramNumbers& out) {
  out.resize(x.size());
  gemv(1.0, features_, Transpose::yes, x, 0.0, inner_);
  for (std::size_t j = 0; j < inner_.size(); ++j) {
    inner_[j] *= columns_[j];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = rows_[i] * x[i];
  }
  gemv(1.0, features_, Transpose::no, inner_, 1.0, out);
}

}  // namespace mercer
