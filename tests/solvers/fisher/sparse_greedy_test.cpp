#include "mercer/solvers/fisher/sparse_greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

// A random problem with everything exact beside it.
struct Problem {
  std::shared_ptr<const PreparedKernel> kernel;
  Dense k;
  Dense y;
  double noise = 0;

  Problem(Index n, const char* spec, double noise_variance, std::uint64_t seed) : noise(noise_variance) {
    RandomStream random(seed, 3);
    Matrix<double> x(n, 2);
    fill_normal(random, std::span<double>(x.data(), static_cast<std::size_t>(2 * n)));
    fill(std::move(x), spec, random);
  }
  Problem(Matrix<double> x, const char* spec, double noise_variance) : noise(noise_variance) {
    RandomStream random(9, 3);
    fill(std::move(x), spec, random);
  }

  void fill(Matrix<double> x, const char* spec, RandomStream& random) {
    const Index n = x.rows();
    y = Dense(n, 1);
    for (Index i = 0; i < n; ++i) {
      y(i) = std::sin(2 * x(i, 0)) + x(i, 1) + 0.3 * random.normal();
    }
    kernel = std::make_shared<const PreparedKernel>(parse_kernel(spec), make_dense(std::move(x)),
                                                    Precision::double_precision, mercer::Run());
    const DenseGram<double> dense(*kernel, mercer::Run());
    k = dense.view();
  }

  Dense exact() const { return (k + noise * Dense::identity(k.rows())).solve_positive(y); }
  double q(const Dense& a) const {
    const Dense ka = k * a;
    return -y.dot(ka) + 0.5 * (noise * a.dot(ka) + ka.dot(ka));
  }
  double q_star(const Dense& a) const { return -y.dot(a) + 0.5 * (noise * a.dot(a) + a.dot(k * a)); }
  std::span<const double> targets() const { return {y.data(), static_cast<std::size_t>(y.size())}; }

  SparseGreedyResult solve(const SparseGreedyOptions& options, std::uint64_t seed = 0) const {
    return sparse_greedy(KernelGram<double>(kernel), targets(), noise, options, mercer::Run({.seed = seed}));
  }
};

Dense spread(const GreedyExpansion& expansion, Index n) {
  Dense a(n, 1);
  for (std::size_t i = 0; i < expansion.basis.size(); ++i) {
    a(expansion.basis[i]) += expansion.coefficients[i];
  }
  return a;
}

TEST(SparseGreedy, CandidateCount) {
  EXPECT_EQ(greedy_candidate_count(0.95, 0.05), 59);
  EXPECT_EQ(greedy_candidate_count(0.5, 0.5), 1);
  EXPECT_EQ(greedy_candidate_count(0.99, 0.01), 459);
  EXPECT_ERROR(greedy_candidate_count(1, 0.05), InvalidArgument, "probability = 1");
  EXPECT_ERROR(greedy_candidate_count(0.95, 0), InvalidArgument, "probability = 0");
}

TEST(SparseGreedy, TheTwoFormsShareTheirMinimum) {
  const Problem problem(40, "rbf(lengthscale=1)", 0.1, 1);
  const Dense a = problem.exact();
  EXPECT_NEAR(problem.q(a) + problem.noise * problem.q_star(a), -0.5 * problem.y.squared_norm(), 1e-10);
}

TEST(SparseGreedy, TheOptimumIsAlwaysBetweenTheBounds) {
  for (const char* spec : {"rbf(lengthscale=1)", "matern(nu=0.5, lengthscale=2)", "poly(degree=2, gamma=1, coef0=1)"}) {
    for (const double noise : {0.01, 0.5}) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Problem problem(50, spec, noise, seed);
        const double exact = problem.q(problem.exact());
        const SparseGreedyResult result = problem.solve({.gap = 1e-9, .candidates = 7}, seed);
        const double slack = 1e-8 * std::abs(exact);
        ASSERT_GE(result.history.size(), 5U);
        for (std::size_t s = 0; s < result.history.size(); ++s) {
          const SparseGreedyStep& step = result.history[s];
          EXPECT_GE(step.q, exact - slack);
          EXPECT_LE(step.lower, exact + slack);
          EXPECT_GE(step.gap, 0);
          EXPECT_NEAR(step.gap, std::max(0.0, 2 * (step.q - step.lower) / -(step.q + step.lower)), 1e-12);
          if (s > 0) {
            EXPECT_LE(step.q, result.history[s - 1].q);
            EXPECT_GE(step.lower, result.history[s - 1].lower);
          }
        }
        EXPECT_LT(result.last().gap, 1e-6);
      }
    }
  }
}

TEST(SparseGreedy, CoefficientsGiveTheReportedValues) {
  const Problem problem(80, "rbf(lengthscale=0.8)", 0.1, 4);
  const SparseGreedyResult result = problem.solve({.gap = 0.05});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.last().gap, 0.05);
  EXPECT_LT(result.last().size, 80);
  const double q = problem.q(spread(result.posterior, 80));
  EXPECT_NEAR(q, result.last().q, 1e-9 * std::abs(q));
  const double lower = -0.5 * problem.y.squared_norm() - problem.noise * problem.q_star(spread(result.bound, 80));
  EXPECT_NEAR(lower, result.last().lower, 1e-9 * std::abs(lower));

  // The factors are those of the forms on their bases (S4), and the gradients vanish there.
  const auto m = static_cast<Index>(result.posterior.basis.size());
  Dense p(80, m);
  for (Index j = 0; j < m; ++j) {
    p(result.posterior.basis[j], j) = 1;
  }
  const Dense form = p.transpose() * (problem.noise * problem.k + problem.k * problem.k) * p;
  const Dense factor = form.cholesky();
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j <= i; ++j) {
      EXPECT_NEAR(result.posterior.factor(i, j), factor(i, j), 1e-7);
    }
    for (Index j = 0; j < 80; ++j) {
      EXPECT_NEAR(result.basis_rows(i, j), problem.k(result.posterior.basis[i], j), 1e-13);
    }
  }
  const Dense beta = form.solve_positive(p.transpose() * problem.k * problem.y);
  for (Index i = 0; i < m; ++i) {
    EXPECT_NEAR(result.posterior.coefficients[i], beta(i), 1e-6);
  }
}

TEST(SparseGreedy, EveryStepTakesTheLargestGain) {
  // With all samples as candidates the choice has no luck in it: compare with all sets of one more sample.
  const Problem problem(25, "rbf(lengthscale=0.7)", 0.2, 5);
  const SparseGreedyResult result = problem.solve({.gap = 1e-3, .candidates = 1000, .max_size = 6});
  const auto best_value = [&](const std::vector<Index>& basis, bool star) {
    Dense p(25, static_cast<Index>(basis.size()));
    for (std::size_t j = 0; j < basis.size(); ++j) {
      p(basis[j], static_cast<Index>(j)) = 1;
    }
    const Dense form = star ? Dense(problem.k + problem.noise * Dense::identity(25))
                            : Dense(problem.noise * problem.k + problem.k * problem.k);
    const Dense right = p.transpose() * (star ? problem.y : Dense(problem.k * problem.y));
    return -0.5 * right.dot((p.transpose() * form * p).solve_positive(right));
  };
  for (const bool star : {false, true}) {
    const GreedyExpansion& expansion = star ? result.bound : result.posterior;
    std::vector<Index> basis;
    for (const Index chosen : expansion.basis) {
      double best = 0;
      Index which = -1;
      for (Index i = 0; i < 25; ++i) {
        if (std::find(basis.begin(), basis.end(), i) == basis.end()) {
          std::vector<Index> extended = basis;
          extended.push_back(i);
          if (const double value = best_value(extended, star); value < best) {
            best = value;
            which = i;
          }
        }
      }
      EXPECT_EQ(chosen, which);
      basis.push_back(chosen);
    }
  }
}

TEST(SparseGreedy, WithEverySampleItIsTheExactSolution) {
  const Problem problem(30, "matern(nu=0.5, lengthscale=1)", 0.3, 6);
  const SparseGreedyResult result = problem.solve({.gap = 0});
  EXPECT_EQ(result.last().size, 30);
  EXPECT_EQ(result.last().bound_size, 30);
  EXPECT_LT((spread(result.posterior, 30) - problem.exact()).max_abs(), 1e-8);
  EXPECT_LT((spread(result.bound, 30) - problem.exact()).max_abs(), 1e-9);
  EXPECT_LT(result.last().gap, 1e-10);
}

TEST(SparseGreedy, DependentCandidatesStayOut) {
  // 60 samples at 12 places: no place may be in the basis for Q twice. The basis for Q* has the noise between them.
  Matrix<double> x(60, 2);
  for (Index i = 0; i < 60; ++i) {
    x(i, 0) = static_cast<double>(i % 12);
    x(i, 1) = 1;
  }
  const Problem problem(std::move(x), "rbf(lengthscale=0.5)", 0.1);
  const SparseGreedyResult result = problem.solve({.gap = 1e-12, .candidates = 10});
  std::set<Index> places;
  for (const Index i : result.posterior.basis) {
    EXPECT_TRUE(places.insert(i % 12).second);
  }
  EXPECT_EQ(places.size(), 12U);
  const double exact = problem.q(problem.exact());
  EXPECT_NEAR(result.last().q, exact, 1e-9 * std::abs(exact));
  EXPECT_NEAR(result.last().lower, exact, 1e-9 * std::abs(exact));

  // A kernel of rank 1.
  const Problem flat(20, "constant(value=2)", 0.1, 7);
  EXPECT_EQ(flat.solve({.gap = 0}).posterior.basis.size(), 1U);
}

TEST(SparseGreedy, ZeroTargetsGiveTheEmptyModel) {
  Problem problem(20, "rbf(lengthscale=1)", 0.1, 8);
  problem.y = Dense(20, 1);
  const SparseGreedyResult result = problem.solve({});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_TRUE(result.posterior.basis.empty());
  EXPECT_TRUE(result.posterior.coefficients.empty());
  EXPECT_EQ(result.last().gap, 0);
}

TEST(SparseGreedy, LimitsStopsAndBadArguments) {
  const Problem problem(60, "rbf(lengthscale=0.3)", 0.01, 9);
  const SparseGreedyResult limited = problem.solve({.gap = 1e-6, .max_size = 5});
  EXPECT_EQ(limited.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.last().size, 5);
  EXPECT_EQ(limited.last().bound_size, 5);
  std::stop_source source;
  source.request_stop();
  const SparseGreedyResult stopped = sparse_greedy(KernelGram<double>(problem.kernel), problem.targets(), 0.01, {},
                                                   mercer::Run({.stop = source.get_token()}));
  EXPECT_EQ(stopped.status, SolveStatus::stopped);
  const KernelGram<double> gram(problem.kernel);
  const auto run_with = [&](double noise, const SparseGreedyOptions& options) {
    return sparse_greedy(gram, problem.targets(), noise, options, mercer::Run());
  };
  EXPECT_ERROR(run_with(0, {}), InvalidArgument, "noise = 0");
  EXPECT_ERROR(run_with(NAN, {}), InvalidArgument, "noise = nan");
  EXPECT_ERROR(run_with(0.1, {.gap = -1}), InvalidArgument, "gap = -1");
  EXPECT_ERROR(run_with(0.1, {.candidates = 0}), InvalidArgument, "candidates = 0");
  EXPECT_ERROR(sparse_greedy(gram, problem.targets().subspan(1), 0.1, {}, mercer::Run()), InvalidArgument,
               "59 targets for 60 samples");
  std::vector<double> bad(problem.targets().begin(), problem.targets().end());
  bad[3] = NAN;
  EXPECT_ERROR(sparse_greedy(gram, bad, 0.1, {}, mercer::Run()), InvalidArgument, "targets = nan");
}

TEST(SparseGreedy, AnyNumberOfThreadsGivesTheSameBits) {
  const Problem problem(700, "matern(nu=1.5, lengthscale=1)", 0.1, 10);
  std::vector<SparseGreedyResult> results;
  for (const int threads : {1, 3}) {
    results.push_back(sparse_greedy(KernelGram<double>(problem.kernel), problem.targets(), 0.1, {.gap = 0.01},
                                    mercer::Run({.threads = threads, .seed = 4})));
  }
  EXPECT_EQ(results[0].posterior.basis, results[1].posterior.basis);
  EXPECT_EQ(results[0].posterior.coefficients, results[1].posterior.coefficients);
  EXPECT_EQ(results[0].last().gap, results[1].last().gap);
}

}  // namespace
}  // namespace mercer
