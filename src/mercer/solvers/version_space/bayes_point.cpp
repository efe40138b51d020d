#include "mercer/solvers/version_space/bayes_point.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/wrappers.h"
#include "mercer/linalg/pivoted_cholesky.h"
#include "mercer/linalg/triangular.h"
#include "mercer/solvers/svm/one_class_dual.h"

namespace mercer {

namespace {

PivotedCholesky<double> factor_of(const Gram<double>& gram, const Run& run) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  std::vector<Index> all(gram.size());
  for (Index i = 0; i < gram.size(); ++i) {
    all[i] = i;
  }
  const ColumnOracle<double> oracle{
      .columns = [&](std::span<const Index> pivots, MatrixView<double> out) { gram.gather(all, pivots, out, run); },
      .square = [&](std::span<const Index> pivots, MatrixView<double> out) { gram.gather(pivots, pivots, out, run); }};
  PivotedCholesky<double> factor =
      pivoted_cholesky<double>(diagonal, oracle, {.max_rank = gram.size(), .rule = PivotRule::greedy}, run);
  if (factor.rank() == 0) {
    throw NumericalError("all kernel values are 0: no sample is on any side of a plane through the origin");
  }
  return factor;
}

// The plane of the largest margin: the nearest point of the hull of all y_iΦ(x_i) to the origin.
std::vector<double> separating_direction(const Gram<double>& gram, std::span<const double> signs,
                                         ConstMatrixView<double> factor, const Run& run) {
  const std::vector<double> weights(signs.size(), 1.0);
  const double nu = 1 / static_cast<double>(signs.size());  // no bound holds: a hard margin
  const SvmDual dual =
      solve_labeled_one_class(gram, signs, nu, weights, {.tolerance = 0.1, .scale = GapScale::relative}, run);
  std::vector<double> direction(factor.columns(), 0.0);
  for (Index i = 0; i < factor.rows(); ++i) {
    for (Index c = 0; c < factor.columns(); ++c) {
      direction[c] += dual.coefficients[i] * factor(i, c);
    }
  }
  return direction;
}

// y_iΦ(x_i) in coordinates.
Matrix<double> signed_rows(ConstMatrixView<double> factor, std::span<const double> signs) {
  Matrix<double> rows = Matrix<double>::copy_of(factor);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (double& value : rows.view().row(i)) {
      value *= signs[i];
    }
  }
  return rows;
}

void require_inside(ConstMatrixView<double> normals, std::span<const double> direction) {
  double squared = 0;
  for (const double component : direction) {
    squared += component * component;
  }
  for (Index i = 0; i < normals.rows(); ++i) {
    double side = 0;
    double length = 0;
    for (Index c = 0; c < normals.columns(); ++c) {
      side += normals(i, c) * direction[c];
      length += normals(i, c) * normals(i, c);
    }
    constexpr double rounding = 1e-12;
    if (length > 0 && !(side > rounding * std::sqrt(length * squared))) {
      throw NumericalError(
          "no plane through the origin of feature space has the classes on its two sides, within the accuracy of the "
          "kernel values: the version space is empty. A ridge above 0 makes one");
    }
  }
}

// Coefficients on the pivots for directions, one per row: Aᵀ with F_pᵀ A = V.
Matrix<double> coefficients_of(const PivotedCholesky<double>& factor, ConstMatrixView<double> directions,
                               const Run& run) {
  const Index rank = factor.rank();
  Matrix<double> triangle(rank, rank);
  Matrix<double> solution(rank, directions.rows());
  for (Index p = 0; p < rank; ++p) {
    std::copy_n(factor.factor.view().row_data(factor.pivots[p]), rank, triangle.view().row_data(p));
    for (Index k = 0; k < directions.rows(); ++k) {
      solution(p, k) = directions(k, p);
    }
  }
  solve_lower<double>(triangle.view(), Transpose::yes, solution.view(), run);
  Matrix<double> result = Matrix<double>::filled(factor.factor.rows(), directions.rows(), 0.0);
  for (Index p = 0; p < rank; ++p) {
    std::ranges::copy(solution.view().row(p), result.view().row_data(factor.pivots[p]));
  }
  return result;
}

}  // namespace

BayesPoint sample_bayes_point(const Gram<double>& gram, std::span<const double> signs, double ridge,
                              const HitAndRunOptions& options, const Run& run) {
  const ShiftedGram<double> ridged(borrowed(gram), ridge);
  const PivotedCholesky<double> factor = factor_of(ridged, run);
  const Matrix<double> normals = signed_rows(factor.factor.view(), signs);
  const std::vector<double> start = separating_direction(ridged, signs, factor.factor.view(), run);
  require_inside(normals.view(), start);
  const ConeDraws cone = draw_from_cone(normals.view(), start, options, run);
  BayesPoint result;
  result.draws = coefficients_of(factor, cone.directions.view(), run);
  result.coefficients.resize(gram.size());
  for (Index i = 0; i < gram.size(); ++i) {
    double sum = 0;
    for (const double coefficient : result.draws.view().row(i)) {
      sum += coefficient;
    }
    result.coefficients[i] = sum / static_cast<double>(result.draws.columns());
  }
  double squared = 0;
  for (const double component : cone.mean) {
    squared += component * component;
  }
  result.length = std::sqrt(squared);
  result.split_r_hat = cone.split_r_hat;
  result.effective_size = cone.effective_size;
  result.given_up =
      static_cast<double>(cone.given_up) / static_cast<double>(options.chains * options.draws * options.thin);
  result.dimension = factor.rank();
  return result;
}

}  // namespace mercer
