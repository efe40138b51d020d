#include "mercer/models/gp/online.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::random_matrix;

// What the samples were said to be; every answer is computed from them anew.
struct Refit {
  Kernel kernel;
  std::vector<Dense> inputs, targets;
  std::vector<double> noise;

  void expect_equal(const OnlineGp& gp, const Matrix<double>& test) const {
    const auto n = static_cast<Index>(inputs.size());
    ASSERT_EQ(gp.size(), n);
    Matrix<double> means(test.rows(), gp.outputs());
    std::vector<double> variances(test.rows());
    gp.predict(test.view(), means.view(), variances, mercer::Run());
    const Samples test_samples = make_dense(Matrix<double>::copy_of(test.view()));
    const Dense prior = kernel_matrix(kernel, test_samples, test_samples).diagonal();
    if (n == 0) {
      EXPECT_EQ(gp.log_evidence(), 0);
      EXPECT_EQ(Dense(means).max_abs(), 0);
      for (Index i = 0; i < test.rows(); ++i) {
        EXPECT_EQ(variances[i], prior(i));
      }
      return;
    }
    Dense x(n, gp.columns());
    Dense y(n, gp.outputs());
    for (Index i = 0; i < n; ++i) {
      x.set_row(i, inputs[i]);
      y.set_row(i, targets[i]);
    }
    const Samples samples = make_dense(x.matrix());
    Dense a = kernel_matrix(kernel, samples, samples);
    for (Index i = 0; i < n; ++i) {
      a(i, i) += noise[i];
    }
    const Dense alpha = a.solve_positive(y);
    EXPECT_LT((Dense(gp.coefficients()) - alpha).max_abs(), 1e-9 * (1 + alpha.max_abs()));
    const double evidence = -0.5 * y.dot(alpha) - static_cast<double>(y.columns()) *
                                                      (0.5 * a.log_determinant() +
                                                       0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi));
    EXPECT_NEAR(gp.log_evidence(), evidence, 1e-9 * (1 + std::abs(evidence)));
    const Dense k = kernel_matrix(kernel, test_samples, samples);
    EXPECT_LT((Dense(means) - k * alpha).max_abs(), 1e-9);
    const Dense solved = a.solve_positive(k.transpose());
    for (Index i = 0; i < test.rows(); ++i) {
      const double variance = prior(i) - k.row(i).dot(solved.column(i));
      EXPECT_NEAR(variances[i], variance, 1e-9);
    }
  }
};

TEST(OnlineGp, EqualsARefitAfterAnySequenceOfChanges) {
  const Matrix<double> test = random_matrix(5, 3, 1);
  for (const Index outputs : {1, 2}) {
    Refit refit{.kernel = parse_kernel("1.3*matern(nu=2.5, lengthscale=1.5) + 0.1*linear()"),
                .inputs = {},
                .targets = {},
                .noise = {}};
    OnlineGp gp(refit.kernel, 0.05, 3, outputs);
    refit.expect_equal(gp, test);
    RandomStream random(3, 1);
    std::uint64_t seed = 10;
    for (int step = 0; step < 40; ++step) {
      if (gp.size() > 0 && random.uniform() < 0.4) {
        const Index i = static_cast<Index>(random.below(static_cast<std::uint64_t>(gp.size())));
        gp.remove(i);
        refit.inputs.erase(refit.inputs.begin() + i);
        refit.targets.erase(refit.targets.begin() + i);
        refit.noise.erase(refit.noise.begin() + i);
      } else {
        const Index count = random.uniform() < 0.5 ? 1 : 7;
        const Matrix<double> rows = random_matrix(count, 3, seed++);
        const Matrix<double> targets = random_matrix(count, outputs, seed++);
        std::vector<double> noises;
        for (Index i = 0; i < count; ++i) {
          refit.inputs.emplace_back(Dense(rows).row(i));
          refit.targets.emplace_back(Dense(targets).row(i));
          noises.push_back(step % 3 == 0 ? 0.01 + random.uniform() : 0.05);
          refit.noise.push_back(noises.back());
        }
        gp.add(rows.view(), targets.view(), mercer::Run(),
               step % 3 == 0 ? std::span<const double>(noises) : std::span<const double>());
      }
      refit.expect_equal(gp, test);
    }
    EXPECT_GT(gp.size(), 20);
  }
}

TEST(OnlineGp, EvidenceIsTheProductOfPredictions) {
  OnlineGp gp(parse_kernel("rbf(lengthscale=1)"), 0.1, 2);
  const Matrix<double> x = random_matrix(30, 2, 5);
  const Matrix<double> y = random_matrix(30, 1, 6);
  double sum = 0;
  for (Index i = 0; i < 30; ++i) {
    Matrix<double> mean(1, 1);
    std::vector<double> variance(1);
    gp.predict(x.view().row_block({i, i + 1}), mean.view(), variance, mercer::Run());
    const double total = variance[0] + 0.1;
    const double error = y(i, 0) - mean(0, 0);
    sum -= 0.5 * (std::log(2 * std::numbers::pi * total) + error * error / total);
    gp.add(x.view().row_block({i, i + 1}), y.view().row_block({i, i + 1}), mercer::Run());
    EXPECT_NEAR(gp.log_evidence(), sum, 1e-9 * (1 + std::abs(sum)));
  }
}

TEST(OnlineGp, RefusesAndStaysAsItWas) {
  OnlineGp gp(parse_kernel("rbf(lengthscale=1)"), 0.0, 1);
  const mercer::Run run;
  Matrix<double> x(2, 1);
  x(0, 0) = 1;
  x(1, 0) = 1;
  const Matrix<double> y = Matrix<double>::filled(2, 1, 2.0);
  const auto first = [](const Matrix<double>& values) { return values.view().row_block({0, 1}); };
  gp.add(first(x), first(y), run);
  EXPECT_ERROR(gp.add(first(x), first(y), run), NumericalError,
               "sample 1 (counted from 0) is determined by those before it");  // the same place again, without noise
  EXPECT_EQ(gp.size(), 1);
  EXPECT_DOUBLE_EQ(gp.coefficients()(0, 0), 2.0);
  gp.add(first(x), first(y), run, std::vector<double>{0.5});
  EXPECT_EQ(gp.size(), 2);
  EXPECT_ERROR(gp.remove(2), InvalidArgument, "there is no sample 2 among 2");
  EXPECT_ERROR(gp.remove(-1), InvalidArgument, "there is no sample -1 among 2");
  x(0, 0) = NAN;
  EXPECT_ERROR(gp.add(first(x), first(y), run), InvalidArgument, "inputs = nan");
  EXPECT_ERROR(gp.add(y.view(), first(y), run), InvalidArgument, "targets of 1 by 1 numbers where 2 by 1 are expected");
  EXPECT_ERROR(gp.add(first(y), first(y), run, std::vector<double>{1.0, 2.0}), InvalidArgument,
               "2 noise variances for 1 samples");
  EXPECT_ERROR(gp.add(first(y), first(y), run, std::vector<double>{-1.0}), InvalidArgument, "noise = -1");
  EXPECT_EQ(gp.size(), 2);
  EXPECT_ERROR(OnlineGp(parse_kernel("center(rbf(gamma=1))"), 0.1, 1), InvalidArgument,
               "the kernel center(rbf(gamma=1)) changes with the whole of its samples");
  EXPECT_ERROR(OnlineGp(parse_kernel("rbf(gamma=scale)"), 0.1, 1), InvalidArgument,
               "the kernel rbf(gamma=scale) has widths that depend on the data");
  EXPECT_ERROR(OnlineGp(parse_kernel("sigmoid(gamma=1, coef0=1)"), 0.1, 1), InvalidArgument,
               "the kernel sigmoid(gamma=1, coef0=1) is not positive definite");
  EXPECT_ERROR(OnlineGp(parse_kernel("rbf(gamma=1)"), -0.1, 1), InvalidArgument, "noise = -0.1");
  EXPECT_ERROR(OnlineGp(parse_kernel("rbf(gamma=1)"), 0.1, 0), InvalidArgument, "columns = 0");
}

}  // namespace
}  // namespace mercer
