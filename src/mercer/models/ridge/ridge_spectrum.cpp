#include "mercer/models/ridge/ridge_spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/models/orthonormal_columns.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/parametric_projection.h"

namespace mercer {

namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr Index spectrum_block_rows = 256;
constexpr Index most_columns = 512;  // of a product over several λ

std::vector<double> square_roots(std::span<const double> weights) {
  std::vector<double> roots(weights.begin(), weights.end());
  std::transform(roots.begin(), roots.end(), roots.begin(), [](double w) { return std::sqrt(w); });
  return roots;
}

Matrix<double> scaled_rows(ConstMatrixView<double> matrix, std::span<const double> factors) {
  auto result = Matrix<double>::copy_of(matrix);
  for (Index i = 0; i < result.rows(); ++i) {
    scale(factors[i], result.view().row(i));
  }
  return result;
}

// Takes the parametric part out of the targets. What is left at the level of rounding is none: constant targets.
void remove_parametric(ConstMatrixView<double> basis, MatrixView<double> y) {
  std::vector<double> before;
  std::vector<double> column(y.rows());
  const auto norm = [&](Index o) {
    for (Index i = 0; i < y.rows(); ++i) {
      column[i] = y(i, o);
    }
    return nrm2(std::span<const double>(column));
  };
  for (Index o = 0; o < y.columns(); ++o) {
    before.push_back(norm(o));
  }
  for (int pass = 0; pass < 2; ++pass) {
    const Matrix<double> part = inner(basis, y);
    gemm(-1.0, basis, Transpose::no, part.view(), Transpose::no, 1.0, y);
  }
  for (Index o = 0; o < y.columns(); ++o) {
    if (norm(o) <= 4 * rounding * std::sqrt(static_cast<double>(y.rows())) * before[o]) {
      for (Index i = 0; i < y.rows(); ++i) {
        y(i, o) = 0;
      }
    }
  }
}

// The basis must be the first eigenvectors and nothing else below 0.
void require_positive(const std::vector<double>& values, std::size_t basis, double basis_value) {
  const double size = std::max(std::abs(values.front()), std::abs(values.back()));
  const double allowed = 1e-9 * size * std::sqrt(static_cast<double>(values.size()));
  bool fine = basis == values.size() || values[basis] >= -allowed;
  for (std::size_t j = 0; j < basis; ++j) {
    fine = fine && std::abs(values[j] - basis_value) <= allowed;
  }
  if (!fine) {
    throw NumericalError("the kernel matrix has the negative eigenvalue " +
                         shortest(values[std::min(basis, values.size() - 1)]) + " beside its largest " +
                         shortest(values.back()) +
                         ": a penalty cannot be chosen for a kernel that is not positive definite on these rows");
  }
}

}  // namespace

bool RidgeSpectrum::is_determined(Index i) const {
  const std::span<const double> row = vectors.view().row(i);
  return dot(row, row) + rest[i] > 64 * rounding;
}

void RidgeSpectrum::visit(std::span<const double> lambdas, const std::function<void(const Point&)>& visit,
                          const Run& run) const {
  const auto r = static_cast<Index>(values.size());
  const Index per_lambda = outputs();
  const auto count = static_cast<Index>(lambdas.size());
  const Index chunk = std::max<Index>(1, most_columns / (1 + per_lambda));
  std::vector<double> complements(rows());
  Matrix<double> residuals(rows(), per_lambda);
  for (Index first = 0; first < count; first += chunk) {
    const Index here = std::min(chunk, count - first);
    Matrix<double> shrinkage(r, here);
    Matrix<double> shrunk(r, here * per_lambda);
    std::vector<double> traces(here, rest_trace);
    for (Index j = 0; j < r; ++j) {
      for (Index l = 0; l < here; ++l) {
        const double lambda = lambdas[first + l];
        const double s = values[j];
        const double g = s + lambda > 0 ? lambda / (s + lambda) : 1.0;
        shrinkage(j, l) = g;
        traces[l] += g;
        for (Index o = 0; o < per_lambda; ++o) {
          shrunk(j, l * per_lambda + o) = g * coefficients(j, o);
        }
      }
    }
    Matrix<double> all_complements(rows(), here);
    Matrix<double> all_residuals(rows(), here * per_lambda);
    parallel_for(run, block_count(rows(), spectrum_block_rows), [&](Index b) {
      const IndexRange part = block_range(rows(), spectrum_block_rows, b);
      auto block = Matrix<double>::copy_of(vectors.view().row_block(part));
      gemm(1.0, block.view(), Transpose::no, shrunk.view(), Transpose::no, 0.0, all_residuals.view().row_block(part));
      std::transform(block.data(), block.data() + block.rows() * block.columns(), block.data(),
                     [](double u) { return u * u; });
      gemm(1.0, block.view(), Transpose::no, shrinkage.view(), Transpose::no, 0.0,
           all_complements.view().row_block(part));
    });
    for (Index l = 0; l < here; ++l) {
      run.check_stop();
      for (Index i = 0; i < rows(); ++i) {
        complements[i] = all_complements(i, l) + rest[i];
        for (Index o = 0; o < per_lambda; ++o) {
          residuals(i, o) = all_residuals(i, l * per_lambda + o) + rest_targets(i, o);
        }
      }
      visit({.number = static_cast<std::size_t>(first + l),
             .residuals = residuals.view(),
             .complements = complements,
             .trace = traces[l]});
    }
  }
}

RidgeSpectrum ridge_spectrum_dual(const RidgeProblem& problem, PhaseTimer& timer, const Run& run) {
  const Index n = problem.samples.size();
  require_memory(problem, 4.0 * static_cast<double>(n) * static_cast<double>(n) * sizeof(double),
                 "the eigendecomposition of the kernel matrix of " + std::to_string(n) + " rows",
                 "a smaller select_rows, or a larger memory_mb");
  timer.start("spectrum");
  const std::vector<double> roots = square_roots(problem.weights);
  Matrix<double> k(n, n);
  const PreparedKernel prepared(problem.kernel, problem.samples, Precision::double_precision, run);
  evaluate_gram<double>(prepared, Triangle::lower, k.view(), run);
  parallel_for(run, block_count(n, spectrum_block_rows), [&](Index b) {
    const IndexRange part = block_range(n, spectrum_block_rows, b);
    for (Index i = part.begin; i < part.end; ++i) {
      // Up to the end of the block: its tile on the diagonal is whole.
      for (Index j = 0; j < part.end; ++j) {
        k(i, j) = j <= i ? k(i, j) * (roots[i] * roots[j]) : 0.0;
      }
    }
  });
  const ParametricBasis parametric(problem.samples, problem.part);
  // The weights may have made the columns nearly parallel.
  const Matrix<double> basis = orthonormal_columns(scaled_rows(parametric.q(), roots).view()).q;
  const Index q = basis.columns();
  const double basis_value =
      q == 0 ? 0.0 : project_out<double>(k.view(), basis.view(), PositionOfBasis::below, run).basis_value;

  run.check_stop();
  SymmetricEigen<double> eigen = symmetric_eigen(k.view(), run);
  k = {};
  require_positive(eigen.values, static_cast<std::size_t>(q), basis_value);

  RidgeSpectrum spectrum;
  spectrum.values.assign(eigen.values.begin() + q, eigen.values.end());
  for (double& value : spectrum.values) {
    value = std::max(value, 0.0);
  }
  const double largest = spectrum.values.empty() ? 0.0 : spectrum.values.back();
  spectrum.scale = largest > static_cast<double>(n) * rounding * std::abs(basis_value) ? largest : 1.0;
  spectrum.vectors = Matrix<double>::copy_of(std::as_const(eigen.vectors).view().block(0, q, n, n - q));
  spectrum.rest.assign(n, 0.0);
  spectrum.rest_targets = Matrix<double>::filled(n, problem.targets.columns(), 0.0);
  spectrum.coefficients = Matrix<double>(n - q, problem.targets.columns());
  Matrix<double> y = scaled_rows(problem.targets.view(), roots);
  remove_parametric(basis.view(), y.view());
  parallel_gemm<double>(1.0, spectrum.vectors.view(), Transpose::yes, y.view(), Transpose::no, 0.0,
                        spectrum.coefficients.view(), run);
  spectrum.weights = problem.weights;
  timer.stop();
  return spectrum;
}

}  // namespace mercer
