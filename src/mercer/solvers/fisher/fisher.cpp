#include "mercer/solvers/fisher/fisher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

constexpr Index fisher_block_rows = 256;
constexpr double fisher_rounding = std::numeric_limits<double>::epsilon();

}  // namespace

ClassRows::ClassRows(std::vector<std::int32_t> classes, std::vector<double> weights)
    : classes_(std::move(classes)), weights_(std::move(weights)) {
  if (classes_.size() != weights_.size()) {
    throw InvalidArgument(std::to_string(classes_.size()) + " rows with " + std::to_string(weights_.size()) +
                          " weights: one weight per row is needed");
  }
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i] < 0 || !(weights_[i] > 0 && std::isfinite(weights_[i]))) {
      throw InvalidArgument("row " + std::to_string(i) + " (counted from 0) has class " + std::to_string(classes_[i]) +
                            " and weight " + shortest(weights_[i]) +
                            ": classes count from 0, weights are finite and positive");
    }
    const auto q = static_cast<std::size_t>(classes_[i]);
    totals_.resize(std::max(totals_.size(), q + 1), 0.0);
    totals_[q] += weights_[i];
    total_ += weights_[i];
  }
  if (totals_.size() < 2 || std::ranges::find(totals_, 0.0) != totals_.end()) {
    throw InvalidArgument("a discriminant needs two classes at least, and a row of every class");
  }
}

double ClassRows::contrast() const {
  double sum = 0;
  for (const double m : totals_) {
    sum += m * (total_ - m) / total_;
  }
  return sum / static_cast<double>(class_count());
}

Matrix<double> ClassRows::indicators() const {
  Matrix<double> y = Matrix<double>::filled(size(), class_count(), 0.0);
  for (Index i = 0; i < size(); ++i) {
    y(i, class_of(i)) = 1;
  }
  return y;
}

std::vector<double> ClassRows::means(ConstMatrixView<double> values) const {
  std::vector<double> result(values.columns(), 0.0);
  for (Index i = 0; i < size(); ++i) {
    axpy(weight(i) / total_, values.row(i), std::span(result));
  }
  return result;
}

Matrix<double> ClassRows::class_means(ConstMatrixView<double> values) const {
  Matrix<double> result = Matrix<double>::filled(class_count(), values.columns(), 0.0);
  for (Index i = 0; i < size(); ++i) {
    axpy(weight(i) / total(class_of(i)), values.row(i), result.view().row(class_of(i)));
  }
  return result;
}

Matrix<double> ClassRows::centered(ConstMatrixView<double> values, const Run& run) const {
  const std::vector<double> mean = means(values);
  Matrix<double> result(values.rows(), values.columns());
  parallel_for(run, block_count(values.rows(), fisher_block_rows), [&](Index b) {
    const IndexRange part = block_range(values.rows(), fisher_block_rows, b);
    for (Index i = part.begin; i < part.end; ++i) {
      const double root = std::sqrt(weight(i));
      const double* from = values.row_data(i);
      double* to = result.view().row_data(i);
      for (std::size_t j = 0; j < mean.size(); ++j) {
        to[j] = root * (from[j] - mean[j]);
      }
    }
  });
  return result;
}

namespace {

// S_ii for functions that are centred and weighted already, given the Cholesky factor of the matrix.
std::vector<double> fisher_leverages(ConstMatrixView<double> centered, ConstMatrixView<double> factor,
                                     const ClassRows& rows, const Run& run) {
  std::vector<double> result(centered.rows());
  parallel_for(run, block_count(centered.rows(), fisher_block_rows), [&](Index b) {
    const IndexRange part = block_range(centered.rows(), fisher_block_rows, b);
    auto block = Matrix<double>::copy_of(centered.row_block(part));
    trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, factor, block.view());
    for (Index i = part.begin; i < part.end; ++i) {
      const std::span<const double> row = std::as_const(block).view().row(i - part.begin);
      result[i] = rows.weight(i) / rows.total() + dot(row, row);
    }
  });
  return result;
}

}  // namespace

ClassRegression regress_on_functions(ConstMatrixView<double> functions, ConstMatrixView<double> penalty,
                                     const ClassRows& rows, double lambda, Leverages leverages, const Run& run) {
  if (!(lambda >= 0 && std::isfinite(lambda))) {
    reject_argument("lambda", lambda, "finite and not negative");
  }
  const Index n = functions.rows();
  const Index r = functions.columns();
  const Matrix<double> centered = rows.centered(functions, run);
  Matrix<double> matrix(r, r);
  parallel_syrk<double>(1.0, centered.view(), Transpose::yes, 0.0, matrix.view(), run);
  std::vector<double> diagonal;
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j <= i; ++j) {
      matrix(i, j) += lambda * (penalty.empty() ? (i == j ? 1.0 : 0.0) : penalty(i, j));
    }
    diagonal.push_back(matrix(i, i));
  }
  CholeskyStatus status = try_cholesky<double>(matrix.view(), run);
  for (Index i = 0; status.ok && i < r; ++i) {
    // A pivot at the level of rounding carries no digit of the true one. Scaling rows and columns changes nothing.
    if (!(matrix(i, i) * matrix(i, i) > static_cast<double>(r) * fisher_rounding * diagonal[i])) {
      status = {.ok = false, .failed_at = i};
    }
  }
  if (!status.ok) {
    throw NumericalError("the scatter matrix is numerically singular at function " + std::to_string(status.failed_at) +
                         " (counted from 0) with lambda = " + shortest(lambda) +
                         ": rows that are repeated, or nearly so for this kernel, need a larger lambda");
  }
  Matrix<double> y = rows.indicators();
  for (Index i = 0; i < n; ++i) {
    scale(std::sqrt(rows.weight(i)), y.view().row(i));
  }
  ClassRegression result;
  result.coefficients = Matrix<double>(r, rows.class_count());
  parallel_gemm<double>(1.0, centered.view(), Transpose::yes, y.view(), Transpose::no, 0.0, result.coefficients.view(),
                        run);
  cholesky_solve<double>(matrix.view(), result.coefficients.view(), run);
  result.fitted = Matrix<double>(n, rows.class_count());
  parallel_gemm<double>(1.0, centered.view(), Transpose::no, result.coefficients.view(), Transpose::no, 0.0,
                        result.fitted.view(), run);
  for (Index i = 0; i < n; ++i) {
    scale(1 / std::sqrt(rows.weight(i)), result.fitted.view().row(i));
  }
  if (leverages == Leverages::compute) {
    result.leverages = fisher_leverages(centered.view(), matrix.view(), rows, run);
  }
  return result;
}

Matrix<double> left_out_values(ConstMatrixView<double> fitted, std::span<const double> leverages,
                               const ClassRows& rows) {
  auto result = Matrix<double>::copy_of(fitted);
  for (Index i = 0; i < fitted.rows(); ++i) {
    const double left = 1 - leverages[i];
    if (!(left > 64 * fisher_rounding)) {
      continue;
    }
    for (Index q = 0; q < fitted.columns(); ++q) {
      const double y = (rows.class_of(i) == q ? 1.0 : 0.0) - rows.total(q) / rows.total();
      result(i, q) = y - (y - fitted(i, q)) / left;
    }
  }
  return result;
}

namespace {

// D^(-1/2) Y'WH F D^(-1/2), symmetric up to rounding.
Matrix<double> between_matrix(ConstMatrixView<double> fitted, const ClassRows& rows) {
  const Index k = rows.class_count();
  const Matrix<double> class_means = rows.class_means(fitted);
  const std::vector<double> mean = rows.means(fitted);
  Matrix<double> result(k, k);
  for (Index p = 0; p < k; ++p) {
    for (Index q = 0; q < k; ++q) {
      result(p, q) = std::sqrt(rows.total(p) / rows.total(q)) * (class_means(p, q) - mean[q]);
    }
  }
  for (Index p = 0; p < k; ++p) {
    for (Index q = 0; q < p; ++q) {
      result(p, q) = result(q, p) = (result(p, q) + result(q, p)) / 2;
    }
  }
  return result;
}

double largest_difference(const Matrix<double>& means) {
  double result = 0;
  for (Index c = 0; c < means.columns(); ++c) {
    double low = means(0, c);
    double high = means(0, c);
    for (Index q = 1; q < means.rows(); ++q) {
      low = std::min(low, means(q, c));
      high = std::max(high, means(q, c));
    }
    result = std::max(result, high - low);
  }
  return result;
}

// How a direction is scaled and which way it points.
double direction_factor(std::span<const double> class_values, double share, const ClassRows& rows) {
  if (class_values.size() == 2) {
    return 2 / (class_values[1] - class_values[0]);
  }
  constexpr double least = 1e-10;  // of 1 − θ, whose digits below are noise
  const auto largest = std::ranges::max_element(class_values, {}, [](double value) { return std::abs(value); });
  const double freedom = std::max(rows.total() - static_cast<double>(class_values.size()), 1.0);
  return std::copysign(std::sqrt(freedom / (share * std::max(1 - share, least))), *largest);
}

}  // namespace

FisherDirections fisher_directions(ConstMatrixView<double> fitted, const ClassRows& rows, double noise,
                                   const Run& run) {
  constexpr double least_share = 1e-10;  // of the first direction's θ
  const Index k = rows.class_count();
  const Matrix<double> class_means = rows.class_means(fitted);
  if (!(largest_difference(class_means) > noise)) {
    throw NumericalError(
        "the classes have the same mean in the space of the kernel: there is no direction that tells them apart. Use "
        "other columns, or another kernel");
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(between_matrix(fitted, rows).view(), run);
  FisherDirections result;
  for (Index j = k - 1; j > 0; --j) {
    const double share = eigen.values[j];
    if (j < k - 1 && !(share > least_share * result.shares.front())) {
      break;
    }
    result.shares.push_back(std::clamp(share, std::numeric_limits<double>::min(), 1.0));
  }
  const auto count = static_cast<Index>(result.shares.size());
  result.combination = Matrix<double>(k, count);
  for (Index c = 0; c < count; ++c) {
    std::vector<double> z;
    for (Index q = 0; q < k; ++q) {
      z.push_back(eigen.vectors(q, k - 1 - c) / std::sqrt(rows.total(q)));
    }
    std::vector<double> class_values;
    for (Index q = 0; q < k; ++q) {
      class_values.push_back(dot(class_means.view().row(q), std::span<const double>(z)));
    }
    const double factor = direction_factor(class_values, result.shares[c], rows);
    for (Index q = 0; q < k; ++q) {
      result.combination(q, c) = factor * z[q];
    }
  }
  return result;
}

double fisher_objective(const ClassRows& rows, double share) { return 2 * rows.contrast() * (1 - share) / share; }

}  // namespace mercer
