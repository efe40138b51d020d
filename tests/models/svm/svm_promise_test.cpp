// Machines fitted with their default tolerance and float kernel values: right relative to the size of the problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::measure;

bool has_note(const FitReport& report, const char* part) {
  return std::ranges::any_of(report.notes,
                             [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(SvmModelPromise, NuSvcOfOverlappingClassesIsSolved) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const testing::Blobs two = testing::blobs(120, 2, 0.6, seed);
    for (const double nu : {0.4, 0.5}) {
      NuSvcOptions options;
      options.nu = nu;
      const auto model = fit_nusvc(parse_kernel("rbf(gamma=0.5)"), options, two.data);
      const MachineFacts& facts = model->machine_facts().front();
      EXPECT_EQ(model->report().status, SolveStatus::converged);
      EXPECT_LE(facts.kkt_gap, 1e-3);
      EXPECT_NEAR(facts.primal, facts.dual, 1e-2 * std::abs(facts.dual)) << seed << " " << nu;
      options.tolerance = 1e-8;
      const MachineFacts exact = fit_nusvc(parse_kernel("rbf(gamma=0.5)"), options, two.data)->machine_facts().front();
      EXPECT_NEAR(facts.dual, exact.dual, 1e-2 * std::abs(exact.dual)) << seed << " " << nu;
      EXPECT_NEAR(facts.offset, exact.offset, 1e-2 * (1 + std::abs(exact.offset))) << seed << " " << nu;
    }
  }
}

TEST(SvmModelPromise, NuSvcOfHardlySeparableClassesIsSolved) {
  // ρ is about 1e-5, as a C of 100 000: pair steps alone would take millions.
  for (const Index rows : {100, 300}) {
    const testing::Blobs two = testing::blobs(rows, 2, rows == 100 ? 0.1 : 0.5, 7);
    NuSvcOptions options;
    options.nu = 0.5;
    options.max_steps = 300000;
    const auto model = fit_nusvc(parse_kernel("rbf(gamma=0.5)"), options, two.data);
    const MachineFacts& facts = model->machine_facts().front();
    EXPECT_EQ(model->report().status, SolveStatus::converged) << rows;
    EXPECT_LE(facts.kkt_gap, 1e-3) << rows;
    EXPECT_NEAR(facts.primal, facts.dual, 1e-2 * std::abs(facts.dual)) << rows;
    EXPECT_LE(facts.margin_errors, 0.5 * static_cast<double>(rows)) << rows;
  }
}

// Two variables of a row start at the same large value: they cancel, and hide nothing.
TEST(SvmModelPromise, NuSvrOfLargeKernelValuesOrBoundsIsSolved) {
  Matrix<double> x(10, 1);
  Matrix<double> y(10, 1);
  for (Index i = 0; i < 10; ++i) {
    x(i, 0) = 1000 + static_cast<double>(i);
    y(i, 0) = static_cast<double>(i) + (i % 2 == 0 ? 0.05 : -0.05);
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())};
  NuSvrOptions exact;
  exact.tolerance = 1e-6;
  for (const char* kernel : {"linear()", "rbf(gamma=0.5)"}) {
    NuSvrOptions options;
    options.C = exact.C = *kernel == 'r' ? 1e7 : 1;
    const auto model = fit_nusvr(parse_kernel(kernel), options, data, {});
    const Matrix<double> values = model->predict(data.samples, {});
    const Matrix<double> expected = fit_nusvr(parse_kernel(kernel), exact, data, {})->predict(data.samples, {});
    EXPECT_EQ(model->report().status, SolveStatus::converged) << kernel;
    for (Index i = 0; i < 10; ++i) {
      EXPECT_NEAR(values(i, 0), expected(i, 0), 2e-2) << kernel;  // y goes from 0 to 9
    }
  }
}

// Kernel values of 10¹⁴ are good to .01: no gap of .001 can be promised.
TEST(SvmModelPromise, WhatDoubleCannotResolveIsNotCalledConverged) {
  Matrix<double> x(30, 1);
  Matrix<double> y(30, 1);
  for (Index i = 0; i < 30; ++i) {
    x(i, 0) = 1e7 + static_cast<double>(i);
    y(i, 0) = static_cast<double>(i % 7);
  }
  SvrOptions options;
  options.max_steps = 20000;
  const TrainingData data{make_dense(std::move(x)), Targets::numeric(y.view())};
  EXPECT_NE(fit_svr(parse_kernel("linear()"), options, data, {})->report().status, SolveStatus::converged);
}

// An intercept that costs nothing takes up any shift of the targets.
TEST(SvmModelPromise, LinearRegressionDoesNotSeeWhereTargetsLie) {
  Matrix<double> x(8, 1);
  Matrix<double> y(8, 1);
  Matrix<double> far(8, 1);
  for (Index i = 0; i < 8; ++i) {
    x(i, 0) = static_cast<double>(i) - 3;
    y(i, 0) = 0.75 * x(i, 0) + (i % 3 == 0 ? 0.5 : -0.25);
    far(i, 0) = y(i, 0) + 8192;
  }
  const Samples samples = make_dense(std::move(x));
  for (const double cost : {1e-3, 1.0}) {
    LinearSvrOptions options;
    options.C = cost;
    options.standardize = false;
    const Kernel linear = parse_kernel("linear()");
    const auto near = fit_linearsvr(linear, options, {samples, Targets::numeric(y.view())}, {});
    const auto moved = fit_linearsvr(linear, options, {samples, Targets::numeric(far.view())}, {});
    EXPECT_EQ(moved->report().status, near->report().status);
    const Matrix<double> expected = near->predict(samples, {});
    const Matrix<double> values = moved->predict(samples, {});
    for (Index i = 0; i < 8; ++i) {
      EXPECT_NEAR(values(i, 0) - 8192, expected(i, 0), 1e-9) << cost;
    }
  }
}

// A row on the boundary is inside, also where it is predicted.
TEST(SvmModelPromise, EqualRowsAreAllOnTheirBoundary) {
  std::vector<double> rows;
  for (int i = 0; i < 10; ++i) {
    rows.insert(rows.end(), {0.3, -1.7});
  }
  const TrainingData data{make_dense(std::move(rows), 10, 2), Targets()};
  OneClassOptions options;
  options.nu = 0.3;
  const auto model = fit_svdd(parse_kernel("linear()"), options, data, {});
  const Matrix<double> values = model->decide(data.samples, {});
  for (Index i = 0; i < 10; ++i) {
    EXPECT_GE(values(i, 0), 0);
  }
}

TEST(SvmModelPromise, OneClassOfTinyNu) {
  const TrainingData data{testing::random_samples(100, 2, 3), {}, {}};
  OneClassOptions options;
  options.nu = 1e-5;
  const auto model = fit_one_class(parse_kernel("rbf(gamma=0.5)"), options, data, {});
  options.tolerance = 1e-9;
  const auto exact = fit_one_class(parse_kernel("rbf(gamma=0.5)"), options, data, {});
  EXPECT_GT(measure(exact->report(), "support vectors"), 5);
  EXPECT_NEAR(measure(model->report(), "support vectors"), measure(exact->report(), "support vectors"), 1);
  const double rho = measure(exact->report(), "rho");
  EXPECT_NEAR(measure(model->report(), "rho"), rho, 2e-3 * rho);
}

TEST(SvmModelPromise, TheBallDoesNotDependOnTheUnitOfLength) {
  const Matrix<double> x = testing::random_matrix(100, 2, 5);
  OneClassOptions options;
  options.nu = 0.1;
  std::vector<double> radius;
  std::vector<double> outside;
  for (const double size : {1.0, 1e-6, 1e-3, 1e3, 1e6}) {
    Matrix<double> scaled = Matrix<double>::copy_of(x.view());
    for (Index i = 0; i < 100; ++i) {
      scaled(i, 0) *= size;
      scaled(i, 1) *= size;
    }
    const auto model = fit_svdd(parse_kernel("linear()"), options, {make_dense(std::move(scaled)), {}, {}}, {});
    EXPECT_EQ(model->report().status, SolveStatus::converged) << size;
    radius.push_back(measure(model->report(), "radius") / size);
    outside.push_back(measure(model->report(), "fraction outside"));
    EXPECT_NEAR(radius.back(), radius.front(), 2e-3 * radius.front()) << size;
    EXPECT_NEAR(outside.back(), outside.front(), 0.011) << size;
  }
  EXPECT_GT(outside.front(), 0.01);
}

TEST(SvmModelPromise, APlaneThroughTheMiddleIsNoted) {
  const TrainingData data{testing::random_samples(60, 2, 6), {}, {}};
  const auto model = fit_one_class(parse_kernel("linear()"), {}, data, {});
  EXPECT_TRUE(has_note(model->report(), "rho is 0"));
  EXPECT_FALSE(has_note(fit_one_class(parse_kernel("rbf(gamma=1)"), {}, data, {})->report(), "rho is 0"));
}

TEST(SvmModelPromise, AThinHardMarginIsFound) {
  // The classes are separated by 2 · 2.5e-4 between two parallel lines; the usual kernel values, in float, cannot tell.
  constexpr double margin = 2.5e-4;
  Matrix<double> x(60, 2);
  std::vector<std::string> labels;
  RandomStream random(5, 9);
  for (Index i = 0; i < 60; ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    const double along = 4 * random.uniform() - 2;
    const double away = margin + (i < 8 ? 0.0 : std::abs(random.normal()));
    x(i, 0) = 0.8 * along - 0.6 * sign * away;
    x(i, 1) = 0.6 * along + 0.8 * sign * away;
    labels.emplace_back(sign > 0 ? "a" : "b");
  }
  SvcOptions options;
  options.slack = SvcSlack::none;
  const auto model =
      fit_svc(parse_kernel("linear()"), options, {make_dense(std::move(x)), Targets::classes(labels), {}});
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_NEAR(measure(model->report(), "margin"), margin, 2e-3 * margin);
  EXPECT_EQ(measure(model->report(), "margin errors"), 0);
  const testing::Blobs mixed = testing::blobs(60, 2, 0.5, 3);
  EXPECT_ERROR(fit_svc(parse_kernel("linear()"), options, mixed.data), NumericalError,
               "svc: slack = none, but the classes cannot be separated with this kernel");
}

TEST(SvmModelPromise, AWideTubeIsItsMiddleAndNoted) {
  const Samples x = testing::random_samples(50, 2, 8);
  std::vector<double> y;
  double least = 1e300;
  double largest = -1e300;
  for (Index i = 0; i < 50; ++i) {
    y.push_back(0.02 + 0.01 * x.as<DenseRows<double>>()(i, 0));
    least = std::min(least, y.back());
    largest = std::max(largest, y.back());
  }
  const Kernel linear = parse_kernel("linear()");
  for (const LinearLoss loss : {LinearLoss::epsilon_insensitive, LinearLoss::squared_epsilon_insensitive}) {
    LinearSvrOptions options;
    options.loss = loss;
    options.epsilon = 0.1;
    const auto model = fit_linearsvr(linear, options, {x, Targets::numeric(y)});
    EXPECT_NEAR(model->predict(x, {})(7, 0), (least + largest) / 2, 1e-12) << word_of(loss);
    EXPECT_TRUE(has_note(model->report(), "epsilon")) << word_of(loss);
    const auto constant = fit_linearsvr(linear, options, {x, Targets::numeric(std::vector<double>(50, 5.0))});
    EXPECT_NEAR(constant->predict(x, {})(7, 0), 5, 1e-12) << word_of(loss);
    options.epsilon = 0.005;
    const auto narrow = fit_linearsvr(linear, options, {x, Targets::numeric(y)});
    EXPECT_FALSE(has_note(narrow->report(), "epsilon")) << word_of(loss);
  }
  SvrOptions wide;
  wide.epsilon = 0.1;
  const auto kernel_machine = fit_svr(linear, wide, {x, Targets::numeric(y)});
  EXPECT_NEAR(kernel_machine->predict(x, {})(7, 0), (least + largest) / 2, 1e-7);
  EXPECT_TRUE(has_note(kernel_machine->report(), "epsilon"));
}

TEST(SvmModelPromise, LinearSvcWithoutFreeRowsTakesTheMiddle) {
  // A tiny cost: all rows are at their bound, and the offset is free between 1 − f(nearest a) and −1 − f(nearest b).
  const std::vector<double> places = {2, 3, -1, -5};
  LinearSvcOptions options;
  options.C = 1e-3;
  options.tolerance = 1e-9;
  const auto model =
      fit_linearsvc(parse_kernel("linear()"), options,
                    {make_dense(places, 4, 1), Targets::classes(std::vector<std::string>{"b", "b", "a", "a"}), {}});
  const double slope = 1e-3 * (2 + 3 + 1 + 5);
  EXPECT_NEAR(model->decide(make_dense(std::vector<double>{0.0}, 1, 1), {})(0, 0),
              ((1 - 3 * slope) + (-1 + 5 * slope)) / 2, 1e-9);
}

}  // namespace
}  // namespace mercer
