#include "mercer/solvers/convex/interior/newton_system.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/solvers/convex/program/row_products.h"

namespace mercer {

namespace {

constexpr double relative_schur_shift = 1e-13;
constexpr double relative_softness = 1e-10;  // of a range: no stiffer than this beside Q

}  // namespace

NewtonSystem::NewtonSystem(const QuadraticTerm& quadratic, const ProgramRows& rows)
    : quadratic_(quadratic),
      rows_(rows),
      eliminates_ranges_(quadratic.takes_added_rows() && rows.ranges() > quadratic.size()),
      kept_(eliminates_ranges_ ? rows.equalities() : rows.count()),
      factor_(quadratic.make_factor(eliminates_ranges_ ? AddedRows::some : AddedRows::none)),
      schur_(kept_, kept_),
      x_residual_(static_cast<std::size_t>(quadratic.size())),
      y_residual_(static_cast<std::size_t>(rows.count())) {}

void NewtonSystem::factorize(std::span<const double> diagonal, std::span<const double> range_softness, double unit,
                             const Run& run) {
  given_.assign(diagonal.begin(), diagonal.end());
  const double least_softness = relative_softness / unit;
  softness_.assign(range_softness.begin(), range_softness.end());
  for (double& soft : softness_) {
    soft += least_softness;
  }
  stiffness_.resize(eliminates_ranges_ ? softness_.size() : 0);
  for (std::size_t i = 0; i < stiffness_.size(); ++i) {
    stiffness_[i] = 1 / softness_[i];
  }
  added_ = quadratic_.least_relative_diagonal() * unit;
  relative_shift_ = 1e-15;
  for (int attempt = 0; attempt < 5; ++attempt, added_ *= 10, relative_shift_ *= 100) {
    diagonal_ = given_;
    for (std::size_t j = 0; j < diagonal_.size(); ++j) {
      diagonal_[j] += added_ * rows_.column_sizes()[j] * rows_.column_sizes()[j];
    }
    if (try_factorize(run)) {
      return;
    }
  }
  throw NumericalError(
      "convex programme: Q is not positive semidefinite, so that the programme is not convex; if it "
      "should be, add a multiple of the identity to Q that covers its rounding");
}

bool NewtonSystem::try_factorize(const Run& run) {
  const FactorInput input{diagonal_, eliminates_ranges_ ? WeightedRows{rows_.range_rows(), stiffness_} : WeightedRows{},
                          rows_.rows().row_block({0, kept_}), relative_shift_};
  if (!factor_->factorize(input, schur_.view(), run)) {
    return false;
  }
  double largest = 0;
  for (Index i = 0; i < kept_; ++i) {
    largest = std::max(largest, schur_(i, i));
  }
  for (Index i = 0; i < kept_; ++i) {
    const double soft = i >= rows_.equalities() ? softness_[static_cast<std::size_t>(i - rows_.equalities())] : 0.0;
    const double entry = schur_(i, i) + soft;
    // A row whose variables are all fixed has nothing that moves it.
    schur_(i, i) = entry + (relative_schur_shift + relative_shift_) * std::max(entry, 1e-16 * largest) + 1e-280;
  }
  return kept_ == 0 || try_cholesky<double>(schur_.view(), run).ok;
}

void NewtonSystem::solve(std::span<const double> r, std::span<const double> s, std::span<double> x, std::span<double> y,
                         Refinement refinement, const Run& run) {
  solve_once(r, s, x, y, run);
  const int passes = refinement == Refinement::none ? 0 : refinement == Refinement::one ? 1 : 3;
  std::vector<double> x_correction(x.size());
  std::vector<double> y_correction(y.size());
  double before = passes > 0 ? find_residual(r, s, x, y, run) : 0.0;
  for (int pass = 0; pass < passes && before > 0; ++pass) {
    const std::vector<double> right = x_residual_;
    const std::vector<double> side = y_residual_;
    solve_once(right, side, x_correction, y_correction, run);
    axpy(1.0, x_correction, x);
    axpy(1.0, y_correction, y);
    const double after = find_residual(r, s, x, y, run);
    if (!(after < before)) {
      axpy(-1.0, x_correction, x);
      axpy(-1.0, y_correction, y);
      return;
    }
    before = after;
  }
}

void NewtonSystem::solve_once(std::span<const double> r, std::span<const double> s, std::span<double> x,
                              std::span<double> y, const Run& run) {
  std::vector<double> right(r.begin(), r.end());
  const auto equalities = static_cast<std::size_t>(rows_.equalities());
  const auto kept = static_cast<std::size_t>(kept_);
  if (eliminates_ranges_) {
    std::vector<double> pull(stiffness_.size());
    for (std::size_t i = 0; i < pull.size(); ++i) {
      pull[i] = stiffness_[i] * s[equalities + i];
    }
    std::vector<double> moved(right.size());
    multiply_rows_transposed(rows_.range_rows(), pull, moved, run);
    axpy(1.0, moved, right);
  }
  for (std::size_t j = 0; j < right.size(); ++j) {
    if (!std::isfinite(given_[j])) {
      right[j] = 0;
    }
  }
  const std::span<double> multipliers = y.first(kept);
  std::vector<double> known(kept);
  factor_->reduce(right, known, run);
  for (std::size_t i = 0; i < kept; ++i) {
    multipliers[i] = s[i] - known[i];
  }
  if (kept > 0) {
    cholesky_solve<double>(schur_.view(), multipliers, run);
  }
  factor_->finish(multipliers, x, run);
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!std::isfinite(given_[j])) {
      x[j] = 0;
    }
  }
  if (eliminates_ranges_) {
    const std::span<double> ranges = y.subspan(equalities);
    multiply_rows(rows_.range_rows(), x, ranges, run);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ranges[i] = stiffness_[i] * (s[equalities + i] - ranges[i]);
    }
  }
}

// Of the system without what was added; its size relative to the right sides.
double NewtonSystem::find_residual(std::span<const double> r, std::span<const double> s, std::span<const double> x,
                                   std::span<const double> y, const Run& run) {
  std::vector<double> product(x.size(), 0.0);
  if (!quadratic_.is_zero()) {
    quadratic_.multiply(x, product, run);
  }
  std::vector<double> pull(x.size(), 0.0);
  if (!y.empty()) {
    multiply_rows_transposed(rows_.rows(), y, pull, run);
    multiply_rows(rows_.rows(), x, y_residual_, run);
  }
  double x_size = 0;
  double x_unit = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const bool fixed = !std::isfinite(given_[j]);
    x_residual_[j] = fixed ? 0.0 : r[j] - product[j] - given_[j] * x[j] + pull[j];
    x_size = std::max(x_size, std::abs(x_residual_[j]));
    x_unit = std::max(x_unit, fixed ? 0.0 : std::max(std::abs(r[j]), std::abs(pull[j])));
  }
  double y_size = 0;
  double y_unit = 0;
  const auto equalities = static_cast<std::size_t>(rows_.equalities());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double soft = i < equalities ? 0.0 : softness_[i - equalities];
    y_unit = std::max({y_unit, std::abs(s[i]), std::abs(y_residual_[i])});
    y_residual_[i] = s[i] - y_residual_[i] - soft * y[i];
    y_size = std::max(y_size, std::abs(y_residual_[i]));
  }
  return (x_unit > 0 ? x_size / x_unit : x_size) + (y_unit > 0 ? y_size / y_unit : y_size);
}

}  // namespace mercer
