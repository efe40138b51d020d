#include "mercer/expansion/reduced_set/target.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/data/equal_rows.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

std::vector<Index> rows_in_use(ConstMatrixView<double> coefficients) {
  std::vector<Index> used;
  for (Index i = 0; i < coefficients.rows(); ++i) {
    for (const double value : coefficients.row(i)) {
      if (!std::isfinite(value)) {
        throw InvalidArgument("coefficient " + std::to_string(i) + " (counted from 0) is not a finite number");
      }
    }
    if (std::ranges::any_of(coefficients.row(i), [](double value) { return value != 0; })) {
      used.push_back(i);
    }
  }
  return used;
}

void require_norm(const Kernel& kernel, const Samples& centers, const Run& run) {
  if (const Definiteness known = definiteness_on(kernel, centers, run); !known.is_positive()) {
    throw InvalidArgument("reduced sets measure their error by the norm of the kernel's space, but " + kernel.spec() +
                          " is not positive definite: it is " + to_string(known));
  }
  if (kernel.node().depends_on_reference()) {
    throw InvalidArgument("the kernel " + kernel.spec() +
                          " depends on all of its centres, so that none of them can be left out");
  }
}

Matrix<double> rows_of(ConstMatrixView<double> all, std::span<const Index> rows) {
  Matrix<double> result(static_cast<Index>(rows.size()), all.columns());
  for (Index i = 0; i < result.rows(); ++i) {
    std::ranges::copy(all.row(rows[i]), result.view().row_data(i));
  }
  return result;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Centres that stand twice are one, with the sum of their coefficients: a small penalty makes these huge and of opposite
// signs, and a norm computed from them is rounding. (Not where the kernel tells equal rows apart, as `white` does.)
Matrix<double> with_equal_centers_united(const Kernel& kernel, const Samples& centers,
                                         ConstMatrixView<double> coefficients, const Run& run) {
  Matrix<double> united = Matrix<double>::copy_of(coefficients);
  const std::vector<Index> first = first_equal_rows(centers);
  std::optional<KernelGram<double>> gram;
  for (Index i = 0; i < centers.size(); ++i) {
    const Index f = first[i];
    if (f == i) {
      continue;
    }
    if (!gram) {
      gram.emplace(std::make_shared<const PreparedKernel>(kernel, centers, Precision::double_precision, run.quiet()));
    }
    const std::vector<Index> both = {f, i};
    Matrix<double> k(2, 2);
    gram->gather(both, both, k.view(), run.quiet());
    if (k(0, 0) + k(1, 1) - 2 * k(0, 1) <= 1e-12 * (k(0, 0) + k(1, 1))) {
      for (Index o = 0; o < united.columns(); ++o) {
        united(f, o) += united(i, o);
        united(i, o) = 0;
      }
    }
  }
  return united;
}

// Whether every pivot of the Cholesky factor of A is above the rounding of its own diagonal entry. Where points stand
// twice the factorisation may pass with one that is not, and its solution is noise divided by noise.
bool has_pivots_above_rounding(ConstMatrixView<double> factor, ConstMatrixView<double> a) {
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    if (!(factor(i, i) * factor(i, i) > rounding * a(i, i))) {
      return false;
    }
  }
  return true;
}

// What the points z see of the target: K^zx a and K^z.
struct SeenFrom {
  Matrix<double> products;
  Matrix<double> gram;
};

SeenFrom seen_from(const ReductionTarget& target, const Samples& centers, const Run& run) {
  const Index n = centers.size();
  SeenFrom seen{Matrix<double>(n, target.outputs()), Matrix<double>(n, n)};
  if (n == 0) {
    return seen;
  }
  if (target.size() == 0) {
    seen.products = Matrix<double>::filled(n, target.outputs(), 0.0);
  } else {
    CrossGram<double>(target.prepared(), centers, run).multiply(target.coefficients(), seen.products.view(), run);
  }
  evaluate_gram(PreparedKernel(target.kernel(), centers, Precision::double_precision, run), Triangle::both,
                seen.gram.view(), run);
  return seen;
}

std::vector<double> errors_of(const ReductionTarget& target, const SeenFrom& seen, ConstMatrixView<double> beta,
                              const Run& run) {
  std::vector<double> errors = target.squared_norms();
  Matrix<double> own(beta.rows(), beta.columns());
  parallel_gemm<double>(1.0, seen.gram.view(), Transpose::no, beta, Transpose::no, 0.0, own.view(), run);
  for (Index j = 0; j < beta.rows(); ++j) {
    for (Index o = 0; o < beta.columns(); ++o) {
      errors[o] += beta(j, o) * (own(j, o) - 2 * seen.products(j, o));
    }
  }
  for (double& error : errors) {
    error = std::max(error, 0.0);
  }
  return errors;
}

}  // namespace

ReductionTarget::ReductionTarget(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                                 const Run& run) {
  require_norm(kernel, centers, run);
  if (coefficients.rows() != centers.size()) {
    throw InvalidArgument(std::to_string(coefficients.rows()) + " rows of coefficients for " +
                          std::to_string(centers.size()) + " centres");
  }
  const Matrix<double> united = with_equal_centers_united(kernel, centers, coefficients, run);
  kept_ = rows_in_use(united.view());
  centers_ = static_cast<Index>(kept_.size()) == centers.size() ? centers : centers.select(kept_);
  coefficients_ = rows_of(united.view(), kept_);
  prepared_ = std::make_shared<const PreparedKernel>(kernel, centers_, Precision::double_precision, run);
  values_ = Matrix<double>(size(), outputs());
  squared_norms_.assign(outputs(), 0.0);
  if (size() == 0) {
    return;
  }
  KernelGram<double>(prepared_).multiply(coefficients_.view(), values_.view(), run);
  for (Index i = 0; i < size(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      squared_norms_[o] += coefficients_(i, o) * values_(i, o);
    }
  }
  for (double& norm : squared_norms_) {
    norm = std::max(norm, 0.0);
  }
}

double ReductionTarget::total_squared_norm() const { return sum_of(squared_norms_); }

Matrix<double> ReductionTarget::gram(const Run& run) const {
  Matrix<double> k(size(), size());
  evaluate_gram(*prepared_, Triangle::both, k.view(), run);
  return k;
}

double ReducedSet::total_squared_error() const { return sum_of(squared_errors); }

double solve_semidefinite(MatrixView<double> a, MatrixView<double> b, const Run& run) {
  const Index n = a.rows();
  if (n == 0) {
    return 0;
  }
  double largest = 0;
  for (Index i = 0; i < n; ++i) {
    largest = std::max(largest, a(i, i));
  }
  if (largest == 0) {  // every centre is the origin of feature space
    for (Index i = 0; i < n; ++i) {
      std::ranges::fill(b.row(i), 0.0);
    }
    return 0;
  }
  const Matrix<double> kept = Matrix<double>::copy_of(a);
  double ridge = 0;
  for (double relative = 1e-15; relative < 1e-3; relative *= 10) {
    if (try_cholesky(a, run).ok && has_pivots_above_rounding(a, kept.view())) {
      cholesky_solve<double>(a, b, run);
      return ridge;
    }
    ridge = relative * static_cast<double>(n) * largest;
    for (Index i = 0; i < n; ++i) {
      std::ranges::copy(kept.view().row(i), a.row_data(i));
      a(i, i) += ridge;
    }
  }
  throw NumericalError("the kernel matrix of the reduced set is not positive semidefinite, not even nearly");
}

std::vector<double> reduction_errors(const ReductionTarget& target, const Samples& centers,
                                     ConstMatrixView<double> coefficients, const Run& run) {
  if (coefficients.rows() != centers.size() || coefficients.columns() != target.outputs()) {
    throw InvalidArgument("coefficients of " + std::to_string(coefficients.rows()) + " by " +
                          std::to_string(coefficients.columns()) + " for " + std::to_string(centers.size()) +
                          " centres and " + std::to_string(target.outputs()) + " outputs");
  }
  return errors_of(target, seen_from(target, centers, run), coefficients, run);
}

ReducedSet fit_coefficients(const ReductionTarget& target, const Samples& centers, const Run& run) {
  const SeenFrom seen = seen_from(target, centers, run);
  Matrix<double> a = Matrix<double>::copy_of(seen.gram.view());
  ReducedSet set{centers, Matrix<double>::copy_of(seen.products.view()), {}};
  solve_semidefinite(a.view(), set.coefficients.view(), run);
  set.squared_errors = errors_of(target, seen, set.coefficients.view(), run);
  return set;
}

ReducedSet fit_coefficients(const ReductionTarget& target, std::span<const Index> chosen, const Run& run) {
  return fit_coefficients(target, target.centers().select(chosen), run);
}

ReducedSet fit_values(const ReductionTarget& target, const Samples& centers, const Run& run) {
  const Index n = centers.size();
  ReducedSet set{centers, Matrix<double>(n, target.outputs()), target.squared_norms()};
  if (n == 0) {
    return set;
  }
  Matrix<double> k(n, target.size());
  CrossGram<double>(target.prepared(), centers, run).evaluate(k.view(), run);
  Matrix<double> normal(n, n);
  parallel_syrk<double>(1.0, k.view(), Transpose::no, 0.0, normal.view(), run);
  mirror_lower(normal.view(), run);
  parallel_gemm<double>(1.0, k.view(), Transpose::no, target.values(), Transpose::no, 0.0, set.coefficients.view(),
                        run);
  solve_semidefinite(normal.view(), set.coefficients.view(), run);
  set.squared_errors = errors_of(target, seen_from(target, centers, run), set.coefficients.view(), run);
  return set;
}

}  // namespace mercer
