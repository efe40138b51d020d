#include "mercer/expansion/reduced_set/cascade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/expansion/reduced_set/construction.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"

namespace mercer {
namespace {

using testing::random_matrix;

const mercer::Run run;

Samples samples_of(const Matrix<double>& values) { return make_dense(Matrix<double>::copy_of(values.view())); }

// A bump around the origin less a constant: few samples of a wide cloud are positive.
struct Problem {
  Matrix<double> x = random_matrix(40, 2, 1);
  Matrix<double> a = random_matrix(40, 1, 2);
  Samples cloud;
  ReductionTarget target;
  ConstructedSet built;
  double offset = -0.5;

  Problem()
      : cloud([] {
          Matrix<double> wide = random_matrix(500, 2, 3);
          for (Index i = 0; i < 1000; ++i) {
            wide.data()[i] *= 2;
          }
          return make_dense(std::move(wide));
        }()),
        target(parse_kernel("rbf(gamma=0.5)"), samples_of(x), a.view(), run),
        built(construct(target, {.size = 12}, run)) {}
};

TEST(Cascade, EveryStageHasItsBestCoefficients) {
  const Problem problem;
  const Cascade cascade(problem.target, problem.built.set.centers, problem.offset, run);
  ASSERT_EQ(cascade.stages(), 12);
  for (Index n = 1; n <= 12; ++n) {
    const ReducedSet set = fit_coefficients(problem.target, cascade.points().slice({0, n}), run);
    EXPECT_NEAR(cascade.squared_errors()[n - 1], set.squared_errors[0], 1e-7 * problem.target.total_squared_norm());
    for (Index j = 0; j < n; ++j) {
      EXPECT_NEAR(cascade.coefficients()(n - 1, j), set.coefficients(j, 0),
                  1e-5 * (1 + std::abs(set.coefficients(j, 0))));
    }
    EXPECT_TRUE(n == 12 || cascade.coefficients()(n - 1, n) == 0);
  }
  EXPECT_TRUE(std::ranges::is_sorted(cascade.squared_errors(), std::greater<>()));
}

TEST(Cascade, WithoutThresholdsIsTheReducedSet) {
  const Problem problem;
  const Cascade cascade(problem.target, problem.built.set.centers, problem.offset, run);
  const CascadeResult result = cascade.evaluate(problem.cloud, run);
  const ReductionTarget& target = problem.target;
  const Expansion reduced(target.kernel(), problem.built.set.centers,
                          Matrix<double>::copy_of(problem.built.set.coefficients.view()), ParametricPart::constant,
                          Matrix<double>::filled(1, 1, problem.offset), Precision::double_precision, run);
  Matrix<double> values(500, 1);
  reduced.evaluate(problem.cloud, values.view(), run);
  for (Index i = 0; i < 500; ++i) {
    if (std::abs(values(i, 0)) > 1e-6) {
      EXPECT_EQ(result.positive[i] != 0, values(i, 0) >= 0) << i;
    }
    EXPECT_EQ(result.evaluations[i], 12);
  }
}

TEST(Cascade, KeepsThePositivesItWasCalibratedOnAndSavesEvaluations) {
  const Problem problem;
  Cascade cascade(problem.target, problem.built.set.centers, problem.offset, run);
  const CascadeResult full = cascade.evaluate(problem.cloud, run);
  std::vector<Index> positive;
  for (Index i = 0; i < 500; ++i) {
    if (full.positive[i] != 0) {
      positive.push_back(i);
    }
  }
  ASSERT_GT(positive.size(), 20U);
  for (const double lost : {0.0, 0.05, 0.2}) {
    cascade.calibrate(problem.cloud.select(positive), lost, run);
    const CascadeResult result = cascade.evaluate(problem.cloud, run);
    Index missed = 0;
    for (const Index i : positive) {
      missed += result.positive[i] == 0 ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(missed), lost * static_cast<double>(positive.size()));
    EXPECT_LT(result.mean_evaluations(), 12);
    for (std::size_t i = 0; i < 500; ++i) {
      EXPECT_TRUE(full.positive[i] != 0 || result.positive[i] == 0);
      EXPECT_GE(result.evaluations[i], 1);
    }
  }
  EXPECT_ERROR(cascade.calibrate(problem.cloud, 1.0, run), InvalidArgument, "lost_fraction = 1");
  EXPECT_ERROR(cascade.calibrate(problem.cloud.slice({0, 0}), 0.1, run), InvalidArgument,
               "a cascade is calibrated on positive samples");
}

TEST(Cascade, IsOfOneFunction) {
  const Matrix<double> x = random_matrix(5, 2, 1);
  const ReductionTarget two(parse_kernel("rbf(gamma=0.5)"), samples_of(x), random_matrix(5, 2, 2).view(), run);
  EXPECT_ERROR(Cascade(two, samples_of(x), 0, run), InvalidArgument, "a cascade is of one function");
  const ReductionTarget one(parse_kernel("rbf(gamma=0.5)"), samples_of(x), random_matrix(5, 1, 2).view(), run);
  const Cascade empty(one, samples_of(Matrix<double>(0, 2)), 0, run);
  EXPECT_EQ(empty.stages(), 0);
}

}  // namespace
}  // namespace mercer
