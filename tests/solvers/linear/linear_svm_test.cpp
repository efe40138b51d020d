#include "mercer/solvers/linear/linear_svm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>

#include "mercer/base/error.h"
#include "solvers/linear_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace test;

std::string label(const LinearSvmOptions& options) {
  return std::string(word_of(options.penalty)) + " " + std::string(word_of(options.loss)) + " " +
         std::string(word_of(options.intercept));
}

TEST(LinearSvm, GapIsTrueAndSmallForEveryLossInterceptAndStorage) {
  std::uint64_t seed = 0;
  for (const LinearLoss loss : all_losses) {
    for (const LinearIntercept intercept : all_intercepts) {
      for (const Storage storage : all_storages) {
        RandomStream random(++seed);
        const auto rows = static_cast<Index>(2 + random.below(200));
        const auto columns = static_cast<Index>(1 + random.below(40));
        const LinearData data = random_data(rows, columns, loss, seed);
        const LinearSvmOptions options{
            .loss = loss, .intercept = intercept, .intercept_scale = 1.5, .tolerance = 1e-7, .max_passes = 200000};
        SCOPED_TRACE(label(options) + " " + std::to_string(rows) + " x " + std::to_string(columns));
        expect_certified(data, options, solve(data, options, {}, storage));
      }
    }
  }
}

TEST(LinearSvm, WeightsAreTheCombinationOfSamples) {
  for (const LinearLoss loss : all_losses) {
    const LinearData data = random_data(150, 12, loss, 5);
    const LinearSvmOptions options{.loss = loss, .intercept = LinearIntercept::regularized, .tolerance = 1e-6};
    const LinearSvmResult result = solve(data, options);
    const std::vector<double> expected = combination(data, options, result.dual_variables);
    for (std::size_t j = 0; j < result.weights.size(); ++j) {
      EXPECT_NEAR(result.weights[j], expected[j], 1e-11);
    }
    EXPECT_NEAR(result.intercept, expected.back(), 1e-11);
  }
}

// The minimum over (w, b) by nested ternary searches on a convex function of two numbers.
template <class F>
double minimize(double low, double high, const F& f) {
  for (int step = 0; step < 120; ++step) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (f(a) <= f(b) ? high : low) = f(a) <= f(b) ? b : a;
  }
  return f(0.5 * (low + high));
}

TEST(LinearSvm, OneColumnAgreesWithExhaustiveSearch) {
  for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
    for (const LinearLoss loss : all_losses) {
      if (penalty == LinearPenalty::l1 && !is_squared(loss)) {
        continue;
      }
      for (const LinearIntercept intercept : all_intercepts) {
        const LinearData data = random_data(15, 1, loss, 77);
        const LinearSvmOptions options{.loss = loss,
                                       .penalty = penalty,
                                       .intercept = intercept,
                                       .intercept_scale = 0.7,
                                       .tolerance = 1e-9,
                                       .max_passes = 1000000};
        SCOPED_TRACE(label(options));
        const double best = minimize(-20, 20, [&](double w) {
          const auto at = [&](double b) { return primal_of(data, options, {w}, b); };
          return intercept == LinearIntercept::none ? at(0) : minimize(-20, 20, at);
        });
        const LinearSvmResult result = solve(data, options);
        ASSERT_EQ(result.status, SolveStatus::converged);
        EXPECT_NEAR(result.primal, best, 1e-7 * (1 + best));
      }
    }
  }
}

TEST(LinearSvm, HardMarginOfTwoPointsIsExact) {
  // Points 3 and 1 on a line: the widest margin puts w·x + b = ±1 there, so w = 1 and b = -2.
  const LinearData data{{{3}, {1}}, {1, -1}, {1e6, 1e6}};
  const LinearSvmResult result = solve(data, {.tolerance = 1e-10, .max_passes = 100000});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(result.weights[0], 1, 1e-8);
  EXPECT_NEAR(result.intercept, -2, 1e-8);
  EXPECT_NEAR(result.primal, 0.5, 1e-8);
  EXPECT_NEAR(result.dual_variables[0], 0.5, 1e-7);
}

TEST(LinearSvm, KarushKuhnTuckerConditionsHoldInDouble) {
  const LinearData data = random_data(120, 6, LinearLoss::hinge, 31);
  const LinearSvmResult result = solve(data, {.tolerance = 1e-12, .max_passes = 1000000});
  ASSERT_NE(result.status, SolveStatus::iteration_limit);
  int free_vectors = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    double f = result.intercept;
    for (std::size_t j = 0; j < result.weights.size(); ++j) {
      f += result.weights[j] * data.x[i][j];
    }
    const double margin = data.targets[i] * f - 1;
    const double alpha = data.targets[i] * result.dual_variables[i];
    if (alpha > 1e-6 * data.bounds[i]) {
      EXPECT_LE(margin, 1e-4);
    }
    if (alpha < (1 - 1e-6) * data.bounds[i]) {
      EXPECT_GE(margin, -1e-4);
      free_vectors += alpha > 1e-6 * data.bounds[i] ? 1 : 0;
    }
  }
  EXPECT_GT(free_vectors, 0);
}

TEST(LinearSvm, SameBitsForAnyNumberOfThreads) {
  for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
    for (const Storage storage : {Storage::dense_float, Storage::sparse_double}) {
      const LinearData data = random_data(3000, 20, LinearLoss::squared_hinge, 9);
      const LinearSvmOptions options{.loss = LinearLoss::squared_hinge, .penalty = penalty};
      const LinearSvmResult one = solve(data, options, mercer::Run({.threads = 1, .seed = 4}), storage);
      for (const int threads : {2, 3}) {
        const LinearSvmResult many = solve(data, options, mercer::Run({.threads = threads, .seed = 4}), storage);
        EXPECT_EQ(one.weights, many.weights);
        EXPECT_EQ(one.dual_variables, many.dual_variables);
        EXPECT_EQ(one.intercept, many.intercept);
        EXPECT_EQ(one.gap, many.gap);
        EXPECT_EQ(one.passes, many.passes);
      }
    }
  }
}

TEST(LinearSvm, SampleWithoutBoundHasNoInfluence) {
  for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
    for (const LinearLoss loss : all_losses) {
      if (penalty == LinearPenalty::l1 && !is_squared(loss)) {
        continue;
      }
      LinearData all = random_data(60, 5, loss, 3);
      LinearData some = all;
      for (std::size_t i = 50; i < 59; ++i) {
        all.bounds[i] = 0;
      }
      for (auto* column : {&some.targets, &some.bounds}) {
        column->erase(column->begin() + 50, column->begin() + 59);
      }
      some.x.erase(some.x.begin() + 50, some.x.begin() + 59);
      const LinearSvmOptions options{.loss = loss, .penalty = penalty, .tolerance = 1e-9, .max_passes = 200000};
      const LinearSvmResult a = solve(all, options);
      const LinearSvmResult b = solve(some, options);
      expect_certified(all, options, a);
      EXPECT_NEAR(a.primal, b.primal, 1e-8 * b.primal);
      for (std::size_t i = 50; i < 59; ++i) {
        EXPECT_EQ(a.dual_variables[i], 0);
      }
    }
  }
}

TEST(LinearSvm, DegenerateColumnsAndRowsConverge) {
  for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
    for (const LinearLoss loss : all_losses) {
      for (const LinearIntercept intercept : all_intercepts) {
        if (penalty == LinearPenalty::l1 && !is_squared(loss)) {
          continue;
        }
        LinearData data = random_data(80, 6, loss, 12);
        for (std::size_t i = 0; i < data.x.size(); ++i) {
          data.x[i][1] = data.x[i][0];  // a column twice
          data.x[i][2] = 3;             // constant
          data.x[i][3] = 0;             // never used
          if (i % 7 == 0) {
            std::fill(data.x[i].begin(), data.x[i].end(), 0.0);
          }
        }
        data.x[11] = data.x[10];  // a point twice, with opposite labels
        data.targets[11] = -data.targets[10];
        const LinearSvmOptions options{
            .loss = loss, .penalty = penalty, .intercept = intercept, .tolerance = 1e-6, .max_passes = 200000};
        SCOPED_TRACE(label(options));
        for (const Storage storage : {Storage::dense_double, Storage::sparse_float}) {
          expect_certified(data, options, solve(data, options, {}, storage));
        }
      }
    }
  }
}

TEST(LinearSvm, OnlyZerosGiveTheBestConstant) {
  LinearData data{{{0, 0}, {0, 0}, {0, 0}}, {1, 1, -1}, {1, 1, 1}};
  const LinearSvmResult exact = solve(data, {});
  EXPECT_EQ(exact.status, SolveStatus::converged);
  EXPECT_EQ(exact.weights, std::vector<double>(2));
  EXPECT_NEAR(exact.intercept, 1, 1e-12);
  EXPECT_NEAR(exact.primal, 2, 1e-12);
  const LinearSvmResult none = solve(data, {.intercept = LinearIntercept::none});
  EXPECT_EQ(none.status, SolveStatus::converged);
  EXPECT_EQ(none.primal, 3);
  EXPECT_EQ(none.dual, 3);
}

TEST(LinearSvm, NoColumnsAtAll) {
  const std::vector<double> targets{1, 2, 6};
  const std::vector<double> bounds{1, 1, 1};
  const LinearSvmResult result =
      solve_linear_svm({make_dense(std::vector<double>{}, 3, 0), targets, bounds},
                       {.loss = LinearLoss::epsilon_insensitive, .epsilon = 0, .tolerance = 1e-9});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(result.intercept, 2, 1e-12);  // the median
  EXPECT_NEAR(result.primal, 5, 1e-12);
}

TEST(LinearSvm, TargetsWithinEpsilonNeedNoWeights) {
  LinearData data = random_data(30, 3, LinearLoss::epsilon_insensitive, 2);
  std::fill(data.targets.begin(), data.targets.end(), 7.0);
  const LinearSvmResult result = solve(data, {.loss = LinearLoss::epsilon_insensitive, .tolerance = 1e-12});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(result.intercept, 7, 0.1 + 1e-9);
  EXPECT_NEAR(result.primal, 0, 1e-9);
}

TEST(LinearSvm, HugeBoundEndsWithAnAnswerOrTheGapReached) {
  LinearData data = random_data(100, 5, LinearLoss::hinge, 8);
  data.x[11] = data.x[10];
  data.targets[11] = -data.targets[10];
  std::fill(data.bounds.begin(), data.bounds.end(), 1e10);
  const LinearSvmOptions options{.max_passes = 200};
  const LinearSvmResult result = solve(data, options);
  EXPECT_TRUE(result.status == SolveStatus::converged || result.status == SolveStatus::iteration_limit);
  EXPECT_LE(result.passes, 200);
  const double primal = primal_of(data, options, result.weights, result.intercept);
  EXPECT_NEAR(result.primal, primal, 1e-8 * primal);
  EXPECT_NEAR(result.gap, primal - dual_of(data, options, result.dual_variables), 1e-8 * primal);
}

TEST(LinearSvm, IterationLimitReportsTheTrueGap) {
  for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
    const LinearData data = random_data(300, 30, LinearLoss::squared_hinge, 21);
    const LinearSvmOptions options{
        .loss = LinearLoss::squared_hinge, .penalty = penalty, .tolerance = 1e-12, .max_passes = 2};
    const LinearSvmResult result = solve(data, options);
    EXPECT_EQ(result.status, SolveStatus::iteration_limit);
    EXPECT_EQ(result.passes, 2);
    EXPECT_GT(result.gap, options.tolerance * result.primal);
    EXPECT_NEAR(
        result.gap,
        primal_of(data, options, result.weights, result.intercept) - dual_of(data, options, result.dual_variables),
        1e-9 * result.primal);
  }
}

TEST(LinearSvm, UnreachableToleranceEnds) {
  const LinearData data = random_data(40, 3, LinearLoss::squared_hinge, 6);
  for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
    const LinearSvmResult result =
        solve(data, {.loss = LinearLoss::squared_hinge, .penalty = penalty, .tolerance = 1e-300, .max_passes = 100000});
    EXPECT_LE(std::fabs(result.gap), 1e-11 * result.primal);
  }
}

TEST(LinearSvm, StartFromTheSolutionNeedsFewPasses) {
  for (const LinearLoss loss : all_losses) {
    const LinearData data = random_data(400, 20, loss, 14);
    const LinearSvmOptions options{.loss = loss, .intercept = LinearIntercept::regularized, .max_passes = 100000};
    const Samples samples = store(data, Storage::dense_double);
    const LinearSvmResult cold = solve_linear_svm({samples, data.targets, data.bounds}, options);
    const LinearSvmResult warm = solve_linear_svm({samples, data.targets, data.bounds, cold.dual_variables}, options);
    expect_certified(data, options, warm);
    EXPECT_LT(warm.passes, cold.passes);
    std::vector<double> wild(data.targets.size(), -1e6);
    expect_certified(data, options, solve_linear_svm({samples, data.targets, data.bounds, wild}, options));
  }
}

TEST(LinearSvm, StopReturnsWhatWasReached) {
  for (const LinearPenalty penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
    const LinearData data = random_data(2000, 30, LinearLoss::squared_hinge, 1);
    const LinearSvmOptions options{
        .loss = LinearLoss::squared_hinge, .penalty = penalty, .tolerance = 1e-15, .max_passes = 1000000};
    std::stop_source source;
    std::atomic<int> events = 0;
    const auto progress = [&](const ProgressEvent& event) {
      ++events;
      EXPECT_GE(event.done, 0);
      EXPECT_LE(event.done, event.total);
      source.request_stop();
    };
    const LinearSvmResult result =
        solve(data, options,
              mercer::Run({.threads = 2, .progress = progress, .progress_interval = {}, .stop = source.get_token()}));
    EXPECT_EQ(result.status, SolveStatus::stopped);
    EXPECT_GE(events, 1);
    EXPECT_EQ(result.weights.size(), 30);
    EXPECT_EQ(result.dual_variables.size(), 2000);
    for (const double weight : result.weights) {
      EXPECT_TRUE(std::isfinite(weight));
    }
    // A stop before the start: nothing but zeros.
    const LinearSvmResult none = solve(data, options, mercer::Run({.stop = source.get_token()}));
    EXPECT_EQ(none.status, SolveStatus::stopped);
    EXPECT_EQ(none.weights, std::vector<double>(30));
    EXPECT_EQ(none.dual_variables, std::vector<double>(2000));
    EXPECT_TRUE(std::isinf(none.gap));
  }
}

TEST(LinearSvm, BadInputIsRejected) {
  const LinearData data = random_data(10, 3, LinearLoss::hinge, 1);
  const auto expect_data_error = [](const LinearData& bad, const char* words, const LinearSvmOptions& options = {}) {
    EXPECT_ERROR(solve(bad, options), DataError, words);
  };
  LinearData bad = data;
  bad.x[4][1] = std::numeric_limits<double>::quiet_NaN();
  expect_data_error(bad, "row 4, column 1 (counted from 0): the value is nan");
  expect_data_error(bad, "row 4, column 1 (counted from 0): the value is nan",
                    {.loss = LinearLoss::squared_hinge, .penalty = LinearPenalty::l1});
  bad.x[4][1] = 1e200;  // its square overflows
  expect_data_error(bad, "samples: the sum of their squared norms overflows");
  bad = data;
  bad.targets[2] = 2;
  expect_data_error(bad, "targets: row 2 has 2.000000; must be 1 or -1 for a hinge loss");
  bad.targets[2] = std::numeric_limits<double>::quiet_NaN();
  expect_data_error(bad, "targets: row 2 has nan; must be finite", {.loss = LinearLoss::epsilon_insensitive});
  bad = data;
  bad.bounds[0] = -1;
  expect_data_error(bad, "bounds: row 0 has C = -1.000000");
  bad.bounds[0] = std::numeric_limits<double>::infinity();
  expect_data_error(bad, "bounds: row 0 has C = inf; must be 0 or more and finite");
  bad = data;
  std::fill(bad.targets.begin(), bad.targets.end(), -1.0);
  EXPECT_ERROR(solve(bad, {}), InvalidArgument, "targets = only -1");
  EXPECT_ERROR(solve_linear_svm({}, {}), InvalidArgument, "samples = no rows");
  EXPECT_ERROR(solve_linear_svm({store(data, Storage::dense_double), data.targets, {}}, {}), InvalidArgument,
               "bounds = 0 numbers");
  EXPECT_ERROR(solve(data, {.tolerance = 0}), InvalidArgument, "tolerance = 0");
  EXPECT_ERROR(solve(data, {.epsilon = -1}), InvalidArgument, "epsilon = -1");
  EXPECT_ERROR(solve(data, {.max_passes = 0}), InvalidArgument, "max_passes = 0");
  EXPECT_ERROR(solve(data, {.intercept = LinearIntercept::regularized, .intercept_scale = 0}), InvalidArgument,
               "intercept_scale = 0");
  EXPECT_ERROR(solve(data, {.penalty = LinearPenalty::l1}), InvalidArgument, "loss = hinge");
  const std::vector<std::string> words(10, "word");
  EXPECT_ERROR(solve_linear_svm({make_strings(words), data.targets, data.bounds}, {}), InvalidArgument,
               "samples = strings");
}

}  // namespace
}  // namespace mercer
