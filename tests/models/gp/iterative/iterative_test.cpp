#include "mercer/models/gp/iterative/iterative.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/iterative/iterative_reduction.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_samples;
using testing::random_weights;

std::shared_ptr<const Gram<double>> gram_of(const char* kernel, const Samples& samples) {
  return std::make_shared<const KernelGram<double>>(std::make_shared<const PreparedKernel>(
      parse_kernel(kernel), samples, Precision::double_precision, mercer::Run()));
}

Dense system_matrix(const char* kernel, const Samples& samples, const std::vector<double>& noise) {
  Dense a = kernel_matrix(parse_kernel(kernel), samples, samples);
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, i) += noise[noise.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  }
  return a;
}

class IterativeBy : public ::testing::TestWithParam<SystemPreconditioner> {
 protected:
  static IterativeOptions options(double tolerance) {
    return {.preconditioner = GetParam(), .rank = 40, .tolerance = tolerance, .max_iterations = 2000};
  }
};

constexpr const char* spec = "1.7*matern(nu=1.5, lengthscale=2)";

TEST_P(IterativeBy, EqualsADirectSolution) {
  for (const Index n : {1, 30, 300}) {
    for (const Index outputs : {1, 4}) {
      const Samples samples = random_samples(n, 3, 10);
      const Matrix<double> y = random_matrix(n, outputs, 11);
      for (const std::vector<double>& noise : {std::vector<double>{0.01}, random_weights(n, 12)}) {
        const IterativeSystem system(gram_of(spec, samples), noise, options(1e-10), mercer::Run());
        Matrix<double> x = Matrix<double>::filled(n, outputs, 0.0);
        const IterativeSolution solution = system.solve(y.view(), x.view(), mercer::Run());
        EXPECT_EQ(solution.status, SolveStatus::converged);
        EXPECT_LE(solution.residual, 1e-10);
        const Dense a = system_matrix(spec, samples, noise);
        const Dense exact = a.solve_positive(y);
        // The residual is below 1e-10 |y|, so the error is below that over the smallest eigenvalue.
        const double smallest = a.eigenvalues().min();
        for (Index o = 0; o < outputs; ++o) {
          EXPECT_LE((Dense(x).column(o) - exact.column(o)).norm(), 2e-10 * Dense(y).column(o).norm() / smallest);
        }
      }
    }
  }
}

TEST_P(IterativeBy, ReductionGivesVariances) {
  const Index n = 250;
  const Samples samples = random_samples(n, 3, 20);
  const Samples test = random_samples(70, 3, 21);
  const std::vector<double> noise = random_weights(n, 22);
  const auto system =
      std::make_shared<const IterativeSystem>(gram_of(spec, samples), noise, options(1e-8), mercer::Run());
  const Dense k = kernel_matrix(parse_kernel(spec), test, samples);
  const Dense exact = k * system_matrix(spec, samples, noise).inverse() * k.transpose();
  const auto values = [&] {
    Matrix<double> copy(k.rows(), k.columns());
    for (Index i = 0; i < copy.rows(); ++i) {
      for (Index j = 0; j < copy.columns(); ++j) {
        copy(i, j) = k(i, j);
      }
    }
    return copy;
  };
  const IterativeReduction reduction(system);
  Matrix<double> batch = values();
  std::vector<double> diagonal(70);
  reduction.diagonal(batch.view(), diagonal, mercer::Run());
  for (Index i = 0; i < 70; ++i) {
    EXPECT_LE(diagonal[i], exact(i, i) * (1 + 1e-9));  // from below: no variance too small
    EXPECT_NEAR(diagonal[i], exact(i, i), 1e-7);
  }
  batch = values();
  Matrix<double> full(70, 70);
  reduction.full(batch.view(), full.view(), mercer::Run());
  EXPECT_LT((Dense(full) - exact).max_abs(), 1e-7);
  if (GetParam() == SystemPreconditioner::float_factor) {
    const FloatFactorReduction plain(system);
    batch = values();
    plain.diagonal(batch.view(), diagonal, mercer::Run());
    plain.full(batch.view(), full.view(), mercer::Run());
    for (Index i = 0; i < 70; ++i) {
      EXPECT_NEAR(diagonal[i], exact(i, i), 1e-4);
    }
    EXPECT_LT((Dense(full) - exact).max_abs(), 1e-4);
  } else {
    EXPECT_ERROR(FloatFactorReduction{system}, InvalidArgument, "this system has no float factor that gives variances");
  }
}

TEST_P(IterativeBy, EvidenceIsInsideItsInterval) {
  const Index n = 200;
  const Samples samples = random_samples(n, 2, 30);
  const Matrix<double> y = random_matrix(n, 2, 31);
  const std::vector<double> noise = random_weights(n, 32);
  const Dense a = system_matrix(spec, samples, noise);
  const double exact = -0.5 * Dense(y).dot(a.solve_positive(y)) - a.log_determinant() -
                       static_cast<double>(n) * std::log(2 * std::numbers::pi);
  const IterativeSystem system(gram_of(spec, samples), noise, options(1e-8), mercer::Run());
  for (const Index iterations : {1, 2, 300}) {
    Matrix<double> x = Matrix<double>::filled(n, 2, 0.0);
    system.solve(y.view(), x.view(), 1e-8, iterations, mercer::Run());
    if (GetParam() == SystemPreconditioner::none) {
      EXPECT_ERROR(system.log_evidence(y.view(), x.view(), mercer::Run()), InvalidArgument,
                   "the log evidence of an iterative solution comes from its preconditioner");
      continue;
    }
    const EvidenceInterval interval = system.log_evidence(y.view(), x.view(), mercer::Run());
    const double slack = GetParam() == SystemPreconditioner::float_factor ? 1e-3 : 1e-9;
    EXPECT_LE(interval.lower, exact + slack);
    EXPECT_GE(interval.upper, exact - slack);
    if (iterations == 300) {
      EXPECT_LT(interval.upper - interval.lower, GetParam() == SystemPreconditioner::float_factor ? 1e-6 : 20);
    }
  }
}

TEST_P(IterativeBy, AnyNumberOfThreadsGivesTheSameBits) {
  const Index n = 700;
  const Samples samples = random_samples(n, 3, 40);
  const Matrix<double> y = random_matrix(n, 2, 41);
  std::vector<Matrix<double>> found;
  for (const int threads : {1, 3}) {
    const mercer::Run run({.threads = threads});
    const IterativeSystem system(gram_of(spec, samples), {0.1}, options(1e-6), run);
    found.push_back(Matrix<double>::filled(n, 2, 0.0));
    system.solve(y.view(), found.back().view(), run);
  }
  EXPECT_TRUE(testing::same_bits(found[0], found[1]));
}

INSTANTIATE_TEST_SUITE_P(Preconditioners, IterativeBy,
                         ::testing::Values(SystemPreconditioner::none, SystemPreconditioner::low_rank,
                                           SystemPreconditioner::float_factor));

TEST(Iterative, APreconditionerSavesIterations) {
  const Index n = 600;
  const Samples samples = random_samples(n, 2, 50);
  const Matrix<double> y = random_matrix(n, 1, 51);
  const auto iterations = [&](SystemPreconditioner kind, Index rank) {
    const IterativeSystem system(gram_of("rbf(lengthscale=1)", samples), {1e-3},
                                 {.preconditioner = kind, .rank = rank, .tolerance = 1e-8}, mercer::Run());
    Matrix<double> x = Matrix<double>::filled(n, 1, 0.0);
    const IterativeSolution solution = system.solve(y.view(), x.view(), mercer::Run());
    EXPECT_EQ(solution.status, SolveStatus::converged);
    return solution.iterations;
  };
  const Index plain = iterations(SystemPreconditioner::none, 0);
  EXPECT_LT(iterations(SystemPreconditioner::low_rank, 60), plain / 3);
  EXPECT_LE(iterations(SystemPreconditioner::low_rank, 300), 12);
  EXPECT_LE(iterations(SystemPreconditioner::float_factor, 0), 6);
}

TEST(Iterative, FloatFactorSurvivesWhatFloatsCannotFactor) {
  // Noise of 1e-9 is below the rounding of floats: the factor's diagonal is raised, the answer is still right.
  const Index n = 150;
  const Samples samples = random_samples(n, 1, 60);
  const std::vector<double> noise{1e-9};
  const Matrix<double> weights = random_matrix(n, 1, 61);
  const Dense a = system_matrix("rbf(lengthscale=3)", samples, noise);
  const Dense right = a * Dense(weights);
  Matrix<double> y(n, 1);
  for (Index i = 0; i < n; ++i) {
    y(i, 0) = right(i, 0);
  }
  const IterativeSystem system(gram_of("rbf(lengthscale=3)", samples), noise,
                               {.preconditioner = SystemPreconditioner::float_factor, .tolerance = 1e-6},
                               mercer::Run());
  EXPECT_GT(system.shift(), 0);
  Matrix<double> x = Matrix<double>::filled(n, 1, 0.0);
  EXPECT_EQ(system.solve(y.view(), x.view(), mercer::Run()).status, SolveStatus::converged);
  EXPECT_LE((a * Dense(x) - right).norm(), 1.1e-6 * right.norm());
}

TEST(Iterative, StopsAndReports) {
  const Index n = 400;
  const Samples samples = random_samples(n, 2, 70);
  const Matrix<double> y = random_matrix(n, 1, 71);
  std::stop_source source;
  int events = 0;
  const mercer::Run run({.progress =
                             [&](const ProgressEvent& event) {
                               EXPECT_EQ(event.task, "conjugate gradients");
                               EXPECT_LE(event.done, event.total);
                               ++events;
                               source.request_stop();
                             },
                         .progress_interval = {},
                         .stop = source.get_token()});
  const IterativeSystem system(gram_of("rbf(lengthscale=1)", samples), {1e-6},
                               {.preconditioner = SystemPreconditioner::none, .tolerance = 1e-12}, mercer::Run());
  Matrix<double> x = Matrix<double>::filled(n, 1, 0.0);
  EXPECT_EQ(system.solve(y.view(), x.view(), run).status, SolveStatus::stopped);
  EXPECT_EQ(events, 1);
  const IterativeSolution limited = system.solve(y.view(), x.view(), 1e-12, 3, mercer::Run());
  EXPECT_EQ(limited.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.iterations, 3);
}

TEST(Iterative, DegenerateProblems) {
  const mercer::Run run;
  const Samples samples = make_dense(Matrix<double>::filled(20, 2, 1.0));  // all the same sample values
  for (const auto kind : {SystemPreconditioner::low_rank, SystemPreconditioner::float_factor}) {
    const IterativeSystem system(gram_of("rbf(lengthscale=1)", samples), {0.5}, {.preconditioner = kind}, run);
    const Matrix<double> y = Matrix<double>::filled(20, 1, 3.0);
    Matrix<double> x = Matrix<double>::filled(20, 1, 0.0);
    EXPECT_EQ(system.solve(y.view(), x.view(), run).status, SolveStatus::converged);
    EXPECT_NEAR(x(7, 0), 3.0 / 20.5, 1e-7);
    const Matrix<double> zero = Matrix<double>::filled(20, 1, 0.0);
    std::fill_n(x.data(), 20, 0.0);
    EXPECT_EQ(system.solve(zero.view(), x.view(), run).status, SolveStatus::converged);
    EXPECT_EQ(x(0, 0), 0.0);
    EXPECT_ERROR(system.solve(y.view().row_block({0, 3}), x.view(), run), InvalidArgument,
                 "right-hand sides of 3 by 1 and solutions of 20 by 1 for a system of 20 rows");
  }
  const auto gram = gram_of("rbf(lengthscale=1)", samples);
  EXPECT_ERROR(IterativeSystem(gram, {0.0}, {}, run), InvalidArgument, "noise = 0");
  EXPECT_ERROR(IterativeSystem(gram, {NAN}, {}, run), InvalidArgument, "noise = nan");
  EXPECT_ERROR(IterativeSystem(gram, {1.0, 2.0}, {}, run), InvalidArgument, "2 noise variances for 20 samples");
  EXPECT_ERROR(IterativeSystem(gram, {1.0}, {.tolerance = 0}, run), InvalidArgument, "tolerance = 0");
}

// K up to 1e7 times the noise, which single precision does not see beside it: without a shift (but wrong), and with one.
TEST(Iterative, FloatFactorThatHidesTheNoiseServesTheIterationOnly) {
  const Index n = 400;
  const Samples samples = random_samples(n, 2, 80);
  const Samples test = random_samples(20, 2, 81);
  const Matrix<double> y = random_matrix(n, 1, 82);
  const std::vector<double> noise{0.01};
  for (const char* kernel : {"rbf(lengthscale=2)", "300*rbf(lengthscale=2)", "1e3*rbf(lengthscale=2)",
                             "1e4*rbf(lengthscale=2)", "1e5*matern(nu=2.5, lengthscale=2)"}) {
    const auto system = std::make_shared<const IterativeSystem>(
        gram_of(kernel, samples), noise, IterativeOptions{.preconditioner = SystemPreconditioner::float_factor},
        mercer::Run());
    EXPECT_TRUE(system->shift() <= 1e-3 || !system->has_exact_determinant());
    EXPECT_EQ(std::string(kernel) == "rbf(lengthscale=2)", system->has_exact_determinant()) << kernel;
    const Dense a = system_matrix(kernel, samples, noise);
    const double exact = -0.5 * Dense(y).dot(a.solve_positive(y)) - 0.5 * a.log_determinant() -
                         0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
    Matrix<double> x = Matrix<double>::filled(n, 1, 0.0);
    system->solve(y.view(), x.view(), mercer::Run());
    const EvidenceInterval interval = system->log_evidence(y.view(), x.view(), mercer::Run());
    const double rounding = 1e-3 * std::abs(exact);
    EXPECT_NEAR(interval.value, exact, rounding + 4 * interval.standard_error) << kernel;
    EXPECT_LT(interval.standard_error, 1e-2 * std::abs(exact)) << kernel;
    EXPECT_LE(interval.lower, exact + rounding) << kernel;
    EXPECT_GE(interval.upper, exact - rounding) << kernel;

    const Dense k = kernel_matrix(parse_kernel(kernel), test, samples);
    const Dense reduced = k * a.solve_positive(k.transpose());
    Matrix<double> batch = k.matrix();
    std::vector<double> diagonal(20);
    iterative_variances(system)->diagonal(batch.view(), diagonal, mercer::Run());
    const Dense prior = kernel_matrix(parse_kernel(kernel), test, test);
    for (Index i = 0; i < 20; ++i) {
      const double variance = prior(i, i) - reduced(i, i);
      EXPECT_NEAR(prior(i, i) - diagonal[i], variance, 2e-2 * variance) << kernel;
    }
    if (!system->has_exact_variances()) {
      EXPECT_ERROR(FloatFactorReduction{system}, InvalidArgument,
                   "this system has no float factor that gives variances");
    }
  }
}

}  // namespace
}  // namespace mercer
