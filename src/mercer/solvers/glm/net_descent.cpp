#include "mercer/solvers/glm/net_descent.h"

#include <algorithm>
#include <cmath>

#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr Index passes_per_newton = 4;  // between them, coordinate descent decides which coordinates are 0
constexpr double singular_ridge = 1e-13;

}  // namespace

Index NetDescent::descend(double enough, Index max_passes) {
  reset_slopes();
  for (Index pass = 1; pass <= max_passes; ++pass) {
    if (pass_over_coordinates() <= enough) {
      return pass;
    }
    if (problem_.values.columns() == 1 && pass % passes_per_newton == 0) {
      newton_in_orthant();
      reset_slopes();
    }
    if (pass % 64 == 0) {
      run_.check_stop();
    }
  }
  return max_passes;
}

// slopes = XᵀY − GA: U of the working set.
void NetDescent::reset_slopes() {
  slopes_ = Matrix<double>::copy_of(problem_.target_products);
  if (size() > 0) {
    parallel_gemm<double>(-1.0, problem_.gram, Transpose::no, problem_.values, Transpose::no, 1.0, slopes_.view(),
                          run_);
  }
}

// The largest √(curvature)·change.
double NetDescent::pass_over_coordinates() {
  double largest = 0;
  std::vector<double> change(problem_.values.columns());
  for (Index a = 0; a < size(); ++a) {
    const double curvature = problem_.gram(a, a);
    const std::span<double> value = problem_.values.row(a);
    const std::span<const double> slope = slopes_.view().row(a);
    for (std::size_t o = 0; o < value.size(); ++o) {
      change[o] = slope[o] + curvature * value[o];
    }
    const double norm = net_norm(change);
    const double stiffness = curvature + ridge(a);
    const double shrink =
        norm > threshold(a) && stiffness > 0 && curvature > 0 ? (1 - threshold(a) / norm) / stiffness : 0.0;
    double moved = 0;
    for (std::size_t o = 0; o < value.size(); ++o) {
      const double next = shrink * change[o];
      change[o] = next - value[o];
      value[o] = next;
      moved = std::max(moved, std::abs(change[o]));
    }
    if (moved > 0) {
      largest = std::max(largest, moved * std::sqrt(stiffness));
      ger(-1.0, problem_.gram.row(a), change, slopes_.view());
    }
  }
  return largest;
}

// One target: the minimum over the coordinates that are not 0, signs kept. Where a sign would change, the step ends
// there, the coordinate is left at 0, and the next step is within the smaller face.
void NetDescent::newton_in_orthant() {
  std::vector<Index> face;
  for (Index a = 0; a < size(); ++a) {
    if (problem_.values(a, 0) != 0) {
      face.push_back(a);
    }
  }
  while (!face.empty()) {
    const std::vector<double> direction = face_direction(face);
    if (direction.empty()) {
      return;
    }
    if (move_along(face, direction)) {
      return;
    }
    std::erase_if(face, [&](Index a) { return problem_.values(a, 0) == 0; });
    run_.check_stop();
  }
}

// Newton's direction; empty where the factorisation fails or nothing is to be gained.
std::vector<double> NetDescent::face_direction(const std::vector<Index>& face) const {
  const auto k = static_cast<Index>(face.size());
  double largest = 0;
  for (const Index a : face) {
    largest = std::max(largest, problem_.gram(a, a) + ridge(a));
  }
  Matrix<double> hessian(k, k);
  for (Index r = 0; r < k; ++r) {
    const Index a = face[r];
    for (Index c = 0; c <= r; ++c) {
      hessian(r, c) = problem_.gram(a, face[c]);
    }
    hessian(r, r) += ridge(a) + singular_ridge * static_cast<double>(k) * largest;
  }
  if (!try_cholesky<double>(hessian.view(), run_).ok) {
    return {};
  }
  std::vector<double> direction;
  for (const Index a : face) {
    const double value = problem_.values(a, 0);
    direction.push_back(slopes_(a, 0) - std::copysign(threshold(a), value) - ridge(a) * value);
  }
  cholesky_solve<double>(std::as_const(hessian).view(), std::span<double>(direction), run_);
  return std::ranges::all_of(direction, [](double d) { return std::isfinite(d); }) ? direction : std::vector<double>{};
}

// The whole step, or as much of it as no sign changes in; slopes follow. Whether it was the whole.
bool NetDescent::move_along(const std::vector<Index>& face, const std::vector<double>& direction) {
  double length = 1;
  bool whole = true;
  const auto crossing = [&](std::size_t r) { return -problem_.values(face[r], 0) / direction[r]; };
  for (std::size_t r = 0; r < face.size(); ++r) {
    if (const double at = crossing(r); at > 0 && at <= length) {
      length = at;
      whole = false;
    }
  }
  for (std::size_t r = 0; r < face.size(); ++r) {
    double& value = problem_.values(face[r], 0);
    const bool crossed = !whole && crossing(r) == length;
    const double next = crossed ? 0.0 : value + length * direction[r];
    const auto row = problem_.gram.row(face[r]);
    axpy(value - next, row, {slopes_.data(), static_cast<std::size_t>(size())});
    value = next;
  }
  return whole;
}

}  // namespace mercer
