// (K + λW⁻¹) α + Qγ = y, Qᵀα = 0, Q an orthonormal basis of the parametric functions. With A = K + λW⁻¹ = LLᵀ:
//
//   V = A⁻¹y,  U = A⁻¹Q,  S = QᵀU,  γ = S⁻¹QᵀV,  α = V − Uγ,  H = A⁻¹ − U S⁻¹ Uᵀ
//
// A conditionally positive K is replaced by (I−QQᵀ) K (I−QQᵀ) + s QQᵀ, which is positive and has the same α; then
// γ is less by QᵀKα.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/parametric_projection.h"
#include "mercer/models/ridge/ridge_problem.h"

namespace mercer {

namespace {

// Adds λ/w_i to the diagonal and factors in place.
template <class T>
void factorize(const RidgeProblem& problem, MatrixView<T> a, const Run& run) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, i) += static_cast<T>(problem.lambda / problem.weights[i]);
    largest = std::max(largest, static_cast<double>(a(i, i)));
  }
  const CholeskyStatus status = try_cholesky<T>(a, run);
  require_well_posed<T>(a, status, largest, problem.lambda);
}

struct DualCoefficients {
  Matrix<double> alpha;
  Matrix<double> gamma;
  Matrix<double> u;             // A⁻¹Q
  Matrix<double> schur_factor;  // Cholesky factor of QᵀU
};

template <class T>
DualCoefficients solve(ConstMatrixView<T> factor, ConstMatrixView<double> y, ConstMatrixView<double> q, double lambda,
                       const Run& run) {
  const Index n = y.rows();
  const Index outputs = y.columns();
  Matrix<T> both(n, outputs + q.columns());
  for (Index i = 0; i < n; ++i) {
    std::transform(y.row_data(i), y.row_data(i) + outputs, both.view().row_data(i),
                   [](double value) { return static_cast<T>(value); });
    std::transform(q.row_data(i), q.row_data(i) + q.columns(), both.view().row_data(i) + outputs,
                   [](double value) { return static_cast<T>(value); });
  }
  cholesky_solve<T>(factor, both.view(), run);

  const ConstMatrixView<T> solved = std::as_const(both).view();
  DualCoefficients result;
  result.alpha = converted<double, T>(solved.block(0, 0, n, outputs));
  result.u = converted<double, T>(solved.block(0, outputs, n, q.columns()));
  result.gamma = inner(q, result.alpha.view());
  if (q.columns() > 0) {
    result.schur_factor = inner(q, result.u.view());
    const CholeskyStatus status = try_cholesky<double>(result.schur_factor.view(), run);
    require_well_posed<double>(result.schur_factor.view(), status, 0.0, lambda);
    cholesky_solve<double>(result.schur_factor.view(), result.gamma.view(), run);
    gemm(-1.0, result.u.view(), Transpose::no, result.gamma.view(), Transpose::no, 1.0, result.alpha.view());
  }
  return result;
}

// α_i / H_ii. The factor is replaced by the inverse.
template <class T>
Matrix<double> leave_one_out(MatrixView<T> factor, const DualCoefficients& dual, const Run& run) {
  const Index n = factor.rows();
  const Index basis = dual.u.columns();
  if (n <= basis) {
    throw DataError("leave-one-out residuals of " + std::to_string(n) + " rows: more rows than the " +
                    std::to_string(basis) + " parametric functions are needed");
  }
  cholesky_inverse<T>(factor, run);
  auto residuals = Matrix<double>::copy_of(dual.alpha.view());
  std::vector<double> part(basis);
  for (Index i = 0; i < n; ++i) {
    std::copy_n(dual.u.view().row_data(i), basis, part.data());
    if (basis > 0) {
      trsv(Uplo::lower, Transpose::no, dual.schur_factor.view(), std::span(part));
    }
    const auto diagonal = static_cast<double>(factor(i, i));
    const double h = diagonal - dot(std::span<const double>(part), std::span<const double>(part));
    if (!(h > std::numeric_limits<double>::epsilon() * diagonal)) {
      throw NumericalError("the leave-one-out residual of row " + std::to_string(i) +
                           " (counted from 0) is not determined: without that row the fit is not unique");
    }
    for (Index o = 0; o < residuals.columns(); ++o) {
      residuals(i, o) /= h;
    }
  }
  return residuals;
}

// ‖(K + λW⁻¹)α + Qγ − y‖ / ‖y‖ with K evaluated again, tile by tile.
template <class T>
double relative_residual(const RidgeProblem& problem, std::shared_ptr<const PreparedKernel> prepared,
                         const DualCoefficients& dual, ConstMatrixView<double> y, ConstMatrixView<double> q,
                         const Run& run) {
  const Matrix<T> alpha = converted<T, double>(std::as_const(dual.alpha).view());
  Matrix<T> product(alpha.rows(), alpha.columns());
  KernelGram<T>(std::move(prepared)).multiply(alpha.view(), product.view(), run);
  Matrix<double> rest = converted<double, T>(std::as_const(product).view());
  for (Index i = 0; i < rest.rows(); ++i) {
    for (Index o = 0; o < rest.columns(); ++o) {
      rest(i, o) += problem.lambda / problem.weights[i] * dual.alpha(i, o) - y(i, o);
    }
  }
  if (q.columns() > 0) {
    gemm(1.0, q, Transpose::no, dual.gamma.view(), Transpose::no, 1.0, rest.view());
  }
  const double scale = frobenius_norm(y);
  return frobenius_norm(rest.view()) / (scale > 0 ? scale : 1.0);
}

}  // namespace

template <class T>
RidgeSolution solve_ridge_dual(const RidgeProblem& problem, PhaseTimer& timer, const Run& run) {
  const Index n = problem.samples.size();
  require_memory(problem, static_cast<double>(n) * static_cast<double>(n) * sizeof(T),
                 "the kernel matrix of " + std::to_string(n) + " rows",
                 sizeof(T) == sizeof(double) ? "precision=float (half of it), fewer rows, or a larger memory_mb"
                                             : "fewer rows, or a larger memory_mb");
  timer.start("prepare");
  const auto prepared = std::make_shared<const PreparedKernel>(problem.kernel, problem.samples, precision_of<T>, run);
  const ParametricBasis basis(problem.samples, problem.part);
  auto y = Matrix<double>::copy_of(problem.targets.view());
  std::vector<double> means;
  if (problem.part != ParametricPart::none) {
    means = center_targets(y.view());
  }

  timer.start("kernel matrix");
  Matrix<T> a(n, n);
  evaluate_gram<T>(*prepared, Triangle::lower, a.view(), run);
  Matrix<double> kernel_times_basis;
  const bool conditional = !problem.kernel.definiteness().is_positive();
  if (conditional) {
    kernel_times_basis = project_out<T>(a.view(), basis.q(), PositionOfBasis::inside, run).kernel_times_basis;
  }

  timer.start("factorization");
  factorize<T>(problem, a.view(), run);

  timer.start("solve");
  DualCoefficients dual = solve<T>(a.view(), y.view(), basis.q(), problem.lambda, run);
  if (conditional) {
    gemm(-1.0, kernel_times_basis.view(), Transpose::yes, dual.alpha.view(), Transpose::no, 1.0, dual.gamma.view());
  }
  RidgeSolution solution;
  solution.relative_residual = relative_residual<T>(problem, prepared, dual, y.view(), basis.q(), run);
  if (problem.loo == LeaveOneOut::compute) {
    timer.start("leave-one-out");
    solution.loo_residuals = leave_one_out<T>(a.view(), dual, run);
  }
  timer.stop();
  solution.dependence = basis.dependence();
  solution.parametric = basis.parametric_coefficients(dual.gamma.view());
  for (std::size_t o = 0; o < means.size(); ++o) {
    solution.parametric(0, static_cast<Index>(o)) += means[o];
  }
  solution.centers = problem.samples;
  solution.coefficients = std::move(dual.alpha);
  return solution;
}

template <class T>
void require_well_posed(ConstMatrixView<T> factor, const CholeskyStatus& status, double largest_diagonal,
                        double lambda) {
  CholeskyStatus judged = status;
  // A pivot at the level of rounding carries no digit of the true one.
  const double floor =
      static_cast<double>(factor.rows()) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_diagonal;
  for (Index i = 0; judged.ok && i < factor.rows(); ++i) {
    const auto pivot = static_cast<double>(factor(i, i));
    if (!(pivot * pivot > floor)) {
      judged = {.ok = false, .failed_at = i};
    }
  }
  if (!judged.ok) {
    throw NumericalError("the ridge matrix is numerically singular at row " + std::to_string(judged.failed_at) +
                         " (counted from 0) with lambda = " + shortest(lambda) +
                         ": rows that are repeated, or nearly so for this kernel, need a larger lambda" +
                         (sizeof(T) == sizeof(float) ? ", or precision=double" : ""));
  }
}

template RidgeSolution solve_ridge_dual<float>(const RidgeProblem&, PhaseTimer&, const Run&);
template RidgeSolution solve_ridge_dual<double>(const RidgeProblem&, PhaseTimer&, const Run&);
template void require_well_posed(ConstMatrixView<float>, const CholeskyStatus&, double, double);
template void require_well_posed(ConstMatrixView<double>, const CholeskyStatus&, double, double);

}  // namespace mercer
