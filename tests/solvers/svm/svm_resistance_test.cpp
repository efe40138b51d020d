// Resistance of support vector classifiers (Schölkopf & Smola 2002, proposition 7.7): where w is a combination of the support
// vectors between their bounds, with coefficients that sum to 0, a margin error may move along w without moving the plane.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "solvers/svm_oracle.h"

namespace mercer {
namespace {

const mercer::Run resistance_run{{.threads = 1}};

struct Plane {
  double first = 0;
  double second = 0;
  double offset = 0;
};

struct PlanarMachine {
  SvmDual dual;
  Plane plane;
};

PlanarMachine planar_machine(const testing::Dense& x, const std::vector<double>& signs,
                             const std::vector<double>& bounds) {
  PlanarMachine machine;
  machine.dual =
      solve_c_svc(testing::stored_gram(x * x.transpose()), signs, bounds, {.tolerance = 1e-10}, resistance_run);
  for (Index i = 0; i < x.rows(); ++i) {
    machine.plane.first += machine.dual.coefficients[i] * x(i, 0);
    machine.plane.second += machine.dual.coefficients[i] * x(i, 1);
  }
  machine.plane.offset = machine.dual.offset;
  return machine;
}

// In the plane three free support vectors with both labels express every direction by coefficients that sum to 0.
TEST(Resistance, AMarginErrorMayMoveAlongW) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, 31);
    constexpr Index n = 40;
    testing::Dense x(n, 2);
    std::vector<double> signs;
    for (Index i = 0; i < n; ++i) {
      signs.push_back(i % 2 == 0 ? 1.0 : -1.0);
      x(i, 0) = signs[i] + random.normal();
      x(i, 1) = random.normal();
    }
    const std::vector<double> bounds(n, 1.0);
    const PlanarMachine before = planar_machine(x, signs, bounds);
    Index free = 0;
    Index error = -1;
    for (Index i = 0; i < n; ++i) {
      const double size = std::abs(before.dual.coefficients[i]);
      free += size > 0.02 && size < 0.98 ? 1 : 0;
      const double f = before.dual.values[i] + before.dual.offset;
      error = signs[i] * f < 0.5 ? i : error;
    }
    if (free != 3 || error < 0) {
      continue;
    }
    ++moved;
    for (const double step : {1e-3, -1e-3}) {
      testing::Dense shifted = x;
      shifted(error, 0) += step * before.plane.first;
      shifted(error, 1) += step * before.plane.second;
      const PlanarMachine after = planar_machine(shifted, signs, bounds);
      EXPECT_NEAR(after.plane.first, before.plane.first, 1e-7);
      EXPECT_NEAR(after.plane.second, before.plane.second, 1e-7);
      EXPECT_NEAR(after.plane.offset, before.plane.offset, 1e-7);
      // It is the coefficients that give way.
      EXPECT_NE(after.dual.coefficients, before.dual.coefficients);
    }
    // Only so far as the three can take it up between their bounds.
    testing::Dense far = x;
    far(error, 0) -= signs[error] * 1000 * before.plane.first;
    far(error, 1) -= signs[error] * 1000 * before.plane.second;
    const PlanarMachine other = planar_machine(far, signs, bounds);
    EXPECT_GT(std::hypot(other.plane.first - before.plane.first, other.plane.second - before.plane.second), 1e-3);
  }
  EXPECT_GE(moved, 10);
}

}  // namespace
}  // namespace mercer
