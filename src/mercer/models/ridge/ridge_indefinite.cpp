// Ridge with a kernel that is not positive definite. The equations of the definite case, (K + λW⁻¹)α + Qγ = y and
// Qᵀα = 0, describe a stationary point of the regularised risk in a Krein space, in place of its minimum. With
// A = K + λW⁻¹ = VΛVᵀ:
//
//   A⁺ = V Λ⁺ Vᵀ,   γ = (QᵀA⁺Q)⁻¹ QᵀA⁺y,   α = A⁺(y − Qγ)
//
// Reference: Ong, Mary, Canu & Smola (2004), Learning with non-positive kernels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/ridge/ridge_problem.h"

namespace mercer {

namespace {

void require_supported(const RidgeProblem& problem) {
  const std::string subject =
      std::string(problem.model) + ": the kernel " + problem.kernel.spec() + " is indefinite: it has no ";
  if (problem.loo == LeaveOneOut::compute) {
    throw InvalidArgument(subject + "leave-one-out residuals here; set loo=no");
  }
  if (problem.part.uses_columns()) {
    throw InvalidArgument(subject + "functions beside the constant; set parametric=constant");
  }
  const auto n = static_cast<double>(problem.samples.size());
  require_memory(problem, 4 * 8 * n * n,
                 "the eigendecomposition of " + std::to_string(problem.samples.size()) + " rows",
                 "fewer rows, or a larger memory_mb");
}

// K + λW⁻¹, both triangles.
Matrix<double> ridge_matrix(const RidgeProblem& problem, const Run& run) {
  const PreparedKernel prepared(problem.kernel, problem.samples, Precision::double_precision, run);
  Matrix<double> a(problem.samples.size(), problem.samples.size());
  evaluate_gram<double>(prepared, Triangle::lower, a.view(), run);
  mirror_lower(a.view(), run);
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, i) += problem.lambda / problem.weights[i];
  }
  return a;
}

// A⁺ of a matrix by its eigenvalues.
class PseudoInverse {
 public:
  PseudoInverse(ConstMatrixView<double> a, const Run& run) : eigen_(symmetric_eigen(a, run)) {
    double largest = 0;
    for (const double value : eigen_.values) {
      largest = std::max(largest, std::abs(value));
    }
    const double floor = static_cast<double>(a.rows()) * std::numeric_limits<double>::epsilon() * largest;
    for (double& value : eigen_.values) {
      negative_ += value < -floor ? 1 : 0;
      dropped_ += std::abs(value) <= floor ? 1 : 0;
      value = std::abs(value) <= floor ? 0.0 : 1 / value;
    }
  }

  Index negative() const { return negative_; }
  Index dropped() const { return dropped_; }

  Matrix<double> times(ConstMatrixView<double> b, const Run& run) const {
    Matrix<double> inside(b.rows(), b.columns());
    Matrix<double> result(b.rows(), b.columns());
    parallel_gemm(1.0, eigen_.vectors.view(), Transpose::yes, b, Transpose::no, 0.0, inside.view(), run);
    for (Index i = 0; i < b.rows(); ++i) {
      for (Index o = 0; o < b.columns(); ++o) {
        inside(i, o) *= eigen_.values[i];
      }
    }
    parallel_gemm(1.0, eigen_.vectors.view(), Transpose::no, inside.view(), Transpose::no, 0.0, result.view(), run);
    return result;
  }

 private:
  SymmetricEigen<double> eigen_;  // values: those of the inverse
  Index negative_ = 0;
  Index dropped_ = 0;
};

// γ of the constant, one per output; α loses A⁺Qγ.
Matrix<double> take_constant_out(const PseudoInverse& inverse, ConstMatrixView<double> q, Matrix<double>& alpha,
                                 const Run& run) {
  Matrix<double> gamma(q.columns(), alpha.columns());
  if (q.columns() == 0) {
    return gamma;
  }
  const Matrix<double> u = inverse.times(q, run);
  double schur = 0;
  double size = 0;
  for (Index i = 0; i < q.rows(); ++i) {
    schur += q(i, 0) * u(i, 0);
    size += std::abs(q(i, 0) * u(i, 0));
  }
  if (!(std::abs(schur) > std::numeric_limits<double>::epsilon() * static_cast<double>(q.rows()) * size)) {
    throw NumericalError(
        "the intercept beside this indefinite kernel is not determined: set parametric=none, or another lambda");
  }
  for (Index o = 0; o < alpha.columns(); ++o) {
    double sum = 0;
    for (Index i = 0; i < q.rows(); ++i) {
      sum += q(i, 0) * alpha(i, o);
    }
    gamma(0, o) = sum / schur;
    for (Index i = 0; i < q.rows(); ++i) {
      alpha(i, o) -= u(i, 0) * gamma(0, o);
    }
  }
  return gamma;
}

void say(const RidgeProblem& problem, const PseudoInverse& inverse, FitReport& report, const Run& run) {
  report.measures.push_back({"negative eigenvalues of K + lambda I", static_cast<double>(inverse.negative())});
  if (inverse.dropped() > 0) {
    report.notes.push_back(std::to_string(inverse.dropped()) +
                           " eigenvalues of K + lambda I at the level of rounding left out");
  }
  if (inverse.negative() > 0) {
    run.warn("the matrix of the kernel " + problem.kernel.spec() + " is indefinite: K + lambda I has " +
             std::to_string(inverse.negative()) + " negative eigenvalues with lambda = " + shortest(problem.lambda) +
             ", so that the solution is a stationary point and not a minimum");
  }
}

}  // namespace

RidgeSolution solve_ridge_indefinite(const RidgeProblem& problem, FitReport& report, PhaseTimer& timer,
                                     const Run& run) {
  require_supported(problem);
  const ParametricBasis basis(problem.samples, problem.part);
  auto y = Matrix<double>::copy_of(problem.targets.view());
  std::vector<double> means;
  if (problem.part != ParametricPart::none) {
    means = center_targets(y.view());
  }
  timer.start("kernel matrix");
  const Matrix<double> a = ridge_matrix(problem, run);
  timer.start("eigenvalues");
  const PseudoInverse inverse(a.view(), run);
  timer.start("solve");
  RidgeSolution solution;
  solution.coefficients = inverse.times(y.view(), run);
  const Matrix<double> gamma = take_constant_out(inverse, basis.q(), solution.coefficients, run);
  auto rest = Matrix<double>::copy_of(y.view());
  parallel_gemm(-1.0, a.view(), Transpose::no, solution.coefficients.view(), Transpose::no, 1.0, rest.view(), run);
  gemm(-1.0, basis.q(), Transpose::no, gamma.view(), Transpose::no, 1.0, rest.view());
  const double scale = frobenius_norm(y.view());
  solution.relative_residual = frobenius_norm(rest.view()) / (scale > 0 ? scale : 1.0);
  timer.stop();
  say(problem, inverse, report, run);
  solution.parametric = basis.parametric_coefficients(gamma.view());
  for (std::size_t o = 0; o < means.size(); ++o) {
    solution.parametric(0, static_cast<Index>(o)) += means[o];
  }
  solution.centers = problem.samples;
  return solution;
}

}  // namespace mercer
