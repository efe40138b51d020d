// Softmax Laplace against explicit block matrices, the binary engine and central differences.
#include "mercer/models/gp/softmax/softmax_laplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/gp/inference/laplace.h"
#include "models/gp/latent_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::contracted;
using testing::dense;
using testing::latent_kernel;
using testing::LatentKernel;

struct Problem {
  LatentKernel kernel;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;
  Index count = 3;
  SoftmaxTargets targets() const { return {classes, count, weights}; }
};

Problem problem(Index n, Index count, std::uint64_t seed, bool weighted = false) {
  Problem result{latent_kernel(n, seed), {}, {}, count};
  RandomStream random(seed, 17);
  for (const double x : result.kernel.x) {
    const double place = std::floor(x / 4 * static_cast<double>(count));
    result.classes.push_back(static_cast<std::int32_t>(
        random.uniform() < 0.2 ? static_cast<double>(random.below(static_cast<std::uint64_t>(count))) : place));
    if (weighted) {
      result.weights.push_back(0.3 + 2 * random.uniform());
    }
  }
  return result;
}

constexpr SoftmaxLaplaceOptions fine(ApproximationGoal goal) { return {.tolerance = 1e-11, .goal = goal}; }

// Class-major blocks: index c·n + i.
struct Explicit {
  Dense k;
  Dense w;
  Dense f;
  Dense slope;
  double value = 0;
};

Explicit explicit_terms(const Problem& p, const Matrix<double>& latent) {
  const Index n = latent.rows();
  const Index size = n * p.count;
  Explicit e{Dense(size, size), Dense(size, size), Dense(size, 1), Dense(size, 1)};
  const Matrix<double> k = p.kernel.matrix();
  for (Index c = 0; c < p.count; ++c) {
    e.k.set_block(c * n, c * n, k);
  }
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double weight = p.weights.empty() ? 1 : p.weights[at];
    double sum = 0;
    for (Index c = 0; c < p.count; ++c) {
      e.f(c * n + i) = latent(i, c);
      sum += std::exp(latent(i, c));
    }
    e.value += weight * (latent(i, p.classes[at]) - std::log(sum));
    for (Index a = 0; a < p.count; ++a) {
      const double pa = std::exp(latent(i, a)) / sum;
      e.slope(a * n + i) = weight * ((p.classes[at] == a ? 1 : 0) - pa);
      for (Index b = 0; b < p.count; ++b) {
        const double pb = std::exp(latent(i, b)) / sum;
        e.w(a * n + i, b * n + i) = weight * ((a == b ? pa : 0) - pa * pb);
      }
    }
  }
  return e;
}

TEST(SoftmaxLaplace, EqualsExplicitBlocks) {
  for (const bool weighted : {false, true}) {
    const Problem p = problem(14, 4, 3, weighted);
    const Matrix<double> k = p.kernel.matrix();
    const SoftmaxLaplace found =
        softmax_laplace(k.view(), p.targets(), {}, fine(ApproximationGoal::posterior), mercer::Run());
    ASSERT_EQ(found.status, SolveStatus::converged);
    const Explicit e = explicit_terms(p, found.latent);
    Dense alpha(e.f.size(), 1);
    for (Index c = 0; c < 4; ++c) {
      for (Index i = 0; i < 14; ++i) {
        alpha(c * 14 + i) = found.alpha(i, c);
      }
    }
    EXPECT_LT((alpha - e.slope).max_abs(), 1e-9);
    EXPECT_LT((e.k * alpha - e.f).max_abs(), 1e-9);
    const Dense inside = Dense::identity(e.f.size()) + e.k * e.w;
    const double evidence = e.value - 0.5 * alpha.dot(e.f) - 0.5 * std::log(inside.determinant());
    EXPECT_NEAR(found.log_evidence, evidence, 1e-8);

    // Covariance at new points: δ prior − kᵀ R_ab k.
    const Dense r = e.w * inside.inverse();
    Matrix<double> rows(2, 14);
    for (Index j = 0; j < 28; ++j) {
      rows.data()[j] = 0.5 * std::cos(static_cast<double>(j));
    }
    const std::vector<double> prior = {3.0, 4.0};
    Matrix<double> covariances(2, 16);
    found.reduction->covariances(rows.view(), prior, covariances.view(), mercer::Run());
    const Dense x = dense(rows.view());
    for (Index i = 0; i < 2; ++i) {
      for (Index a = 0; a < 4; ++a) {
        for (Index b = 0; b < 4; ++b) {
          const double expected =
              (a == b ? prior[i] : 0) - (x.row(i) * r.block(a * 14, b * 14, 14, 14) * x.row(i).transpose())(0, 0);
          EXPECT_NEAR(covariances(i, a * 4 + b), expected, 1e-9);
        }
      }
    }
    const SoftmaxReduction again(k.view(), p.targets(), found.latent.view(), mercer::Run());
    Matrix<double> same(2, 16);
    again.covariances(rows.view(), prior, same.view(), mercer::Run());
    EXPECT_TRUE(testing::same_bits(same, covariances));
  }
}

TEST(SoftmaxLaplace, GradientsAreDifferences) {
  for (const bool weighted : {false, true}) {
    const Problem p = problem(12, 3, 8, weighted);
    const auto evidence = [&](const LatentKernel& kernel) {
      return softmax_laplace(kernel.matrix().view(), p.targets(), {}, fine(ApproximationGoal::evidence), mercer::Run())
          .log_evidence;
    };
    const SoftmaxLaplace found =
        softmax_laplace(p.kernel.matrix().view(), p.targets(), {}, fine(ApproximationGoal::gradient), mercer::Run());
    constexpr double h = 1e-5;
    LatentKernel up = p.kernel;
    LatentKernel down = p.kernel;
    up.variance += h;
    down.variance -= h;
    const double variance = (evidence(up) - evidence(down)) / (2 * h);
    up = down = p.kernel;
    up.lengthscale += h;
    down.lengthscale -= h;
    const double lengthscale = (evidence(up) - evidence(down)) / (2 * h);
    EXPECT_NEAR(contracted(found.kernel_weights, [&](Index i, Index j) { return p.kernel.variance_slope(i, j); }),
                variance, 1e-6 * (1 + std::abs(variance)));
    EXPECT_NEAR(contracted(found.kernel_weights, [&](Index i, Index j) { return p.kernel.lengthscale_slope(i, j); }),
                lengthscale, 1e-6 * (1 + std::abs(lengthscale)));
  }
}

// Two classes: the difference of the latent functions is one function with twice the kernel and the logistic link.
TEST(SoftmaxLaplace, TwoClassesAreTheLogisticLink) {
  const Problem p = problem(20, 2, 5);
  LatentKernel twice = p.kernel;
  twice.variance *= 2;
  twice.white *= 2;
  std::vector<double> y;
  for (const std::int32_t c : p.classes) {
    y.push_back(c == 1 ? 1 : -1);
  }
  const SoftmaxLaplace several = softmax_laplace(p.kernel.matrix().view(), p.targets(), {}, {}, mercer::Run());
  const LatentApproximation binary = laplace(twice.matrix().view(), {y}, *logistic_likelihood(), {}, {}, mercer::Run());
  EXPECT_NEAR(several.log_evidence, binary.log_evidence, 1e-8);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(several.latent(i, 1) - several.latent(i, 0), binary.latent[i], 1e-7);
  }
}

TEST(SoftmaxLaplace, WarmStartsThreadsAndRefusals) {
  const Problem p = problem(150, 3, 6);
  const Matrix<double> k = p.kernel.matrix();
  const SoftmaxLaplace one =
      softmax_laplace(k.view(), p.targets(), {}, {.goal = ApproximationGoal::gradient}, mercer::Run{{.threads = 1}});
  const SoftmaxLaplace three =
      softmax_laplace(k.view(), p.targets(), {}, {.goal = ApproximationGoal::gradient}, mercer::Run{{.threads = 3}});
  EXPECT_EQ(one.log_evidence, three.log_evidence);
  EXPECT_TRUE(testing::same_bits(one.kernel_weights, three.kernel_weights));
  EXPECT_LE(one.iterations, 12);
  EXPECT_EQ(softmax_laplace(k.view(), p.targets(), one.alpha.view(), {}, mercer::Run()).iterations, 0);
  const std::vector<std::int32_t> bad = {0, 3};
  const Matrix<double> small = Matrix<double>::filled(2, 2, 1.0);
  EXPECT_ERROR(softmax_laplace(small.view(), {bad, 3}, {}, {}, mercer::Run()), InvalidArgument, "class of row 1 = 3");
  EXPECT_ERROR(softmax_laplace(k.view(), {bad, 4}, {}, {}, mercer::Run()), InvalidArgument,
               "a kernel matrix of 150 by 150 with 2 classes");
}

// Against a tensor of Gauss-Hermite rules.
}  // namespace
}  // namespace mercer
