// falkon and falkonc as models: limits that are other models, weights, several outputs, classes, hostile input.
#include "mercer/models/falkon/falkon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/falkon/falkon_classifier.h"
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

// Three classes in bands of the first column, with some overlap.
TrainingData bands(Index n, std::uint64_t seed, Index classes) {
  Matrix<double> x = random_matrix(n, 2, seed);
  const Matrix<double> noise = random_matrix(n, 1, seed + 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    const double value = x(i, 0) + 0.3 * noise(i, 0);
    labels.push_back(classes == 2 ? (value < 0 ? "a" : "b") : value < -0.4 ? "a" : value < 0.4 ? "b" : "c");
  }
  return {make_dense(std::move(x)), Targets::classes(labels)};
}

TEST(FalkonModel, WithAllRowsAsLandmarksIsRidge) {
  TrainingData data = random_problem(150, 3, 2, 1);
  data.weights = random_weights(150, 2);
  const Samples test = random_samples(40, 3, 5);
  for (const bool intercept : {true, false}) {
    RidgeOptions ridge;
    ridge.lambda = 0.3;
    ridge.parametric = intercept ? ParametricPart::constant : ParametricPart::none;
    FalkonRegressionOptions options;
    options.lambda = 0.3;
    options.intercept = intercept;
    options.tolerance = 1e-9;
    const auto expected = fit_ridge(parse_kernel("rbf(gamma=0.4)"), ridge, data);
    const auto model = fit_falkon(parse_kernel("rbf(gamma=0.4)"), options, data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_EQ(model->expansion_form()->centers().size(), 150);
    EXPECT_LT(largest_difference(model->predict(test, {}), expected->predict(test, {})), 1e-6);
  }
}

TEST(FalkonModel, MeanLambdaIsLambdaTimesTheWeights) {
  TrainingData data = random_problem(80, 2, 1, 3);
  data.weights = random_weights(80, 4);
  double total = 0;
  for (const double w : data.weights) {
    total += w;
  }
  FalkonRegressionOptions one;
  one.lambda = 0.01 * total;
  FalkonRegressionOptions other;
  other.mean_lambda = 0.01;
  const Kernel kernel = parse_kernel("rbf(gamma=0.4)");
  EXPECT_LT(largest_difference(fit_falkon(kernel, one, data)->predict(data.samples, {}),
                               fit_falkon(kernel, other, data)->predict(data.samples, {})),
            1e-7);
}

TEST(FalkonModel, WeightsAreRepetitionsAndZeroLeavesOut) {
  const Index n = 60;
  const TrainingData plain = random_problem(n, 3, 1, 6);
  std::vector<Index> repeated;
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) {
    weights.push_back(static_cast<double>(i % 4));
    repeated.insert(repeated.end(), static_cast<std::size_t>(i % 4), i);
  }
  TrainingData weighted = plain;
  weighted.weights = weights;
  const TrainingData copies{plain.samples.select(repeated), plain.targets.select(repeated)};
  FalkonRegressionOptions options;
  options.tolerance = 1e-9;
  const Kernel kernel = parse_kernel("matern(nu=1.5, lengthscale=2)");
  EXPECT_LT(largest_difference(fit_falkon(kernel, options, weighted)->predict(plain.samples, {}),
                               fit_falkon(kernel, options, copies)->predict(plain.samples, {})),
            1e-6);
  TrainingData classes = bands(n, 8, 2);
  TrainingData class_copies{classes.samples.select(repeated), classes.targets.select(repeated)};
  classes.weights = weights;
  FalkonClassOptions logistic;
  logistic.loss = FalkonLoss::logistic;
  logistic.tolerance = 1e-12;
  EXPECT_LT(largest_difference(fit_falkonc(kernel, logistic, classes)->decide(classes.samples, {}),
                               fit_falkonc(kernel, logistic, class_copies)->decide(classes.samples, {})),
            1e-4);
}

TEST(FalkonModel, OutputsDoNotDisturbEachOther) {
  const TrainingData both = random_problem(300, 3, 2, 9);
  FalkonRegressionOptions options;
  options.landmarks = 60;
  options.tolerance = 1e-9;
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  const Matrix<double> together = fit_falkon(kernel, options, both)->predict(both.samples, {});
  const Matrix<double> values = both.targets.values();
  for (Index o = 0; o < 2; ++o) {
    std::vector<double> column;
    for (Index i = 0; i < 300; ++i) {
      column.push_back(values(i, o));
    }
    const TrainingData alone{both.samples, Targets::numeric(column)};
    const Matrix<double> single = fit_falkon(kernel, options, alone)->predict(both.samples, {});
    for (Index i = 0; i < 300; ++i) {
      EXPECT_NEAR(together(i, o), single(i, 0), 1e-6);
    }
  }
}

TEST(FalkonModel, ChoosesAndReportsAsAsked) {
  const TrainingData data = random_problem(900, 2, 1, 12);
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  FalkonRegressionOptions options;
  const auto automatic = fit_falkon(kernel, options, data);
  EXPECT_EQ(automatic->expansion_form()->centers().size(), 500);
  options.landmarks = 40;
  const auto uniform = fit_falkon(kernel, options, data);
  EXPECT_EQ(uniform->expansion_form()->centers().size(), 40);
  options.choice = FalkonLandmarks::pivoted;
  const auto pivoted = fit_falkon(kernel, options, data);
  EXPECT_EQ(pivoted->expansion_form()->centers().size(), 40);
  // Better landmarks: less is left of the objective. Residuals of pure noise are the same, so the values are compared.
  const auto exact = fit_ridge(kernel, {}, data)->predict(data.samples, {});
  EXPECT_LT(largest_difference(pivoted->predict(data.samples, {}), exact),
            largest_difference(uniform->predict(data.samples, {}), exact));
}

TEST(FalkonModel, MemoryDecidesWhatIsStoredNotTheFunction) {
  const TrainingData data = random_problem(11000, 4, 1, 13);
  const mercer::Run run{{.threads = 2}};
  FalkonRegressionOptions options;
  options.landmarks = 200;
  options.tolerance = 1e-8;
  options.memory_mb = 10;  // the stored values need 9 of them
  const auto low = fit_falkon(parse_kernel("rbf(gamma=0.3)"), options, data, run);
  options.memory_mb = 100;
  const auto high = fit_falkon(parse_kernel("rbf(gamma=0.3)"), options, data, run);
  EXPECT_EQ(low->report().notes.front(), "kernel values were evaluated again in every pass");
  EXPECT_EQ(high->report().notes.front(), "kernel values of all rows with the landmarks were stored (float)");
  EXPECT_LT(largest_difference(low->predict(data.samples, {}), high->predict(data.samples, {})), 1e-6);
}

TEST(FalkonModel, SparseRows) {
  const TrainingData sparse{random_sparse(120, 30, 0.2, 3), Targets::numeric(random_matrix(120, 1, 4).view())};
  FalkonRegressionOptions options;
  options.landmarks = 120;
  options.tolerance = 1e-8;
  const Kernel kernel = parse_kernel("rbf(gamma=0.1)");
  EXPECT_LT(largest_difference(fit_falkon(kernel, options, sparse)->predict(sparse.samples, {}),
                               fit_ridge(kernel, {}, sparse)->predict(sparse.samples, {})),
            1e-6);
}

TEST(FalkonModel, AStopGivesTheBestSoFar) {
  const TrainingData data = random_problem(400, 3, 1, 2);
  std::stop_source stop;
  const mercer::Run stopping{{.progress =
                                  [&](const ProgressEvent& event) {
                                    if (event.task.starts_with("conjugate gradients")) {
                                      stop.request_stop();
                                    }
                                  },
                              .progress_interval = {},
                              .stop = stop.get_token()}};
  FalkonRegressionOptions options;
  options.landmarks = 100;
  options.lambda = 1e-6;
  const auto model = fit_falkon(parse_kernel("rbf(gamma=2)"), options, data, stopping);
  EXPECT_EQ(model->report().status, SolveStatus::stopped);
  EXPECT_TRUE(std::isfinite(model->predict(data.samples, {})(0, 0)));
}

TEST(FalkonModel, HostileOptionsAndData) {
  const TrainingData data = random_problem(50, 3, 1, 2);
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  FalkonRegressionOptions both;
  both.lambda = 1;
  both.mean_lambda = 1;
  EXPECT_ERROR(fit_falkon(kernel, both, data), InvalidArgument, "falkon: lambda = 1 and mean_lambda = 1");
  FalkonRegressionOptions options;
  options.lambda = 0;
  EXPECT_ERROR(fit_falkon(kernel, options, data), InvalidArgument, "falkon: lambda = 0");
  options.lambda = 1;
  options.landmarks = -1;
  EXPECT_ERROR(fit_falkon(kernel, options, data), InvalidArgument, "falkon: landmarks = -1");
  options.landmarks = 1;
  EXPECT_EQ(fit_falkon(kernel, options, data)->expansion_form()->centers().size(), 1);
  options.landmarks = 0;
  options.tolerance = 1;
  EXPECT_ERROR(fit_falkon(kernel, options, data), InvalidArgument, "falkon: tolerance = 1");
  const std::vector<OptionSetting> misspelled = {{"choice", "pivot"}};
  FalkonRegressionOptions read;
  EXPECT_ERROR(apply_settings<FalkonRegressionOptions>("falkon", falkon_option_table(), misspelled, read),
               InvalidArgument, "falkon: choice = pivot: must be one of uniform, pivoted");
  EXPECT_ERROR(fit_falkon(parse_kernel("negative_distance()"), {}, data), InvalidArgument,
               "falkon: the kernel negative_distance(beta=1) is conditionally positive");
  EXPECT_ERROR(fit_falkon(parse_kernel("sigmoid()"), {}, data), InvalidArgument, "is indefinite");
  options.tolerance = 1e-6;
  options.landmarks = 50;
  options.memory_mb = 1;
  EXPECT_ERROR(fit_falkon(kernel, options, data), InvalidArgument, "falkon: 50 landmarks need 2 MB");
  TrainingData broken = random_problem(5, 2, 1, 2);
  broken.targets = Targets::numeric(std::vector<double>{1, 2, NAN, 4, 5});
  EXPECT_ERROR(fit_falkon(kernel, {}, broken), DataError, "the target of row 2 (counted from 0) is nan");
  const TrainingData nothing{make_dense(Matrix<double>(0, 2)), Targets::numeric(std::vector<double>{})};
  EXPECT_ERROR(fit_falkon(kernel, {}, nothing), DataError, "falkon: there are no rows to fit");
}

TEST(FalkonModel, ConstantsDuplicatesAndOneRow) {
  Matrix<double> x = Matrix<double>::filled(30, 2, 1.0);
  std::vector<double> y(30, 1e6);
  const TrainingData constant{make_dense(std::move(x)), Targets::numeric(y)};
  const auto model = fit_falkon(parse_kernel("rbf(gamma=1)"), {}, constant);
  EXPECT_NEAR(model->predict(constant.samples, {})(7, 0), 1e6, 1e-3);
  const std::vector<Index> first = {0};
  const TrainingData one{constant.samples.select(first), constant.targets.select(first)};
  EXPECT_NEAR(fit_falkon(parse_kernel("rbf(gamma=1)"), {}, one)->predict(one.samples, {})(0, 0), 1e6, 1e-3);
}

TEST(FalkonClassifier, SquaredLossWithAllRowsIsLssvm) {
  for (const Index classes : {2, 3}) {
    const TrainingData data = bands(200, 30, classes);
    LssvmOptions lssvm;
    lssvm.C = 2;
    lssvm.class_weight = ClassWeights::balanced();
    FalkonClassOptions options;
    options.lambda = 0.5;
    options.class_weight = ClassWeights::balanced();
    options.tolerance = 1e-9;
    const auto expected = fit_lssvm(parse_kernel("rbf(gamma=0.5)"), lssvm, data);
    const auto model = fit_falkonc(parse_kernel("rbf(gamma=0.5)"), options, data);
    EXPECT_LT(largest_difference(model->decide(data.samples, {}), expected->decide(data.samples, {})), 1e-6);
    EXPECT_EQ(model->decision_names(), expected->decision_names());
    EXPECT_FALSE(model->has_probabilities());
  }
}

// The penalised log loss of a model with all rows as landmarks, from its own values: small changes of the function make
// it larger, and its derivative along the change is 0.
TEST(FalkonClassifier, LogisticLossIsMinimal) {
  for (const Index classes : {2, 3}) {
    const TrainingData data = bands(120, 40, classes);
    const double lambda = 0.2;
    FalkonClassOptions options;
    options.loss = FalkonLoss::logistic;
    options.lambda = lambda;
    options.tolerance = 1e-12;
    options.max_iterations = 2000;
    options.landmarks = 40;
    const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
    const auto model = fit_falkonc(kernel, options, data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    const Expansion& f = *model->expansion_form();
    const ClassLabels labels = data.targets.labels();
    const auto objective = [&](const Expansion& g) {
      Matrix<double> values(120, g.outputs());
      g.evaluate(data.samples, values.view(), {});
      double sum = 0;
      for (Index i = 0; i < 120; ++i) {
        double total = classes == 2 ? 1 + std::exp(values(i, 0)) : 0;
        for (Index o = 0; classes > 2 && o < classes; ++o) {
          total += std::exp(values(i, o));
        }
        const auto t = labels.codes[i];
        sum += std::log(total) - (classes == 2 ? (t == 1 ? values(i, 0) : 0.0) : values(i, t));
      }
      for (const double norm : squared_norm(g, {})) {
        sum += 0.5 * lambda * norm;
      }
      return sum;
    };
    const double best = objective(f);
    EXPECT_NEAR(best, model->report().objective, 1e-7 * best);  // the norm there has 1e-13 M k(z, z) on its diagonal
    RandomStream random(5);
    for (int trial = 0; trial < 5; ++trial) {
      Matrix<double> coefficients = Matrix<double>::copy_of(f.coefficients());
      Matrix<double> offsets = Matrix<double>::copy_of(f.parametric_coefficients());
      const auto moved = [&](double step) {
        RandomStream direction(static_cast<std::uint64_t>(trial), 7);
        Matrix<double> a = Matrix<double>::copy_of(coefficients.view());
        Matrix<double> b = Matrix<double>::copy_of(offsets.view());
        for (Index i = 0; i < a.rows(); ++i) {
          for (Index o = 0; o < a.columns(); ++o) {
            a(i, o) += step * direction.normal();
          }
        }
        for (Index o = 0; o < b.columns(); ++o) {
          b(0, o) += step * direction.normal();
        }
        return objective(Expansion(f.kernel(), f.centers(), std::move(a), ParametricPart::constant, std::move(b),
                                   Precision::double_precision, {}));
      };
      const double up = moved(1e-3);
      const double down = moved(-1e-3);
      EXPECT_GT(up, best);
      EXPECT_GT(down, best);
      EXPECT_LT(std::abs(up - down), 0.02 * (up + down - 2 * best)) << "the slope is not that of a minimum";
    }
    const Matrix<double> p = model->probabilities(data.samples, {});
    const Matrix<double> predicted = model->predict(data.samples, {});
    for (Index i = 0; i < 120; ++i) {
      double sum = 0;
      for (Index c = 0; c < classes; ++c) {
        sum += p(i, c);
        EXPECT_LE(p(i, c), p(i, static_cast<Index>(predicted(i, 0))));
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(FalkonClassifier, SeparableClassesAndOneClass) {
  Matrix<double> x(40, 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = i < 20 ? -3 : 3;
    labels.push_back(i < 20 ? "no" : "yes");
  }
  TrainingData data{make_dense(std::move(x)), Targets::classes(labels)};
  FalkonClassOptions options;
  options.loss = FalkonLoss::logistic;
  options.lambda = 1e-6;
  const auto model = fit_falkonc(parse_kernel("rbf(gamma=0.5)"), options, data);
  EXPECT_GT(model->probabilities(data.samples, {})(39, 1), 0.999);
  data.targets = Targets::classes(std::vector<std::string>(40, "no"));
  EXPECT_ERROR(fit_falkonc(parse_kernel("rbf(gamma=0.5)"), options, data), DataError,
               "falkonc: all rows that count belong to one class ('no')");
}

}  // namespace
}  // namespace mercer
