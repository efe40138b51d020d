// Kernel generalized linear models in the dual against their optimality conditions and against Newton's method in the
// primal on a factor of K.
#include "mercer/solvers/glm/dual_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/solvers/glm/glm_newton.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

constexpr GlmFamily families[] = {GlmFamily::gaussian, GlmFamily::logistic, GlmFamily::poisson, GlmFamily::multinomial};

struct DualData {
  Matrix<double> features;
  Matrix<double> kernel;
  Matrix<double> values;
  std::vector<double> weights;
  GlmFamily family = GlmFamily::gaussian;

  GlmTargets targets() const { return {family, values.view(), weights}; }
};

DualData random_dual(GlmFamily family, Index n, Index m, Index outputs, std::uint64_t seed) {
  RandomStream random(seed, 6);
  DualData data{Matrix<double>(n, m), Matrix<double>(n, n), Matrix<double>::filled(n, outputs, 0.0), {}, family};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      data.features(i, j) = random.normal();
    }
    data.weights.push_back(0.4 + 2 * random.uniform());
    const double f = 1.5 * data.features(i, 0) + random.normal();
    for (Index o = 0; o < outputs; ++o) {
      data.values(i, o) = family == GlmFamily::gaussian   ? f + 3
                          : family == GlmFamily::logistic ? (f > 0.5 ? 1.0 : 0.0)
                          : family == GlmFamily::poisson  ? std::floor(std::exp(0.5 * f))
                                                          : 0.0;
    }
    if (family == GlmFamily::multinomial) {
      data.values(i, f > 0.7 ? 0 : f < -0.7 ? outputs - 1 : i % outputs) = 1;
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      data.kernel(i, k) = 0;
      for (Index j = 0; j < m; ++j) {
        data.kernel(i, k) += data.features(i, j) * data.features(k, j);
      }
    }
  }
  return data;
}

TEST(DualNewton, MeetsTheOptimalityConditions) {
  for (const GlmFamily family : families) {
    for (const NetIntercept intercept : {NetIntercept::none, NetIntercept::fitted}) {
      const Index outputs = family == GlmFamily::multinomial ? 3 : 2;
      const DualData data = random_dual(family, 30, 40, outputs, 1);
      const double lambda = 3;
      const DualNewtonSolution solution =
          dual_newton(data.kernel.view(), data.targets(), lambda, intercept, nullptr, {}, {});
      EXPECT_EQ(solution.status, SolveStatus::converged);
      Matrix<double> f = Matrix<double>::filled(30, outputs, 0.0);
      std::vector<double> sums(outputs, 0.0);
      for (Index i = 0; i < 30; ++i) {
        for (Index c = 0; c < outputs; ++c) {
          f(i, c) = solution.intercepts[c];
          for (Index k = 0; k < 30; ++k) {
            f(i, c) += data.kernel(i, k) * solution.alpha(k, c);
          }
          EXPECT_NEAR(f(i, c), solution.linear(i, c), 1e-8);
          sums[c] += solution.alpha(i, c);
        }
      }
      glm_means(family, f.view());
      for (Index i = 0; i < 30; ++i) {
        for (Index c = 0; c < outputs; ++c) {
          EXPECT_NEAR(lambda * solution.alpha(i, c), data.weights[i] * (data.values(i, c) - f(i, c)), 1e-7);
        }
      }
      for (const double sum : sums) {
        if (intercept == NetIntercept::fitted) {
          EXPECT_NEAR(sum, 0, 1e-7);
        }
      }
    }
  }
}

TEST(DualNewton, IsTheRidgeOfTheFeatures) {
  for (const GlmFamily family : families) {
    const Index outputs = family == GlmFamily::multinomial ? 4 : 1;
    const DualData data = random_dual(family, 35, 5, outputs, 2);
    const double lambda = 0.8;
    const DualNewtonSolution dual =
        dual_newton(data.kernel.view(), data.targets(), lambda, NetIntercept::fitted, nullptr, {}, {});
    const GlmNewtonSolution primal =
        glm_newton(data.features.view(), data.targets(), NetIntercept::fitted, {0, lambda},
                   {Matrix<double>::filled(5, outputs, 0.0), std::vector<double>(outputs, 0.0)}, {1e-18, 60}, {});
    EXPECT_NEAR(dual.objective, primal.objective, 1e-9 * (1 + primal.objective));
    double center = 0;
    for (const double b : primal.point.intercepts) {
      center += outputs > 1 ? b / static_cast<double>(outputs) : 0.0;
    }
    for (Index c = 0; c < outputs; ++c) {
      EXPECT_NEAR(dual.intercepts[c], primal.point.intercepts[c] - center, 1e-6);
      for (Index j = 0; j < 5; ++j) {
        double a = 0;
        for (Index i = 0; i < 35; ++i) {
          a += data.features(i, j) * dual.alpha(i, c);
        }
        EXPECT_NEAR(a, primal.point.coefficients(j, c), 1e-6);
      }
    }
    // ln det(I + ΦΦᵀW/λ) = ln det(λI + ΦᵀWΦ) − MC ln λ.
    const double log_determinant =
        2 * primal.half_log_determinant - 5.0 * static_cast<double>(outputs) * std::log(lambda);
    EXPECT_NEAR(dual.log_evidence, -primal.objective - 0.5 * log_determinant, 1e-6);
  }
}

TEST(DualNewton, StartsDoNotMatter) {
  const DualData data = random_dual(GlmFamily::multinomial, 25, 30, 3, 3);
  const DualNewtonSolution cold =
      dual_newton(data.kernel.view(), data.targets(), 1, NetIntercept::fitted, nullptr, {}, {});
  const DualNewtonSolution other =
      dual_newton(data.kernel.view(), data.targets(), 5, NetIntercept::fitted, nullptr, {}, {});
  const DualNewtonSolution warm =
      dual_newton(data.kernel.view(), data.targets(), 1, NetIntercept::fitted, &other, {}, {});
  for (Index i = 0; i < 25; ++i) {
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(cold.alpha(i, c), warm.alpha(i, c), 1e-7);
    }
  }
}

TEST(DualNewton, ExtremePenaltiesAndWrongInput) {
  DualData data = random_dual(GlmFamily::logistic, 20, 25, 1, 4);
  const DualNewtonSolution heavy =
      dual_newton(data.kernel.view(), data.targets(), 1e12, NetIntercept::fitted, nullptr, {}, {});
  double up = 0;
  double total = 0;
  for (Index i = 0; i < 20; ++i) {
    up += data.weights[i] * data.values(i, 0);
    total += data.weights[i];
  }
  EXPECT_NEAR(heavy.intercepts[0], std::log(up / (total - up)), 1e-6);
  const DualNewtonSolution light =
      dual_newton(data.kernel.view(), data.targets(), 1e-6, NetIntercept::fitted, nullptr, {}, {});
  EXPECT_EQ(light.status, SolveStatus::converged);
  EXPECT_LT(light.loss, 1e-3);
  EXPECT_ERROR(dual_newton(data.kernel.view(), data.targets(), 0, NetIntercept::fitted, nullptr, {}, {}),
               InvalidArgument, "lambda = 0");
  for (Index i = 0; i < 20; ++i) {
    data.kernel(i, i) = -5;
  }
  EXPECT_ERROR(dual_newton(data.kernel.view(), data.targets(), 0.1, NetIntercept::fitted, nullptr, {}, {}),
               NumericalError, "the kernel matrix has eigenvalues well below 0");
}

}  // namespace
}  // namespace mercer
