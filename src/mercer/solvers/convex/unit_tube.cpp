#include "mercer/solvers/convex/unit_tube.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "mercer/solvers/convex/program/dense_quadratic.h"

namespace mercer {

namespace {

// HKH.
Matrix<double> centered(ConstMatrixView<double> gram) {
  const Index n = gram.rows();
  Matrix<double> result = Matrix<double>::copy_of(gram);
  std::vector<double> means(static_cast<std::size_t>(n), 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      means[i] += gram(i, j) / static_cast<double>(n);
    }
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      result(i, j) += mean - means[i] - means[j];
    }
  }
  return result;
}

double largest_diagonal(ConstMatrixView<double> gram) {
  double largest = 0;
  for (Index i = 0; i < gram.rows(); ++i) {
    largest = std::max(largest, std::abs(gram(i, i)));
  }
  return largest;
}

std::vector<double> scaled(std::span<const double> values, double scale) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) {
    value *= scale;
  }
  return result;
}

}  // namespace

UnitTube::UnitTube(const ShapedTube& problem) : given_(problem), gram_(centered(problem.gram)), unit_(problem) {
  const auto [least, largest] = std::ranges::minmax(problem.targets);
  middle_ = least + (largest - least) / 2;
  for (const double y : problem.targets) {
    targets_.push_back(y - middle_);
  }
  // A power of two, which costs no digits.
  const double diagonal = largest_diagonal(gram_.view());
  scale_ = diagonal > 0 ? std::exp2(std::round(std::log2(diagonal))) : 1.0;
  rounding_ = 4 * std::numeric_limits<double>::epsilon() * largest_diagonal(problem.gram) / scale_;
  for (double& value : std::span(gram_.data(), static_cast<std::size_t>(gram_.rows() * gram_.columns()))) {
    value /= scale_;
  }
  bounds_ = scaled(problem.bounds, scale_);
  prices_ = scaled(problem.prices, scale_);
  unit_.gram = gram_.view();
  unit_.targets = targets_;
  unit_.bounds = bounds_;
  unit_.prices = prices_;
}

ShapedTubeSolution UnitTube::undone(ShapedTubeSolution solution, const Run& run) const {
  for (double& beta : solution.coefficients) {
    beta /= scale_;
  }
  solution.primal /= scale_;
  solution.dual /= scale_;
  solution.offset += middle_;
  if (solution.values.empty()) {
    return solution;
  }
  std::vector<double> values(solution.values.size());
  DenseQuadratic(given_.gram).multiply(solution.coefficients, values, run);
  double apart = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    apart += solution.values[i] - values[i];
  }
  solution.offset += apart / static_cast<double>(values.size());
  solution.values = std::move(values);
  return solution;
}

}  // namespace mercer
