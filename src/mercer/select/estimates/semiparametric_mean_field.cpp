#include "mercer/select/estimates/semiparametric_mean_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/models/orthonormal_columns.h"
#include "mercer/models/parametric_projection.h"
#include "mercer/select/estimates/support_kinds.h"

namespace mercer {

namespace {

constexpr double dependent = 1e-10;  // of a function's size: what is left of it beside those before

// Ψ = QR on the free rows; none where a function depends on those before it.
std::optional<OrthonormalColumns> held_functions(ConstMatrixView<double> functions, const std::vector<Index>& free) {
  Matrix<double> own(static_cast<Index>(free.size()), functions.columns());
  for (Index i = 0; i < own.rows(); ++i) {
    std::ranges::copy(functions.row(free[static_cast<std::size_t>(i)]), own.view().row_data(i));
  }
  OrthonormalColumns held = orthonormal_columns(own.view());
  return held.least_rest > dependent ? std::optional(std::move(held)) : std::nullopt;
}

void add_along(MatrixView<double> matrix, double factor, ConstMatrixView<double> q) {
  gemm(factor, q, Transpose::no, q, Transpose::yes, 1.0, matrix);
}

// (PKP)⁺; a direction that is not there is kept with the smallest eigenvalue above rounding. None where PKP is not
// positive.
std::optional<Matrix<double>> projected_inverse(ConstMatrixView<double> kernel, ConstMatrixView<double> q,
                                                const Run& run) {
  auto projected = Matrix<double>::copy_of(kernel);
  const double t = project_out<double>(projected.view(), q, PositionOfBasis::inside, run).basis_value;
  for (double jitter = 1e-13 * t; jitter <= 1e-6 * t; jitter *= 10) {
    auto inverse = Matrix<double>::copy_of(projected.view());
    for (Index i = 0; i < inverse.rows(); ++i) {
      inverse(i, i) += jitter;
    }
    if (!try_cholesky(inverse.view(), run).ok) {
      continue;
    }
    cholesky_inverse(inverse.view(), run);
    mirror_lower<double>(inverse.view(), run);
    add_along(inverse.view(), -1 / (t + jitter), q);
    return inverse;
  }
  return std::nullopt;
}

struct FreePart {
  Matrix<double> kernel;
  OrthonormalColumns held;
  Matrix<double> inverse;
};

double change_without_free(const FreePart& part, Index l) {
  const std::span<const double> along = part.held.q.view().row(l);
  const double pivot = part.inverse(l, l);
  const bool is_needed = 1 - dot(along, along) <= dependent;  // without it the functions are not determined
  return is_needed || !(pivot > 0) ? std::numeric_limits<double>::infinity() : 1 / pivot;
}

// a solves [K Ψ; Ψᵀ 0][a; b] = [k; ψ]: a = p + (PKP)⁺(k − Kp), p = Q R⁻ᵀψ, and b = Ψ⁺(k − Ka), so that
// v'M⁻¹v = kᵀa + ψᵀb = kᵀa + pᵀ(k − Ka).
double change_without_bound_row(const FreePart& part, std::span<const double> k, std::span<const double> psi,
                                double diagonal) {
  const Index count = part.held.r.rows();
  const Index f = part.kernel.rows();
  std::vector<double> in_basis(psi.begin(), psi.end());
  for (Index p = 0; p < count; ++p) {
    for (Index before = 0; before < p; ++before) {
      in_basis[p] -= part.held.r(before, p) * in_basis[before];
    }
    in_basis[p] /= part.held.r(p, p);
  }
  std::vector<double> taken(f, 0.0);
  for (Index i = 0; i < f && count > 0; ++i) {
    taken[i] = dot(part.held.q.view().row(i), std::span<const double>(in_basis));
  }
  const std::vector<double> from_functions = taken;
  const auto rest_of = [&] {
    std::vector<double> rest(k.begin(), k.end());
    for (Index i = 0; i < f; ++i) {
      rest[i] -= dot(part.kernel.view().row(i), std::span<const double>(taken));
    }
    return rest;
  };
  const std::vector<double> missing = rest_of();
  for (Index i = 0; i < f; ++i) {
    taken[i] += dot(part.inverse.view().row(i), std::span<const double>(missing));
  }
  const std::vector<double> level = rest_of();
  return diagonal - dot(k, std::span<const double>(taken)) -
         dot(std::span<const double>(from_functions), std::span<const double>(level));
}

std::optional<FreePart> free_part(const Gram<double>& gram, const std::vector<Index>& free,
                                  ConstMatrixView<double> functions, const Run& run) {
  std::optional<OrthonormalColumns> held = held_functions(functions, free);
  if (!held) {
    return std::nullopt;
  }
  const auto f = static_cast<Index>(free.size());
  Matrix<double> kernel(f, f);
  gram.gather(free, free, kernel.view(), run);
  std::optional<Matrix<double>> inverse = projected_inverse(std::as_const(kernel).view(), held->q.view(), run);
  if (!inverse) {
    return std::nullopt;
  }
  return FreePart{.kernel = std::move(kernel), .held = std::move(*held), .inverse = std::move(*inverse)};
}

}  // namespace

std::optional<MeanField> mean_field(const Gram<double>& gram, std::span<const double> coefficients,
                                    std::span<const double> bounds, ConstMatrixView<double> functions, Index max_free,
                                    const Run& run) {
  if (functions.rows() != gram.size()) {
    throw InvalidArgument("mean field: functions of " + std::to_string(functions.rows()) + " rows for " +
                          std::to_string(gram.size()) + ": must be as many");
  }
  const SupportKinds kinds = support_kinds(coefficients, bounds, gram.size());
  if (kinds.free.empty() || static_cast<Index>(kinds.free.size()) > max_free) {
    return std::nullopt;
  }
  const std::optional<FreePart> part = free_part(gram, kinds.free, functions, run);
  if (!part) {
    return std::nullopt;
  }
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  Matrix<double> cross(static_cast<Index>(kinds.bound.size()), static_cast<Index>(kinds.free.size()));
  gram.gather(kinds.bound, kinds.free, cross.view(), run);
  MeanField result;
  Index next_free = 0;
  Index next_bound = 0;
  for (Index i = 0; i < gram.size(); ++i) {
    if (coefficients[i] == 0) {
      continue;
    }
    const bool is_bound = next_bound < cross.rows() && kinds.bound[next_bound] == i;
    const double unit = is_bound ? change_without_bound_row(*part, std::as_const(cross).view().row(next_bound++),
                                                            functions.row(i), diagonal[i])
                                 : change_without_free(*part, next_free++);
    result.rows.push_back(i);
    result.changes.push_back(coefficients[i] * unit);
    run.check_stop();
  }
  return result;
}

}  // namespace mercer
