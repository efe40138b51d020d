// Geometric margins: closed forms of two points, the margin of hard-margin machines, scaling, several machines.
#include "mercer/select/estimates/geometric_margins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

using testing::Blobs;
using testing::blobs;

std::vector<std::int32_t> numbers_of(const Blobs& data) { return {data.classes.begin(), data.classes.end()}; }

TEST(GeometricMargins, OfAHardMarginTheLeastIsOneOverTheNorm) {
  const Blobs two = blobs(60, 2, 4.0, 1);
  SvcOptions options;
  options.slack = SvcSlack::none;
  options.tolerance = 1e-8;
  const auto model = fit_svc(parse_kernel("rbf(gamma=0.5)"), options, two.data);
  const GeometricMargins found = geometric_margins(*model, two.data.samples, numbers_of(two), {});
  const MachineFacts& facts = model->machine_facts()[0];
  EXPECT_NEAR(found.norms[0], std::sqrt(facts.squared_norm), 1e-6 * found.norms[0]);
  EXPECT_NEAR(found.least[0], 1 / found.norms[0], 1e-6);
  EXPECT_NEAR(found.canonical[0], 1, 1e-6);
  const auto& rows = model->support_rows();
  EXPECT_NE(std::ranges::find(rows, found.least_row[0]), rows.end());
  // In canonical form the margin is 1/‖w‖ whatever the function was multiplied by.
  Matrix<double> triple = Matrix<double>::copy_of(model->expansion().coefficients());
  Matrix<double> offset = Matrix<double>::copy_of(model->expansion().parametric_coefficients());
  for (Index j = 0; j < triple.rows(); ++j) {
    triple(j, 0) *= 3;
  }
  offset(0, 0) *= 3;
  const auto scaled =
      model->with_expansion(Expansion(model->kernel(), model->expansion().centers(), std::move(triple),
                                      ParametricPart::constant, std::move(offset), Precision::double_precision, {}),
                            {});
  const GeometricMargins again = geometric_margins(*scaled, two.data.samples, numbers_of(two), {});
  EXPECT_NEAR(again.least[0], found.least[0], 1e-9);
  EXPECT_NEAR(again.canonical[0], 3, 1e-5);
  EXPECT_NEAR(again.norms[0] / again.canonical[0], 1 / again.least[0], 1e-5);
}

// x = ±1 on a line: w = 1, b = 0.
TEST(GeometricMargins, AreDistancesForALinearKernel) {
  Matrix<double> x(2, 1);
  x(0, 0) = -1;
  x(1, 0) = 1;
  const TrainingData data{make_dense(std::move(x)), Targets::classes(std::vector<std::string>{"a", "b"})};
  SvcOptions options;
  options.C = 100;
  options.tolerance = 1e-9;
  const auto model = fit_svc(parse_kernel("linear()"), options, data);
  Matrix<double> queries(3, 1);
  queries(0, 0) = -2.5;
  queries(1, 0) = 0.25;
  queries(2, 0) = 4;
  const Samples rows = make_dense(std::move(queries));
  const GeometricMargins found = geometric_margins(*model, rows, std::vector<std::int32_t>{0, 0, -1}, {});
  EXPECT_NEAR(found.margins(0, 0), 2.5, 1e-6);
  EXPECT_NEAR(found.margins(1, 0), -0.25, 1e-6);
  EXPECT_TRUE(std::isnan(found.margins(2, 0)));
  EXPECT_EQ(found.least_row[0], 1);
  EXPECT_NEAR(found.canonical[0], 0.25, 1e-6);
}

TEST(GeometricMargins, OfSeveralMachinesAndOtherModels) {
  const Blobs three = blobs(90, 3, 2.0, 2);
  const auto pairs = fit_svc(parse_kernel("rbf(gamma=0.5)"), SvcOptions{}, three.data);
  const GeometricMargins found = geometric_margins(*pairs, three.data.samples, numbers_of(three), {});
  ASSERT_EQ(found.margins.columns(), 3);
  for (Index i = 0; i < 90; ++i) {
    int known = 0;
    for (Index m = 0; m < 3; ++m) {
      const double sign = pairs->code()(m, three.classes[i]);
      known += sign != 0 ? 1 : 0;
      EXPECT_EQ(std::isnan(found.margins(i, m)), sign == 0);
      if (sign != 0) {
        EXPECT_NEAR(found.margins(i, m), sign * found.values(i, m) / found.norms[m], 1e-12);
      }
    }
    EXPECT_EQ(known, 2);
  }
  const auto linear = fit_linearsvc(parse_kernel("linear()"), LinearSvcOptions{}, three.data);
  const GeometricMargins weights = geometric_margins(*linear, three.data.samples, numbers_of(three), {});
  EXPECT_EQ(weights.margins.columns(), 3);
  EXPECT_GT(weights.norms[0], 0);
  const auto one = fit_one_class(parse_kernel("rbf(gamma=0.5)"), OneClassOptions{}, {three.data.samples, Targets()});
  const GeometricMargins inside = geometric_margins(*one, three.data.samples, {}, {});
  Index outside = 0;
  for (Index i = 0; i < 90; ++i) {
    outside += inside.margins(i, 0) < 0 ? 1 : 0;
  }
  EXPECT_LE(outside, 6);
}

TEST(GeometricMargins, WhatHasNoneIsRefused) {
  const Blobs two = blobs(40, 2, 2.0, 3);
  SvcOptions options;
  options.parametric = ParametricPart::linear;
  const auto trend = fit_svc(parse_kernel("rbf(gamma=0.5)"), options, two.data);
  EXPECT_ERROR(geometric_margins(*trend, two.data.samples, numbers_of(two), {}), InvalidArgument,
               "functions of the columns");
  const auto model = fit_svc(parse_kernel("rbf(gamma=0.5)"), SvcOptions{}, two.data);
  EXPECT_ERROR(geometric_margins(*model, two.data.samples, std::vector<std::int32_t>{1}, {}), InvalidArgument,
               "1 classes for 40 rows");
  const auto regression =
      fit_svr(parse_kernel("rbf(gamma=0.5)"), SvrOptions{}, {two.data.samples, Targets::numeric(two.x.view())});
  EXPECT_ERROR(geometric_margins(*regression, two.data.samples, {}, {}), InvalidArgument, "tell classes apart");
}

}  // namespace
}  // namespace mercer
