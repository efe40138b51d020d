#include "mercer/models/gp/gp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/ridge/ridge.h"
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
using testing::random_weights;
using testing::same_bits;

GpOptions given(double noise) { return {.noise = GpNoise::known(noise), .optimize = false, .standardize = false}; }

// A smooth function of three columns, the last of which does not matter, with noise of deviation 0.1.
TrainingData smooth_problem(Index n, std::uint64_t seed, double noise = 0.1) {
  Matrix<double> x = random_matrix(n, 3, seed);
  RandomStream random(seed, 5);
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    y.push_back(50 + 20 * (std::sin(1.5 * x(i, 0)) + 0.5 * x(i, 1) + noise * random.normal()));
  }
  return {make_dense(std::move(x)), Targets::numeric(std::move(y), "y")};
}

std::unique_ptr<GpModel> reloaded(const GpModel& model) {
  return std::unique_ptr<GpModel>(&dynamic_cast<GpModel&>(*gp_entry().load(state_of(model), {}).release()));
}

TEST(Gp, MeanIsKernelRidgeWithTheNoiseAsPenalty) {
  const TrainingData data = random_problem(70, 3, 2, 1);
  const Samples x = random_samples(40, 3, 2);
  for (const char* spec : {"rbf(gamma=0.3)", "0.5*matern(nu=1.5, lengthscale=2) + 0.1*linear()"}) {
    const auto gp = fit_gp(parse_kernel(spec), given(0.3), data);
    const auto ridge = fit_ridge(parse_kernel(spec),
                                 {.lambda = 0.3, .parametric = ParametricPart::none, .form = RidgeForm::dual}, data);
    EXPECT_LT((Dense(gp->predict(x, {})) - Dense(ridge->predict(x, {}))).max_abs(), 1e-10);
  }
}

TEST(Gp, MeanAndVarianceEqualTheDirectOnes) {
  std::uint64_t seed = 10;
  for (const Index n : {1, 2, 5, 40, 200}) {
    for (const char* spec : {"1.4*rbf(lengthscale=1.3)", "matern(nu=2.5, lengthscale=[1, 2, 3]) + 0.3*linear()"}) {
      const Kernel kernel = parse_kernel(spec);
      const TrainingData data = random_problem(n, 3, 1, seed++);
      const Samples x = random_samples(30, 3, seed++);
      const auto model = fit_gp(kernel, given(0.2), data);
      Dense a = kernel_matrix(kernel, data.samples, data.samples);
      a.add_to_diagonal(0.2);
      const Dense k = kernel_matrix(kernel, x, data.samples);
      const Dense mean = k * a.solve(Dense(data.targets.values()));
      const Dense covariance = kernel_matrix(kernel, x, x) - k * a.solve(k.transpose());
      const PredictiveMoments f = model->moments(x, PredictionOf::function, {});
      const PredictiveMoments y = model->moments(x, PredictionOf::observation, {});
      EXPECT_LT((Dense(f.mean) - mean).max_abs(), 1e-9);
      EXPECT_LT((Dense(f.variance).column(0) - covariance.diagonal()).max_abs(), 1e-8);
      EXPECT_LT((Dense(y.variance) - Dense(f.variance)).map([](double noise) { return noise - 0.2; }).max_abs(), 1e-12);
      EXPECT_LT((Dense(model->covariance(x, 0, {})) - covariance).max_abs(), 1e-8);
    }
  }
}

// K = [1 .75; .75 .75]: var(f2|f1) = 3/16, var(f1|f2) = 1/4, mean(f2|f1) = .75 f1 (Schölkopf & Smola, 16.3.1).
TEST(Gp, ConditionsANormalPairAsTheBookDoes) {
  // k(x, x') = φ(x)ᵀφ(x') with φ(a) = (1, 0), φ(b) = (.75, √(3)/4).
  const auto point = [](bool first) {
    return first ? std::vector<double>{1, 0} : std::vector<double>{0.75, std::sqrt(3.0) / 4};
  };
  const auto conditioned = [&](bool on_first, double value) {
    const TrainingData data{make_dense(point(on_first), 1, 2), Targets::numeric({value})};
    const auto model = fit_gp(parse_kernel("linear()"), given(0), data);
    return model->moments(make_dense(point(!on_first), 1, 2), PredictionOf::function, {});
  };
  EXPECT_NEAR(conditioned(true, 1).variance(0, 0), 3.0 / 16, 1e-9);
  EXPECT_NEAR(conditioned(true, 1).mean(0, 0), 0.75, 1e-9);
  EXPECT_NEAR(conditioned(true, -2).mean(0, 0), -1.5, 1e-9);
  EXPECT_NEAR(conditioned(false, 1).variance(0, 0), 0.25, 1e-9);
}

TEST(Gp, VarianceReturnsToThePriorFarAwayAndShrinksWithData) {
  const TrainingData data = random_problem(30, 2, 1, 3);
  const auto model = fit_gp(parse_kernel("2*rbf(lengthscale=1)"), given(0.1), data);
  const PredictiveMoments far =
      model->moments(make_dense(std::vector<double>{1e3, 1e3}, 1, 2), PredictionOf::observation, {});
  EXPECT_NEAR(far.variance(0, 0), 2.1, 1e-12);
  EXPECT_NEAR(far.mean(0, 0), 0, 1e-12);
  const PredictiveMoments at = model->moments(data.samples, PredictionOf::function, {});
  for (Index i = 0; i < 30; ++i) {
    EXPECT_LT(at.variance(i, 0), 0.1);
    EXPECT_GE(at.variance(i, 0), 0);
  }
}

TEST(Gp, MeanFunctionsAreIntegratedOut) {
  const TrainingData data = random_problem(40, 2, 1, 4);
  const Samples x = random_samples(20, 2, 5);
  const Kernel kernel = parse_kernel("0.8*rbf(lengthscale=1)");
  for (const Polynomials part : {ParametricPart::constant, ParametricPart::linear, ParametricPart::quadratic}) {
    GpOptions options = given(0.2);
    options.mean = part;
    const auto model = fit_gp(kernel, options, data);
    const auto functions = [&](const Samples& samples) {
      const ParametricFunctions evaluated(part, samples);
      Matrix<double> values(samples.size(), evaluated.count());
      evaluated.values({0, samples.size()}, values.view());
      return Dense(values);
    };
    Dense a = kernel_matrix(kernel, data.samples, data.samples);
    a.add_to_diagonal(0.2);
    const Dense inverse = a.inverse();
    const Dense h = functions(data.samples);
    const Dense s = (h.transpose() * inverse * h).inverse();
    const Dense y = Dense(data.targets.values());
    const Dense beta = s * h.transpose() * inverse * y;
    const Dense k = kernel_matrix(kernel, x, data.samples);
    const Dense r = functions(x) - k * inverse * h;
    const Dense mean = k * inverse * y + r * beta;
    const Dense covariance = kernel_matrix(kernel, x, x) - k * inverse * k.transpose() + r * s * r.transpose();
    EXPECT_LT((Dense(model->predict(x, {})) - mean).max_abs(), 1e-8) << word_of(part);
    EXPECT_LT((Dense(model->covariance(x, 0, {})) - covariance).max_abs(), 1e-8) << word_of(part);
    EXPECT_LT(
        (Dense(model->moments(x, PredictionOf::function, {}).variance).column(0) - covariance.diagonal()).max_abs(),
        1e-8)
        << word_of(part);
    const auto again = reloaded(*model);
    EXPECT_TRUE(same_bits(again->moments(x, PredictionOf::function, {}).variance,
                          model->moments(x, PredictionOf::function, {}).variance));
  }
}

TEST(Gp, LearnsNoiseAndRelevanceInTheUsersUnits) {
  const TrainingData data = smooth_problem(400, 6);
  const auto model = fit_gp(parse_kernel("1*rbf(lengthscale=ard)"), {}, data);
  ASSERT_EQ(model->report().measures[0].name, "noise variance");
  EXPECT_NEAR(model->report().measures[0].value, 4, 1);  // (20 · 0.1)²
  const auto parameters = model->kernel().scale_parameters();
  ASSERT_EQ(parameters.size(), 4U);
  EXPECT_GT(parameters[3].value, 10 * parameters[1].value);  // the third column is switched off
  const TrainingData test = smooth_problem(500, 7, 0);
  const Matrix<double> predicted = model->predict(test.samples, {});
  const Matrix<double> truth = test.targets.values();
  double squares = 0;
  for (Index i = 0; i < 500; ++i) {
    squares += (predicted(i, 0) - truth(i, 0)) * (predicted(i, 0) - truth(i, 0)) / 500;
  }
  EXPECT_LT(std::sqrt(squares), 1.5);  // 0.75 of the noise, of targets with deviation 17
}

// From 600 rows on a part of them is searched first. The end is a top: no place beside it is higher; the column that does
// not matter is switched off.
TEST(Gp, SearchInTwoStagesEndsOnATop) {
  const TrainingData data = smooth_problem(600, 77);
  const Kernel kernel = parse_kernel("1*rbf(lengthscale=[2, 2, 2])");
  const auto model = fit_gp(kernel, {.restarts = 0}, data);
  const auto again = fit_gp(kernel, {.restarts = 0}, data, mercer::Run{{.threads = 3}});
  EXPECT_EQ(model->report().objective, again->report().objective);
  EXPECT_EQ(model->kernel().spec(), again->kernel().spec());
  std::vector<double> found;
  for (const ScaleParameter& parameter : model->kernel().scale_parameters()) {
    found.push_back(parameter.value);
  }
  EXPECT_GT(found[3], 1000 * found[1]);
  const GpNoise noise = GpNoise::known(model->report().measures[0].value);
  for (std::size_t p = 0; p < 3; ++p) {
    for (const double factor : {0.9, 1.1}) {
      std::vector<double> moved = found;
      moved[p] *= factor;
      const auto beside =
          fit_gp(model->kernel().with_scale_parameters(moved), {.noise = noise, .optimize = false}, data);
      EXPECT_LT(beside->report().objective, model->report().objective + 1e-3) << p << " " << factor;
    }
  }
}

TEST(Gp, EvidenceIsThatOfTheTargetsInTheirUnits) {
  const TrainingData data = smooth_problem(60, 8);
  const Kernel kernel = parse_kernel("1*rbf(lengthscale=1.5)");
  const auto model = fit_gp(kernel, {.optimize = false}, data);
  const double mean = model->parts().scaling.means[0];
  const double scale = model->parts().scaling.scales[0];
  Dense a = kernel_matrix(kernel, data.samples, data.samples);
  a.add_to_diagonal(0.1);
  a *= scale * scale;
  const Dense y = Dense(data.targets.values()).column(0).shifted(-mean);
  const double expected =
      -0.5 * y.dot(a.solve_positive(y)) - 0.5 * a.log_determinant() - 30 * std::log(2 * std::numbers::pi);
  EXPECT_EQ(model->report().objective_name, "log evidence");
  EXPECT_NEAR(model->report().objective, expected, 1e-8 * std::abs(expected));
}

TEST(Gp, QuantilesDensitiesAndDrawsAgreeWithTheMoments) {
  const TrainingData data = smooth_problem(80, 9);
  const auto model = fit_gp(parse_kernel("1*rbf(lengthscale=ard)"), {}, data);
  const Samples x = random_samples(6, 3, 10);
  const PredictiveMoments y = model->moments(x, PredictionOf::observation, {});
  const PredictiveMoments f = model->moments(x, PredictionOf::function, {});
  const std::vector<double> levels = {0.025, 0.5, 0.975};
  const Matrix<double> quantiles = model->quantiles(x, levels, PredictionOf::observation, {});
  Matrix<double> truth(6, 1);
  for (Index i = 0; i < 6; ++i) {
    const double deviation = std::sqrt(y.variance(i, 0));
    EXPECT_NEAR(quantiles(i, 0), y.mean(i, 0) - 1.959963984540054 * deviation, 1e-8);
    EXPECT_NEAR(quantiles(i, 1), y.mean(i, 0), 1e-8);
    EXPECT_NEAR(quantiles(i, 2), y.mean(i, 0) + 1.959963984540054 * deviation, 1e-8);
    truth(i, 0) = y.mean(i, 0) + deviation;
  }
  const Matrix<double> density = model->log_density(x, truth.view(), {});
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(density(i, 0), -0.5 - 0.5 * std::log(2 * std::numbers::pi * y.variance(i, 0)), 1e-9);
  }
  const Index count = 4000;
  const Matrix<double> covariance = model->covariance(x, 0, {});
  const Dense draws = model->draws(x, count, PredictionOf::function, {});
  const Dense mean = draws * Dense(count, 1, 1.0) / static_cast<double>(count);
  const Dense centered = draws - mean * Dense(1, count, 1.0);
  const Dense sample = centered * centered.transpose() / static_cast<double>(count);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(mean(i), f.mean(i, 0), 5 * std::sqrt(f.variance(i, 0) / count));
    for (Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(sample(i, j), covariance(i, j),
                  6 * std::sqrt(2 * covariance(i, i) * covariance(j, j) / static_cast<double>(count)));
    }
  }
  EXPECT_TRUE(
      same_bits(model->draws(x, 3, PredictionOf::observation, {}), model->draws(x, 3, PredictionOf::observation, {})));
}

TEST(Gp, KnownNoiseOfEveryRowCounts) {
  TrainingData data = random_problem(50, 3, 1, 11);
  data.noise = random_weights(50, 12);
  const Kernel kernel = parse_kernel("rbf(lengthscale=1)");
  const auto model = fit_gp(kernel, {.optimize = false, .standardize = false}, data);
  Dense a = kernel_matrix(kernel, data.samples, data.samples);
  for (Index i = 0; i < 50; ++i) {
    a(i, i) += data.noise[i];
  }
  const Samples x = random_samples(9, 3, 13);
  const Dense expected = kernel_matrix(kernel, x, data.samples) * a.solve(Dense(data.targets.values()));
  EXPECT_LT((Dense(model->predict(x, {})) - expected).max_abs(), 1e-10);
  data.noise[3] = -1;
  EXPECT_ERROR(fit_gp(kernel, {}, data), DataError, "the noise variance of row 3");
  data.noise.pop_back();
  EXPECT_ERROR(fit_gp(kernel, {}, data), DataError, "49 noise variances for 50 rows");
}

TEST(Gp, ExpectationPropagationRefusesWeightsThatItWouldIgnore) {
  TrainingData data = random_problem(12, 1, 1, 14);
  const Kernel kernel = parse_kernel("rbf(lengthscale=1)");
  const auto fitted = [&](GpLikelihood likelihood) {
    return fit_gp(
        kernel, {.likelihood = likelihood, .inference = GpInference::expectation_propagation, .optimize = false}, data);
  };
  data.weights.assign(12, 1.0);
  data.weights[3] = 0;  // leaves the row out
  EXPECT_NO_THROW(fitted(GpLikelihood::student_t));
  data.weights[4] = 2;
  for (const GpLikelihood likelihood : {GpLikelihood::student_t, GpLikelihood::laplacian}) {
    EXPECT_ERROR(fitted(likelihood), InvalidArgument, "takes no weights") << word_of(likelihood);
  }
}

TEST(Gp, LeaveOneOutIsInTheUsersUnits) {
  const TrainingData data = smooth_problem(30, 16);
  const auto model = fit_gp(parse_kernel("1*rbf(lengthscale=1.5)"),
                            {.noise = GpNoise::known(4), .optimize = false, .standardize = false, .loo = true}, data);
  const auto loo = model->leave_one_out();
  ASSERT_TRUE(loo.has_value());
  std::vector<Index> others;
  for (Index i = 1; i < 30; ++i) {
    others.push_back(i);
  }
  const auto rest = fit_gp(parse_kernel("1*rbf(lengthscale=1.5)"),
                           {.noise = GpNoise::known(4), .optimize = false, .standardize = false},
                           {data.samples.select(others), data.targets.select(others)});
  const PredictiveMoments expected = rest->moments(data.samples.slice({0, 1}), PredictionOf::observation, {});
  EXPECT_NEAR(loo->mean(0, 0), expected.mean(0, 0), 1e-9);
  EXPECT_NEAR(loo->variance(0, 0), expected.variance(0, 0), 1e-9);
  const auto again = reloaded(*model);
  EXPECT_TRUE(same_bits(again->leave_one_out()->mean, loo->mean));
}

TEST(Gp, MethodsForLargeDataAgreeWithTheExactOne) {
  const TrainingData data = smooth_problem(300, 17);
  const Samples x = random_samples(50, 3, 18);
  const Kernel kernel = parse_kernel("1*rbf(lengthscale=[1.5, 3, 9])");
  GpOptions options{.noise = GpNoise::known(4), .optimize = false};
  options.method = GpMethod::exact;
  const auto exact = fit_gp(kernel, options, data);
  const PredictiveMoments expected = exact->moments(x, PredictionOf::observation, {});
  const std::vector<std::pair<GpMethod, double>> methods = {
      {GpMethod::float_factor, 1e-4}, {GpMethod::conjugate_gradients, 1e-4},  {GpMethod::variational, 1e-2},
      {GpMethod::fitc, 1e-2},         {GpMethod::subset_of_regressors, 5e-2}, {GpMethod::greedy, 0.3}};
  for (const auto& [method, tolerance] : methods) {
    options.method = method;
    options.inducing = 200;
    options.gap = 1e-4;
    const auto model = fit_gp(kernel, options, data);
    const PredictiveMoments moments = model->moments(x, PredictionOf::observation, {});
    for (Index i = 0; i < 50; ++i) {
      const double deviation = std::sqrt(expected.variance(i, 0));
      EXPECT_NEAR(moments.mean(i, 0), expected.mean(i, 0), tolerance * deviation) << word_of(method);
      EXPECT_NEAR(std::sqrt(moments.variance(i, 0)), deviation, tolerance * deviation) << word_of(method);
    }
    const auto again = reloaded(*model);
    const PredictiveMoments loaded = again->moments(x, PredictionOf::observation, {});
    EXPECT_TRUE(same_bits(loaded.mean, moments.mean)) << word_of(method);
    EXPECT_TRUE(same_bits(loaded.variance, moments.variance)) << word_of(method);
  }
}

TEST(Gp, RefusesDamagedStates) {
  const TrainingData data = smooth_problem(30, 21);
  const auto refused = [&](const GpOptions& options, const auto& damage, const char* words) {
    ModelState state = state_of(*fit_gp(parse_kernel("1*rbf(lengthscale=2)"), options, data));
    damage(state);
    EXPECT_ERROR(gp_entry().load(std::move(state), {}), DataError, words);
  };
  GpOptions options{.mean = ParametricPart::constant, .optimize = false, .loo = true};
  const auto set = [](const char* name, double value) {
    return [=](ModelState& state) { state.parts.numbers.at(name)(0, 0) = value; };
  };
  refused(options, set("target_scaling", std::nan("")), "'target_scaling' holds a number that is not finite");
  refused(
      options, [](ModelState& state) { state.parts.numbers.at("target_scaling")(1, 0) = 0; },
      "a 'target_scaling' whose scales are not positive");
  refused(options, set("uncertainty_factor", -1), "a 'uncertainty_factor' that is no triangular factor");
  refused(options, [](ModelState& state) { state.parts.numbers.erase("loo_means"); }, "'loo_means'");
  refused(
      options, [](ModelState& state) { set_option(state.head.settings, "method", "automatic"); },
      "no word of the inference or method");
  options = {.method = GpMethod::variational, .optimize = false, .inducing = 8};
  refused(options, set("term_1", 0), "a 'term_1' that is no triangular factor");
  refused(options, [](ModelState& state) { state.parts.numbers.erase("term_1"); }, "'term_1'");
}

TEST(Gp, RobustNoiseResistsGrossOutliers) {
  TrainingData data = smooth_problem(200, 19);
  std::vector<double> y(data.targets.columns()[0].values);
  RandomStream random(20, 0);
  for (std::size_t i = 0; i < y.size(); i += 10) {
    y[i] += 400 * (random.uniform() < 0.5 ? -1 : 1);
  }
  data.targets = Targets::numeric(y, "y");
  const TrainingData test = smooth_problem(300, 21, 0);
  const Matrix<double> truth = test.targets.values();
  const auto rmse = [&](const GpOptions& options) {
    const auto model = fit_gp(parse_kernel("1*rbf(lengthscale=ard)"), options, data);
    const Matrix<double> predicted = model->predict(test.samples, {});
    return (Dense(predicted) - Dense(truth)).norm() / std::sqrt(300.0);
  };
  const double gaussian = rmse({.restarts = 0});
  EXPECT_GT(gaussian, 10);  // half of the spread of the function
  EXPECT_LT(rmse({.likelihood = GpLikelihood::student_t, .restarts = 0}), 3);
  EXPECT_LT(rmse({.likelihood = GpLikelihood::huber, .restarts = 0}), 5);
  EXPECT_LT(rmse({.likelihood = GpLikelihood::laplacian, .restarts = 0}), 5);
  EXPECT_LT(rmse({.likelihood = GpLikelihood::laplacian, .inference = GpInference::posterior_mode, .restarts = 0}), 5);
}

TEST(Gp, CountsArePredictedAsMeansOfPoissonVariables) {
  const Index n = 300;
  Matrix<double> x(n, 1);
  std::vector<double> y;
  RandomStream random(22, 0);
  const auto rate = [](double t) { return std::exp(2 + std::sin(t)); };
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 6.0 * static_cast<double>(i) / n;
    double product = random.uniform();
    double count = 0;
    while (product > std::exp(-rate(x(i, 0)))) {
      product *= random.uniform();
      ++count;
    }
    y.push_back(count);
  }
  const Samples samples = make_dense(std::move(x));
  const auto model = fit_gp(parse_kernel("1*rbf(lengthscale=scale)"),
                            {.likelihood = GpLikelihood::poisson, .restarts = 0}, {samples, Targets::numeric(y)});
  const PredictiveMoments moments = model->moments(samples, PredictionOf::observation, {});
  const Matrix<double> predicted = model->predict(samples, {});
  for (Index i = 20; i < n - 20; i += 20) {
    const double t = 6.0 * static_cast<double>(i) / n;
    EXPECT_NEAR(predicted(i, 0), rate(t), 0.25 * rate(t));
    EXPECT_GE(moments.variance(i, 0), moments.mean(i, 0));
  }
  EXPECT_ERROR(fit_gp(parse_kernel("rbf()"), {.likelihood = GpLikelihood::poisson},
                      {samples.slice({0, 2}), Targets::numeric({1.5, 2})}),
               DataError, "the target of row 0 (counted from 0) is 1.5");
}

// The function of counts is the logarithm of their mean: E y = E exp f, for values, quantiles and draws, and after a
// model was stored.
TEST(Gp, TheFunctionOfCountsIsTheLogarithmOfTheirMean) {
  const Index n = 40;
  Matrix<double> counts = random_matrix(n, 1, 31);
  const Samples samples = random_samples(n, 1, 30);
  for (Index i = 0; i < n; ++i) {
    counts(i, 0) = std::floor(100 + 9 * counts(i, 0));  // far from 1, where the offset would be 0
  }
  const auto fitted =
      fit_gp(parse_kernel("0.1*rbf(lengthscale=1)"), {.likelihood = GpLikelihood::poisson, .optimize = false},
             {samples, Targets::numeric(counts.view())});
  const auto stored = reloaded(*fitted);
  for (const GpModel* model : {fitted.get(), stored.get()}) {
    const PredictiveMoments f = model->moments(samples, PredictionOf::function, {});
    const PredictiveMoments y = model->moments(samples, PredictionOf::observation, {});
    const Matrix<double> median = model->quantiles(samples, std::vector{0.5}, PredictionOf::function, {});
    const Index draws = 200;
    const Matrix<double> drawn = model->draws(samples, draws, PredictionOf::function, {});
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(std::exp(f.mean(i, 0) + f.variance(i, 0) / 2), y.mean(i, 0), 1e-9 * y.mean(i, 0));
      EXPECT_NEAR(median(i, 0), f.mean(i, 0), 1e-9 * std::abs(f.mean(i, 0)));
      double mean = 0;
      for (Index d = 0; d < draws; ++d) {
        mean += drawn(i, d) / static_cast<double>(draws);
      }
      EXPECT_NEAR(mean, f.mean(i, 0), 5 * std::sqrt(f.variance(i, 0) / static_cast<double>(draws)));
    }
  }
}

TEST(Gp, DegenerateDataGiveSensibleAnswers) {
  const Kernel kernel = parse_kernel("1*rbf(lengthscale=ard)");
  const auto finite = [](const Matrix<double>& values) {
    return std::all_of(values.data(), values.data() + values.rows() * values.columns(),
                       [](double value) { return std::isfinite(value); });
  };
  const auto check = [&](const TrainingData& data, const GpOptions& options, const char* what) {
    const auto model = fit_gp(kernel, options, data);
    PredictiveMoments moments = model->moments(data.samples, PredictionOf::observation, {});
    EXPECT_TRUE(finite(moments.mean)) << what;
    EXPECT_TRUE(finite(moments.variance)) << what;
    return moments;
  };
  // One point; constant targets; more columns than rows; repeated rows with and without noise; huge and tiny scales.
  const PredictiveMoments one = check({random_samples(1, 3, 1), Targets::numeric({7.0})}, {}, "one point");
  EXPECT_NEAR(one.mean(0, 0), 7, 1e-9);
  const PredictiveMoments constant =
      check({random_samples(30, 3, 2), Targets::numeric(std::vector<double>(30, -3.0))}, {}, "constant targets");
  EXPECT_NEAR(constant.mean(5, 0), -3, 1e-6);
  check(random_problem(4, 40, 1, 3), {}, "n < d");
  std::vector<Index> repeated;
  for (Index i = 0; i < 40; ++i) {
    repeated.push_back(i / 4);
  }
  const TrainingData base = smooth_problem(10, 4);
  const TrainingData doubled{base.samples.select(repeated), base.targets.select(repeated)};
  check(doubled, {}, "repeated rows");
  const auto jittered = fit_gp(kernel, {.noise = GpNoise::starting_at(0), .optimize = false}, doubled);
  EXPECT_NE(jittered->report().notes.at(0).text.find("jitter"), std::string::npos);
  for (const double factor : {1e-12, 1e12}) {
    std::vector<double> y(base.targets.columns()[0].values);
    for (double& value : y) {
      value *= factor;
    }
    const PredictiveMoments scaled = check({base.samples, Targets::numeric(y)}, {}, "scaled targets");
    EXPECT_LT(std::abs(scaled.mean(0, 0) - y[0]), 0.5 * std::abs(y[0]));
  }
  check(smooth_problem(40, 5), {.noise = GpNoise::known(1e-12)}, "no noise");
  const auto flat = fit_gp(parse_kernel("1*rbf(lengthscale=1e9!)"), {}, smooth_problem(40, 5));
  EXPECT_TRUE(finite(flat->moments(random_samples(5, 3, 6), PredictionOf::observation, {}).variance));
}

// The kernel is 1e3 to 1e6 times the noise: single precision is the way, not the answer.
TEST(Gp, FloatEqualsExactHoweverLargeTheKernel) {
  const TrainingData data = smooth_problem(300, 6);
  const Samples test = random_samples(40, 3, 7);
  for (const char* kernel : {"1e1*rbf(lengthscale=2)", "1e2*rbf(lengthscale=2)", "1e4*rbf(lengthscale=2)",
                             "1e3*matern(nu=1.5, lengthscale=2)"}) {
    GpOptions options{.noise = GpNoise::starting_at(0.01), .optimize = false, .standardize = false};
    options.method = GpMethod::exact;
    const auto exact = fit_gp(parse_kernel(kernel), options, data);
    options.method = GpMethod::float_factor;
    const auto single = fit_gp(parse_kernel(kernel), options, data);
    const double evidence = exact->report().objective;
    EXPECT_NEAR(single->report().objective, evidence, 1e-2 * std::abs(evidence)) << kernel;
    const auto loaded = reloaded(*single);
    const PredictiveMoments one = exact->moments(test, PredictionOf::function, {});
    for (const GpModel* model : {single.get(), loaded.get()}) {
      const PredictiveMoments other = model->moments(test, PredictionOf::function, {});
      for (Index i = 0; i < test.size(); ++i) {
        EXPECT_NEAR(other.mean(i, 0), one.mean(i, 0), 1e-4 * (1 + std::abs(one.mean(i, 0)))) << kernel;
        EXPECT_NEAR(other.variance(i, 0), one.variance(i, 0), 2e-2 * one.variance(i, 0)) << kernel;
      }
    }
  }
}

TEST(Gp, RefusesWhatItCannotUse) {
  const Kernel kernel = parse_kernel("rbf(lengthscale=1)");
  const TrainingData data = random_problem(10, 3, 1, 23);
  EXPECT_ERROR(fit_gp(parse_kernel("sigmoid()"), {}, data), InvalidArgument,
               "gp: the kernel sigmoid(gamma=auto, coef0=0) is indefinite");
  EXPECT_ERROR(fit_gp(parse_kernel("thin_plate()"), {}, data), InvalidArgument,
               "gp: the kernel thin_plate(n=1) is conditionally positive definite of order 2");
  EXPECT_ERROR(fit_gp(kernel, {.likelihood = GpLikelihood::huber, .mean = ParametricPart::linear}, data),
               InvalidArgument, "gp: mean = linear: is for likelihood = gaussian");
  EXPECT_ERROR(fit_gp(kernel, {.likelihood = GpLikelihood::laplacian, .inference = GpInference::laplace}, data),
               InvalidArgument, "gp: likelihood = laplacian has a kink");
  EXPECT_ERROR(fit_gp(kernel, {.inference = GpInference::posterior_mode}, data), InvalidArgument,
               "gp: inference = map: is for likelihood = laplacian");
  EXPECT_ERROR(fit_gp(kernel, {.method = GpMethod::conjugate_gradients, .mean = ParametricPart::linear}, data),
               InvalidArgument, "gp: mean = linear: needs method = exact");
  EXPECT_ERROR(fit_gp(kernel, {.method = GpMethod::exact, .memory_mb = 1e-4}, data), InvalidArgument,
               "gp: method = exact needs");
  EXPECT_ERROR(fit_gp(kernel, {.priors = HyperPriors::parse("speed: gamma(1, 1)")}, data), InvalidArgument,
               "priors: there is no unknown 'speed'");
  EXPECT_ERROR(fit_gp(kernel, {}, {data.samples, Targets::numeric(std::vector<double>(10, std::nan("")))}), DataError,
               "the target of row 0 (counted from 0) is nan");
  EXPECT_ERROR(fit_gp(kernel, {.likelihood = GpLikelihood::student_t}, random_problem(10, 3, 2, 24)), InvalidArgument,
               "gp: likelihood = student_t");
  GpOptions quadratic;
  quadratic.mean = ParametricPart::quadratic;
  EXPECT_ERROR(fit_gp(kernel, quadratic, data), DataError, "gp: mean = quadratic has 10 free functions");
  const auto map = fit_gp(
      kernel, {.likelihood = GpLikelihood::laplacian, .inference = GpInference::posterior_mode, .optimize = false},
      data);
  EXPECT_FALSE(map->has_distribution());
  EXPECT_ERROR(map->moments(data.samples, PredictionOf::function, {}), InvalidArgument,
               "gp: inference = map knows the mode alone");
}

TEST(Gp, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(fit_gp(parse_kernel("1*rbf(lengthscale=ard)"), {}, smooth_problem(50, 25),
                      mercer::Run{{.stop = stop.get_token()}}),
               Stopped, "stopped on request");
}

TEST(Gp, OutputsShareOneFactorizationAndKeepTheirUnits) {
  const TrainingData first = smooth_problem(60, 26);
  std::vector<double> y(first.targets.columns()[0].values);
  std::vector<double> scaled;
  for (const double value : y) {
    scaled.push_back(-3e4 * value + 5);
  }
  std::vector<TargetColumn> columns(2);
  columns[0] = {.name = "a", .values = y, .labels = {}};
  columns[1] = {.name = "b", .values = scaled, .labels = {}};
  const auto model = fit_gp(parse_kernel("1*rbf(lengthscale=ard)"), {}, {first.samples, Targets(columns)});
  const Samples x = random_samples(10, 3, 27);
  const PredictiveMoments moments = model->moments(x, PredictionOf::observation, {});
  for (Index i = 0; i < 10; ++i) {
    EXPECT_NEAR(moments.mean(i, 1), -3e4 * moments.mean(i, 0) + 5, 1e-6 * std::abs(moments.mean(i, 1)));
    EXPECT_NEAR(moments.variance(i, 1), 9e8 * moments.variance(i, 0), 1e-6 * moments.variance(i, 1));
  }
}

}  // namespace
}  // namespace mercer
