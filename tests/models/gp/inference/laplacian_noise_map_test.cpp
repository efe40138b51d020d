#include "mercer/models/gp/inference/laplacian_noise_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "models/gp/latent_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::column;
using testing::dense;
using testing::latent_kernel;
using testing::latent_targets;
using testing::LatentKernel;

TEST(LaplacianNoiseMap, KktConditionsAndDuality) {
  const LatentKernel kernel = latent_kernel(60, 3);
  const Matrix<double> k = kernel.matrix();
  std::vector<double> y = latent_targets(*gaussian_likelihood(1), kernel, 4);
  y[5] += 8;
  std::vector<double> weights(60, 1.0);
  weights[9] = 3;
  const double scale = 0.3;
  const LaplacianNoiseMap found =
      laplacian_noise_map(k.view(), {y, weights}, scale, {.tolerance = 1e-8}, mercer::Run());
  ASSERT_EQ(found.status, SolveStatus::converged);
  const Dense f = dense(k.view()) * column(found.alpha);
  double primal = 0;
  for (int i = 0; i < 60; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double bound = weights[at] / scale;
    const double rest = y[at] - f(i);
    EXPECT_NEAR(found.latent[at], f(i), 1e-9);
    ASSERT_LE(std::abs(found.alpha[at]), bound * (1 + 1e-12));
    // Inside the box f meets y; at a bound it lies on the side that the sign says.
    if (std::abs(found.alpha[at]) < bound * (1 - 1e-9)) {
      EXPECT_NEAR(rest, 0, 1e-6) << i;
    } else {
      EXPECT_GT(rest * found.alpha[at], -1e-6) << i;
    }
    primal += weights[at] * std::abs(rest) / scale;
  }
  const double norm = column(found.alpha).dot(f);
  EXPECT_NEAR(found.gap, primal + norm - column(y).dot(column(found.alpha)), 1e-8);
  EXPECT_GE(found.gap, -1e-8);
  EXPECT_LT(found.gap, 1e-4);
  double constant = 0;
  for (const double weight : weights) {
    constant -= weight * std::log(2 * scale);
  }
  EXPECT_NEAR(found.log_posterior, constant - primal - norm / 2, 1e-8);
}

// One observation: f = clamp(y, ±k/b).
TEST(LaplacianNoiseMap, OneObservation) {
  const Matrix<double> k = Matrix<double>::filled(1, 1, 2.0);
  for (const double y : {0.0, 1.5, -3.0, 40.0}) {
    const std::vector<double> one = {y};
    const LaplacianNoiseMap found = laplacian_noise_map(k.view(), {one}, 0.5, {}, mercer::Run());
    EXPECT_NEAR(found.latent[0], std::clamp(y, -4.0, 4.0), 1e-4);
  }
}

TEST(LaplacianNoiseMap, NothingNearbyIsBetter) {
  const LatentKernel kernel = latent_kernel(12, 5);
  const Matrix<double> k = kernel.matrix();
  const std::vector<double> y = latent_targets(*gaussian_likelihood(1), kernel, 7);
  const LaplacianNoiseMap found = laplacian_noise_map(k.view(), {y}, 0.4, {.tolerance = 1e-9}, mercer::Run());
  const auto objective = [&](const Dense& alpha) {
    const Dense f = dense(k.view()) * alpha;
    return (column(y) - f).sum_abs() / 0.4 + 0.5 * alpha.dot(f);
  };
  const double best = objective(column(found.alpha));
  RandomStream random(3, 1);
  for (int trial = 0; trial < 500; ++trial) {
    Dense moved = column(found.alpha);
    for (int i = 0; i < 12; ++i) {
      moved(i) += std::pow(10.0, -trial % 6) * random.normal();
    }
    EXPECT_GE(objective(moved), best - 1e-6);
  }
}

TEST(LaplacianNoiseMap, ResistsOutliers) {
  RandomStream random(5, 3);
  LatentKernel kernel{{}, 1.0, 0.6};
  std::vector<double> truth;
  std::vector<double> dirty;
  for (int i = 0; i < 100; ++i) {
    kernel.x.push_back(0.06 * i);
    truth.push_back(std::sin(2 * kernel.x.back()));
    dirty.push_back(truth.back() + 0.1 * random.normal() + (i % 10 == 3 ? 6.0 : 0.0));
  }
  const LaplacianNoiseMap found = laplacian_noise_map(kernel.matrix().view(), {dirty}, 0.1, {}, mercer::Run());
  EXPECT_LT(std::sqrt((column(found.latent) - column(truth)).squared_norm() / 100), 0.12);
}

TEST(LaplacianNoiseMap, Refusals) {
  const Matrix<double> k = Matrix<double>::filled(1, 1, 2.0);
  const std::vector<double> y = {1};
  const std::vector<double> bad = {std::nan("")};
  EXPECT_ERROR(laplacian_noise_map(k.view(), {y}, 0, {}, mercer::Run()), InvalidArgument, "laplacian: scale = 0");
  EXPECT_ERROR(laplacian_noise_map(k.view(), {bad}, 1, {}, mercer::Run()), InvalidArgument,
               "the target of row 0 (counted from 0) is nan");
}

}  // namespace
}  // namespace mercer
