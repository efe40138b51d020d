#include "mercer/models/ridge/ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_problem;
using testing::random_samples;
using testing::random_sparse;
using testing::random_weights;
using testing::same_bits;

// f(x) + Tβ by solving the whole bordered system [A T; Tᵀ 0] with pivoted LU.
Dense direct_predictions(const Kernel& kernel, const TrainingData& data, double lambda, ParametricPart part,
                         const Samples& x) {
  const Index n = data.samples.size();
  const Index d = data.samples.columns();
  const Index q = part == ParametricPart::none ? 0 : part == ParametricPart::constant ? 1 : 1 + d;
  const auto design = [&](const Samples& samples) {
    Dense t(samples.size(), q, 1.0);
    const Samples dense = to_dense<double>(samples);
    for (Index j = 1; j < q; ++j) {
      for (Index i = 0; i < samples.size(); ++i) {
        t(i, j) = dense.as<DenseRows<double>>()(i, j - 1);
      }
    }
    return t;
  };
  Dense system(n + q, n + q);
  system.set_block(0, 0, kernel_matrix(kernel, data.samples, data.samples));
  for (Index i = 0; i < n; ++i) {
    system(i, i) += lambda / (data.weights.empty() ? 1.0 : data.weights[i]);
  }
  system.set_block(0, n, design(data.samples));
  system.set_block(n, 0, design(data.samples).transpose());
  Dense right(n + q, data.targets.outputs());
  right.set_block(0, 0, data.targets.values());
  const Dense solution = system.solve(right);
  return kernel_matrix(kernel, x, data.samples) * solution.first(n, right.columns()) +
         design(x) * solution.block(n, 0, q, right.columns());
}

double largest_difference(const Matrix<double>& a, const Dense& b) {
  return b.size() == 0 ? 0.0 : (Dense(a) - b).max_abs();
}

TEST(Ridge, EqualsTheDirectSolution) {
  std::uint64_t seed = 0;
  for (const Index n : {1, 2, 3, 17, 60, 300}) {
    for (const std::string spec : {"rbf(gamma=0.3)", "0.5*rbf(gamma=1) + poly(degree=2, gamma=0.5)", "linear()"}) {
      for (const bool intercept : {false, true}) {
        for (const bool weighted : {false, true}) {
          TrainingData data = random_problem(n, 3, 2, ++seed);
          if (weighted) {
            data.weights = random_weights(n, seed);
          }
          const Kernel kernel = parse_kernel(spec);
          const auto model = fit_ridge(
              kernel, {.lambda = 0.7, .parametric = intercept ? ParametricPart::constant : ParametricPart::none}, data);
          const Samples x = random_samples(11, 3, seed + 1000);
          const Dense expected =
              direct_predictions(kernel, data, 0.7, intercept ? ParametricPart::constant : ParametricPart::none, x);
          EXPECT_LT(largest_difference(model->predict(x, {}), expected), 1e-9) << n << " " << spec << intercept;
          EXPECT_LT(model->report().objective, 1e-10);
        }
      }
    }
  }
}

TEST(Ridge, ConditionallyPositiveKernels) {
  for (const Index n : {1, 5, 80, 300}) {
    const TrainingData data = random_problem(n, 2, 2, 3 + n);
    const Samples x = random_samples(9, 2, 4);
    for (const std::string spec :
         {"negative_distance()", "multiquadric(lengthscale=0.8)", "log_distance(lengthscale=1.3)"}) {
      const Kernel kernel = parse_kernel(spec);
      const auto model = fit_ridge(kernel, {.lambda = 0.3}, data);
      const Dense expected = direct_predictions(kernel, data, 0.3, ParametricPart::constant, x);
      EXPECT_LT(largest_difference(model->predict(x, {}), expected), 1e-9) << spec << " " << n;
      EXPECT_LT(model->report().objective, 1e-10);
      EXPECT_ERROR(fit_ridge(kernel, {.parametric = ParametricPart::none}, data), InvalidArgument,
                   "is conditionally positive definite of order 1");
    }
  }
}

TEST(Ridge, ThinPlatesNeedTheLinearPart) {
  const TrainingData data = random_problem(60, 2, 1, 3);
  const Samples x = random_samples(9, 2, 4);
  const Kernel kernel = parse_kernel("thin_plate(lengthscale=1)");
  ASSERT_EQ(kernel.definiteness().order, 2);
  EXPECT_ERROR(fit_ridge(kernel, {}, data), InvalidArgument,
               "ridge: the kernel thin_plate(lengthscale=1, n=1) is conditionally positive");
  for (const double lambda : {0.0, 0.2}) {
    const auto model = fit_ridge(kernel, {.lambda = lambda, .parametric = ParametricPart::linear}, data);
    const Dense expected = direct_predictions(kernel, data, lambda, ParametricPart::linear, x);
    EXPECT_LT(largest_difference(model->predict(x, {}), expected), 1e-7) << lambda;
  }
  // With lambda 0 the spline interpolates.
  const auto spline = fit_ridge(kernel, {.lambda = 0.0, .parametric = ParametricPart::linear}, data);
  EXPECT_LT(largest_difference(spline->predict(data.samples, {}), Dense(data.targets.values())), 1e-8);
  // A linear function has no kernel part at all.
  Matrix<double> plane(60, 1);
  for (Index i = 0; i < 60; ++i) {
    const auto& rows = data.samples.as<DenseRows<double>>();
    plane(i, 0) = 3 - 2 * rows(i, 0) + 5 * rows(i, 1);
  }
  const auto flat = fit_ridge(kernel, {.lambda = 1.0, .parametric = ParametricPart::linear},
                              {data.samples, Targets::numeric(plane.view())});
  EXPECT_NEAR(flat->parts().expansion.parametric_coefficients()(0, 0), 3, 1e-9);
  EXPECT_NEAR(flat->parts().expansion.parametric_coefficients()(1, 0), -2, 1e-9);
  EXPECT_NEAR(flat->parts().expansion.parametric_coefficients()(2, 0), 5, 1e-9);
}

TEST(Ridge, PrimalEqualsDual) {
  for (const std::string spec : {"linear()", "0.3*linear() + 2*linear()"}) {
    for (const bool intercept : {false, true}) {
      for (const bool sparse : {false, true}) {
        // More rows than a block of the primal holds, once; the dual costs n^3.
        const Index n = sparse && intercept ? 2100 : 300;
        TrainingData data = random_problem(n, 6, 2, 5);
        if (sparse) {
          data.samples = random_sparse(n, 6, 0.4, 5);
        }
        data.weights = random_weights(n, 6);
        const Kernel kernel = parse_kernel(spec);
        const RidgeOptions options{
            .lambda = 2.5, .parametric = intercept ? ParametricPart::constant : ParametricPart::none, .loo = true};
        RidgeOptions dual = options;
        dual.form = RidgeForm::dual;
        const auto a = fit_ridge(kernel, options, data);
        const auto b = fit_ridge(kernel, dual, data);
        EXPECT_EQ(a->parts().expansion.centers().size(), 2);
        EXPECT_EQ(b->parts().expansion.centers().size(), n);
        const Samples x = random_samples(20, 6, 9);
        EXPECT_LT(largest_difference(a->predict(x, {}), Dense(b->predict(x, {}))), 1e-9);
        EXPECT_LT(largest_difference(*a->parts().leave_one_out_residuals, Dense(*b->parts().leave_one_out_residuals)),
                  1e-8);
        EXPECT_LT(a->report().objective, 1e-10);
      }
    }
  }
}

TEST(Ridge, WeightsAreRepetitions) {
  const TrainingData once = random_problem(25, 2, 1, 7);
  std::vector<Index> rows;
  TrainingData weighted = once;
  for (Index i = 0; i < 25; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    rows.insert(rows.end(), static_cast<std::size_t>(i % 3), i);
  }
  const TrainingData repeated = {once.samples.select(rows), once.targets.select(rows)};
  const Samples x = random_samples(10, 2, 8);
  for (const std::string spec : {"rbf(gamma=0.5)", "linear()"}) {
    for (const RidgeOptions& options : {RidgeOptions{.lambda = 0.4}, RidgeOptions{.mean_lambda = 0.01},
                                        RidgeOptions{.lambda = 0.4, .parametric = ParametricPart::none}}) {
      const auto a = fit_ridge(parse_kernel(spec), options, weighted);
      const auto b = fit_ridge(parse_kernel(spec), options, repeated);
      EXPECT_LT(largest_difference(a->predict(x, {}), Dense(b->predict(x, {}))), 1e-10) << spec;
    }
  }
}

TEST(Ridge, OutputsAreIndependent) {
  const TrainingData data = random_problem(40, 3, 3, 9);
  const Samples x = random_samples(10, 3, 10);
  const auto all = fit_ridge(parse_kernel("rbf(gamma=0.2)"), {.lambda = 0.1}, data);
  const Matrix<double> values = all->predict(x, {});
  for (Index o = 0; o < 3; ++o) {
    const auto column = data.targets.columns()[o].values;
    const auto one =
        fit_ridge(parse_kernel("rbf(gamma=0.2)"), {.lambda = 0.1}, {data.samples, Targets::numeric(column)});
    const Matrix<double> single = one->predict(x, {});
    for (Index i = 0; i < 10; ++i) {
      EXPECT_NEAR(values(i, o), single(i, 0), 1e-11);
    }
  }
}

TEST(Ridge, LeaveOneOutEqualsRefits) {
  for (const std::string spec : {"rbf(gamma=0.5)", "negative_distance()", "linear()", "thin_plate(lengthscale=1)"}) {
    for (const bool intercept : {true, false}) {
      for (const bool weighted : {false, true}) {
        const Kernel kernel = parse_kernel(spec);
        if (!intercept && !kernel.definiteness().is_positive()) {
          continue;
        }
        const bool plates = kernel.definiteness().order == 2;
        const Index n = 14;
        TrainingData data = random_problem(n, 2, 2, 11);
        if (weighted) {
          data.weights = random_weights(n, 12);
        }
        const RidgeOptions options{.lambda = 0.3,
                                   .parametric = plates      ? ParametricPart::linear
                                                 : intercept ? ParametricPart::constant
                                                             : ParametricPart::none,
                                   .loo = true};
        const auto model = fit_ridge(kernel, options, data);
        ASSERT_TRUE(model->parts().leave_one_out_residuals);
        double sum = 0;
        double total = 0;
        for (Index i = 0; i < n; ++i) {
          std::vector<Index> others;
          TrainingData rest;
          for (Index j = 0; j < n; ++j) {
            if (j != i) {
              others.push_back(j);
              if (weighted) {
                rest.weights.push_back(data.weights[j]);
              }
            }
          }
          rest.samples = data.samples.select(others);
          rest.targets = data.targets.select(others);
          RidgeOptions plain = options;
          plain.loo = false;
          const Matrix<double> value = fit_ridge(kernel, plain, rest)->predict(data.samples.slice({i, i + 1}), {});
          const double weight = weighted ? data.weights[i] : 1.0;
          for (Index o = 0; o < 2; ++o) {
            const double residual = data.targets.values()(i, o) - value(0, o);
            EXPECT_NEAR((*model->parts().leave_one_out_residuals)(i, o), residual, 1e-9)
                << spec << intercept << weighted;
            sum += weight * residual * residual;
            total += weight;
          }
        }
        ASSERT_EQ(model->report().measures.size(), 1u);
        EXPECT_NEAR(model->report().measures[0].value, std::sqrt(sum / total), 1e-9);
      }
    }
  }
}

TEST(Ridge, RowsOfWeightZeroAreOnlyPredicted) {
  TrainingData data = random_problem(20, 2, 1, 13);
  data.weights.assign(20, 1.0);
  data.weights[3] = data.weights[17] = 0;
  const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {.loo = true}, data);
  EXPECT_EQ(model->parts().expansion.centers().size(), 18);
  const Matrix<double> fitted = model->predict(data.samples, {});
  for (const Index i : {3, 17}) {
    EXPECT_NEAR((*model->parts().leave_one_out_residuals)(i, 0), data.targets.values()(i, 0) - fitted(i, 0), 1e-13);
  }
  EXPECT_EQ(model->report().notes.size(), 1u);
}

TEST(Ridge, BothScalesOfLambda) {
  const TrainingData data = random_problem(30, 2, 1, 15);
  const Samples x = random_samples(5, 2, 16);
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const auto a = fit_ridge(kernel, {.lambda = 3.0}, data);
  const auto b = fit_ridge(kernel, {.mean_lambda = 0.1}, data);
  EXPECT_LT(largest_difference(a->predict(x, {}), Dense(b->predict(x, {}))), 1e-13);
  const auto unset = fit_ridge(kernel, {}, data);
  const auto one = fit_ridge(kernel, {.lambda = 1.0}, data);
  EXPECT_TRUE(same_bits(unset->predict(x, {}), one->predict(x, {})));
  EXPECT_ERROR(fit_ridge(kernel, {.lambda = 1.0, .mean_lambda = 1.0}, data), InvalidArgument,
               "ridge: lambda = 1 and mean_lambda = 1");
  EXPECT_ERROR(fit_ridge(kernel, {.lambda = -1.0}, data), InvalidArgument, "ridge: lambda = -1");
}

TEST(Ridge, SinglePrecisionIsClose) {
  const TrainingData data = random_problem(200, 3, 2, 17);
  const Samples x = random_samples(50, 3, 18);
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const auto a = fit_ridge(kernel, {.lambda = 1.0, .precision = Precision::single_precision}, data);
  const auto b = fit_ridge(kernel, {.lambda = 1.0}, data);
  EXPECT_LT(largest_difference(a->predict(x, {}), Dense(b->predict(x, {}))), 1e-4);
  EXPECT_GT(largest_difference(a->predict(x, {}), Dense(b->predict(x, {}))), 0);
  EXPECT_EQ(a->parts().expansion.precision(), Precision::single_precision);
}

TEST(Ridge, SameBitsForAnyNumberOfThreads) {
  const TrainingData data = random_problem(700, 4, 2, 19);
  const Samples x = random_samples(600, 4, 20);
  for (const std::string spec : {"rbf(gamma=scale)", "linear()", "negative_distance()"}) {
    for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
      const RidgeOptions options{.lambda = 0.5, .loo = true, .precision = precision};
      const auto one = fit_ridge(parse_kernel(spec), options, data, mercer::Run{{.threads = 1}});
      for (const int threads : {2, 3}) {
        const mercer::Run run{{.threads = threads}};
        const auto several = fit_ridge(parse_kernel(spec), options, data, run);
        EXPECT_TRUE(same_bits(one->predict(x, mercer::Run{{.threads = 1}}), several->predict(x, run))) << spec;
        EXPECT_TRUE(same_bits(*one->parts().leave_one_out_residuals, *several->parts().leave_one_out_residuals))
            << spec;
      }
    }
  }
}

TEST(Ridge, InterceptTakesTheMean) {
  // Targets far from 0 and a kernel that is nearly 0 everywhere: only the constant can fit them.
  TrainingData data = random_problem(50, 2, 1, 21);
  data.targets = Targets::numeric(std::vector<double>(50, 1e6));
  const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {}, data);
  const Matrix<double> values = model->predict(random_samples(10, 2, 22), {});
  for (Index i = 0; i < 10; ++i) {
    EXPECT_NEAR(values(i, 0), 1e6, 1e-6);
  }
}

TEST(Ridge, OneRow) {
  const TrainingData data = random_problem(1, 2, 1, 23);
  const double y = data.targets.values()(0, 0);
  const auto with = fit_ridge(parse_kernel("rbf(gamma=1)"), {}, data);
  EXPECT_NEAR(with->predict(data.samples, {})(0, 0), y, 1e-14);
  const auto without = fit_ridge(parse_kernel("rbf(gamma=1)"), {.parametric = ParametricPart::none}, data);
  EXPECT_NEAR(without->predict(data.samples, {})(0, 0), y / 2, 1e-14);
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=1)"), {.loo = true}, data), DataError,
               "leave-one-out residuals of 1 rows");
}

TEST(Ridge, RepeatedRowsNeedLambda) {
  const Samples base = random_samples(10, 2, 25);
  std::vector<Index> rows(20);
  for (Index i = 0; i < 20; ++i) {
    rows[i] = i / 2;
  }
  const TrainingData data = {base.select(rows), Targets::numeric(random_matrix(20, 1, 26).view())};
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=1)"), {.lambda = 0.0}, data), NumericalError,
               "the ridge matrix is numerically singular at row 1");
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=1)"), {.lambda = 1e-30}, data), NumericalError,
               "the ridge matrix is numerically singular at row 1");
  const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {.lambda = 1e-6}, data);
  EXPECT_LT(model->report().objective, 1e-6);
}

TEST(Ridge, ConstantTargetsAndColumns) {
  const TrainingData zeros = {make_dense(Matrix<double>::filled(30, 3, 2.0)),
                              Targets::numeric(std::vector<double>(30, 0.0))};
  for (const std::string spec : {"rbf(gamma=scale)", "linear()"}) {
    const auto model = fit_ridge(parse_kernel(spec), {}, zeros);
    EXPECT_EQ(model->predict(zeros.samples, {})(0, 0), 0) << spec;
    EXPECT_EQ(model->report().objective, 0) << spec;
  }
}

TEST(Ridge, RefusesIndefiniteKernels) {
  const TrainingData data = random_problem(10, 2, 1, 27);
  EXPECT_ERROR(fit_ridge(parse_kernel("sigmoid(gamma=0.1)"), {}, data), InvalidArgument,
               "the kernel sigmoid(gamma=0.1, coef0=0) is indefinite");
}

TEST(Ridge, RefusesUnusableData) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const TrainingData good = random_problem(5, 2, 1, 29);
  TrainingData bad = good;
  bad.targets = Targets::numeric({1, 2, std::numeric_limits<double>::quiet_NaN(), 4, 5}, "price");
  EXPECT_ERROR(fit_ridge(kernel, {}, bad), DataError, "the target 'price' of row 2 (counted from 0) is nan");
  bad.targets = Targets::numeric({1, 2, 3});
  EXPECT_ERROR(fit_ridge(kernel, {}, bad), DataError, "5 samples with 3 targets");
  bad = good;
  bad.weights = {1, 1};
  EXPECT_ERROR(fit_ridge(kernel, {}, bad), DataError, "5 samples with 2 weights");
  bad.weights = {1, -1, 1, 1, 1};
  EXPECT_ERROR(fit_ridge(kernel, {}, bad), DataError, "the weight of row 1 (counted from 0) is -1");
  bad.weights.assign(5, 0.0);
  EXPECT_ERROR(fit_ridge(kernel, {}, bad), DataError, "ridge: all weights are 0, no row is left to fit");
  EXPECT_ERROR(fit_ridge(kernel, {}, random_problem(0, 2, 1, 1)), DataError, "ridge: there are no rows to fit");
  const std::vector<std::string> labels = {"a", "b", "a", "b", "a"};
  bad = {good.samples, Targets::classes(labels)};
  EXPECT_ERROR(fit_ridge(kernel, {}, bad), DataError, "holds labels such as 'a'");
  Matrix<double> infinite = random_matrix(5, 2, 1);
  infinite(4, 1) = std::numeric_limits<double>::infinity();
  for (const std::string spec : {"rbf(gamma=1)", "linear()"}) {
    EXPECT_ERROR(
        fit_ridge(parse_kernel(spec), {}, {make_dense(Matrix<double>::copy_of(infinite.view())), good.targets}),
        DataError, "column 1");
  }
  EXPECT_ERROR(fit_ridge(kernel, {.form = RidgeForm::primal}, good), InvalidArgument,
               "ridge: form = primal: needs a linear kernel on numeric columns and parametric = none or constant");
}

TEST(Ridge, KeepsWithinTheMemoryItIsGiven) {
  const TrainingData data = random_problem(600, 2, 1, 31);
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=1)"), {.method = RidgeMethod::exact, .memory_mb = 2}, data),
               InvalidArgument, "ridge: the kernel matrix of 600 rows needs 3 MB");
  EXPECT_NO_THROW(
      fit_ridge(parse_kernel("rbf(gamma=1)"), {.precision = Precision::single_precision, .memory_mb = 2}, data));
  EXPECT_NO_THROW(fit_ridge(parse_kernel("linear()"), {.memory_mb = 2}, data));
}

TEST(Ridge, Stops) {
  std::stop_source source;
  source.request_stop();
  const TrainingData data = random_problem(600, 2, 1, 33);
  const mercer::Run run{{.stop = source.get_token()}};
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=1)"), {}, data, run), Stopped, "stopped on request");
  EXPECT_ERROR(fit_ridge(parse_kernel("linear()"), {}, data, run), Stopped, "stopped on request");
}

TEST(Ridge, RefusesToSpeakOfADistribution) {
  const TrainingData data = random_problem(20, 2, 1, 37);
  const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {}, data);
  EXPECT_FALSE(model->has_distribution());
  EXPECT_ERROR(model->moments(data.samples, PredictionOf::observation, {}), InvalidArgument,
               "ridge gives values without a predictive distribution");
  EXPECT_ERROR(model->quantiles(data.samples, std::vector<double>{0.5}, PredictionOf::function, {}), InvalidArgument,
               "ridge gives values without a predictive distribution");
  EXPECT_ERROR(model->draws(data.samples, 1, PredictionOf::function, {}), InvalidArgument,
               "ridge gives values without a predictive distribution");
  EXPECT_ERROR(model->log_density(data.samples, data.targets.values().view(), {}), InvalidArgument,
               "ridge gives values without a predictive distribution");
}

TEST(Ridge, ReportsItsPhases) {
  const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {}, random_problem(50, 2, 1, 35));
  std::vector<std::string> names;
  for (const auto& phase : model->report().phases) {
    names.push_back(phase.name);
    EXPECT_GE(phase.seconds, 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"prepare", "kernel matrix", "factorization", "solve"}));
}

}  // namespace
}  // namespace mercer
