// ridge and lssvm by conjugate gradients against the factorisation.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/single_precision_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/lssvm.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "support/expect_error.h"
#include "support/largest_difference.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::random_matrix;
using testing::random_problem;
using testing::random_samples;
using testing::random_sparse;
using testing::random_weights;
using testing::same_bits;

// n rows need 8n² bytes in double and a little more than 2n² packed: budgets that leave each of the three ways.
enum class Memory { all, packed, none };

double memory_mb(Memory memory, Index n) {
  const auto rows = static_cast<double>(n);
  const double mb = 1048576;
  return memory == Memory::all ? 100 * rows * rows / mb : memory == Memory::packed ? 10.4 * rows * rows / mb : 1.8;
}

bool says(const FitReport& report, const std::string& words) {
  for (const std::string& note : report.notes) {
    if (note.find(words) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST(RidgeIterative, EqualsTheFactorizationWhateverIsStored) {
  const Index n = 520;
  const Samples test = random_samples(50, 3, 9);
  for (const Memory memory : {Memory::all, Memory::packed, Memory::none}) {
    for (const char* spec : {"rbf(gamma=0.3)", "matern(nu=1.5)"}) {
      for (const double lambda : {1e-2, 1.0}) {
        TrainingData data = random_problem(n, 3, 2, 7);
        data.weights = random_weights(n, 8);
        RidgeOptions options;
        options.lambda = lambda;
        options.method = RidgeMethod::exact;
        const auto exact = fit_ridge(parse_kernel(spec), options, data);
        options.method = RidgeMethod::iterative;
        options.tolerance = 1e-9;
        options.memory_mb = memory_mb(memory, n);
        const auto iterative = fit_ridge(parse_kernel(spec), options, data);
        EXPECT_EQ(iterative->report().status, SolveStatus::converged) << spec << " " << lambda;
        EXPECT_LT(iterative->report().objective, 1e-9);
        EXPECT_LT(largest_difference(iterative->predict(test, {}), exact->predict(test, {})), 1e-6)
            << spec << " " << lambda << " " << static_cast<int>(memory);
        EXPECT_TRUE(says(iterative->report(), "relative residuals by iteration: 1, "));
        EXPECT_TRUE(says(iterative->report(), memory == Memory::all      ? "stored in double"
                                              : memory == Memory::packed ? "half of the kernel matrix was stored"
                                                                         : "evaluated again in every product"));
      }
    }
  }
}

TEST(RidgeIterative, InterceptAndSparseRowsAndSinglePrecision) {
  const Index n = 300;
  TrainingData data{random_sparse(n, 20, 0.2, 3), Targets::numeric(random_matrix(n, 1, 4).view())};
  for (const bool intercept : {false, true}) {
    RidgeOptions options;
    options.lambda = 0.5;
    options.parametric = intercept ? ParametricPart::constant : ParametricPart::none;
    options.method = RidgeMethod::exact;
    const auto exact = fit_ridge(parse_kernel("rbf(gamma=0.1)"), options, data);
    options.method = RidgeMethod::iterative;
    const auto iterative = fit_ridge(parse_kernel("rbf(gamma=0.1)"), options, data);
    EXPECT_LT(largest_difference(iterative->predict(data.samples, {}), exact->predict(data.samples, {})), 1e-5);
    options.precision = Precision::single_precision;
    const auto single = fit_ridge(parse_kernel("rbf(gamma=0.1)"), options, data);
    EXPECT_LT(largest_difference(single->predict(data.samples, {}), exact->predict(data.samples, {})), 1e-4);
  }
}

TEST(RidgeIterative, ThreadsGiveTheSameBits) {
  const TrainingData data = random_problem(600, 4, 2, 11);
  RidgeOptions options;
  options.method = RidgeMethod::iterative;
  options.memory_mb = memory_mb(Memory::packed, 600);
  const mercer::Run one{{.threads = 1}};
  const mercer::Run three{{.threads = 3}};
  EXPECT_TRUE(same_bits(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data, one)->predict(data.samples, one),
                        fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data, three)->predict(data.samples, one)));
}

TEST(RidgeIterative, AutoIteratesWhereTheFactorDoesNotFit) {
  const TrainingData data = random_problem(700, 3, 1, 5);
  RidgeOptions options;
  options.memory_mb = 2;  // the factor needs 4
  const auto model = fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data);
  EXPECT_TRUE(says(model->report(), "conjugate gradients"));
  EXPECT_GT(model->report().iterations, 0);
  options.memory_mb = 0;
  EXPECT_EQ(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data)->report().iterations, 0);
  options.memory_mb = 2;
  options.loo = true;  // needs the factor
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data), InvalidArgument,
               "ridge: the kernel matrix of 700 rows needs 4 MB");
}

TEST(RidgeIterative, RefusesWhatItCannotDo) {
  const TrainingData data = random_problem(30, 3, 1, 5);
  RidgeOptions options;
  options.method = RidgeMethod::iterative;
  options.lambda = 0;
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data), InvalidArgument,
               "ridge: method = iterative needs a positive penalty");
  options.lambda = 1;
  options.loo = true;
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data), InvalidArgument,
               "ridge: method = iterative has no inverse");
  options.loo = false;
  EXPECT_ERROR(fit_ridge(parse_kernel("negative_distance()"), options, data), InvalidArgument,
               "ridge: method = iterative needs a positive definite kernel");
  options.tolerance = 2;
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data), InvalidArgument, "ridge: tolerance = 2");
  options.tolerance = 1e-6;
  options.max_iterations = 0;
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data), InvalidArgument, "ridge: max_iterations = 0");
}

TEST(RidgeIterative, SaysSoWhereItEndsTooEarlyAndWhereItIsStopped) {
  const TrainingData data = random_problem(400, 3, 1, 5);
  RidgeOptions options;
  options.method = RidgeMethod::iterative;
  options.lambda = 1e-7;
  options.max_iterations = 1;
  int warnings = 0;
  const mercer::Run run{{.log = [&](LogLevel level, std::string_view) { warnings += level == LogLevel::warning; }}};
  EXPECT_EQ(fit_ridge(parse_kernel("rbf(gamma=5)"), options, data, run)->report().status, SolveStatus::iteration_limit);
  EXPECT_EQ(warnings, 1);
  // Stopped at the first iteration, which every event being reported tells: what there is by then is the model.
  std::stop_source stop;
  const mercer::Run stopping{{.progress =
                                  [&](const ProgressEvent& event) {
                                    if (event.task == "conjugate gradients") {
                                      stop.request_stop();
                                    }
                                  },
                              .progress_interval = {},
                              .stop = stop.get_token()}};
  options.max_iterations = 1000;
  options.parametric = ParametricPart::none;
  const auto model = fit_ridge(parse_kernel("rbf(gamma=5)"), options, data, stopping);
  EXPECT_EQ(model->report().status, SolveStatus::stopped);
  EXPECT_TRUE(std::isfinite(model->predict(data.samples, {})(0, 0)));
}

TEST(RidgeIterative, ConstantsDuplicatesAndOneRow) {
  Matrix<double> x(40, 2);
  Matrix<double> y(40, 1);
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = static_cast<double>(i % 4);
    x(i, 1) = 1;
    y(i, 0) = static_cast<double>(i % 4) + 1000;
  }
  TrainingData data{make_dense(std::move(x)), Targets::numeric(y.view())};
  RidgeOptions options;
  options.method = RidgeMethod::exact;
  const auto exact = fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data);
  options.method = RidgeMethod::iterative;
  const auto iterative = fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, data);
  EXPECT_LT(largest_difference(iterative->predict(data.samples, {}), exact->predict(data.samples, {})), 1e-5);
  const std::vector<Index> first = {0};
  const TrainingData one{data.samples.select(first), data.targets.select(first)};
  EXPECT_NEAR(fit_ridge(parse_kernel("rbf(gamma=0.2)"), options, one)->predict(one.samples, {})(0, 0), 1000, 1e-6);
}

TEST(RidgeIterative, LssvmGivesTheSameDecisions) {
  const Index n = 400;
  const Samples x = random_samples(n, 2, 21);
  const Matrix<double> noise = random_matrix(n, 1, 22);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    const double value = x.as<DenseRows<double>>()(i, 0) + 0.3 * noise(i, 0);
    labels.push_back(value < -0.4 ? "a" : value < 0.4 ? "b" : "c");
  }
  const TrainingData data{x, Targets::classes(labels)};
  LssvmOptions options;
  options.C = 3;
  options.class_weight = ClassWeights::balanced();
  options.method = RidgeMethod::exact;
  const auto exact = fit_lssvm(parse_kernel("rbf(gamma=0.5)"), options, data);
  options.method = RidgeMethod::iterative;
  options.tolerance = 1e-8;
  options.memory_mb = memory_mb(Memory::packed, n);
  const auto iterative = fit_lssvm(parse_kernel("rbf(gamma=0.5)"), options, data);
  EXPECT_LT(largest_difference(iterative->decide(x, {}), exact->decide(x, {})), 1e-6);
  options.probability = true;
  EXPECT_ERROR(fit_lssvm(parse_kernel("rbf(gamma=0.5)"), options, data), InvalidArgument,
               "lssvm: method = iterative has no inverse");
}

// The stored tiles are those of the matrix, for sizes around the tile.
TEST(SinglePrecisionGram, ProductsAreThoseOfTheMatrix) {
  for (const Index n : {1, 255, 256, 257, 600}) {
    const Samples x = random_samples(n, 3, static_cast<std::uint64_t>(n));
    const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
    const auto exact = std::make_shared<const KernelGram<double>>(
        std::make_shared<const PreparedKernel>(kernel, x, Precision::double_precision, mercer::Run()));
    const auto single = std::make_shared<const KernelGram<float>>(
        std::make_shared<const PreparedKernel>(kernel, x, Precision::single_precision, mercer::Run()));
    const Matrix<double> v = random_matrix(n, 3, 5);
    Matrix<double> expected(n, 3);
    exact->multiply(v.view(), expected.view(), {});
    for (const auto storage : {SinglePrecisionGram::Storage::none, SinglePrecisionGram::Storage::packed}) {
      const SinglePrecisionGram gram(exact, single, storage, {});
      Matrix<double> product(n, 3);
      gram.multiply(v.view(), product.view(), {});
      EXPECT_LT(largest_difference(product, expected), 2e-5) << n;
      Matrix<double> one(1, n);
      const std::vector<Index> list = {n / 2};
      gram.rows(list, one.view(), {});
      Matrix<double> row(1, n);
      exact->rows(list, row.view(), {});
      EXPECT_TRUE(same_bits(one, row));
    }
  }
}

}  // namespace
}  // namespace mercer
