#include "mercer/models/features/pursuit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_samples;

TEST(Pursuit, SquaresAreKernelPca) {
  const Samples x = random_samples(40, 2, 3);
  PursuitOptions options;
  options.contrast = Contrast::square;
  options.components = 3;
  options.tolerance = 1e-10;
  const auto model = fit_pursuit(parse_kernel("rbf(gamma=0.5)"), options, {x, {}});
  const Dense center = Dense::identity(40).shifted(-1.0 / 40);
  const auto eigen = (center * kernel_matrix(model->kernel(), x, x) * center).eigen();
  const Dense f = model->predict(x, {});
  for (Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(model->parts().values[c], eigen.values(39 - c) / 40, 1e-9);
    EXPECT_NEAR(std::abs(f.column(c).dot(eigen.vectors.column(39 - c))), std::sqrt(eigen.values(39 - c)), 1e-7);
  }
  // What three components leave out of the variance.
  const Matrix<double> residual = model->decide(x, {});
  double rest = 0;
  for (Index i = 0; i < 40; ++i) {
    rest += residual(i, 0);
  }
  EXPECT_NEAR(rest, eigen.values.sum() - eigen.values(39) - eigen.values(38) - eigen.values(37), 1e-6);
}

// The variances of kernel PCA on the six points of the greedy path, none below the sparse features' first.
TEST(Pursuit, SquaresOfSixPoints) {
  PursuitOptions options;
  options.contrast = Contrast::square;
  options.components = 5;
  options.tolerance = 1e-9;
  const auto model = fit_pursuit(parse_kernel("rbf(gamma=2)"), options,
                                 {make_dense(std::vector<double>{-1, -0.9, 0, 0.2, 1, 1.3}, 6, 1), {}});
  const std::vector<double> expected = {0.3212273095, 0.2634443402, 0.0289505804, 0.0088224184, 0.0023124374};
  ASSERT_EQ(model->parts().values.size(), 5U);
  for (std::size_t c = 0; c < 5; ++c) {
    EXPECT_NEAR(model->parts().values[c], expected[c], 1e-10);
  }
  EXPECT_GT(model->parts().values[0], 0.1993284785);
}

// Linear projection pursuit: with a linear kernel and whitening the heavy-tailed column is found.
TEST(Pursuit, LinearKernelFindsTheHeavyTail) {
  Matrix<double> x = random_matrix(400, 4, 4);
  for (Index i = 0; i < 400; ++i) {
    x(i, 2) = 0.1 * x(i, 2) * x(i, 2) * x(i, 2);  // little variance, so that kernel PCA passes it over
  }
  const Matrix<double> raw = Matrix<double>::copy_of(x.view());
  for (const Contrast contrast : {Contrast::fourth, Contrast::negentropy}) {
    PursuitOptions options;
    options.components = 1;
    options.contrast = contrast;
    options.whiten = PursuitWhitening::yes;
    const auto model =
        fit_pursuit(parse_kernel("linear()"), options, {make_dense(Matrix<double>::copy_of(x.view())), {}});
    const Dense f = model->predict(make_dense(Matrix<double>::copy_of(x.view())), {});
    Dense column = Dense(raw.view()).column(2);
    column = column.shifted(-column.mean());
    EXPECT_GT(std::abs(f.column(0).dot(column)) / f.norm() / column.norm(), 0.97) << word_of(contrast);
    EXPECT_NEAR(f.squared_norm() / 400, 1, 1e-8);
    EXPECT_TRUE(model->decision_names().empty());
  }
}

TEST(Pursuit, RefusesWhatDoesNotFit) {
  const Samples x = random_samples(10, 2, 1);
  PursuitOptions options;
  options.contrast = Contrast::entropy;
  options.whiten = PursuitWhitening::no;
  EXPECT_ERROR(fit_pursuit(parse_kernel("rbf(gamma=1)"), options, {x, {}}), InvalidArgument,
               "pursuit: contrast entropy compares values of variance 1");
  options = {};
  const std::vector<OptionSetting> misspelled = {{"contrast", "fith"}};
  EXPECT_ERROR(apply_settings("pursuit", pursuit_option_table(), misspelled, options), InvalidArgument,
               "pursuit: contrast = fith");
  options.tolerance = 1;
  EXPECT_ERROR(fit_pursuit(parse_kernel("rbf(gamma=1)"), options, {x, {}}), InvalidArgument, "pursuit: tolerance = 1");
  EXPECT_ERROR(fit_pursuit(parse_kernel("sigmoid(gamma=1)"), {}, {x, {}}), InvalidArgument,
               "pursuit: the kernel sigmoid(gamma=1, coef0=0) is indefinite");
  EXPECT_ERROR(fit_pursuit(parse_kernel("rbf(gamma=1)"), {}, {make_dense(std::vector<double>{1, 1, 1}, 3, 1), {}}),
               DataError, "pursuit: the samples are all alike to rbf(gamma=1)");
}

}  // namespace
}  // namespace mercer
