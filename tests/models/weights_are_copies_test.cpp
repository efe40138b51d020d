// A row of weight w is w equal rows, and a row of weight 0 is none: predictions, their deviations, what was learnt and the
// evidence are the same for both, in every model of this list.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/falkon/falkon.h"
#include "mercer/models/falkon/falkon_classifier.h"
#include "mercer/models/gp/gp.h"
#include "mercer/models/gp/gpc.h"
#include "mercer/models/ridge/lssvm.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::measure;
using testing::random_matrix;
using testing::random_problem;
using testing::random_samples;

struct Both {
  TrainingData weighted;
  TrainingData copied;
};

// Weights 0, 1, 2, 3 in turn, and the rows as often as they say.
Both with_copies(TrainingData data) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.samples.size(); ++i) {
    data.weights.push_back(static_cast<double>((i + 1) % 4));
    rows.insert(rows.end(), static_cast<std::size_t>((i + 1) % 4), i);
  }
  TrainingData copied{data.samples.select(rows), data.targets.select(rows)};
  for (const Index row : rows) {
    if (!data.noise.empty()) {
      copied.noise.push_back(data.noise[row]);
    }
  }
  return {std::move(data), std::move(copied)};
}

// y = 40 + 6 sin(1.5 x) + noise, in one or two outputs.
Both wave(Index n, Index outputs = 1) {
  const Matrix<double> x = random_matrix(n, 2, 5);
  Matrix<double> y = random_matrix(n, outputs, 6);
  for (Index i = 0; i < n; ++i) {
    for (Index o = 0; o < outputs; ++o) {
      y(i, o) = 40 + 6 * std::sin(1.5 * x(i, o)) + 0.8 * y(i, o);
    }
  }
  return with_copies({make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())});
}

Both labeled(Index n, int classes) {
  const Matrix<double> x = random_matrix(n, 2, 7);
  const Matrix<double> e = random_matrix(n, 1, 8);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    const double value = x(i, 0) + 0.5 * e(i, 0);
    labels.emplace_back(value < -0.3 ? "a" : classes == 3 && value < 0.6 ? "b" : "c");
  }
  return with_copies({make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels)});
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b, double tolerance, const std::string& what) {
  EXPECT_LT((Dense(a) - Dense(b)).max_abs(), tolerance * (1e-300 + Dense(b).max_abs())) << what;
}

struct Tolerance {
  double values = 1e-8;    // of predictions, relative
  double evidence = 1e-9;  // relative
};

void expect_same_gp(const Kernel& kernel, const GpOptions& options, const Both& data, const std::string& what,
                    Tolerance tolerance = {}) {
  const auto a = fit_gp(kernel, options, data.weighted);
  const auto b = fit_gp(kernel, options, data.copied);
  const Samples x = random_samples(9, 2, 11);
  const double evidence = b->report().objective;
  EXPECT_NEAR(a->report().objective, evidence, tolerance.evidence * std::abs(evidence)) << what;
  expect_near(a->predict(x, {}), b->predict(x, {}), tolerance.values, what);
  ASSERT_EQ(a->report().measures.size(), b->report().measures.size()) << what;
  for (const FitReport::Measure& item : b->report().measures) {
    EXPECT_NEAR(measure(*a, item.name), item.value, 10 * tolerance.values * std::abs(item.value)) << what << item.name;
  }
  if (a->has_distribution()) {
    for (const PredictionOf of : {PredictionOf::function, PredictionOf::observation}) {
      if (!a->has_distribution_of(of)) {
        continue;
      }
      expect_near(a->moments(x, of, {}).mean, b->moments(x, of, {}).mean, tolerance.values, what);
      expect_near(a->moments(x, of, {}).variance, b->moments(x, of, {}).variance, 10 * tolerance.values, what);
    }
  }
}

TEST(WeightsAreCopies, GpWithParametersThatAreGiven) {
  const Kernel kernel = parse_kernel("1.3*rbf(lengthscale=[0.8, 2])");
  for (const bool standardize : {true, false}) {
    for (const auto& [mean, word] : words_of(Polynomials{})) {
      const GpOptions options{
          .mean = mean, .noise = GpNoise::known(0.6), .optimize = false, .standardize = standardize};
      expect_same_gp(kernel, options, wave(40), std::string(word));
      expect_same_gp(kernel, options, wave(40, 2), std::string(word) + ", two outputs");
    }
  }
}

TEST(WeightsAreCopies, GpByEveryMethod) {
  const Kernel kernel = parse_kernel("1.3*rbf(lengthscale=[0.8, 2])");
  const Both data = wave(30);
  for (const GpMethod method : {GpMethod::exact, GpMethod::float_factor, GpMethod::conjugate_gradients,
                                GpMethod::variational, GpMethod::fitc, GpMethod::subset_of_regressors}) {
    const bool exact = method == GpMethod::exact;
    expect_same_gp(kernel, {.method = method, .noise = GpNoise::known(0.6), .optimize = false, .rank = 200}, data,
                   std::string(word_of(method)), exact ? Tolerance{} : Tolerance{.values = 1e-5, .evidence = 1e-5});
  }
}

TEST(WeightsAreCopies, GpWithKnownNoiseOfEveryRow) {
  Both data = wave(30);
  TrainingData noisy = data.weighted;
  noisy.weights.clear();
  for (Index i = 0; i < 30; ++i) {
    noisy.noise.push_back(0.2 + 0.05 * static_cast<double>(i));
  }
  expect_same_gp(parse_kernel("1*rbf(lengthscale=1)"), {.noise = GpNoise::known(0.3), .optimize = false},
                 with_copies(noisy), "known noise and more");
  expect_same_gp(parse_kernel("1*rbf(lengthscale=1)"), {.optimize = false}, with_copies(noisy), "known noise alone");
}

TEST(WeightsAreCopies, GpLearnsTheSame) {
  const Tolerance learned{.values = 2e-3, .evidence = 1e-6};
  expect_same_gp(parse_kernel("1*rbf(lengthscale=1)"), {}, wave(40), "gaussian", learned);
  expect_same_gp(parse_kernel("1*rbf(lengthscale=3!)"), {}, wave(40), "noise inside its bounds", learned);
  expect_same_gp(parse_kernel("1*rbf(lengthscale=1)"), {.mean = ParametricPart::linear}, wave(40), "linear mean",
                 learned);
  for (const GpLikelihood likelihood : {GpLikelihood::student_t, GpLikelihood::huber}) {
    expect_same_gp(parse_kernel("1*rbf(lengthscale=1)"), {.likelihood = likelihood, .restarts = 0}, wave(40),
                   std::string(word_of(likelihood)), learned);
  }
}

TEST(WeightsAreCopies, GpWithOtherNoise) {
  const Kernel kernel = parse_kernel("1.3*rbf(lengthscale=1)");
  for (const GpLikelihood likelihood : {GpLikelihood::student_t, GpLikelihood::huber}) {
    expect_same_gp(kernel, {.likelihood = likelihood, .noise = GpNoise::known(0.6), .optimize = false}, wave(30),
                   std::string(word_of(likelihood)), {.values = 1e-6, .evidence = 1e-8});
  }
  expect_same_gp(kernel,
                 {.likelihood = GpLikelihood::laplacian,
                  .inference = GpInference::posterior_mode,
                  .noise = GpNoise::known(0.6),
                  .optimize = false},
                 wave(30), "map", {.values = 1e-5, .evidence = 1e-5});
  Matrix<double> counts = random_matrix(30, 1, 9);
  for (Index i = 0; i < 30; ++i) {
    counts(i, 0) = std::floor(std::exp(2 + counts(i, 0)));
  }
  expect_same_gp(kernel, {.likelihood = GpLikelihood::poisson, .optimize = false},
                 with_copies({random_samples(30, 2, 10), Targets::numeric(counts.view())}), "poisson",
                 {.values = 1e-6, .evidence = 1e-8});
}

TEST(WeightsAreCopies, GpRefusesWhatCannotCount) {
  const Both data = wave(12);
  const Kernel kernel = parse_kernel("1*rbf(lengthscale=1)");
  EXPECT_ERROR(
      fit_gp(kernel, {.likelihood = GpLikelihood::laplacian, .inference = GpInference::posterior_mode}, data.weighted),
      InvalidArgument, "learns by expectation propagation");
  EXPECT_ERROR(
      fit_gp(kernel, {.likelihood = GpLikelihood::laplacian, .inference = GpInference::expectation_propagation},
             data.weighted),
      InvalidArgument, "takes no weights");
  EXPECT_ERROR(fit_gp(kernel, {.method = GpMethod::greedy}, data.weighted), InvalidArgument, "without weights");
}

// Copies of a row without noise say nothing new; the evidence is that of the row alone.
TEST(WeightsAreCopies, RowsWithoutNoiseCountOnce) {
  TrainingData data = random_problem(8, 1, 1, 21);
  const GpOptions options{.noise = GpNoise::known(0), .optimize = false, .standardize = false};
  const double once = fit_gp(parse_kernel("1*matern(nu=0.5, lengthscale=1)"), options, data)->report().objective;
  data.weights.assign(8, 3.0);
  const double thrice = fit_gp(parse_kernel("1*matern(nu=0.5, lengthscale=1)"), options, data)->report().objective;
  EXPECT_NEAR(thrice, once, 1e-9 * std::abs(once));
}

// At a penalty that is given: leaving out and GCV, which count rows whatever they weigh, choose others for copies.
TEST(WeightsAreCopies, Ridge) {
  const Samples x = random_samples(9, 2, 11);
  for (const std::string spec : {"rbf(gamma=0.7)", "linear()", "2*poly(degree=2, gamma=0.5)"}) {
    for (const bool intercept : {true, false}) {
      for (const Both& data : {wave(40), wave(40, 2)}) {
        const RidgeOptions options{.mean_lambda = 0.02,
                                   .parametric = intercept ? ParametricPart::constant : ParametricPart::none};
        expect_near(fit_ridge(parse_kernel(spec), options, data.weighted)->predict(x, {}),
                    fit_ridge(parse_kernel(spec), options, data.copied)->predict(x, {}), 1e-9, spec);
      }
    }
  }
}

TEST(WeightsAreCopies, Classifiers) {
  const Samples x = random_samples(9, 2, 11);
  const Kernel kernel = parse_kernel("rbf(gamma=0.7)");
  for (const int classes : {2, 3}) {
    const Both data = labeled(60, classes);
    expect_near(fit_lssvm(kernel, {.C = 3}, data.weighted)->decide(x, {}),
                fit_lssvm(kernel, {.C = 3}, data.copied)->decide(x, {}), 1e-9, "lssvm");
    FalkonClassOptions falkon;
    falkon.mean_lambda = 1e-3;
    falkon.precision = FalkonPrecision::double_precision;
    falkon.tolerance = 1e-10;
    expect_near(fit_falkonc(kernel, falkon, data.weighted)->decide(x, {}),
                fit_falkonc(kernel, falkon, data.copied)->decide(x, {}), 1e-4, "falkonc");
    GpcOptions gpc;
    for (const bool optimize : {false, true}) {
      gpc.optimize = optimize;
      const auto a = fit_gpc(parse_kernel("2*rbf(lengthscale=1)"), gpc, data.weighted);
      const auto b = fit_gpc(parse_kernel("2*rbf(lengthscale=1)"), gpc, data.copied);
      EXPECT_NEAR(a->report().objective, b->report().objective, 1e-6 * std::abs(b->report().objective)) << classes;
      expect_near(a->probabilities(x, {}), b->probabilities(x, {}), optimize ? 1e-3 : 1e-6, "gpc");
    }
  }
}

TEST(WeightsAreCopies, Falkon) {
  const Samples x = random_samples(9, 2, 11);
  FalkonRegressionOptions options;
  options.mean_lambda = 1e-3;
  options.precision = FalkonPrecision::double_precision;
  options.tolerance = 1e-10;
  const Both data = wave(60);
  expect_near(fit_falkon(parse_kernel("rbf(gamma=0.7)"), options, data.weighted)->predict(x, {}),
              fit_falkon(parse_kernel("rbf(gamma=0.7)"), options, data.copied)->predict(x, {}), 1e-5, "falkon");
}

}  // namespace
}  // namespace mercer
