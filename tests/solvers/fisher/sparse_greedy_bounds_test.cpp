#include "mercer/solvers/fisher/sparse_greedy_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/blas.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

struct BoundsProblem {
  Index n, tests;
  Dense all;  // kernel values of training and test inputs
  Dense y;
  double noise;

  BoundsProblem(Index size, Index test_size, double noise_variance, std::uint64_t seed, double power = 1)
      : n(size), tests(test_size), all(size + test_size, size + test_size), y(size, 1), noise(noise_variance) {
    RandomStream random(seed, 4);
    Dense x(n + tests, 1);
    for (Index i = 0; i < x.size(); ++i) {
      x(i) = 3 * random.normal();
    }
    for (Index i = 0; i < all.rows(); ++i) {
      for (Index j = 0; j < all.rows(); ++j) {
        all(i, j) = 1.5 * std::exp(-0.5 * std::pow(std::abs(x(i) - x(j)), power));
      }
    }
    for (Index i = 0; i < n; ++i) {
      y(i) = random.normal();
    }
  }

  DenseGram<double> gram() const { return DenseGram<double>(all.first(n, n).matrix()); }
  Dense system() const { return all.first(n, n) + noise * Dense::identity(n); }
  double exact_variance(Index t) const {
    const Dense k = all.column(n + t).first(n);
    return all(n + t, n + t) + noise - k.dot(system().solve_positive(k));
  }
};

TEST(SparseGreedyBounds, HoldTheExactVariance) {
  for (const double noise : {0.01, 0.3}) {
    for (const double power : {1.0, 2.0}) {
      const BoundsProblem problem(60, 30, noise, 5, power);
      const DenseGram<double> gram = problem.gram();
      Matrix<double> k(30, 60);
      std::vector<double> prior;
      for (Index t = 0; t < 30; ++t) {
        prior.push_back(problem.all(60 + t, 60 + t));
        for (Index i = 0; i < 60; ++i) {
          k(t, i) = problem.all(60 + t, i);
        }
      }
      double last_width = INFINITY;
      for (const Index size : {0, 3, 10, 60}) {
        // Size 0: targets of zero have the empty model.
        const std::vector<double> zero(60, 0.0);
        const std::span<const double> y(problem.y.data(), 60);
        const SparseGreedyResult result =
            size == 0 ? sparse_greedy(gram, zero, noise, {}, mercer::Run())
                      : sparse_greedy(gram, y, noise, {.gap = 0, .max_size = size}, mercer::Run());
        std::vector<VarianceBounds> bounds(30);
        variance_bounds(result, k.view(), prior, noise, bounds, mercer::Run());
        double width = 0;
        for (Index t = 0; t < 30; ++t) {
          const VarianceBounds& bound = bounds[t];
          const double exact = problem.exact_variance(t);
          const double slack = 1e-9 / noise;
          EXPECT_LE(bound.lower, exact + slack);
          EXPECT_GE(bound.upper, exact - slack);
          EXPECT_GE(bound.lower, noise);
          if (size == 0) {
            EXPECT_DOUBLE_EQ(bound.upper, prior[t] + noise);
          }
          width += bound.upper - bound.lower;
        }
        EXPECT_LE(width, last_width);
        last_width = width;
      }
      EXPECT_LT(last_width, 30 * 1e-6);
    }
  }
}

TEST(SparseGreedyBounds, OwnBasesReachTheVarianceToTheGap) {
  const BoundsProblem problem(80, 10, 0.1, 3);
  const DenseGram<double> gram = problem.gram();
  for (Index t = 0; t < 10; ++t) {
    const Dense k = problem.all.column(80 + t).first(80);
    const SparseGreedyResult result = sparse_greedy(gram, {k.data(), 80}, 0.1, {.gap = 1e-7}, mercer::Run({.seed = 2}));
    const VarianceBounds bound = variance_bounds(result, k.squared_norm(), problem.all(80 + t, 80 + t), 0.1);
    const double exact = problem.exact_variance(t);
    EXPECT_LE(bound.lower, exact + 1e-9);
    EXPECT_GE(bound.upper, exact - 1e-9);
    EXPECT_LE(bound.upper - bound.lower, 1e-7 * k.squared_norm() / 0.1 + 1e-9);
  }
}

TEST(SparseGreedyBounds, VarianceFactorOfAnyBasis) {
  const BoundsProblem problem(30, 8, 0.2, 6);
  const DenseGram<double> gram = problem.gram();
  const std::vector<Index> basis{4, 17, 2, 29};
  const Matrix<double> factor = variance_factor(gram, basis, 0.2, mercer::Run());
  for (Index t = 0; t < 8; ++t) {
    std::vector<double> k;
    for (const Index i : basis) {
      k.push_back(problem.all(30 + t, i));
    }
    trsv(Uplo::lower, Transpose::no, factor.view(), k);
    EXPECT_GE(problem.all(30 + t, 30 + t) + 0.2 - dot(k, k), problem.exact_variance(t) - 1e-12);
  }
  std::vector<double> own{gram.view()(4, 4), gram.view()(4, 17), gram.view()(4, 2), gram.view()(4, 29)};
  trsv(Uplo::lower, Transpose::no, factor.view(), own);
  EXPECT_LT(gram.view()(4, 4) - dot(own, own), 0.2);  // an observed sample is known better than its noise
}

TEST(SparseGreedyBounds, SizeBoundIsAboveWhatGreedyNeeds) {
  const BoundsProblem problem(25, 0, 0.5, 4);
  const DenseGram<double> gram = problem.gram();
  const std::span<const double> y(problem.y.data(), 25);
  const Dense k = problem.all.first(25, 25);
  const Dense a = problem.system().solve_positive(problem.y);
  const double minimum = -problem.y.dot(k * a) + 0.5 * (0.5 * a.dot(k * a) + (k * a).squared_norm());
  const double eps = 0.05 * std::abs(minimum);
  const SparseGreedyResult result = sparse_greedy(gram, y, 0.5, {.gap = 0, .candidates = 25}, mercer::Run());
  Index needed = 0;
  while (result.history[needed].q > minimum + eps) {
    ++needed;
  }
  EXPECT_GT(needed, 1);
  const double bound = greedy_size_bound(gram.view(), y, 0.5, eps, 1, mercer::Run());
  EXPECT_GE(bound, static_cast<double>(needed));

  // By its definition, with the matrix root written out. The quadratic form is ½|b - Aα|² - ½ b'b.
  const auto [values, vectors] = (0.5 * k + k * k).eigen();
  const Dense roots = values.map([](double value) { return std::sqrt(value); });
  const Dense root = vectors * Dense::with_diagonal(roots) * vectors.transpose();
  const Dense b = root.solve(k * problem.y);
  EXPECT_NEAR(0.5 * (b - root * a).squared_norm() - 0.5 * b.squared_norm(), minimum, 1e-6 * std::abs(minimum));
  Dense unit = root;
  for (Index j = 0; j < 25; ++j) {
    unit.set_column(j, root.column(j) / root.column(j).norm());
  }
  const double lambda = std::sqrt((unit.transpose() * unit).eigenvalues()(0));  // the smallest singular value
  EXPECT_NEAR(bound, 18 / (lambda * lambda) * std::log(b.norm() / (2 * eps)), 1e-4 * bound);
  EXPECT_EQ(greedy_size_bound(gram.view(), y, 0.5, 1e9, 1, mercer::Run()), 0);
  EXPECT_ERROR(greedy_size_bound(gram.view(), y, 0.5, 0, 1, mercer::Run()), InvalidArgument, "eps = 0");
}

}  // namespace
}  // namespace mercer
