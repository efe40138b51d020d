// Of the linear programme
//
//   max uᵀy − Σ|u_i|e_i     Ku = 0,  Σu = 0,  Σ|u| = 1
//
// with u = 0 where a row may be outside or a width grow, as uᵀy = uᵀ(y − f) ≤ Σ|u_i|(e_i + t) for every f. Ku = 0 is asked
// for in eigenvectors of the centered K, those beyond rounding; they are the functions of the other side, whose coefficients
// are the multipliers.
#include "mercer/solvers/convex/tube_excess.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/linalg/center.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/solvers/convex/interior/interior_point.h"

namespace mercer {

namespace {

constexpr double excess_tolerance = 1e-9;
constexpr Index most_excess_iterations = 200;
constexpr double sides_meet = 1e-6;  // of the largest |y|: what the two sides of the least width may differ
constexpr double unbounded_above = std::numeric_limits<double>::infinity();

double fixed_width(const ShapedTube& problem, Index i) { return problem.fixed.empty() ? 0.0 : problem.fixed[i]; }

// Whether the row is within its fixed width or nowhere.
std::vector<char> rigid_rows(const ShapedTube& problem) {
  std::vector<char> rigid;
  for (Index i = 0; i < static_cast<Index>(problem.targets.size()); ++i) {
    bool is_fixed = std::isinf(problem.bounds[i]);
    for (Index q = 0; q < problem.shapes.columns(); ++q) {
      is_fixed = is_fixed && problem.shapes(i, q) == 0;
    }
    rigid.push_back(is_fixed ? 1 : 0);
  }
  return rigid;
}

// Orthonormal rows of (u₊, u₋): of the constant, of the functions of K beyond rounding; and at last that of Σ|u|.
Matrix<double> equality_rows(ConstMatrixView<double> gram, const Run& run) {
  const Index n = gram.rows();
  Matrix<double> centered = Matrix<double>::copy_of(gram);
  double largest = 0;
  for (Index i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(gram(i, i)));
  }
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * largest;
  center_symmetric(centered.view());
  const SymmetricEigen<double> eigen = symmetric_eigen(centered.view(), run);
  std::vector<Index> kept;
  for (Index k = 0; k < n; ++k) {
    if (eigen.values[k] > rounding * static_cast<double>(n)) {
      kept.push_back(k);
    }
  }
  Matrix<double> rows(static_cast<Index>(kept.size()) + 2, 2 * n);
  const auto fill = [&](Index row, Index i, double value) {
    rows(row, i) = value;
    rows(row, n + i) = -value;
  };
  for (Index i = 0; i < n; ++i) {
    fill(0, i, 1 / std::sqrt(static_cast<double>(n)));
    for (std::size_t k = 0; k < kept.size(); ++k) {
      fill(static_cast<Index>(k) + 1, i, eigen.vectors(i, kept[k]));
    }
    rows(rows.rows() - 1, i) = 1;
    rows(rows.rows() - 1, n + i) = 1;
  }
  return rows;
}

}  // namespace

std::optional<double> least_tube_excess(const ShapedTube& problem, const Run& run) {
  const std::vector<char> rigid = rigid_rows(problem);
  if (std::ranges::count(rigid, 1) == 0) {
    return std::nullopt;
  }
  const auto n = static_cast<Index>(problem.targets.size());
  double unit = std::numeric_limits<double>::min();
  for (const double y : problem.targets) {
    unit = std::max(unit, std::abs(y));
  }
  const Matrix<double> rows = equality_rows(problem.gram, run);
  const Index count = rows.rows();
  ConvexProgram program{.equality = rows.view()};
  program.equality_values.assign(static_cast<std::size_t>(count), 0.0);
  program.equality_values.back() = 1;
  for (const double side : {1.0, -1.0}) {
    for (Index i = 0; i < n; ++i) {
      program.linear.push_back((fixed_width(problem, i) - side * problem.targets[i]) / unit);
      program.lower.push_back(0.0);
      program.upper.push_back(rigid[i] != 0 ? unbounded_above : 0.0);
    }
  }
  const ConvexSolution found = solve_convex_program(
      program,
      {.tolerance = excess_tolerance, .max_iterations = most_excess_iterations, .certificates = Certificates::off},
      run);
  if (static_cast<Index>(found.point.equality_multipliers.size()) != count) {
    return std::nullopt;
  }
  // What the functions of the multipliers need, and what u proves after its rounding is taken out of it.
  std::vector<double> u;
  std::vector<double> missed(problem.targets.begin(), problem.targets.end());
  for (Index i = 0; i < n; ++i) {
    u.push_back(found.point.x[i] - found.point.x[n + i]);
  }
  for (Index k = 0; k + 1 < count; ++k) {
    const double* const direction = rows.view().row_data(k);
    double product = 0;
    for (Index i = 0; i < n; ++i) {
      product += direction[i] * u[i];
    }
    for (Index i = 0; i < n; ++i) {
      u[i] -= product * direction[i];
      missed[i] += unit * found.point.equality_multipliers[k] * direction[i];
    }
  }
  double enough = -unbounded_above;
  double proven = 0;
  double size_of_u = 0;
  for (Index i = 0; i < n; ++i) {
    const double width = fixed_width(problem, i);
    enough = rigid[i] != 0 ? std::max(enough, std::abs(missed[i]) - width) : enough;
    proven += u[i] * problem.targets[i] - std::abs(u[i]) * width;
    size_of_u += std::abs(u[i]);
  }
  proven /= size_of_u;
  return std::abs(enough - proven) <= sides_meet * unit ? std::optional(enough) : std::nullopt;
}

}  // namespace mercer
