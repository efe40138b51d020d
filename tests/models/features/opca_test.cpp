#include "mercer/models/features/opca.h"

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

// Groups of three views each: the first column is the group's, the second changes at random.
struct Views {
  Samples samples;
  Targets targets;
};

Views grouped_views(Index groups, std::uint64_t seed) {
  const Matrix<double> center = random_matrix(groups, 1, seed);
  Matrix<double> x = random_matrix(3 * groups, 2, seed + 1);
  std::vector<double> numbers;
  for (Index i = 0; i < 3 * groups; ++i) {
    x(i, 0) = center(i / 3, 0);
    x(i, 1) *= 3;
    numbers.push_back(static_cast<double>(i / 3));
  }
  return {make_dense(std::move(x)), Targets::numeric(numbers)};
}

TEST(Opca, PassesOverWhatGroupsDifferBy) {
  const Views views = grouped_views(40, 3);
  OpcaOptions options;
  options.components = 2;
  options.regularization = 1e-6;
  const auto model = fit_opca(parse_kernel("linear()"), options, {views.samples, views.targets});
  // One unit along each column: the first component must ignore the second column although it varies nine times more.
  const Samples units = make_dense(std::vector<double>{0, 0, 1, 0, 0, 1}, 3, 2);
  const Matrix<double> f = model->predict(units, {});
  EXPECT_NEAR(std::abs(f(1, 0) - f(0, 0)), 1, 1e-3);
  EXPECT_LT(std::abs(f(2, 0) - f(0, 0)), 1e-2);
  EXPECT_GT(model->parts().values[0], 1000);
  EXPECT_LT(model->parts().values[1], 3);
}

TEST(Opca, GroupsOfOneAreKernelPca) {
  const Samples x = random_samples(30, 2, 5);
  std::vector<double> own;
  for (int i = 0; i < 30; ++i) {
    own.push_back(i);
  }
  OpcaOptions options;
  options.components = 4;
  const auto model = fit_opca(parse_kernel("rbf(gamma=0.4)"), options, {x, Targets::numeric(own)});
  const Dense center = Dense::identity(30).shifted(-1.0 / 30);
  const auto eigen = (center * kernel_matrix(model->kernel(), x, x) * center).eigen();
  const Dense f = model->predict(x, {});
  for (Index c = 0; c < 4; ++c) {
    EXPECT_NEAR(std::abs(f.column(c).dot(eigen.vectors.column(29 - c))), std::sqrt(eigen.values(29 - c)), 1e-7);
    EXPECT_NEAR(f.column(c).norm(), std::sqrt(eigen.values(29 - c)), 1e-7);
  }
}

TEST(Opca, WeightsAreRepetitions) {
  const Views views = grouped_views(10, 7);
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < 30; ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (Index w = 0; w < i % 3; ++w) {
      repeated.push_back(i);
    }
  }
  OpcaOptions options;
  options.components = 3;
  const auto a = fit_opca(parse_kernel("rbf(gamma=0.4)"), options, {views.samples, views.targets, weights});
  const auto b = fit_opca(parse_kernel("rbf(gamma=0.4)"), options,
                          {views.samples.select(repeated), views.targets.select(repeated)});
  const Samples x = random_samples(6, 2, 8);
  const Matrix<double> fa = a->predict(x, {});
  const Matrix<double> fb = b->predict(x, {});
  for (Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(a->parts().values[c], b->parts().values[c], 1e-6);
    for (Index i = 0; i < 6; ++i) {
      EXPECT_NEAR(std::abs(fa(i, c)), std::abs(fb(i, c)), 1e-5);
    }
  }
}

TEST(Opca, RefusesWhatDoesNotFit) {
  const Samples x = random_samples(10, 2, 1);
  EXPECT_ERROR(fit_opca(parse_kernel("rbf(gamma=1)"), {}, {x, {}}), DataError, "10 samples with 0 targets");
  const Targets targets = Targets::numeric(std::vector<double>(10, 1.0));
  OpcaOptions options;
  options.regularization = 0;
  EXPECT_ERROR(fit_opca(parse_kernel("rbf(gamma=1)"), options, {x, targets}), InvalidArgument, "regularization = 0");
  EXPECT_ERROR(
      fit_opca(parse_kernel("rbf(gamma=1)"), {},
               {make_dense(std::vector<double>{1, 1, 1}, 3, 1), Targets::numeric(std::vector<double>{1, 2, 3})}),
      DataError, "opca: the samples are all alike to rbf(gamma=1)");
}

}  // namespace
}  // namespace mercer
