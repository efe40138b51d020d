#include "mercer/smoothing/loess.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/random.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/smoothing/robustness.h"

namespace mercer {

namespace {

constexpr Index hat_rows = 256;
constexpr Index probe_count = 64;
constexpr std::uint64_t probe_stream = 0x6c6f657373;

Matrix<double> as_column(std::span<const double> values) {
  Matrix<double> column(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), column.data());
  return column;
}

std::vector<double> products(std::span<const double> weights, std::span<const double> robustness) {
  std::vector<double> result(robustness.begin(), robustness.end());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    result[i] *= weights[i];
  }
  return result;
}

// Calls visit(first row, rows of I − L) block by block.
template <class Visit>
void residual_operator_rows(const LocalRegression& regression, std::span<const double> weights, const Run& run,
                            Visit visit) {
  const Index n = regression.size();
  Matrix<double> block(std::min(hat_rows, n), n);
  for (Index first = 0; first < n; first += hat_rows) {
    const IndexRange range{first, std::min(n, first + hat_rows)};
    const MatrixView<double> rows = block.view().block(0, 0, range.size(), n);
    regression.equivalent_kernels(regression.points(), range, weights, rows, run);
    for (Index i = 0; i < range.size(); ++i) {
      for (Index j = 0; j < n; ++j) {
        rows(i, j) = -rows(i, j);
      }
      rows(i, first + i) += 1;
    }
    visit(first, rows);
  }
}

void add_traces(Index first, ConstMatrixView<double> rows, LoessOperator& result) {
  for (Index i = 0; i < rows.rows(); ++i) {
    result.trace += 1 - rows(i, first + i);
    result.delta_1 += dot(rows.row(i), rows.row(i));
  }
}

double exact_delta_2(ConstMatrixView<double> residual_operator, const Run& run) {
  const Index n = residual_operator.rows();
  Matrix<double> square(n, n);
  parallel_syrk<double>(1, residual_operator, Transpose::no, 0, square.view(), run);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      sum += 2 * square(i, j) * square(i, j);
    }
    sum += square(i, i) * square(i, i);
  }
  return sum;
}

// E ‖(I − L)(I − L)ᵀ z‖² over signs z.
double estimated_delta_2(const LocalRegression& regression, std::span<const double> weights, const Run& run) {
  const Index n = regression.size();
  Matrix<double> signs(n, probe_count);
  RandomStream random(run.seed(), probe_stream);
  for (Index i = 0; i < n * probe_count; ++i) {
    signs.data()[i] = random.below(2) == 0 ? -1.0 : 1.0;
  }
  Matrix<double> back = Matrix<double>::filled(n, probe_count, 0);
  residual_operator_rows(regression, weights, run, [&](Index first, ConstMatrixView<double> rows) {
    gemm(1, rows, Transpose::yes, signs.view().block(first, 0, rows.rows(), probe_count), Transpose::no, 1,
         back.view());
  });
  double sum = 0;
  Matrix<double> there(hat_rows, probe_count);
  residual_operator_rows(regression, weights, run, [&](Index, ConstMatrixView<double> rows) {
    const MatrixView<double> part = there.view().block(0, 0, rows.rows(), probe_count);
    gemm(1, rows, Transpose::no, back.view(), Transpose::no, 0, part);
    for (Index i = 0; i < part.rows(); ++i) {
      sum += dot(part.row(i), part.row(i));
    }
  });
  return sum / static_cast<double>(probe_count);
}

// Where the local polynomials go through all rows I − L is 0, and what is left of it rounding.
LoessOperator without_rounding(LoessOperator found, Index n) {
  constexpr double rounding = 1e-8;  // of an entry, generously: fits of nearly collinear rows lose half of the digits
  if (found.delta_1 <= static_cast<double>(n) * rounding * rounding) {
    found.delta_1 = found.delta_2 = 0;
  }
  return found;
}

}  // namespace

LoessOperator loess_operator(const LocalRegression& regression, std::span<const double> weights, LoessTraces traces,
                             const Run& run) {
  const Index n = regression.size();
  LoessOperator result;
  if (traces == LoessTraces::estimated) {
    residual_operator_rows(regression, weights, run,
                           [&](Index first, ConstMatrixView<double> rows) { add_traces(first, rows, result); });
    result.delta_2 = estimated_delta_2(regression, weights, run);
    return without_rounding(result, n);
  }
  Matrix<double> all(n, n);
  residual_operator_rows(regression, weights, run, [&](Index first, ConstMatrixView<double> rows) {
    add_traces(first, rows, result);
    for (Index i = 0; i < rows.rows(); ++i) {
      std::copy_n(rows.row_data(i), n, all.view().row_data(first + i));
    }
  });
  result.delta_2 = exact_delta_2(all.view(), run);
  return without_rounding(result, n);
}

LoessFit fit_loess(const LocalRegression& regression, std::span<const double> y, std::span<const double> weights,
                   Index robust_iterations, const LoessOperator& statistics, const Run& run) {
  const auto n = static_cast<std::size_t>(regression.size());
  const std::vector<double> prior =
      weights.empty() ? std::vector<double>(n, 1.0) : std::vector<double>(weights.begin(), weights.end());
  const auto smooth = [&](std::span<const double> targets, std::span<const double> used) {
    const Matrix<double> values = regression.values(regression.points(), used, as_column(targets).view(), run);
    return std::vector<double>(values.data(), values.data() + n);
  };
  const auto residuals = [&](std::span<const double> targets, std::span<const double> fitted) {
    std::vector<double> result(n);
    for (std::size_t i = 0; i < n; ++i) {
      result[i] = targets[i] - fitted[i];
    }
    return result;
  };
  LoessFit fit;
  fit.robustness.assign(n, 1.0);
  fit.fitted = smooth(y, prior);
  // Where most rows lie on their local polynomials the residuals say nothing of outliers.
  constexpr double rounding = 1e-11;  // of the largest target
  double largest = 0;
  for (const double target : y) {
    largest = std::max(largest, std::abs(target));
  }
  for (Index iteration = 0; iteration < robust_iterations; ++iteration) {
    fit.robustness = bisquare_weights(residuals(y, fit.fitted), rounding * largest);
    fit.fitted = smooth(y, products(prior, fit.robustness));
  }
  std::vector<double> left = residuals(y, fit.fitted);
  if (robust_iterations > 0) {
    const std::vector<double> pseudo = pseudovalues(y, fit.fitted, prior, fit.robustness);
    left = residuals(pseudo, smooth(pseudo, prior));
  }
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    squares += prior[i] * left[i] * left[i];
  }
  fit.scale = statistics.delta_1 > 0 ? std::sqrt(squares / statistics.delta_1) : 0;
  return fit;
}

std::vector<double> loess_variance_factors(const LocalRegression& regression, ConstMatrixView<double> queries,
                                           std::span<const double> weights, std::span<const double> robustness,
                                           const Run& run) {
  const Index n = regression.size();
  const std::vector<double> used = products(weights, robustness);
  std::vector<double> factors;
  factors.reserve(queries.rows());
  Matrix<double> block(std::min(hat_rows, queries.rows()), n);
  for (Index first = 0; first < queries.rows(); first += hat_rows) {
    const IndexRange range{first, std::min(queries.rows(), first + hat_rows)};
    const MatrixView<double> rows = block.view().block(0, 0, range.size(), n);
    regression.equivalent_kernels(queries, range, used, rows, run);
    for (Index q = 0; q < range.size(); ++q) {
      double factor = 0;
      for (Index i = 0; i < n; ++i) {
        const double own = weights.empty() ? 1.0 : weights[i];
        factor += rows(q, i) == 0 ? 0 : rows(q, i) * rows(q, i) / own;
      }
      factors.push_back(factor);
    }
  }
  return factors;
}

}  // namespace mercer
