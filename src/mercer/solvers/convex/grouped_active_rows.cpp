// Newton's method on the active rows of a classifier with one slack per group: which coefficients are not 0 and which sums
// are at their bound, the step for these, and what it shows of them.
#include <algorithm>
#include <cmath>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/solvers/convex/grouped_program.h"

namespace mercer {

// The barrier keeps the product of a coefficient with the row's way from its edge small, and that of a group's slack with
// what is missing to its bound: whichever is smaller in its own unit is 0.
GroupedProgram::Active GroupedProgram::active(const GroupedJudgement& judgement) const {
  const std::vector<double>& alpha = judgement.point.alpha;
  const double largest = *std::ranges::max_element(alpha);
  const std::vector<double> sums = group_sums(alpha);
  Active result;
  for (std::size_t g = 0; g < bounds_.size(); ++g) {
    result.groups.push_back(bounds_[g] - sums[g] <= bounds_[g] * std::max(judgement.slacks[g], 1e-13));
  }
  for (Index i = 0; i < size(); ++i) {
    const Index g = groups_[i];
    const double edge = result.groups[g] ? judgement.slacks[g] : 0.0;
    const double way = edge - (1 - signs_[i] * (judgement.values[i] + judgement.point.offset));
    result.rows.push_back(alpha[i] > std::min(bounds_[g], largest) * std::max(way, 1e-13));
  }
  return result;
}

// For the active rows F and the full groups A, with a column y per group in B beside that of the constant,
//
//   K_FF β + B c = y_F,   Bᵀβ = d          c = (b, ξ_A),   d = (0, C_A)
//
// five times, for the digits that a shift of the diagonals takes. False where a factorization does not work out.
bool GroupedProgram::newton(const Active& active, GroupedPoint& point, std::vector<double>& slacks) const {
  std::vector<Index> rows;
  std::vector<Index> column(bounds_.size(), -1);
  std::vector<Index> full;
  for (Index i = 0; i < size(); ++i) {
    if (!active.rows[i]) {
      continue;
    }
    rows.push_back(i);
    const Index g = groups_[i];
    if (active.groups[g] && column[g] < 0) {
      full.push_back(g);
      column[g] = static_cast<Index>(full.size());
    }
  }
  const auto count = static_cast<Index>(rows.size());
  const auto unknowns = static_cast<Index>(full.size()) + 1;
  if (count == 0) {
    return false;
  }
  Matrix<double> kernel(count, count);
  Matrix<double> border = Matrix<double>::filled(count, unknowns, 0.0);
  double largest = 0;
  for (Index k = 0; k < count; ++k) {
    for (Index l = 0; l <= k; ++l) {
      kernel(k, l) = gram_(rows[k], rows[l]);
    }
    largest = std::max(largest, kernel(k, k));
    border(k, 0) = 1;
    if (const Index c = column[groups_[rows[k]]]; c > 0) {
      border(k, c) = signs_[rows[k]];
    }
  }
  for (Index k = 0; k < count; ++k) {
    kernel(k, k) += 1e-11 * largest;
  }
  if (!try_cholesky<double>(kernel.view(), run_).ok) {
    return false;
  }
  Matrix<double> solved = Matrix<double>::copy_of(border.view());
  cholesky_solve<double>(kernel.view(), solved.view(), run_);
  Matrix<double> schur = Matrix<double>::filled(unknowns, unknowns, 0.0);
  gemm(1.0, border.view(), Transpose::yes, solved.view(), Transpose::no, 0.0, schur.view());
  for (Index a = 0; a < unknowns; ++a) {
    schur(a, a) *= 1 + 1e-13;
  }
  if (!try_cholesky<double>(schur.view(), run_).ok) {
    return false;
  }
  std::vector<double> alpha(point.alpha.size(), 0.0);
  for (const Index i : rows) {
    alpha[i] = point.alpha[i];
  }
  for (std::size_t g = 0; g < slacks.size(); ++g) {
    slacks[g] = column[g] > 0 ? slacks[g] : 0.0;
  }
  for (int pass = 0; pass < 5; ++pass) {
    const std::vector<double> values = values_of(alpha);
    Matrix<double> step(count, 1);
    Matrix<double> change = Matrix<double>::filled(unknowns, 1, 0.0);
    for (std::size_t a = 0; a < full.size(); ++a) {
      change(static_cast<Index>(a) + 1, 0) = -bounds_[full[a]];
    }
    for (Index k = 0; k < count; ++k) {
      const Index i = rows[k];
      step(k, 0) = signs_[i] * (1 - slacks[groups_[i]]) - values[i] - point.offset;
      change(0, 0) += signs_[i] * alpha[i];
      if (const Index c = column[groups_[i]]; c > 0) {
        change(c, 0) += alpha[i];
      }
    }
    cholesky_solve<double>(kernel.view(), step.view(), run_);
    gemm(1.0, border.view(), Transpose::yes, step.view(), Transpose::no, 1.0, change.view());
    cholesky_solve<double>(schur.view(), change.view(), run_);
    gemm(-1.0, solved.view(), Transpose::no, change.view(), Transpose::no, 1.0, step.view());
    point.offset += change(0, 0);
    for (std::size_t a = 0; a < full.size(); ++a) {
      slacks[full[a]] += change(static_cast<Index>(a) + 1, 0);
    }
    for (Index k = 0; k < count; ++k) {
      alpha[rows[k]] += signs_[rows[k]] * step(k, 0);
    }
  }
  point.alpha = std::move(alpha);
  return std::ranges::all_of(point.alpha, [](double value) { return std::isfinite(value); }) &&
         std::isfinite(point.offset);
}

// Coefficients that became negative are 0, sums above their bound at it, and groups of a negative slack below theirs. Whether
// anything was to be put right.
bool GroupedProgram::correct(Active& active, const GroupedPoint& point, const std::vector<double>& slacks) const {
  constexpr double rounding = 1e-11;
  const double largest = *std::ranges::max_element(point.alpha);
  const std::vector<double> sums = group_sums(point.alpha);
  bool corrected = false;
  for (Index i = 0; i < size(); ++i) {
    if (active.rows[i] && point.alpha[i] <= -rounding * std::min(bounds_[groups_[i]], std::max(largest, 0.0))) {
      active.rows[i] = false;
      corrected = true;
    }
  }
  for (std::size_t g = 0; g < bounds_.size(); ++g) {
    if (!active.groups[g] && sums[g] > bounds_[g] * (1 + rounding)) {
      active.groups[g] = true;
      corrected = true;
    } else if (active.groups[g] && slacks[g] < -rounding) {
      active.groups[g] = false;
      corrected = true;
    }
  }
  return corrected;
}

// The row of every group that is farthest on the wrong side joins. Whether there is one.
bool GroupedProgram::release(Active& active, const GroupedJudgement& judgement) const {
  std::vector<double> edge(bounds_.size(), 0.0);
  for (Index i = 0; i < size(); ++i) {
    if (active.rows[i] && active.groups[groups_[i]]) {
      const double way = 1 - signs_[i] * (judgement.values[i] + judgement.point.offset);
      edge[groups_[i]] = std::max(edge[groups_[i]], way);
    }
  }
  std::vector<Index> worst(bounds_.size(), -1);
  std::vector<double> farthest(bounds_.size(), 1e-11);
  for (Index i = 0; i < size(); ++i) {
    const Index g = groups_[i];
    const double beyond = 1 - signs_[i] * (judgement.values[i] + judgement.point.offset) - edge[g];
    if (!active.rows[i] && beyond > farthest[g]) {
      farthest[g] = beyond;
      worst[g] = i;
    }
  }
  bool released = false;
  for (const Index i : worst) {
    if (i >= 0) {
      active.rows[i] = true;
      released = true;
    }
  }
  return released;
}

}  // namespace mercer
