#include "mercer/linalg/least_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

std::span<double> tail_of(MatrixView<double> transposed, Index column, Index first) {
  return transposed.row(column).subspan(static_cast<std::size_t>(first));
}

// Column j becomes a multiple of e_j by the reflection I − v vᵀ · factor, with v kept below (and on) the diagonal.
// Returns the entry of R on the diagonal.
double reflect_column(MatrixView<double> transposed, Index j, double& factor) {
  const std::span<double> v = tail_of(transposed, j, j);
  const double norm = nrm2(v);
  factor = 0;
  if (norm == 0) {
    return 0;
  }
  const double head = v[0] > 0 ? -norm : norm;
  v[0] -= head;
  factor = 1 / (norm * std::abs(v[0]));  // vᵀv / 2 = norm · |v_j|
  for (Index c = j + 1; c < transposed.rows(); ++c) {
    const std::span<double> column = tail_of(transposed, c, j);
    axpy(-factor * dot(v, column), v, column);
  }
  return head;
}

// Rotates the columns of R (k × k, by columns) until they are orthogonal: R V = U S.
void orthogonalize(std::span<double> r, std::span<double> v, std::size_t k) {
  constexpr int most_sweeps = 60;
  constexpr double orthogonal = 4 * std::numeric_limits<double>::epsilon();
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < k; ++p) {
      for (std::size_t q = p + 1; q < k; ++q) {
        const std::span<const double> left_column = r.subspan(p * k, k);
        const std::span<const double> right_column = r.subspan(q * k, k);
        const double pp = dot(left_column, left_column);
        const double qq = dot(right_column, right_column);
        const double pq = dot(left_column, right_column);
        if (!(std::abs(pq) > orthogonal * std::sqrt(pp * qq))) {
          continue;
        }
        rotated = true;
        const double zeta = (qq - pp) / (2 * pq);
        const double tangent = (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent);
        const double sine = cosine * tangent;
        for (auto matrix : {r, v}) {
          for (std::size_t i = 0; i < k; ++i) {
            const double left = matrix[p * k + i];
            const double right = matrix[q * k + i];
            matrix[p * k + i] = cosine * left - sine * right;
            matrix[q * k + i] = sine * left + cosine * right;
          }
        }
      }
    }
    if (!rotated) {
      return;
    }
  }
}

}  // namespace

Index least_norm_functional(MatrixView<double> transposed, std::span<const double> c, double tolerance,
                            std::span<double> g, LeastNormWorkspace& workspace) {
  const Index steps = std::min(transposed.rows(), transposed.columns());
  const auto k = static_cast<std::size_t>(transposed.rows());
  workspace.reflectors.assign(k, 0);
  workspace.triangle.assign(k * k, 0);
  workspace.rotations.assign(k * k, 0);
  const std::span<double> r(workspace.triangle);
  const std::span<double> v(workspace.rotations);
  for (Index j = 0; j < steps; ++j) {
    const auto column = static_cast<std::size_t>(j);
    const double head = reflect_column(transposed, j, workspace.reflectors[column]);
    r[column * k + column] = head;
  }
  for (Index i = 0; i < steps; ++i) {
    for (Index j = i + 1; j < transposed.rows(); ++j) {
      r[static_cast<std::size_t>(j) * k + static_cast<std::size_t>(i)] = transposed(j, i);
    }
  }
  for (std::size_t j = 0; j < k; ++j) {
    v[j * k + j] = 1;
  }
  orthogonalize(r, v, k);
  // g = Q U S⁺ Vᵀ c = Q Σ_s (U S)_s (V_sᵀ c) / σ_s²
  std::vector<double>& squares = workspace.reflectors;
  squares.resize(2 * k);
  double largest = 0;
  for (std::size_t s = 0; s < k; ++s) {
    double square = 0;
    for (std::size_t i = 0; i < k; ++i) {
      square += r[s * k + i] * r[s * k + i];
    }
    squares[k + s] = square;
    largest = std::max(largest, square);
  }
  std::fill(g.begin(), g.end(), 0.0);
  Index rank = 0;
  for (std::size_t s = 0; s < k; ++s) {
    if (!(squares[k + s] > tolerance * tolerance * largest)) {
      continue;
    }
    ++rank;
    double share = 0;
    for (std::size_t i = 0; i < k; ++i) {
      share += v[s * k + i] * c[i];
    }
    share /= squares[k + s];
    for (Index i = 0; i < steps; ++i) {
      g[i] += share * r[s * k + static_cast<std::size_t>(i)];
    }
  }
  for (Index j = steps - 1; j >= 0; --j) {
    const std::span<const double> reflector = tail_of(transposed, j, j);
    const std::span<double> rest = g.subspan(static_cast<std::size_t>(j));
    axpy(-workspace.reflectors[j] * dot(reflector, rest), reflector, rest);
  }
  return rank;
}

}  // namespace mercer
