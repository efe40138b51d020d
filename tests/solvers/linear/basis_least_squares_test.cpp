#include "mercer/solvers/linear/basis_least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mercer {
namespace {

Matrix<double> matrix_of(const std::vector<std::vector<double>>& rows) {
  Matrix<double> result(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.columns(); ++j) {
      result(i, j) = rows[i][j];
    }
  }
  return result;
}

// A row that nearly equals others, but for its target, needs a slope of 10⁹; the fourth function is half of the second.
// The residuals of the other rows sum to 0 all the same, to the rounding of numbers of their own size.
TEST(BasisLeastSquares, ALargeCoefficientTakesNoDigitsFromTheOthers) {
  const double near = -5e-10;
  const Matrix<double> functions = matrix_of(
      {{1, near, 1, near / 2}, {1, 0, 1, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 0}, {1, 0, 1, 0}});
  const Matrix<double> targets = matrix_of({{-0.5}, {1}, {0.5}, {0.6}, {1.3}, {0.7}, {1.2}});
  const std::vector<double> weights(7, 1.0);
  const BasisLeastSquares found = least_squares_in_basis(functions.view(), targets.view(), weights);
  EXPECT_EQ(found.rank, 3);
  const Matrix<double>& beta = found.coefficients;
  const double low = 1.8 / 3;
  const double high = 3.5 / 3;
  EXPECT_NEAR(beta(0, 0), low, 1e-14);
  EXPECT_NEAR(beta(2, 0), high - low, 1e-14);
  // Of least norm: 2 to 1, as the two functions are. The split is known to the condition of the functions, 10⁹ times
  // rounding; the norm, whose minimum it is, to the square of that.
  const double slope = (-0.5 - high) / near;
  EXPECT_NEAR(beta(1, 0) / slope, 0.8, 1e-6);
  EXPECT_NEAR(beta(3, 0) / slope, 0.4, 1e-6);
  EXPECT_NEAR(std::hypot(beta(1, 0), beta(3, 0)) / slope, std::sqrt(0.8), 1e-12);
  for (Index i = 1; i < 7; ++i) {
    const double value = beta(0, 0) + beta(2, 0) * functions(i, 2);
    EXPECT_NEAR(value, functions(i, 2) == 1 ? high : low, 1e-14) << "row " << i;
  }
}

}  // namespace
}  // namespace mercer
