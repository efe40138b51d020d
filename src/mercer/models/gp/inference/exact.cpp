#include "mercer/models/gp/inference/exact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/gram/contraction.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr double log_two_pi = 1.8378770664093454836;
constexpr double first_jitter = 1e-10;
constexpr double last_jitter = 1e-4;

// A pivot at the level of rounding carries no digit of the true one.
bool well_posed(ConstMatrixView<double> factor, double largest) {
  const double floor = static_cast<double>(factor.rows()) * std::numeric_limits<double>::epsilon() * largest;
  for (Index i = 0; i < factor.rows(); ++i) {
    if (!(factor(i, i) * factor(i, i) > floor)) {
      return false;
    }
  }
  return true;
}

Matrix<double> inner(ConstMatrixView<double> a, ConstMatrixView<double> b) {
  auto product = Matrix<double>::filled(a.columns(), b.columns(), 0.0);
  gemm(1.0, a, Transpose::yes, b, Transpose::no, 0.0, product.view());
  return product;
}

double total(ConstMatrixView<double> a, ConstMatrixView<double> b) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    sum += dot(a.row(i), b.row(i));
  }
  return sum;
}

// V = U L_S⁻ᵀ, so that P = A⁻¹ − VVᵀ.
Matrix<double> projection(const ExactSolution& solution) {
  auto v = Matrix<double>::copy_of(solution.u.view());
  if (v.columns() > 0) {
    trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, solution.schur_factor.view(), v.view());
  }
  return v;
}

// The tile of factor · A⁻¹ (stored by its lower triangle) plus left rightᵀ.
TileFiller<double> symmetric_tiles(double factor, ConstMatrixView<double> lower, ConstMatrixView<double> left,
                                   ConstMatrixView<double> right) {
  return [=](IndexRange rows, IndexRange columns, MatrixView<double> out, Workspace&) {
    for (Index i = 0; i < rows.size(); ++i) {
      const Index row = rows.begin + i;
      double* const target = out.row_data(i);
      const Index below = std::clamp<Index>(row + 1 - columns.begin, 0, columns.size());
      const double* const source = lower.row_data(row) + columns.begin;
      for (Index j = 0; j < below; ++j) {
        target[j] = factor * source[j];
      }
      for (Index j = below; j < columns.size(); ++j) {
        target[j] = factor * lower(columns.begin + j, row);
      }
    }
    gemm(1.0, left.row_block(rows), Transpose::no, right.row_block(columns), Transpose::yes, 1.0, out);
  };
}

// [α √o V] scaled by √½: the gradient's weights are Q = WWᵀ − (o/2) A⁻¹.
Matrix<double> evidence_columns(const ExactSolution& solution, ConstMatrixView<double> v) {
  const Index outputs = solution.alpha.columns();
  const double half = std::sqrt(0.5);
  const double shared = std::sqrt(0.5 * static_cast<double>(outputs));
  Matrix<double> w(v.rows(), outputs + v.columns());
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index o = 0; o < outputs; ++o) {
      w(i, o) = half * solution.alpha(i, o);
    }
    for (Index j = 0; j < v.columns(); ++j) {
      w(i, outputs + j) = shared * v(i, j);
    }
  }
  return w;
}

EvidenceValue evidence_with_gradient(const PreparedKernel& kernel, const GpData& data, double noise,
                                     ExactSolution& solution, const Run& run) {
  EvidenceValue result{.value = solution.log_evidence, .gradient = {}};
  const MatrixView<double> inverse = solution.factor.factor.view();
  cholesky_inverse<double>(inverse, run);
  const Matrix<double> v = projection(solution);
  const Matrix<double> w = evidence_columns(solution, v.view());
  const double factor = -0.5 * static_cast<double>(data.targets.columns());
  result.gradient = contract(kernel, symmetric_tiles(factor, inverse, w.view(), w.view()), run);
  std::vector<double> diagonal(inverse.rows());
  for (Index i = 0; i < inverse.rows(); ++i) {
    const auto row = std::as_const(w).view().row(i);
    diagonal[i] = factor * inverse(i, i) + dot(row, row);
  }
  const double copies = static_cast<double>(data.targets.columns()) * data.copy_terms(noise).slope;
  result.gradient.push_back(data.noise_slope(diagonal) + copies);
  return result;
}

// What is known of row i where all its copies are left out: residuals r = α/P_ii, and the variance v of one observation.
class LeftOut {
 public:
  LeftOut(const GpData& data, double noise) : data_(data), noise_(data.row_noise(noise)) {}

  double variance(Index i, double p) const { return 1 / p + excess(i); }
  double log_density(Index i, double p, std::span<const double> alpha) const {
    const double v = variance(i, p);
    double sum = 0;
    for (const double a : alpha) {
      sum -= 0.5 * (log_two_pi + std::log(v) + a * a / (p * p * v));
    }
    return data_.weight(i) * sum;
  }
  // ∂ log_density/∂v.
  double variance_slope(Index i, double p, std::span<const double> alpha) const {
    const double v = variance(i, p);
    double sum = 0;
    for (const double a : alpha) {
      const double r = a / p;
      sum += 0.5 * (r * r / v - 1) / v;
    }
    return data_.weight(i) * sum;
  }
  // ∂v/∂noise at a fixed P: 1/P_ii has the noise of all copies together, s/w, one observation has s.
  double excess_slope(Index i) const { return 1 - 1 / data_.weight(i); }

 private:
  double excess(Index i) const { return noise_[i] * excess_slope(i); }

  const GpData& data_;
  std::vector<double> noise_;
};

// L = Σ_i w_i Σ_o ln N(r_io; 0, v_i) with r = α/P_ii and v = 1/P_ii + excess. From dα = −P dA α and dP = −P dA P
//
//   Q = ∂L/∂A = −P E P + ½ Σ_o (Pa_o α_oᵀ + α_o (Pa_o)ᵀ),   a = w r/(v P_ii),   E_ii = (Σ_o w r²P_ii/v − ∂L/∂v)/P_ii²
//
// (excess = 0: a = α/P_ii, E = Σ_o ½(1 + α²/P_ii)/P_ii). E may be negative for weights below ½.
EvidenceValue loo_with_gradient(const PreparedKernel& kernel, const GpData& data, double noise, ExactSolution& solution,
                                const Run& run) {
  const MatrixView<double> p = solution.factor.factor.view();
  cholesky_inverse<double>(p, run);
  const Matrix<double> v = projection(solution);
  if (v.columns() > 0) {
    parallel_syrk<double>(-1.0, v.view(), Transpose::no, 1.0, p, run);
  }
  mirror_lower(p, run);
  const Index n = p.rows();
  const Index outputs = solution.alpha.columns();
  const LeftOut left_out(data, noise);
  EvidenceValue result;
  double excess_slope = 0;
  Matrix<double> a(n, outputs);
  Matrix<double> scaled(n, n);  // rows of √|E| P: those of positive E from above, the others from below
  Index above = 0;
  Index below = n;
  for (Index i = 0; i < n; ++i) {
    const double pii = p(i, i);
    if (!(pii > 0)) {
      return {.value = -std::numeric_limits<double>::infinity(), .gradient = {}};
    }
    const std::span<const double> alpha = std::as_const(solution.alpha).view().row(i);
    const double variance_slope = left_out.variance_slope(i, pii, alpha);
    result.value += left_out.log_density(i, pii, alpha);
    excess_slope += variance_slope * left_out.excess_slope(i);
    const double factor = data.weight(i) / (left_out.variance(i, pii) * pii * pii);
    for (Index o = 0; o < outputs; ++o) {
      a(i, o) = factor * solution.alpha(i, o);
    }
    const double e = factor * dot(alpha, alpha) / pii - variance_slope / (pii * pii);
    const double root = std::sqrt(std::abs(e));
    const Index row = e >= 0 ? above++ : --below;
    std::transform(p.row_data(i), p.row_data(i) + n, scaled.view().row_data(row), [=](double x) { return root * x; });
  }
  Matrix<double> q(n, n);
  parallel_syrk<double>(-1.0, scaled.view().row_block({0, above}), Transpose::yes, 0.0, q.view(), run);
  if (below < n) {
    parallel_syrk<double>(1.0, scaled.view().row_block({below, n}), Transpose::yes, 1.0, q.view(), run);
  }
  Matrix<double> pa(n, outputs);
  parallel_gemm<double>(1.0, p, Transpose::no, a.view(), Transpose::no, 0.0, pa.view(), run);
  Matrix<double> left(n, 2 * outputs);
  Matrix<double> right(n, 2 * outputs);
  for (Index i = 0; i < n; ++i) {
    for (Index o = 0; o < outputs; ++o) {
      left(i, o) = right(i, outputs + o) = 0.5 * pa(i, o);
      right(i, o) = left(i, outputs + o) = solution.alpha(i, o);
    }
  }
  result.gradient = contract(kernel, symmetric_tiles(1.0, q.view(), left.view(), right.view()), run);
  std::vector<double> diagonal(n);
  for (Index i = 0; i < n; ++i) {
    diagonal[i] = q(i, i) + dot(std::as_const(left).view().row(i), std::as_const(right).view().row(i));
  }
  result.gradient.push_back(data.noise_slope(diagonal) + excess_slope);
  return result;
}

}  // namespace

ExactFactor factor_exact(const PreparedKernel& kernel, std::span<const double> noise_diagonal, const Run& run) {
  const Index n = kernel.reference().size();
  ExactFactor result{.factor = Matrix<double>(n, n)};
  const MatrixView<double> a = result.factor.view();
  while (true) {
    evaluate_gram<double>(kernel, Triangle::lower, a, run);
    double trace = 0;
    double largest = 0;
    for (Index i = 0; i < n; ++i) {
      trace += a(i, i);
    }
    const double mean = trace / static_cast<double>(std::max<Index>(1, n));
    result.jitter = result.relative_jitter * mean;
    for (Index i = 0; i < n; ++i) {
      a(i, i) += noise_diagonal[i] + result.jitter;
      largest = std::max(largest, a(i, i));
    }
    if (try_cholesky<double>(a, run).ok && well_posed(a, largest)) {
      return result;
    }
    result.relative_jitter = result.relative_jitter == 0 ? first_jitter : 10 * result.relative_jitter;
    if (result.relative_jitter > 1.5 * last_jitter || !std::isfinite(trace)) {
      throw NumericalError("gp: the covariance matrix of " + std::to_string(n) + " rows is singular even with " +
                           shortest(last_jitter) +
                           " of its mean diagonal added: check the kernel's parameters, or use more noise");
    }
  }
}

ExactSolution solve_exact(const PreparedKernel& kernel, const GpData& data, double noise, const Run& run) {
  ExactSolution result{.factor = factor_exact(kernel, data.noise_diagonal(noise), run),
                       .alpha = Matrix<double>::copy_of(data.targets.view()),
                       .gamma = {},
                       .u = Matrix<double>::copy_of(data.basis.view()),
                       .schur_factor = {}};
  const ConstMatrixView<double> l = std::as_const(result.factor.factor).view();
  const Index n = data.targets.rows();
  const Index p = data.basis.columns();
  const auto outputs = static_cast<double>(data.targets.columns());
  cholesky_solve<double>(l, result.alpha.view(), run);
  double log_determinants = log_determinant(l);
  result.gamma = Matrix<double>(p, data.targets.columns());
  if (p > 0) {
    cholesky_solve<double>(l, result.u.view(), run);
    result.gamma = inner(data.basis.view(), result.alpha.view());
    result.schur_factor = inner(data.basis.view(), result.u.view());
    cholesky<double>(result.schur_factor.view(), run);
    cholesky_solve<double>(result.schur_factor.view(), result.gamma.view(), run);
    gemm(-1.0, result.u.view(), Transpose::no, result.gamma.view(), Transpose::no, 1.0, result.alpha.view());
    log_determinants += log_determinant(std::as_const(result.schur_factor).view());
  }
  result.log_evidence = -0.5 * total(data.targets.view(), result.alpha.view()) -
                        0.5 * outputs * (log_determinants + static_cast<double>(n - p) * log_two_pi) +
                        outputs * data.copy_terms(noise).value;
  return result;
}

EvidenceValue exact_objective(GpObjective objective, const Kernel& kernel, const GpData& data, double noise,
                              const Run& run) {
  try {
    const PreparedKernel prepared(kernel, data.samples, Precision::double_precision, run);
    ExactSolution solution = solve_exact(prepared, data, noise, run);
    return objective == GpObjective::evidence ? evidence_with_gradient(prepared, data, noise, solution, run)
                                              : loo_with_gradient(prepared, data, noise, solution, run);
  } catch (const NumericalError&) {
    return {.value = -std::numeric_limits<double>::infinity(), .gradient = {}};
  }
}

LeaveOneOutPredictions leave_one_out(ExactSolution& solution, const GpData& data, double noise, const Run& run) {
  const MatrixView<double> inverse = solution.factor.factor.view();
  cholesky_inverse<double>(inverse, run);
  const Matrix<double> v = projection(solution);
  const LeftOut left_out(data, noise);
  LeaveOneOutPredictions result{.means = Matrix<double>::copy_of(data.targets.view()), .variances = {}};
  for (Index i = 0; i < inverse.rows(); ++i) {
    const double p = inverse(i, i) - dot(v.view().row(i), v.view().row(i));  // P_ii
    if (!(p > std::numeric_limits<double>::epsilon() * inverse(i, i))) {
      throw NumericalError("the leave-one-out prediction of row " + std::to_string(i) +
                           " (counted from 0) is not determined: without that row the mean function is not unique");
    }
    const std::span<const double> alpha = std::as_const(solution.alpha).view().row(i);
    result.variances.push_back(left_out.variance(i, p));
    axpy(-1 / p, alpha, result.means.view().row(i));
    result.log_density += left_out.log_density(i, p, alpha);
  }
  return result;
}

}  // namespace mercer
