// The offset of svc and svr: none, and one with a price, which is a constant in the kernel. Against linearsvc and linearsvr,
// which have both as options, and against the primal programme with b²/(2c²) in it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "mercer/kernels/spec.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "models/svm_blobs.h"

namespace mercer {
namespace {

using testing::Blobs;
using testing::blobs;

SvcOptions without_offset(double C) {
  SvcOptions options;
  options.C = C;
  options.parametric = ParametricPart::none;
  options.tolerance = 1e-8;
  return options;
}

void expect_alike(const Matrix<double>& a, const Matrix<double>& b, double allowed) {
  for (Index i = 0; i < a.rows(); ++i) {
    EXPECT_NEAR(a(i, 0), b(i, 0), allowed) << i;
  }
}

TEST(SvcOffset, NoneAndOneWithAPriceAreThoseOfTheLinearMachine) {
  const Blobs two = blobs(80, 2, 1.2, 21);
  LinearSvcOptions linear;
  linear.loss = LinearLoss::hinge;
  linear.C = 0.7;
  linear.tolerance = 1e-9;
  linear.intercept = LinearIntercept::none;
  expect_alike(fit_svc(parse_kernel("linear()"), without_offset(0.7), two.data)->decide(two.data.samples, {}),
               fit_linearsvc(parse_kernel("linear()"), linear, two.data)->decide(two.data.samples, {}), 1e-4);
  linear.intercept = LinearIntercept::regularized;
  for (const double c : {1.0, 3.0}) {
    linear.intercept_scale = c;
    const std::string kernel = "linear() + constant(value=" + std::to_string(c * c) + ")";
    expect_alike(fit_svc(parse_kernel(kernel), without_offset(0.7), two.data)->decide(two.data.samples, {}),
                 fit_linearsvc(parse_kernel("linear()"), linear, two.data)->decide(two.data.samples, {}), 1e-4);
  }
}

// min ½βᵀKβ + b²/(2c²) + C Σξ over (β, b, ξ).
TEST(SvcOffset, AConstantInTheKernelIsAnOffsetWithAPrice) {
  constexpr Index n = 50;
  constexpr double c = 2;
  constexpr double cost = 1.5;
  const Blobs two = blobs(n, 2, 0.8, 22);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  Matrix<double> quadratic = Matrix<double>::filled(2 * n + 1, 2 * n + 1, 0.0);
  Matrix<double> range = Matrix<double>::filled(n, 2 * n + 1, 0.0);
  const oracle::Dense k = testing::kernel_matrix(kernel, two.data.samples, two.data.samples);
  ConvexProgram program;
  program.linear.assign(2 * n + 1, 0.0);
  program.lower.assign(2 * n + 1, -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < n; ++i) {
    const double sign = two.classes[i] == 1 ? 1 : -1;
    for (Index j = 0; j < n; ++j) {
      quadratic(i, j) = k(i, j);
      range(i, j) = sign * k(i, j);
    }
    range(i, n) = sign;
    range(i, n + 1 + i) = 1;
    program.linear[n + 1 + i] = cost;
    program.lower[n + 1 + i] = 0;
  }
  quadratic(n, n) = 1 / (c * c);
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
  program.range = range.view();
  program.range_lower.assign(n, 1.0);
  program.range_upper.assign(n, std::numeric_limits<double>::infinity());
  const ConvexSolution found = solve_convex_program(program, {.tolerance = 1e-10}, {});
  ASSERT_EQ(found.status, ProgramStatus::converged);
  const auto model = fit_svc(parse_kernel("rbf(gamma=0.5) + constant(value=4)"), without_offset(cost), two.data);
  EXPECT_NEAR(model->machine_facts()[0].primal, found.primal, 1e-6 * found.primal);
  const Matrix<double> f = model->decide(two.data.samples, {});
  double sum = 0;
  for (Index j = 0; j < model->expansion().coefficients().rows(); ++j) {
    sum += model->expansion().coefficients()(j, 0);
  }
  EXPECT_NEAR(c * c * sum, found.point.x[n], 1e-4);
  for (Index i = 0; i < n; ++i) {
    double expected = found.point.x[n];
    for (Index j = 0; j < n; ++j) {
      expected += k(i, j) * found.point.x[j];
    }
    EXPECT_NEAR(f(i, 0), expected, 1e-4);
  }
  // Beside a free offset it changes nothing.
  SvcOptions free;
  free.tolerance = 1e-8;
  expect_alike(
      fit_svc(parse_kernel("rbf(gamma=0.5) + constant(value=4)"), free, two.data)->decide(two.data.samples, {}),
      fit_svc(kernel, free, two.data)->decide(two.data.samples, {}), 1e-6);
}

TEST(SvrOffset, NoneAndOneWithAPriceAreThoseOfTheLinearMachine) {
  RandomStream random(5, 6);
  Matrix<double> x(60, 2);
  Matrix<double> y(60, 1);
  for (Index i = 0; i < 60; ++i) {
    x(i, 0) = random.normal();
    x(i, 1) = random.normal();
    y(i, 0) = 2 + x(i, 0) - 0.5 * x(i, 1) + 0.3 * random.normal();
  }
  const TrainingData data{make_dense(std::move(x)), Targets::numeric(y.view())};
  SvrOptions options;
  options.C = 1;
  options.standardize = false;
  options.epsilon = 0.1;
  options.tolerance = 1e-8;
  options.parametric = ParametricPart::none;
  LinearSvrOptions linear;
  linear.loss = LinearLoss::epsilon_insensitive;
  linear.standardize = false;
  linear.epsilon = 0.1;
  linear.tolerance = 1e-9;
  linear.intercept = LinearIntercept::none;
  expect_alike(fit_svr(parse_kernel("linear()"), options, data)->predict(data.samples, {}),
               fit_linearsvr(parse_kernel("linear()"), linear, data)->predict(data.samples, {}), 1e-4);
  linear.intercept = LinearIntercept::regularized;
  expect_alike(fit_svr(parse_kernel("linear() + constant(value=1)"), options, data)->predict(data.samples, {}),
               fit_linearsvr(parse_kernel("linear()"), linear, data)->predict(data.samples, {}), 1e-4);
}

}  // namespace
}  // namespace mercer
